"""The program of the runs: loads everything once, then makes each run in a copy of its process.

Each line of stdin is an order: a specification, and where its files are. Two lines answer it: the number of
the process, and its exit code when it has ended. The record is then in the file that the order names.

Where processes are `portable` it makes a single run itself, and ends with its exit code.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import sys
import threading
import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from pyfsel.backends.base import Backend
from pyfsel.backends.minizinc.catalogue import Model
from pyfsel.drivers.processes.own import death_with_parent, is_portable
from pyfsel.problem.instance import Instance
from pyfsel.results.answer import PROVED_BY
from pyfsel.results.result import Result

if TYPE_CHECKING:
    from pyfsel.bench.compare import Contender
    from pyfsel.bench.suite import RunSpec

IDLE_SECONDS = 60.0
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
    """Serve the process that started this one, and end with it, or when it has no more orders."""
    if not is_portable():
        _end_with(int(sys.argv[1]))
    for name in LOADED_ONCE:
        importlib.import_module(name)
    _look_up_what_stays()
    if sys.platform != "linux" or is_portable():
        _serve_once()
        return
    # The threads are those of BLAS libraries, which end them before a fork and start them again.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    here = os.getpid()
    while select.select([sys.stdin], [], [], IDLE_SECONDS)[0] and (line := sys.stdin.readline()):
        process = os.fork()
        if process == 0:
            _end_with(here)
            os.setsid()
            _make_run(json.loads(line))
        print(process, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def _look_up_what_stays() -> None:
    """Find out once what the records of all runs say alike."""
    from pyfsel.bench.provenance import machine, sources, versions

    machine(), versions(None), sources()


def _serve_once() -> None:
    """Make a run; end earlier if the process that ordered it ends."""
    orders, _ = os.fdopen(os.dup(0)), os.dup(1)  # which is seen to be closed when this process ends
    line = orders.readline()
    if line:
        print(os.getpid(), flush=True)
        threading.Thread(target=lambda: (orders.read(), os._exit(1)), daemon=True).start()
        _make_run(json.loads(line))


def _end_with(parent: int) -> None:
    die = death_with_parent()
    if die is not None:
        die()
    if os.getppid() != parent:
        os._exit(1)


def _make_run(order: dict[str, Any]) -> None:
    """Make a run in this process, which ends with it."""
    from pyfsel.solving.workers import start_workers_by_fork

    code = 1
    try:
        for name, descriptors in ((order["log"], (1, 2)), (os.devnull, (0,))):
            opened = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            for descriptor in descriptors:
                os.dup2(opened, descriptor)
        if order["core"] is not None:
            psutil.Process().cpu_affinity([order["core"]])
        if not is_portable():
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
    from pyfsel.bench.suite import RunSpec
    from pyfsel.problem.instance import Instance
    from pyfsel.solving.models import known_models

    spec = RunSpec.from_dict(data)
    problem = spec.problem(Instance.load(instance))
    if spec.own_question:
        return _run(spec, problem, _of_own_question(spec, instance.parent))
    with known_models(_models_of(spec, instance.parent)):
        return _run(spec, problem)


def _of_own_question(spec: RunSpec, folder: Path) -> Contender:
    """Return the custom model of a run as what asks a question of its own; it has the name of its solver."""
    from pyfsel.backends.minizinc.own_model import MiniZincModel
    from pyfsel.bench.compare import Contender

    assert spec.model is not None
    name = spec.backend.partition("/")[0]
    solver = name.partition(":")[2]
    own = MiniZincModel(folder / spec.model, solver, data=[folder / file for file in spec.data or ()])
    own.name = name
    return Contender(own)


def _models_of(spec: RunSpec, folder: Path) -> list[Model]:
    """Return the model of the user's own that a run is of, which takes whatever it is asked."""
    from pyfsel.backends.minizinc.catalogue import Model
    from pyfsel.problem.objectives import AGGREGATES, Kind

    if spec.model is None:
        return []
    own = Model(
        name=spec.model,
        objectives=tuple(Kind),
        formulation=spec.backend.partition("/")[2],
        equation="",
        description="",
        file=str((folder / spec.model).absolute()),
        aggregates=AGGREGATES,
        data=tuple((folder / name).absolute() for name in spec.data or ()),
    )
    return [own]


def _run(spec: RunSpec, problem: Instance, given: Contender | None = None) -> dict[str, Any]:
    from pyfsel.backends.choose import choose_backend
    from pyfsel.backends.maxsat.program import MaxSat
    from pyfsel.bench.compare import Contender, run_contender
    from pyfsel.errors import InputError
    from pyfsel.solving.sequential import typical_step
    from pyfsel.solving.workers import prepare

    if given is not None:
        contender = given
    elif spec.backend == "auto":
        try:
            asked = problem if spec.search == "simultaneous" else typical_step(problem)
            contender = Contender(choose_backend(asked)[0])
        except InputError as error:
            return _record("unsupported", True, str(error), None, None, _cpu_seconds())
    elif spec.command is not None:
        contender = Contender(MaxSat.of_command(spec.command))
    else:
        contender = Contender.named(spec.backend)
    backend = contender.backend
    if backend.missing() is None and backend.is_isolated(contender.formulation or backend.formulations[0]):
        prepare(backend)
    before = _cpu_seconds()
    run = run_contender(
        spec.problem_name,
        problem,
        contender,
        search=spec.search,
        time_limit=spec.time_limit,
        random_state=spec.seed,
        **{name: value for name, value in spec.settings.items() if name != "cpu_limit"},
    )
    result = run.result
    if spec.certify and result is not None:
        from pyfsel.certificates.certify import certify

        result = replace(result, certificate=certify(result, spec.time_limit))
    return _record(run.status, run.exact, run.message, result, contender.backend, before)


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
    statistics = {} if result is None else result.statistics
    cpu = _cpu_seconds()
    return {
        "outcome": outcome,
        "exact": exact,
        "message": message,
        "compile_seconds": statistics.get("compile_seconds"),
        "solve_seconds": statistics.get("solve_seconds"),
        PROVED_BY: statistics.get(PROVED_BY),
        "cpu_seconds": None if cpu is None or cpu_before is None else cpu - cpu_before,
        "result": written,
        "versions": versions(backend),
        "sources": sources(),
        "machine": machine(),
    }


def _cpu_seconds() -> float | None:
    """Return the processor time of this process, of those that it started and of those that have ended.

    Windows does not tell that of processes that have ended.
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
