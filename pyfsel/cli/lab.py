"""`pyfsel lab`: models of one's own on small instances, and what is wrong with them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.files import plain_table
from pyfsel.cli.options import question_field, solving_field
from pyfsel.cli.output import OutputOptions
from pyfsel.cli.progress import progress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pyfsel.backends.minizinc.own_model import MiniZincModel
    from pyfsel.bench.lab import LabInstance, Report

MEASURED = ("seconds", "failures", "nodes", "propagations")


@command(
    "lab",
    "Try models of your own on small instances, against all solutions of the same model without its "
    "redundant and symmetry-breaking constraints.\n\n"
    "Exits with 1 if a model loses solutions by its strengthenings, breaks rules of the problem, never has a "
    "solution, or does not compile.",
    "pyfsel models --copy mine",
    "pyfsel lab mine/own.mzn",
    "pyfsel lab mine/simultaneous_sum.mzn --costs --backend minizinc:cpsat",
)
def lab_command(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL.mzn…", help="MiniZinc models.")],
    instances: list[Path] | None = question_field(
        metavar="FILE",
        help="A small instance in place of generated ones; repeatable, the smallest first.",
        show_default=False,
    ),
    data: list[Path] | None = question_field(
        metavar="FILE", help="Further data of the models; repeatable.", show_default=False
    ),
    seed: int = question_field(min=0, metavar="N", help="Of the generated instances.", default=0),
    costs: bool = question_field(
        "--costs", help="Also measure what each strengthening costs and brings.", default=False
    ),
    backend: str = solving_field(
        metavar="NAME", help="A MiniZinc backend, such as minizinc:highs.", default="minizinc:gecode"
    ),
    time_limit: float = solving_field(metavar="S", help="Seconds for each run of MiniZinc.", default=5.0),
    *,
    written: OutputOptions,
) -> ExitCode:
    """Examine models."""
    import pandas as pd

    from pyfsel.backends.minizinc.own_model import own_model
    from pyfsel.bench.lab import examine

    found = []
    with (
        tempfile.TemporaryDirectory(prefix="pyfsel-") as folder,
        progress("trying", written.quiet) as report,
    ):
        for model in models:
            report(model.name)
            own = own_model(model, backend)
            problems = [
                _instance(path, own, Path(folder, f"{number}.dzn"))
                for number, path in enumerate(instances or ())
            ]
            found.append(
                examine(
                    model,
                    problems,
                    backend=backend,
                    data=data or (),
                    seed=seed,
                    seconds=time_limit,
                    costs=costs,
                )
            )
            if found[-1].interrupted:
                break
    written.write(
        lambda: {"models": [one.to_dict() for one in found]},
        lambda: pd.DataFrame([one.to_dict() for one in found]).to_csv(index=False),
        lambda: _text(found),
    )
    if found[-1].interrupted:
        return ExitCode.INTERRUPTED
    is_wrong = any(one.verdict not in ("right", "undecided") for one in found)
    return ExitCode.VIOLATIONS if is_wrong else ExitCode.OK


def _instance(path: Path, own: MiniZincModel, more: Path) -> LabInstance:
    """Return an instance with its further data for a model; those in MiniZinc are written to a file."""
    from pyfsel.backends.minizinc.own_model import read_instance
    from pyfsel.bench.lab import LabInstance

    problem, with_data = read_instance(path, own)
    assert with_data is not None
    if with_data.more_dzn:
        more.write_text(with_data.more_dzn, encoding="utf-8")
    return LabInstance(problem, with_data.more_data, (more,) if with_data.more_dzn else ())


def _text(found: list[Report]) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = []
    for one in found:
        parts.append(Text("\n".join(one.lines())))
        parts += [_table(one.costs)] if one.costs else []
    return Group(*parts)


def _table(rows: list[dict[str, Any]]) -> RenderableType:
    table = plain_table(("features", "without", "status", *MEASURED), right=("features", *MEASURED))
    for row in rows:
        numbers = ["" if row[name] is None else f"{row[name]:g}" for name in MEASURED]
        table.add_row(str(row["n_features"]), row["without"], row["status"], *numbers)
    return table
