"""One run of MiniZinc through its Python package: solutions as they come, and a truthful status."""

from __future__ import annotations

import asyncio
import math
import re
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from json import dumps
from pathlib import Path
from typing import Any

from pyfsel import objectives
from pyfsel.backends.base import Control
from pyfsel.errors import BackendError
from pyfsel.minizinc_solvers import look_up
from pyfsel.objectives import FeatureSet
from pyfsel.problem import Problem
from pyfsel.result import Answer, Status, StopReason
from pyfsel.verify import violations

SHUTDOWN_SECONDS = 0.1
SHORTEST_RUN_SECONDS = 0.01
ROUNDING_SECONDS = 0.02
LARGEST_SEED = 2**31 - 1
BOUND_MARGIN = 1e-6
UNEXPLAINED = "MiniZinc ended with an error that it does not explain, as when the disk is full"
LINEAR_TRACE = " POSTs ["
LARGEST_RESERVE_SECONDS = 0.1
RESERVED_SHARE = 0.05


@dataclass(frozen=True)
class FlatSize:
    """Variables and constraints of a model after MiniZinc has compiled it for a solver."""

    variables: int
    constraints: int


def flat_size(
    model: Path, solver: str, problem: Problem, more_data: Mapping[str, Any] | None = None
) -> FlatSize:
    """Compile a model for a solver and return its size.

    Raises
    ------
    BackendError
        If MiniZinc reports an error.
    """
    with data_files(problem, more_data) as data:
        command = [
            "minizinc",
            "-c",
            "--solver",
            solver,
            "--statistics",
            "--no-output-ozn",
            "--fzn",
            "/dev/null",
        ]
        run = subprocess.run([*command, model, *data], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise BackendError(f"{model}: {run.stderr.strip()}")
    counted = re.findall(r"flat\w*?(Vars|Constraints)=(\d+)", run.stdout)
    totals = [
        sum(int(number) for what, number in counted if what == kind) for kind in ("Vars", "Constraints")
    ]
    return FlatSize(*totals)


@contextmanager
def data_files(problem: Problem, more_data: Mapping[str, Any] | None) -> Iterator[list[Path]]:
    """Write a problem and further data to files for MiniZinc, which are gone at the end."""
    with tempfile.TemporaryDirectory(prefix="pyfsel-") as folder:
        files = [Path(folder, "problem.json")]
        files[0].write_text(problem.to_json(), encoding="utf-8")
        if more_data:
            files.append(Path(folder, "more.json"))
            files[1].write_text(dumps(more_data), encoding="utf-8")
        yield files


def run_model(
    model: Path,
    solver: str,
    problem: Problem,
    control: Control,
    more_data: Mapping[str, Any] | None = None,
) -> Answer:
    """Solve a problem with a model file and return the claim, without a bound.

    Every solution is reported to `control` as it comes.

    Parameters
    ----------
    more_data : mapping, optional
        Data that the model needs besides the problem.

    Raises
    ------
    BackendError
        If MiniZinc or the solver reports an error, or if the solver ended by itself without a result, or with
        one that is not known.
    """
    from minizinc import MiniZincError

    with data_files(problem, more_data) as data:
        try:
            return asyncio.run(_run(model, data, solver, problem, control))
        except MiniZincError as error:
            raise BackendError(_with_headline(str(error))) from error


def _with_headline(text: str) -> str:
    """Put first what the bridge says, else the first line that is no trace of MiniZinc's linear library."""
    lines = [line for line in text.splitlines() if line.strip() and LINEAR_TRACE not in line]
    bridge = (line for line in lines if line.startswith("pyfsel-fzn-"))
    headline = next(bridge, lines[0] if lines else UNEXPLAINED)
    return f"{headline}\n{text}"


async def _run(model: Path, data: list[Path], solver: str, problem: Problem, control: Control) -> Answer:
    import minizinc
    from minizinc.error import MiniZincWarning

    best: list[FeatureSet] | None = None
    comparable = False
    statistics: dict[str, Any] = {}
    status = minizinc.Status.UNKNOWN
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MiniZincWarning)
        configuration = look_up(solver)
        instance = minizinc.Instance(configuration, minizinc.Model([model, *data]))
        limit = _time_left(control)
        begin = time.monotonic()
        async for result in instance.solutions(**_options(configuration.stdFlags, control, limit)):
            status = result.status
            statistics |= result.statistics
            if result.solution is not None:
                best = _sets(result.solution, model)
                comparable = _is_objective(getattr(result.solution, "objective", None), problem, best)
                control.report_sets(best)
            bound = _whole_bound(result.statistics.get("objectiveBound"))
            if comparable and bound is not None:
                control.report_bound(bound)
    control.compile_seconds += statistics.get("flatTime", timedelta()).total_seconds()
    ran_out = limit is not None and time.monotonic() - begin >= limit - _reserve(limit)
    satisfies = instance.method is minizinc.Method.SATISFY
    return _answer(status, best, ran_out, satisfies, {name: str(v) for name, v in statistics.items()})


