"""`pyfsel solve`: from an instance file to a result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pyfsel.backends import Backend, get_backend
from pyfsel.cli import options
from pyfsel.cli.exit_codes import code_of_result
from pyfsel.cli.files import read_problem, result_csv
from pyfsel.cli.groups import OutputOptions, with_groups
from pyfsel.cli.progress import SoFar, note, notes, progress
from pyfsel.errors import InputError
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
    backend: options.BackendName = "auto",
    maxsat_command: options.MaxSatCommand = None,
    model: options.OwnModel = None,
    formulation: options.Formulation = None,
    confirm: options.Confirm = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    threads: options.Threads = 1,
    memory_limit: options.MemoryLimit = None,
    *,
    written: OutputOptions,
) -> None:
    """Solve an instance file."""
    problem = read_problem(instance)
    result = solve_visibly(
        problem,
        written.quiet,
        backend=chosen_backend(backend, maxsat_command, model),
        search=search,
        formulation=formulation,
        confirm=confirm,
        time_limit=time_limit,
        random_state=seed,
        n_threads=threads,
        memory_limit=memory_limit,
    )
    finish(result, written)


def require_backend(name: str, argument: str = "backend") -> None:
    """Raise `InputError` if there is no backend of this name: before a command begins to measure."""
    if name != "auto":
        get_backend(name, argument)


def chosen_backend(name: str, maxsat_command: str | None, model: Path | None = None) -> str | Backend:
    """Return what `pyfsel.solve` takes as backend; raise `InputError` if there is none of this name."""
    if maxsat_command is not None:
        if name != "auto" or model is not None:
            raise InputError("--maxsat-command: give either this, or --backend and --model")
        from pyfsel.backends.maxsat.program import MaxSat

        return MaxSat.of_command(maxsat_command)
    if model is None:
        require_backend(name)
        return name
    from pyfsel.backends.minizinc.own_model import MiniZincModel

    family, _, solver = ("minizinc", ":", "gecode") if name == "auto" else name.partition(":")
    if family != "minizinc" or not solver:
        raise InputError(f"--backend={name!r}: --model needs one that starts with minizinc:")
    return MiniZincModel(model, solver)


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
    from pyfsel.results.result import result_table

    def table() -> RenderableType:
        if isinstance(result, CheapestSets):
            return cheapest_table(result, overlap_rule)
        return result_table(result, overlap_rule)

    written.write(result.to_dict, lambda: result_csv(result), table)
    if written.output is not None:
        note(f"{result.status}, {len(result.sets)} sets; wrote {written.output}", written.quiet)
    raise typer.Exit(code_of_result(result))
