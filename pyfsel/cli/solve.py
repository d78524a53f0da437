"""`pyfsel solve`: from an instance file to a result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pyfsel.backends.base import Backend
from pyfsel.cli import options
from pyfsel.cli.exit_codes import code_of_result
from pyfsel.cli.files import read_instance, result_csv
from pyfsel.cli.groups import OutputOptions, SolvingOptions, with_groups
from pyfsel.cli.progress import SoFar, note, notes, progress
from pyfsel.cli.short_help import ShortHelp
from pyfsel.errors import InputError
from pyfsel.problem.problem import Problem
from pyfsel.questions.cheapest import CheapestSets, cheapest_sets
from pyfsel.results.result import Result
from pyfsel.solving.models import own_models
from pyfsel.solving.solve import solve

if TYPE_CHECKING:
    from rich.console import RenderableType


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "solve",
        cls=ShortHelp,
        help="Solve an instance file and verify the sets.",
        epilog=options.examples(
            "pyfsel solve wine.json",
            "pyfsel solve wine.json --backend rc2 --time-limit 10 --format json",
            "pyfsel solve wine.json --model mine.mzn",
        ),
    )(with_groups(solve_command))


@dataclass(frozen=True)
class ModelOptions(SolvingOptions):
    """How an instance is solved, by a model of the user's own in particular."""

    more_data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data",
            metavar="FILE",
            help="Further data of --model, .dzn or .json; repeatable. They may stand in the instance too.",
            rich_help_panel=options.SOLVING,
        ),
    ] = None
    check: Annotated[
        str,
        typer.Option(
            metavar="all|sizes|overlap|none",
            help="Which rules of the problem the sets of --model must keep: all; sizes and side constraints "
            "of each; what sets share; or none.",
            rich_help_panel=options.SOLVING,
        ),
    ] = "all"

    models: options.ModelsFolder = None

    @property
    def chosen(self) -> str | Backend:
        """What `pyfsel.solve` takes as backend."""
        if self.model is None:
            if self.more_data or self.check != "all":
                raise InputError("--data and --check: are for --model")
            return super().chosen
        return self.own_model(data=self.more_data or (), check=self.check)


def solve_command(
    instance: options.AnyInstanceFile,
    search: options.Search = None,
    certify: options.CertificateFile = None,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            help="Also print what the solver reports of itself, on stderr.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    *,
    solving: ModelOptions,
    written: OutputOptions,
) -> None:
    """Solve an instance file."""
    problem, more, more_dzn = read_instance(instance)
    with own_models(solving.models):
        arguments = solving.arguments
        if solving.model is not None:
            arguments["backend"] = arguments["backend"].with_data(more, more_dzn)
        result = solve_visibly(problem, written.quiet, search=search, **arguments)
    if verbose:
        for name, value in sorted(result.statistics.items()):
            note(f"{name}: {value}", quiet=False)
    finish(certified_visibly(result, certify, solving.time_limit, written.quiet), written)


def certified_visibly(result: Result, file: Path | None, time_limit: float | None, quiet: bool) -> Result:
    """Write a certificate to a file, if there is one, and return the result with it."""
    if file is None:
        return result
    from pyfsel.certificates.certify import certify

    with notes(quiet), progress("certifying", quiet):
        certificate = certify(result, time_limit)
    certificate.save(file)
    return replace(result, certificate=certificate)


def solve_visibly(problem: Problem, quiet: bool, **arguments: Any) -> Result:
    """Solve a problem with progress on stderr; arguments as for `pyfsel.solve`."""
    with notes(quiet), progress("solving", quiet) as report:
        so_far = SoFar(problem, report)
        return solve(problem, on_incumbent=so_far.incumbent, on_bound=so_far.bound, **arguments)


def cheapest_visibly(problem: Problem, quiet: bool, **arguments: Any) -> CheapestSets:
    """Find the cheapest sets with a sign of life on stderr; arguments as for `pyfsel.cheapest_sets`."""
    with notes(quiet), progress("looking for cheap sets", quiet):
        return cheapest_sets(problem, **arguments)


def finish(result: Result | CheapestSets, written: OutputOptions, overlap_rule: str = "") -> None:
    """Write a result and end the command with its exit code."""
    from pyfsel.questions.cheapest import cheapest_table
    from pyfsel.results.drawing import result_table

    def table() -> RenderableType:
        if isinstance(result, CheapestSets):
            return cheapest_table(result, overlap_rule)
        return result_table(result, overlap_rule)

    told = f"{result.status}, {len(result.sets)} sets"
    written.write(result.to_dict, lambda: result_csv(result), table, told)
    raise typer.Exit(code_of_result(result))