def _time_left(control: Control) -> float | None:
    left = control.remaining()
    return None if left is None else max(SHORTEST_RUN_SECONDS, left - SHUTDOWN_SECONDS)


def _reserve(limit: float) -> float:
    """Return how many seconds before the limit a solver may stop because of it."""
    return ROUNDING_SECONDS + min(LARGEST_RESERVE_SECONDS, RESERVED_SHARE * limit)


def _options(flags: list[str], control: Control, limit: float | None) -> dict[str, Any]:
    return {
        "time_limit": None if limit is None else timedelta(seconds=limit),
        "intermediate_solutions": True if {"-a", "-i"} & set(flags) else None,
        "processes": control.n_threads if "-p" in flags else None,
        "random_seed": control.random_state % LARGEST_SEED if "-r" in flags else None,
    }


def _whole_bound(bound: float | None) -> int | None:
    """Return a solver's upper bound on the integer objective, rounded to the safe side."""
    if bound is None or not math.isfinite(bound):
        return None
    return math.floor(bound if bound == math.floor(bound) else bound + BOUND_MARGIN * max(1.0, abs(bound)))


def _is_objective(value: object, problem: Problem, sets: list[FeatureSet]) -> bool:
    """Return whether the objective of the model is that of the problem, as far as these sets tell."""
    return not violations(problem, sets) and value == objectives.total(problem, sets)


def _sets(solution: Any, model: Path) -> list[FeatureSet]:
    if not hasattr(solution, "selected"):
        raise BackendError(f"{model.name} has no variables `selected` without a right-hand side")
    return [tuple(j for j, inside in enumerate(row) if inside) for row in solution.selected]


def _answer(
    native: Any,
    best: list[FeatureSet] | None,
    ran_out: bool,
    satisfies: bool,
    statistics: dict[str, str],
) -> Answer:
    sets = None if best is None else tuple(best)
    if native.name == "OPTIMAL_SOLUTION" and sets is not None:
        return Answer(Status.OPTIMAL, sets, statistics=statistics)
    if native.name == "UNSATISFIABLE" and sets is None:
        return Answer(Status.INFEASIBLE, statistics=statistics)
    if native.name in ("SATISFIED", "ALL_SOLUTIONS") and satisfies and sets is not None:
        return Answer(Status.FEASIBLE, sets, statistics=statistics)
    if native.name in ("SATISFIED", "UNKNOWN") and ran_out:
        status = Status.NOT_SOLVED if sets is None else Status.FEASIBLE
        return Answer(status, sets, stop_reason=StopReason.TIME_LIMIT, statistics=statistics)
    found = "a solution" if sets is not None else "no solution"
    raise BackendError(f"MiniZinc ended before its time with status {native.name} and {found}")
