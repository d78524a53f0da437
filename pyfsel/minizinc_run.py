"""One run of MiniZinc through its Python package: solutions as they come, and a truthful status."""

from __future__ import annotations

import asyncio
import tempfile
import time
import warnings
from datetime import timedelta
from pathlib import Path
from typing import Any

from pyfsel import objectives
from pyfsel.backends.base import Control
from pyfsel.errors import BackendError
from pyfsel.minizinc_solvers import look_up
from pyfsel.objectives import FeatureSet
from pyfsel.problem import Problem
from pyfsel.result import Answer, Status, StopReason

SHUTDOWN_SECONDS = 0.1
SHORTEST_RUN_SECONDS = 0.01
ROUNDING_SECONDS = 0.02
LARGEST_SEED = 2**31 - 1


def run_model(model: Path, solver: str, problem: Problem, control: Control) -> Answer:
    """Solve a problem with a model file and return the claim.

    Every solution is reported to `control` as it comes.

    Raises
    ------
    BackendError
        If the solver ended by itself without a result, or with one that is not known.
    minizinc.MiniZincError
        If MiniZinc reports an error: its message.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as data:
        data.write(problem.to_json())
        data.flush()
        return asyncio.run(_run(model, Path(data.name), solver, problem, control))


async def _run(model: Path, data: Path, solver: str, problem: Problem, control: Control) -> Answer:
    import minizinc
    from minizinc.error import MiniZincWarning

    best: list[FeatureSet] | None = None
    statistics: dict[str, Any] = {}
    status = minizinc.Status.UNKNOWN
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MiniZincWarning)
        configuration = look_up(solver)
        instance = minizinc.Instance(configuration, minizinc.Model([model, data]))
        limit = _time_left(control)
        begin = time.monotonic()
        async for result in instance.solutions(**_options(configuration.stdFlags, control, limit)):
            status = result.status
            statistics |= result.statistics
            if result.solution is not None:
                best = _sets(result.solution.selected)
                control.report_sets(best)
    ran_out = limit is not None and time.monotonic() - begin >= limit - ROUNDING_SECONDS
    return _answer(status, best, problem, ran_out, {name: str(v) for name, v in statistics.items()})


def _time_left(control: Control) -> float | None:
    left = control.remaining()
    return None if left is None else max(SHORTEST_RUN_SECONDS, left - SHUTDOWN_SECONDS)


def _options(flags: list[str], control: Control, limit: float | None) -> dict[str, Any]:
    return {
        "time_limit": None if limit is None else timedelta(seconds=limit),
        "intermediate_solutions": True if {"-a", "-i"} & set(flags) else None,
        "processes": control.n_threads if "-p" in flags else None,
        "random_seed": control.random_state % LARGEST_SEED if "-r" in flags else None,
    }


def _sets(selected: list[list[bool]]) -> list[FeatureSet]:
    return [tuple(j for j, inside in enumerate(row) if inside) for row in selected]


def _answer(
    native: Any,
    best: list[FeatureSet] | None,
    problem: Problem,
    ran_out: bool,
    statistics: dict[str, str],
) -> Answer:
    sets = None if best is None else tuple(best)
    if native.name == "OPTIMAL_SOLUTION" and sets is not None:
        return Answer(Status.OPTIMAL, sets, objectives.total(problem, sets), statistics=statistics)
    if native.name == "UNSATISFIABLE" and sets is None:
        return Answer(Status.INFEASIBLE, statistics=statistics)
    if native.name in ("SATISFIED", "UNKNOWN") and ran_out:
        status = Status.NOT_SOLVED if sets is None else Status.FEASIBLE
        return Answer(status, sets, stop_reason=StopReason.TIME_LIMIT, statistics=statistics)
    found = "a solution" if sets is not None else "no solution"
    raise BackendError(f"MiniZinc ended before its time with status {native.name} and {found}")
