"""The program of the runs: loads everything once, then makes and watches each run in a process below.

Stdin has the orders: specifications, and where their instances are. A line of stdout answers each with its
record.
Under Linux a run is a copy of this process, elsewhere one that loads everything again.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from pyfsel.backends.base import Backend
from pyfsel.backends.choose import choose_backend
from pyfsel.backends.minizinc.own_model import OwnModel, SolvingModel
from pyfsel.bench import compare
from pyfsel.bench.claims import ContenderRun, RunOutcome
from pyfsel.bench.compare import Contender
from pyfsel.bench.processes import MEMORY_TOLERANCE, START_SECONDS, family_of, kill, memory_of
from pyfsel.bench.provenance import MEGABYTE, machine, sources, versions
from pyfsel.bench.suite import RunSpec
from pyfsel.certificates.certify import certify
from pyfsel.drivers.processes.guard import end_with_parent, lives
from pyfsel.errors import InputError, ModelInputError
from pyfsel.problem.instance import Instance
from pyfsel.solving.sequential import typical_step
from pyfsel.solving.workers import prepare, start_workers_by_fork

# Looking at the memory of a run takes milliseconds, so longer runs are looked at less often.
SHORTEST_POLL_SECONDS = 0.005
LONGEST_POLL_SECONDS = 0.5
POLLS_PER_TIME = 20
FILES = ("log", "record")
LOADED_ONCE = (
    "pyfsel.drivers.cpsat",
    "pyfsel.algorithms.ksubgraph.all_heavy",
    "pyfsel.algorithms.packing.families",
    "ortools.sat.python.cp_model",
    "scipy.optimize",
)


def main() -> None:
    """Make the runs that stdin asks for; end with the process that asks, or when they are made."""
    asked = json.load(sys.stdin)
    load()
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    # BLAS libraries have threads, which they end before a fork and start again.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    waiting, idle = asked["orders"][::-1], asked["cores"]
    active: list[_Running] = []
    while waiting or active:
        while waiting and idle:
            active.append(_Running(waiting.pop(), idle.pop(), context))
        newest = time.monotonic() - max(run.start for run in active)
        time.sleep(min(max(newest / POLLS_PER_TIME, SHORTEST_POLL_SECONDS), LONGEST_POLL_SECONDS))
        for run in [run for run in active if run.process.exitcode is not None]:
            print(json.dumps(run.record()), flush=True)
            active.remove(run)
            idle.append(run.core)
        for run in active:
            run.watch(asked["parent"])


def load() -> None:
    """Load what runs need, and look up once what the records of all runs say alike."""
    for name in LOADED_ONCE:
        importlib.import_module(name)
    machine(), versions(None), sources()


class _Running:
    """A run in a process of its own, which may use one core only, if that is named."""

    def __init__(self, order: dict[str, Any], core: int | None, context: Any) -> None:
        self.spec, self.core = order["spec"], core
        self.limits = RunSpec.from_dict(order["spec"])
        self.folder = tempfile.TemporaryDirectory(prefix="pyfsel-bench-")
        self.killed, self.peak, self.start = "", 0.0, time.monotonic()
        given = (order, core, Path(self.folder.name), os.getpid())
        self.process = context.Process(target=_make_run, args=given)
        self.process.start()

    def watch(self, parent: int) -> None:
        """Kill it with all that it has started if it goes beyond its limits, or nobody asks any more."""
        family = family_of(self.process.pid)
        self.peak = max(self.peak, sum(map(memory_of, family)) / MEGABYTE)
        if time.monotonic() - self.start > self.limits.most_seconds + START_SECONDS:
            self.killed = "time limit"
        elif self.peak > MEMORY_TOLERANCE * self.limits.memory_limit:
            self.killed = "memory limit"
        if self.killed or not lives(parent):
            kill(family)

    def record(self) -> dict[str, Any]:
        """Return the record of a run that has ended, also if it had to be killed."""
        measured = {"seconds": time.monotonic() - self.start, "peak_memory": round(self.peak, 1)}
        with self.folder:
            return {**self.spec, **self._outcome(), **measured}

    def _outcome(self) -> dict[str, Any]:
        if self.killed:
            return {"outcome": "killed", "message": f"killed: {self.killed}", "result": None}
        log, written = (Path(self.folder.name, name) for name in FILES)
        with suppress(OSError, ValueError):
            record: dict[str, Any] = json.loads(written.read_text(encoding="utf-8"))
            return record
        complaints = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        last = complaints.strip().rpartition("\n")[2]
        message = f"exit code {self.process.exitcode}: {last}"
        return {"outcome": RunOutcome.ERROR, "message": message, "result": None}


def _make_run(order: dict[str, Any], core: int | None, folder: Path, parent: int) -> None:
    """Make a run in this process, which ends with it."""
    if sys.platform == "linux":
        end_with_parent()
        if os.getppid() != parent:
            os._exit(1)
        os.setsid()
    log, written = (folder / name for name in FILES)
    for name, descriptors in ((str(log), (1, 2)), (os.devnull, (0,))):
        opened = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        for descriptor in descriptors:
            os.dup2(opened, descriptor)
    code = 1
    try:
        if core is not None:
            psutil.Process().cpu_affinity([core])
        if sys.platform == "linux":
            start_workers_by_fork()
        else:
            load()
        record = run_one(order["spec"], Path(order["instance"]))
        written.write_text(json.dumps(record), encoding="utf-8")
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def run_one(data: dict[str, Any], instance: Path) -> dict[str, Any]:
    """Return the outcome of a run: what was claimed, and by which versions on what machine."""
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
        run = compare.run_contender(
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
        "versions": versions(backend),
        "sources": sources(),
        "machine": machine(),
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


if __name__ == "__main__":
    main()
