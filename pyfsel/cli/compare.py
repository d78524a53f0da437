"""`pyfsel compare`: solvers on the same instances, and whether their statements contradict each other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.output import OutputOptions
from pyfsel.cli.progress import notes, progress
from pyfsel.cli.solving import SolvingOptions
from pyfsel.errors import InputError
from pyfsel.results.answer import StopReason


@dataclass(frozen=True)
class CompareSolving(SolvingOptions):
    """--solvers names what is compared, formulations included."""

    lacks = ("backend", "maxsat_command", "model", "formulation", "confirm", "search")
    time_limit: float | None = options.solving_field(
        metavar="S", help="Seconds for each solver on each instance.", default=60
    )


@command(
    "compare",
    "Run backends on the same instances, verify every answer and look for contradictions.\n\n"
    "Exits with 1 if a verified value is better than a claimed optimum, if a verified solution refutes "
    "claimed infeasibility, if a bound is below a verified value, or if an answer contradicts itself.",
    "pyfsel compare wine.json --time-limit 10",
    "pyfsel compare wine.json digits.json --solvers cpsat,rc2,rc2/literal,greedy-balancing",
)
def compare_command(
    instances: Annotated[
        list[Path],
        typer.Argument(metavar="INSTANCE.json…", help="Problems, as `pyfsel problem` writes them."),
    ],
    solvers: str | None = options.solving_field(
        metavar="NAME,…",
        help="Names from `pyfsel backends`; name/formulation chooses a formulation, and mine.mzn or "
        "highs:mine.mzn a MiniZinc model of your own, with further data in the instances.",
        show_default="all",
    ),
    search: str | None = options.solving_field(
        metavar="WORD", help="sequential, sum or min.", show_default="as each instance says"
    ),
    *,
    solving: CompareSolving,
    written: OutputOptions,
) -> ExitCode:
    """Compare solvers."""
    from pyfsel.bench.compare import compare_files

    names = None if solvers is None else [name.strip() for name in solvers.split(",") if name.strip()]
    if names == []:
        raise InputError("--solvers: is empty; name at least one")
    limits = {name: value for name, value in solving.arguments.items() if name != "search"}
    with notes(written.quiet), progress("comparing", written.quiet) as report:
        found = compare_files(
            instances,
            names,
            search=search,
            on_run=lambda problem, solver: report(f"{solver} on {problem}"),
            **limits,
        )
    written.write(found.to_dict, lambda: found.to_frame().to_csv(index=False), found.table)
    if found.details["contradictions"]:
        return ExitCode.VIOLATIONS
    if found.stop_reason is StopReason.INTERRUPTED:
        return ExitCode.INTERRUPTED
    return ExitCode.FAULT if found.details["crashed"] else ExitCode.OK
