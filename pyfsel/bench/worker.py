"""The program of the runs: loads everything once, then makes each run in a copy of its process.

Each line of stdin is an order: a specification, and where its files are. Two lines answer it: the number of
the process, and its exit code when it has ended. The record is then in the file that the order names.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import platform
import resource
import select
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.results.answer import PROVED_BY
from pyfsel.solvers.versions import installed_version

if TYPE_CHECKING:
    from pyfsel.backends.base import Backend
    from pyfsel.results.result import Result

PR_SET_PDEATHSIG = 1
IDLE_SECONDS = 60.0
LOADED_ONCE = (
    "pyfsel.bench.suite",
    "pyfsel.backends.cpsat.build",
    "pyfsel.algorithms.ksubgraph.search",
    "pyfsel.algorithms.packing.search",
    "ortools.sat.python.cp_model",
    "scipy.optimize",
)


def main() -> None:
    """Serve the process that started this one, and end with it, or when it has no more orders."""
    _end_with(int(sys.argv[1]))
    for name in LOADED_ONCE:
        importlib.import_module(name)
    here = os.getpid()
    while select.select([sys.stdin], [], [], IDLE_SECONDS)[0] and (line := sys.stdin.readline()):
        process = os.fork()
        if process == 0:
            _make_run(json.loads(line), here)
        print(process, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def _end_with(parent: int) -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _make_run(order: dict[str, Any], parent: int) -> None:
    """Make a run in this process, which ends with it."""
    from pyfsel.solving.workers import start_workers_by_fork

    code = 1
    try:
        _end_with(parent)
        os.setsid()
        for name, descriptors in ((order["log"], (1, 2)), (os.devnull, (0,))):
            opened = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            for descriptor in descriptors:
                os.dup2(opened, descriptor)
        start_workers_by_fork()
        record = run_one(order["spec"], Path(order["instance"]))
        Path(order["record"]).write_text(json.dumps(record), encoding="utf-8")
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def run_one(data: dict[str, Any], instance: Path) -> dict[str, Any]:
    """Return the outcome of a run: what was claimed, and by which versions on what machine."""
    from pyfsel.backends.choose import choose_backend
    from pyfsel.bench.compare import Contender, run_contender
    from pyfsel.bench.suite import RunSpec
    from pyfsel.errors import UnsupportedError
    from pyfsel.problem.problem import Problem
    from pyfsel.solving.sequential import typical_step

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
        random_state=spec.seed,
        **spec.settings,
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
        PROVED_BY: statistics.get(PROVED_BY),
        "cpu_seconds": _cpu_seconds(),
        "result": written,
        "versions": _versions(backend),
        "machine": _machine(),
    }


def _cpu_seconds() -> float:
    """Return the processor time of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(times.ru_utime + times.ru_stime for times in used)


def _versions(backend: Backend | None) -> dict[str, str | None]:
    versions: dict[str, str | None] = {
        "pyfsel": installed_version("pyfsel"),
        "python": platform.python_version(),
    }
    return versions if backend is None else {**versions, backend.name: backend.version()}


def _machine() -> dict[str, Any]:
    return {
        "platform": f"{platform.system()} {platform.machine()}",
        "n_cpus": os.cpu_count(),
        "host": platform.node(),
    }


if __name__ == "__main__":
    main()
