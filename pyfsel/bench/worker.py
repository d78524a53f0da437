"""The program of one run: reads a specification from stdin, writes the record to stdout."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyfsel.backends.base import Backend
    from pyfsel.result import Result

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Run what stdin says; end with the process that started this one."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    order = json.loads(sys.stdin.read())
    if os.getppid() != order["parent"]:
        os._exit(1)
    record = run_one(order["spec"], Path(order["instance"]))
    sys.stdout.write(json.dumps(record))


def run_one(data: dict[str, Any], instance: Path) -> dict[str, Any]:
    """Return the outcome of a run: what was claimed, and by which versions on what machine."""
    from pyfsel.bench.suite import RunSpec
    from pyfsel.choose import choose_backend
    from pyfsel.compare import Contender, run_contender
    from pyfsel.errors import UnsupportedError
    from pyfsel.problem import Problem
    from pyfsel.search import typical_step

    spec = RunSpec.from_dict(data)
    problem = spec.problem(Problem.load(instance))
    if spec.backend == "auto":
        try:
            asked = problem if spec.search == "simultaneous" else typical_step(problem)
            contender = Contender(choose_backend(asked)[0])
        except UnsupportedError as error:
            return _record("unsupported", True, str(error), None, None)
    else:
        contender = Contender.named(spec.backend)
    run = run_contender(
        spec.problem_name,
        problem,
        contender,
        search=spec.search,
        time_limit=spec.time_limit,
        memory_limit=spec.memory_limit,
        random_state=spec.seed,
    )
    return _record(run.status, run.exact, run.message, run.result, contender.backend)


def _record(
    outcome: str, exact: bool, message: str, result: Result | None, backend: Backend | None
) -> dict[str, Any]:
    written = None if result is None else result.to_dict()
    if written is not None:
        del written["problem"]
    statistics = {} if result is None else result.statistics
    return {
        "outcome": outcome,
        "exact": exact,
        "message": message,
        "compile_seconds": statistics.get("compile_seconds"),
        "solve_seconds": statistics.get("solve_seconds"),
        "result": written,
        "versions": _versions(backend),
        "machine": _machine(),
    }


def _versions(backend: Backend | None) -> dict[str, str | None]:
    from pyfsel import __version__

    versions: dict[str, str | None] = {"pyfsel": __version__, "python": platform.python_version()}
    return versions if backend is None else {**versions, backend.name: backend.version()}


def _machine() -> dict[str, Any]:
    return {"platform": platform.platform(), "processor": platform.machine(), "n_cpus": os.cpu_count()}


if __name__ == "__main__":
    main()
