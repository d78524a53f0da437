"""`pyfsel backends`: which solvers there are, what some of them miss, and which one `auto` takes."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from pyfsel.cli.command import command
from pyfsel.cli.files import plain_table, read_problem
from pyfsel.cli.options import option_field
from pyfsel.cli.output import OutputOptions

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType
    from rich.table import Table


@command(
    "backends",
    "List the backends, and what is missing for those that cannot run.",
    "pyfsel backends --for wine.json",
)
def backends_command(
    instance: Path | None = option_field(
        "--for",
        metavar="INSTANCE.json",
        help="Instead: those that can prove this problem, which one auto chooses and why, and how each "
        "did on problems for which auto has the same reason.",
    ),
    *,
    written: OutputOptions,
) -> None:
    """List the backends."""
    from pyfsel.backends import backends
    from pyfsel.backends.choose import candidates

    frame = backends() if instance is None else candidates(read_problem(instance))
    written.write_frame(
        frame, lambda: (_list_of_backends if instance is None else _list_of_candidates)(frame)
    )


def _list_of_candidates(frame: pd.DataFrame) -> RenderableType:
    from pyfsel.results.display import printed

    table = plain_table(("name", "proved", "CPU seconds"), whole=("name", "proved", "CPU seconds"))
    for row in frame.to_dict("records"):
        measured = ["–", "–"]
        if not isnan(row["problems"]):
            measured = [f"{row['proved']:.0f} of {row['problems']:.0f}", f"{row['cpu_seconds']:.2f}"]
        table.add_row(row["name"], *measured)
    legend = (
        "Proved within five seconds, of recorded problems for which auto has the same reason, and the "
        "geometric mean of CPU seconds, twice the limit where unproved (benchmarks/choice.py)."
    )
    return printed(frame["reason"][0], table, legend)


def _list_of_backends(frame: pd.DataFrame) -> Table:
    from rich.text import Text

    heads = ("name", "version", "proves", "what it is, and its formulations")
    table = plain_table(heads, whole=("name", "proves"))
    for row in frame.to_dict("records"):
        about = Text(f"{row['summary']} ({row['formulations']})")
        if not row["available"]:
            about.append(f"\nnot available: {row['reason']}", style="red")
        colour = "green" if row["available"] else "red"
        proves = "optimality" if row["exact"] else "–"
        table.add_row(Text(row["name"], style=colour), Text(row["version"] or "–"), proves, about)
    return table
