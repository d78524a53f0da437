"""The program of the runs: loads everything once, then makes each run in a process below it and watches that.

Each line of stdin is an order: a specification, where its instance is, and the core that it may use. One line
answers it: the record. Under Linux a run is a copy of this process, elsewhere one that loads everything
again.
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
from typing import TYPE_CHECKING, Any

import psutil

from pyfsel.backends.base import Backend
from pyfsel.backends.minizinc.catalogue import Model
from pyfsel.bench.processes import MEMORY_TOLERANCE, START_SECONDS, family_of, kill, memory_of
from pyfsel.bench.provenance import MEGABYTE
from pyfsel.bench.suite import RunSpec
from pyfsel.drivers.processes.guard import end_with_parent, lives
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.results.result import Result

if TYPE_CHECKING:
    from pyfsel.bench.compare import Contender

# Looking at the memory of a run takes milliseconds, so longer runs are looked at less often.
SHORTEST_POLL_SECONDS = 0.005
LONGEST_POLL_SECONDS = 0.5
POLLS_PER_TIME = 20
LOADED_ONCE = (
    "pyfsel.bench.provenance",
    "pyfsel.bench.suite",
    "pyfsel.drivers.cpsat",
    "pyfsel.algorithms.ksubgraph.search",
    "pyfsel.algorithms.packing.search",
    "ortools.sat.python.cp_model",
    "scipy.optimize",
)


def main() -> None:
    """Serve the process whose number is given; end with it, or when it has no more orders."""
    parent = int(sys.argv[1])
    load()
    method = "fork" if sys.platform == "linux" else "spawn"
    # The threads are those of BLAS libraries, which end them before a fork and start them again.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps(_made(order, parent, method)), flush=True)


def load() -> None:
    """Load what runs need, and look up once what the records of all runs say alike."""
    for name in LOADED_ONCE:
        importlib.import_module(name)
    from pyfsel.bench.provenance import machine, sources, versions

    machine(), versions(None), sources()


def _made(order: dict[str, Any], parent: int, method: Any) -> dict[str, Any]:
    """Make a run and return its record, also if it had to be killed."""
    with tempfile.TemporaryDirectory(prefix="pyfsel-bench-") as folder:
        log, written = Path(folder, "log"), Path(folder, "record")
        process = multiprocessing.get_context(method).Process(
            target=_make_run, args=(order, str(log), str(written), os.getpid())
        )
        start = time.monotonic()
        process.start()
        assert process.pid is not None
        spec, killed, peak = RunSpec.from_dict(order["spec"]), "", 0.0
        while process.exitcode is None:
            elapsed = time.monotonic() - start
            time.sleep(min(max(elapsed / POLLS_PER_TIME, SHORTEST_POLL_SECONDS), LONGEST_POLL_SECONDS))
            family = family_of(process.pid)
            peak = max(peak, sum(map(memory_of, family)) / MEGABYTE)
            if elapsed > spec.most_seconds + START_SECONDS:
                killed = "time limit"
            elif peak > MEMORY_TOLERANCE * spec.memory_limit:
                killed = "memory limit"
            if killed or not lives(parent):
                kill(family)
        outcome = _outcome(process.exitcode, killed, written, log)
        measured = {"seconds": time.monotonic() - start, "peak_memory": round(peak, 1)}
        return {**order["spec"], **outcome, **measured}


def _outcome(code: int, killed: str, written: Path, log: Path) -> dict[str, Any]:
    if killed:
        return {"outcome": "killed", "message": f"killed: {killed}", "result": None}
    with suppress(OSError, ValueError):
        record: dict[str, Any] = json.loads(written.read_text(encoding="utf-8"))
        return record
    complaints = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    last = complaints.strip().rpartition("\n")[2]
    return {"outcome": "error", "message": f"exit code {code}: {last}", "result": None}


def _make_run(order: dict[str, Any], log: str, written: str, parent: int) -> None:
    """Make a run in this process, which ends with it."""
    from pyfsel.solving.workers import start_workers_by_fork

    if sys.platform == "linux":
        end_with_parent()
        if os.getppid() != parent:
            os._exit(1)
        os.setsid()
    for name, descriptors in ((log, (1, 2)), (os.devnull, (0,))):
        opened = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        for descriptor in descriptors:
            os.dup2(opened, descriptor)
    code = 1
    try:
        if order["core"] is not None:
            psutil.Process().cpu_affinity([order["core"]])
        if sys.platform == "linux":
            start_workers_by_fork()
        else:
            load()
        record = run_one(order["spec"], Path(order["instance"]))
        Path(written).write_text(json.dumps(record), encoding="utf-8")
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def run_one(data: dict[str, Any], instance: Path) -> dict[str, Any]:
    """Return the outcome of a run: what was claimed, and by which versions on what machine."""
    from pyfsel.solving.models import known_models

    spec = RunSpec.from_dict(data)
    problem = spec.problem(Instance.load(instance))
    with known_models(_models_of(spec, instance.parent)):
        try:
            contender = _contender(spec, problem, instance.parent)
        except InputError as error:
            return _record("unsupported", True, str(error), None, None, _cpu_seconds())
        return _run(spec, problem, contender)


def _models_of(spec: RunSpec, folder: Path) -> list[Model]:
    """Return the model of the user's own that a run is of, which takes whatever it is asked."""
    from pyfsel.problem.objectives import AGGREGATES, Kind

    if spec.model is None or spec.own_question:
        return []
    own = Model(
        name=spec.model.stem,
        objectives=tuple(Kind),
        formulation=spec.model.stem,
        equation="",
        description="",
        file=str((folder / spec.model).absolute()),
        aggregates=AGGREGATES,
        data=tuple((folder / name).absolute() for name in spec.data),
    )
    return [own]


