"""`pyfsel solve`: from an instance file to a result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from pyfsel.backends.base import Backend
from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode, code_of_result
from pyfsel.cli.files import result_csv
from pyfsel.cli.options import output_field, solving_field
from pyfsel.cli.output import OutputOptions
from pyfsel.cli.progress import SoFar, note, notes, progress
from pyfsel.cli.solving import CertifiedSolving
from pyfsel.errors import InputError
from pyfsel.interface.answer import answer_of
from pyfsel.interface.problem import Problem
from pyfsel.problem.instance import Instance
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import StopReason
from pyfsel.results.certificate import Certificate
from pyfsel.results.result import Result
from pyfsel.solving.models import own_models
from pyfsel.solving.solve import solve


@dataclass(frozen=True)
class ModelSolving(CertifiedSolving):
    """How an instance is solved, by a model of the user's own in particular."""

    more_data: list[Path] | None = solving_field(
        "--data",
        metavar="FILE",
        help="Further data of --model, .dzn or .json; repeatable. It may also be in the instance.",
    )
    check: str = solving_field(
        metavar="all|sizes|overlap|none",
        help="Which rules of the problem the sets of --model must keep: all; sizes and side constraints "
        "of each; what sets share; or none.",
        default="all",
    )

    models: options.ModelsFolder = None

    @property
    def chosen(self) -> str | Backend:
        """What `pyfsel.solve` takes as backend."""
        if self.model is None:
            if self.more_data or self.check != "all":
                raise InputError("--data and --check: only apply to --model")
            return super().chosen
        return self.own_model(data=self.more_data or (), check=self.check)


@command(
    "solve",
    "Solve an instance file and verify the sets.",
    "pyfsel solve wine.json",
    "pyfsel solve wine.json --backend rc2 --time-limit 10 --format json",
    "pyfsel solve wine.json --model mine.mzn",
)
def solve_command(
    instance: Annotated[
        Path,
        typer.Argument(
            metavar="INSTANCE.json",
            help="A problem, as `pyfsel problem` writes it (- is stdin), or the same as MiniZinc data "
            "(.dzn).",
        ),
    ],
    verbose: bool = output_field(
        "--verbose", help="Also print the solver's own statistics, on stderr.", default=False
    ),
    *,
    solving: ModelSolving,
    written: OutputOptions,
) -> ExitCode:
    """Solve an instance file."""
    arguments = solving.arguments
    from pyfsel.backends.minizinc.own_model import read_instance

    problem, model = read_instance(instance, arguments["backend"] if solving.model is not None else None)
    with own_models(solving.models):
        if model is not None:
            arguments["backend"] = model
        result = solve_visibly(problem, written.quiet, **arguments)
    if verbose:
        for name, value in sorted(result.statistics.items()):
            note(f"{name}: {value}", quiet=False)
    return finish(certified_visibly(result, solving, written.quiet), written)


def certified_visibly(result: Result, solving: CertifiedSolving, quiet: bool) -> Result:
    """Write a certificate, if one is requested, and return the result with it; not after an interruption."""
    if solving.certify is None or result.stop_reason is StopReason.INTERRUPTED:
        return result
    certificate = certificate_of(result, solving.time_limit, quiet)
    if certificate is None:
        return replace(result, stop_reason=StopReason.INTERRUPTED)
    certificate.save(solving.certify)
    return replace(result, certificate=certificate)


def certificate_of(result: Result, time_limit: float | None, quiet: bool) -> Certificate | None:
    """Make a certificate with progress on stderr; return None if the user interrupts that."""
    from pyfsel.certificates.certify import certify

    try:
        with notes(quiet), progress("certifying", quiet):
            return certify(result, time_limit)
    except KeyboardInterrupt:
        return None


def solve_visibly(problem: Instance, quiet: bool, **arguments: Any) -> Result:
    """Solve a problem with progress on stderr; arguments as for `pyfsel.solve`."""
    with notes(quiet), progress("solving", quiet) as report:
        so_far = SoFar(problem, report)
        return solve(problem, on_incumbent=so_far.incumbent, on_bound=so_far.bound, **arguments)


def finish(result: Result, written: OutputOptions, overlap_rule: str = "") -> ExitCode:
    """Write a result and return its exit code."""
    told = f"{result.status}, {number_of(len(result.sets), 'set')}"
    answer = answer_of(result, Problem.of_instance(result.problem, "sequential"))
    written.write(result.to_dict, lambda: result_csv(result), answer.table, told)
    return code_of_result(result, result.problem.n_sets)
