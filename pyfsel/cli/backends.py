"""`pyfsel backends`: which solvers there are, what some of them miss, and which one `auto` takes."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.files import emit, plain_table, read_problem
from pyfsel.cli.options import option_field
from pyfsel.cli.output import OutputOptions
from pyfsel.cli.progress import progress
from pyfsel.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType
    from rich.table import Table


@command(
    "backends",
    "List the backends, and what is missing for those that cannot run.",
    "pyfsel backends --for wine.json",
    "pyfsel backends --try",
)
def backends_command(
    instance: Path | None = option_field(
        "--for",
        metavar="INSTANCE.json",
        help="Instead: those that can prove this problem, which one auto chooses and why, and how each "
        "did on problems for which auto has the same reason.",
    ),
    is_tried: bool = option_field(
        "--try",
        help="Instead: solve a tiny instance with each backend, and say what comes of it. The exit code is 1 "
        "if one that is available does not work.",
        default=False,
    ),
    only: list[str] | None = option_field(
        metavar="NAME", help="Try only backends whose names begin with it; repeatable."
    ),
    *,
    written: OutputOptions,
) -> ExitCode:
    """List the backends."""
    from pyfsel.backends import backends
    from pyfsel.backends.choose import candidates
    from pyfsel.solving.trial import trials

    if only and not is_tried:
        raise InputError("--only: is for --try. Add --try.")
    if is_tried:
        if instance is not None:
            raise InputError("--try: is not for one instance. Leave out --for, or try `pyfsel compare`.")
        with progress("trying the backends", written.quiet):
            tried = trials(only or ())
        if tried.empty:
            raise InputError(
                f"--only: no backend begins with {' or '.join(only or ())}. See `pyfsel backends`."
            )
        if written.chosen == "table":
            emit(_lines_of_trials(tried), written.output, written.quiet)
        else:
            written.write_frame(tried, lambda: "")
        return ExitCode.OK if tried["works"].all() else ExitCode.VIOLATIONS
    frame = backends() if instance is None else candidates(read_problem(instance))
    written.write_frame(
        frame, lambda: (_list_of_backends if instance is None else _list_of_candidates)(frame)
    )
    return ExitCode.OK


def _lines_of_trials(frame: pd.DataFrame) -> str:
    """Return a line for each backend, however long, so other programs can read them."""
    width = frame["name"].str.len().max()
    lines = []
    for row in frame.to_dict("records"):
        word = "missing" if not row["available"] else "works" if row["works"] else "FAILS"
        lines.append(f"{row['name']:{width}}  {word:7}  {row['seconds']:6.2f} s  {row['told']}".rstrip())
    return "\n".join(lines) + "\n"


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