def _contender(spec: RunSpec, problem: Instance, folder: Path) -> Contender:
    """Return what makes a run; a model with a question of its own is asked that."""
    from pyfsel.backends.choose import choose_backend
    from pyfsel.backends.minizinc.backend import MiniZinc
    from pyfsel.backends.minizinc.own_model import MiniZincModel
    from pyfsel.bench.compare import Contender
    from pyfsel.solving.sequential import typical_step

    if spec.solver == "auto":
        asked = typical_step(problem) if spec.search == "sequential" else problem
        return Contender(choose_backend(asked)[0])
    if spec.model is None:
        return Contender.named(spec.solver)
    runner = spec.solver.rpartition(":")[0]
    if not spec.own_question:
        return Contender(MiniZinc.on(runner), spec.model.stem)
    return Contender(MiniZincModel(folder / spec.model, runner, data=[folder / name for name in spec.data]))


def _run(spec: RunSpec, problem: Instance, contender: Contender) -> dict[str, Any]:
    from pyfsel.bench.compare import run_contender
    from pyfsel.solving.workers import prepare

    backend = contender.backend
    if backend.missing() is None and backend.is_isolated(contender.formulation or backend.formulations[0]):
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
    result = run.result
    if spec.certify and result is not None:
        from pyfsel.certificates.certify import certify

        result = replace(result, certificate=certify(result, spec.time_limit))
    return _record(run.status, run.exact, run.message, result, backend, before)


def _record(
    outcome: str,
    exact: bool,
    message: str,
    result: Result | None,
    backend: Backend | None,
    cpu_before: float | None,
) -> dict[str, Any]:
    from pyfsel.bench.provenance import machine, sources, versions

    written = None if result is None else result.to_dict()
    if written is not None:
        del written["problem"]
    cpu = _cpu_seconds()
    return {
        "outcome": outcome,
        "exact": exact,
        "message": message,
        "cpu_seconds": None if cpu is None or cpu_before is None else cpu - cpu_before,
        "result": written,
        "versions": versions(backend),
        "sources": sources(),
        "machine": machine(),
    }


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
