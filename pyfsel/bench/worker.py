"""What a run does in its process: solve, certify, and write what came of it."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import psutil

from pyfsel.backends.base import Backend
from pyfsel.backends.choose import choose_backend
from pyfsel.backends.minizinc.own_model import OwnModel, SolvingModel
from pyfsel.bench.claims import ContenderRun, RunOutcome
from pyfsel.bench.compare import Contender, run_contender
from pyfsel.bench.suite import RunSpec
from pyfsel.certificates.certify import certify
from pyfsel.drivers.processes.guarded import TEMPORARY
from pyfsel.errors import InputError, ModelInputError
from pyfsel.problem.instance import Instance
from pyfsel.solving.sequential import typical_step
from pyfsel.solving.workers import prepare, start_workers_by_fork

LOG, RECORD = "log", "record"
LOADED_ONCE = (
    "pyfsel.bench.worker",
    "pyfsel.drivers.cpsat",
    "pyfsel.algorithms.ksubgraph.all_heavy",
    "pyfsel.algorithms.packing.families",
    "ortools.sat.python.cp_model",
    "scipy.optimize",
)
"""What every run needs: loaded by the process of which the others are copies."""


def make_run(
    spec: dict[str, Any], instance: Path, core: int | None, folder: Path, variables: Mapping[str, str]
) -> None:
    """Make a run in this process, which ends with it.

    A folder gets its record, what it complains of, and all temporary files.
    """
    os.environ.clear()  # the process that was copied may have other variables
    os.environ.update(variables)
    if not folder.is_dir():
        return  # all runs were interrupted while the first one was started
    os.environ |= dict.fromkeys(TEMPORARY, str(folder))
    tempfile.tempdir = str(folder)
    log = os.open(folder / LOG, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    if sys.platform == "linux":
        import fcntl

        # the end of the process that makes the runs is a signal that ends this one; its parent lives as long
        runner: Any = parent_process()
        fcntl.fcntl(runner.sentinel, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(runner.sentinel, fcntl.F_SETFL, os.O_ASYNC)
        if not runner.is_alive():
            return
        os.setsid()
        start_workers_by_fork()
    if core is not None:
        psutil.Process().cpu_affinity([core])
    for name in LOADED_ONCE:
        import_module(name)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    (folder / RECORD).write_text(json.dumps(run_one(spec, instance)), encoding="utf-8")
    os._exit(0)  # waits for no process that a solver has left


def run_one(data: dict[str, Any], instance: Path) -> dict[str, Any]:
    """Return the outcome of a run: what was claimed, and by which version of a solver."""
    spec = RunSpec.from_dict(data)
    problem = spec.problem(Instance.load(instance))
    backend: Backend | None = None
    before = _cpu_seconds()
    try:
        contender = _contender(spec, problem, instance.parent)
        backend = contender.backend
        if backend.missing() is None and backend.isolated:
            prepare(backend)
        before = _cpu_seconds()
        run = run_contender(
            spec.problem_name,
            problem,
            contender,
            search="sequential" if spec.search == "sequential" else "simultaneous",
            time_limit=spec.time_limit,
            random_state=spec.random_state,
            **{name: value for name, value in spec.settings.items() if name != "cpu_limit"},
        )
    except InputError as error:
        outcome = RunOutcome.ERROR if isinstance(error, ModelInputError) else RunOutcome.UNSUPPORTED
        run = ContenderRun(spec.problem_name, spec.solver, True, None, outcome, str(error))
    result = run.result
    if spec.certify and result is not None:
        result = replace(result, certificate=certify(result, spec.time_limit))
    written = None if result is None else result.to_dict()
    if written is not None:
        del written["problem"]
    after = _cpu_seconds()
    return {
        "outcome": run.status,
        "exact": run.exact,
        "message": run.message,
        "cpu_seconds": None if after is None or before is None else after - before,
        "result": written,
        "versions": {} if backend is None else {backend.name: backend.version()},
    }


def _contender(spec: RunSpec, problem: Instance, folder: Path) -> Contender:
    """Return what makes a run; a model with its own question answers that."""
    if spec.solver == "auto":
        asked = typical_step(problem) if spec.search == "sequential" else problem
        return Contender(choose_backend(asked)[0])
    if spec.model is None:
        return Contender.named(spec.solver)
    kind = OwnModel if spec.own_question else SolvingModel
    runner = spec.solver.rpartition(":")[0]
    return Contender(kind(folder / spec.model, runner, data=[folder / name for name in spec.data]))


def _cpu_seconds() -> float | None:
    """Return the processor time of this process, of those that it started and of those that have ended.

    Windows does not report the time of processes that have ended.
    """
    if sys.platform == "win32":
        return None
    import resource

    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    total = sum(times.ru_utime + times.ru_stime for times in used)
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system
            if sys.platform == "linux":
                total += times.children_user + times.children_system
    return total
