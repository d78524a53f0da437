"""`pyfsel compare`: backends on the same instances, and whether their statements contradict each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pyfsel.backends import registry
from pyfsel.backends.base import Backend
from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.files import plain_table, read_instance
from pyfsel.cli.output import OutputOptions
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.solving import SolvingOptions
from pyfsel.errors import InputError
from pyfsel.problem.wording import number_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pyfsel.bench.compare import Comparison, Contender
    from pyfsel.problem.instance import Instance

COLOURS = {"OPTIMAL": "green", "FEASIBLE": "yellow", "INFEASIBLE": "magenta", "unsupported": "dim"}


@dataclass(frozen=True)
class CompareSolving(SolvingOptions):
    """--backends names what is compared, formulations included."""

    lacks = ("backend", "maxsat_command", "model", "formulation", "confirm")
    time_limit: float | None = options.solving_field(
        metavar="S", help="Seconds for each backend on each instance.", default=60
    )


@command(
    "compare",
    "Run backends on the same instances, verify every answer and look for contradictions.\n\n"
    "Exits with 1 if a verified value is better than a claimed optimum, if a verified solution refutes "
    "claimed infeasibility, if a bound is below a verified value, or if an answer contradicts itself.",
    "pyfsel compare wine.json --time-limit 10",
    "pyfsel compare wine.json digits.json --backends cpsat,rc2,rc2/literal,greedy-balancing",
)
def compare_command(
    instances: Annotated[
        list[Path],
        typer.Argument(metavar="INSTANCE.json…", help="Problems, as `pyfsel problem` writes them."),
    ],
    backends: str | None = options.solving_field(
        metavar="NAME,…",
        help="Names from `pyfsel backends`; name/formulation chooses a formulation, and mine.mzn or "
        "highs:mine.mzn a MiniZinc model of your own, with further data in the instances.",
        show_default="all",
    ),
    *,
    solving: CompareSolving,
    written: OutputOptions,
) -> ExitCode:
    """Compare backends."""
    from pyfsel.bench.compare import Comparison, Contender, compare

    if len(set(map(str, instances))) < len(instances):
        raise InputError("INSTANCE.json: the same file is named twice")
    names = None if backends is None else [name.strip() for name in backends.split(",") if name.strip()]
    if names == []:
        raise InputError("--backends: is empty; name at least one")
    contenders = [Contender.named(name) for name in (registry() if names is None else names)]
    asked = [_asked(path, contenders) for path in instances]
    with notes(written.quiet), progress("comparing", written.quiet) as report:
        found = Comparison.joined(
            compare(
                {str(path): problem},
                own,
                **solving.arguments,
                on_run=lambda instance, contender: report(f"{contender} on {instance}"),
            )
            for path, (problem, own) in zip(instances, asked, strict=True)
        )
    written.write(found.to_dict, lambda: found.to_frame().to_csv(index=False), lambda: _tables(found))
    for contradiction in found.contradictions:
        note(f"contradiction: {contradiction.instance}: {contradiction.evidence}", written.quiet)
    return _exit_code(found)


def _asked(path: Path, contenders: list[Contender]) -> tuple[Instance, list[Contender]]:
    """Return the problem of a file, and the contenders, custom models with their further data in the file."""
    from pyfsel.backends.minizinc.own_model import MiniZincModel

    models = [one.backend for one in contenders if isinstance(one.backend, MiniZincModel)]
    used = {name for model in models for name in model.used_names()}
    problem, _ = read_instance(path, None, used)
    own: dict[Backend, Backend] = {m: read_instance(path, m, used)[1] or m for m in models}
    return problem, [replace(one, backend=own.get(one.backend, one.backend)) for one in contenders]


def _exit_code(found: Comparison) -> ExitCode:
    if found.contradictions:
        return ExitCode.VIOLATIONS
    if found.interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.FAULT if found.crashed else ExitCode.OK


def _tables(found: Comparison) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = []
    for instance in dict.fromkeys(run.instance for run in found.runs):
        rows = [row for row in found.to_records() if row["instance"] == instance]
        notes_on = [f"{row['backend']}: {row['message']}" for row in rows if row["message"]]
        parts += [
            Text(instance, style="bold"),
            _table(found, instance, rows),
            Text("\n".join(["", *notes_on, ""])),
        ]
    verdict = number_of(len(found.contradictions) or "no", "contradiction")
    listed = [f"  {c.instance}: {c.evidence}" for c in found.contradictions]
    return Group(*parts, Text("\n".join([verdict, *listed])))


def _table(found: Comparison, instance: str, rows: list[dict[str, Any]]) -> RenderableType:
    from rich.text import Text

    reference = found.reference(instance)
    gap_head = "gap" if reference is None else f"gap to {reference[1]}".replace(" ", "\n")
    numbers = ("sets", "objective", gap_head, "own gap", "seconds")
    heads = ("backend", "status", *numbers)
    table = plain_table(heads, right=numbers, whole=heads)
    for row in rows:
        table.add_row(
            Text(row["backend"]),
            Text(row["status"], style=COLOURS.get(row["status"], "red")),
            str(row["n_sets_found"] or "–"),
            _shown(row["objective"], ".6g"),
            _shown(row["gap_to_reference"], ".2%"),
            _shown(row["gap"], ".2%"),
            _shown(row["runtime"], ".2f"),
        )
    return table


def _shown(number: float | None, form: str) -> str:
    return "–" if number is None else format(number, form)
