"""The program of one run: reads a specification from stdin, writes the record to stdout."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import signal
import sys
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Run what stdin says; end with the process that started this one."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    order = json.loads(sys.stdin.read())
    if os.getppid() != order["parent"]:
        os._exit(1)
    record = run_one(order["spec"], Path(order["instance"]))
    sys.stdout.write(json.dumps(record))


def run_one(spec: dict[str, Any], instance: Path) -> dict[str, Any]:
    """Return the outcome of a run: what was claimed, and by which versions on what machine."""
    from pyfsel.choose import choose_backend
    from pyfsel.compare import Contender, run_contender
    from pyfsel.problem import Problem
    from pyfsel.search import typical_step

    problem = Problem.load(instance)
    if spec["backend"] == "auto":
        asked = problem if spec["search"] == "simultaneous" else typical_step(problem)
        contender = Contender(choose_backend(asked)[0])
    else:
        contender = Contender.named(spec["backend"])
    run = run_contender(
        spec["instance"],
        problem,
        contender,
        search=spec["search"],
        time_limit=spec["time_limit"],
        memory_limit=spec["memory_limit"],
        random_state=spec["seed"],
    )
    result = None if run.result is None else run.result.to_dict()
    if result is not None:
        del result["problem"]
    return {
        "outcome": run.status,
        "exact": run.exact,
        "message": run.message,
        "result": result,
        "versions": _versions(contender.backend),
        "machine": _machine(),
    }


def _versions(backend: Any) -> dict[str, str | None]:
    from pyfsel import __version__

    return {"pyfsel": __version__, "python": platform.python_version(), backend.name: backend.version()}


def _machine() -> dict[str, Any]:
    return {"platform": platform.platform(), "processor": platform.machine(), "n_cpus": os.cpu_count()}


if __name__ == "__main__":
    main()
