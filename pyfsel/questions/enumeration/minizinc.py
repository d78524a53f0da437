"""All optimal solutions by MiniZinc and Gecode, which visits all of ``models/questions/ties.mzn``."""

from __future__ import annotations

import asyncio
import warnings
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pyfsel.backends import get_backend
from pyfsel.errors import BackendError
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.questions.enumeration.base import Take
from pyfsel.results.control import Control, OutOfTimeError
from pyfsel.solvers.minizinc.model_files import models_dir

if TYPE_CHECKING:
    from pyfsel.backends.minizinc.backend import MiniZinc

SOLVER = "gecode"
SHUTDOWN_SECONDS = 0.1
SHORTEST_RUN_SECONDS = 0.01


def refusal(problem: Problem) -> str | None:
    """Return why the model does not take the problem, or None."""
    backend: MiniZinc = get_backend(f"minizinc:{SOLVER}")  # type: ignore[assignment]
    if objective_of(problem).is_fraction:
        return f"the model does not know objective {problem.objective}"
    return backend.too_large(problem, problem.largest_total)


def list_families(problem: Problem, value: int, control: Control, take: Take) -> None:
    """Hand over all solutions that reach the value."""
    from minizinc import MiniZincError

    from pyfsel.backends.minizinc.run import data_files

    with data_files(problem, {"optimum": value}) as data:
        try:
            asyncio.run(_run(models_dir() / "questions" / "ties.mzn", data, control, take))
        except MiniZincError as error:
            raise BackendError(f"minizinc:{SOLVER}: {error}") from error


async def _run(model: Path, data: list[Path], control: Control, take: Take) -> None:
    import minizinc
    from minizinc.error import MiniZincWarning

    left = control.remaining()
    limit = None if left is None else timedelta(seconds=max(SHORTEST_RUN_SECONDS, left - SHUTDOWN_SECONDS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MiniZincWarning)
        solver = minizinc.Solver.lookup(SOLVER)
        instance = minizinc.Instance(solver, minizinc.Model([model, *data]))
        status = minizinc.Status.UNKNOWN
        async for result in instance.solutions(all_solutions=True, time_limit=limit):
            status = result.status
            if result.solution is not None:
                rows = result.solution.selected
                take(tuple(tuple(j for j, inside in enumerate(row) if inside) for row in rows))
    if status.name not in ("ALL_SOLUTIONS", "UNSATISFIABLE"):
        raise OutOfTimeError
