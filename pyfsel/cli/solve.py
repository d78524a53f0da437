"""`pyfsel solve`: from an instance file to a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from pyfsel.cli import options
from pyfsel.cli.exit_codes import code_of_result
from pyfsel.cli.files import read_problem, result_csv
from pyfsel.cli.groups import OutputOptions, SolvingOptions, with_groups
from pyfsel.cli.progress import SoFar, note, notes, progress
from pyfsel.problem.problem import Problem
from pyfsel.questions.cheapest import CheapestSets, cheapest_sets
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

if TYPE_CHECKING:
    from rich.console import RenderableType


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "solve",
        help="Solve an instance file and verify the sets.",
        epilog=options.examples(
            "pyfsel solve wine.json",
            "pyfsel solve wine.json --backend rc2 --time-limit 10 --format json",
            "pyfsel solve wine.json --model mine.mzn",
        ),
    )(with_groups(solve_command))


def solve_command(
    instance: options.InstanceFile,
    search: options.Search = "simultaneous",
    *,
    solving: SolvingOptions,
    written: OutputOptions,
) -> None:
    """Solve an instance file."""
    problem = read_problem(instance)
    result = solve_visibly(problem, written.quiet, search=search, **solving.arguments)
    finish(result, written)


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

    written.write(result.to_dict, lambda: result_csv(result), table)
    if written.output is not None:
        note(f"{result.status}, {len(result.sets)} sets; wrote {written.output}", written.quiet)
    raise typer.Exit(code_of_result(result))
