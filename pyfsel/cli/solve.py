"""`pyfsel solve`: from an instance file to a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from pyfsel.backends import Backend
from pyfsel.cli import options
from pyfsel.cli.exit_codes import code_of_result
from pyfsel.cli.files import chosen_format, emit_result, read_problem
from pyfsel.cli.progress import SoFar, note, notes, progress
from pyfsel.errors import InputError
from pyfsel.problem import Problem
from pyfsel.result import Result
from pyfsel.solve import solve


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
    )(solve_command)


def solve_command(
    instance: options.InstanceFile,
    search: options.Search = "simultaneous",
    backend: options.BackendName = "auto",
    maxsat_command: options.MaxSatCommand = None,
    model: options.OwnModel = None,
    formulation: options.Formulation = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    threads: options.Threads = 1,
    memory_limit: options.MemoryLimit = None,
    file_format: options.ResultFormat = None,
    output: options.OutputFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Solve an instance file."""
    problem = read_problem(instance)
    result = solve_visibly(
        problem,
        quiet,
        backend=chosen_backend(backend, maxsat_command, model),
        search=search,
        formulation=formulation,
        time_limit=time_limit,
        random_state=seed,
        n_threads=threads,
        memory_limit=memory_limit,
    )
    finish(result, file_format, output, quiet)


def chosen_backend(name: str, maxsat_command: str | None, model: Path | None = None) -> str | Backend:
    """Return what `pyfsel.solve` takes as backend."""
    if maxsat_command is not None:
        if name != "auto" or model is not None:
            raise InputError("--maxsat-command: give either this, or --backend and --model")
        from pyfsel.backends.maxsat import MaxSat

        return MaxSat.of_command(maxsat_command)
    if model is None:
        return name
    from pyfsel.backends.minizinc_model import MiniZincModel

    family, _, solver = ("minizinc", ":", "gecode") if name == "auto" else name.partition(":")
    if family != "minizinc" or not solver:
        raise InputError(f"--backend={name!r}: --model needs one that starts with minizinc:")
    return MiniZincModel(model, solver)


def solve_visibly(problem: Problem, quiet: bool, **arguments: Any) -> Result:
    """Solve a problem with progress on stderr; arguments as for `pyfsel.solve`."""
    with notes(quiet), progress("solving", quiet) as report:
        so_far = SoFar(problem, report)
        return solve(problem, on_incumbent=so_far.incumbent, on_bound=so_far.bound, **arguments)


def finish(
    result: Result, file_format: str | None, output: Path | None, quiet: bool, overlap_rule: str = ""
) -> None:
    """Write a result and end the command with its exit code."""
    chosen = chosen_format(file_format, output, ("json", "csv"), "table")
    emit_result(result, chosen, output, overlap_rule)
    if output is not None:
        note(f"{result.status}, {len(result.sets)} sets; wrote {output}", quiet)
    raise typer.Exit(code_of_result(result))
