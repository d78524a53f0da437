"""Making the runs of a suite, each in a process of its own, and going on where an earlier call ended.

A run is watched, and killed beyond its limits. Under Linux it is a copy of a process that has loaded
everything (`worker.LOADED_ONCE`), elsewhere it loads everything itself.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from multiprocessing import forkserver
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil

from pyfsel.bench.claims import RunOutcome
from pyfsel.bench.provenance import available_cores, provenance
from pyfsel.bench.store import INSTANCES, SUITE, opened, read_records, read_specs
from pyfsel.bench.suite import RunSpec, read_suite
from pyfsel.bench.worker import LOADED_ONCE, LOG, RECORD, make_run
from pyfsel.drivers.processes.guard import MEGABYTE
from pyfsel.errors import InputError
from pyfsel.problem.checks import number_of_jobs
from pyfsel.problem.text_files import write_text
from pyfsel.results.jobs import handling

OnRun = Callable[[RunSpec, str, int, int], None]
START_SECONDS = 30.0  # to load libraries on a busy machine, and to end by itself after its time limit
MEMORY_TOLERANCE = 1.1
# Looking at the memory of a run takes milliseconds, so longer runs are looked at less often.
SHORTEST_POLL_SECONDS = 0.005
LONGEST_POLL_SECONDS = 0.5
POLLS_PER_TIME = 20


def run_suite(
    suite_file: str | Path,
    folder: str | Path,
    *,
    n_jobs: int | None = None,
    certify: bool = False,
    pin: bool = False,
    part: str = "1/1",
    on_run: OnRun = lambda spec, outcome, done, total: None,
) -> int:
    """Make the runs of a suite that the folder lacks; the suite may extend the folder's.

    Parameters
    ----------
    suite_file : path
        A suite.
    folder : path
        Gets the instances, the list of runs and the results; made if missing.
    n_jobs : int, optional
        Runs at the same time: one if not given; -1 means all cores.
    certify : bool
        Each run certifies what it has proved as well, within a time limit of its own.
    pin : bool
        Each run has one core of this machine, which no other run has.
    part : str
        N/M makes each M-th run only, from the N-th on. Each part has its own results file, so parts may share
        a folder, or be copied into one.
    on_run : callable
        Called after each run with its specification, its outcome, and how many of how many are done.

    Returns
    -------
    int
        Number of runs made by this call.

    Raises
    ------
    InputError
        If the suite is not valid, the folder holds runs that it has not, or is in use.
    """
    number_of_jobs(n_jobs)
    folder = Path(folder)
    numbers = re.fullmatch(r"(\d+)/(\d+)", str(part))
    number, of = map(int, numbers.groups()) if numbers else (0, 0)
    if not 1 <= number <= of:
        raise InputError(f"part={part}: must be N/M with N from 1 to M, such as 3/64")
    from joblib import effective_n_jobs

    runs = read_suite(suite_file, folder / INSTANCES)
    if certify:
        runs = tuple(replace(spec, certify=True) for spec in runs)
    with opened(folder, (number, of)) as append:
        _write_runs(folder, runs)
        done = {record["id"] for record in read_records(folder)}
        todo = [spec for spec in runs[number - 1 :: of] if spec.id not in done]
        total = len(runs)
        with closing(make_runs(todo, folder / INSTANCES, effective_n_jobs(n_jobs), pin)) as made:
            for n_done, (spec, record) in enumerate(made, total - len(todo) + 1):
                append(record)
                on_run(spec, record["outcome"], n_done, total)
    return len(todo)


def _write_runs(folder: Path, runs: Sequence[RunSpec]) -> None:
    """Write the list of runs, or find out that the folder belongs to a suite which has others."""
    path = folder / SUITE
    text = json.dumps([{"id": spec.id, **spec.to_dict()} for spec in runs], indent=1) + "\n"
    earlier = read_specs(folder) if path.exists() else {}
    lost = [spec for number, spec in earlier.items() if number not in {spec.id for spec in runs}]
    if lost:
        raise InputError(
            f"{folder}: holds results of another suite, such as {lost[0].solver} on {lost[0].problem_name}. "
            "Choose another folder, or a suite that has its runs and more"
        )
    write_text(path, text)


def make_runs(
    todo: Sequence[RunSpec], instances: Path, n_jobs: int, pin: bool
) -> Generator[tuple[RunSpec, dict[str, Any]], None, None]:
    """Make runs on this machine and yield each with its record; when that ends, so do the runs.

    Parameters
    ----------
    todo : sequence of RunSpec
    instances : Path
        The folder of the instances.
    n_jobs : int
        Runs at the same time.
    pin : bool
        Each run has a core of its own.

    Raises
    ------
    InputError
        If there are fewer cores than runs at the same time, or processes cannot be bound to cores here.
    """
    idle: list[int | None] = _cores_for(n_jobs) if pin else [None] * n_jobs
    waiting, active, about = list(reversed(todo)), list[_Running](), provenance()
    with _copying() as context:
        try:
            while waiting or active:
                while waiting and idle:
                    spec = waiting.pop()
                    active.append(
                        _Running(spec, instances.absolute() / f"{spec.instance}.json", idle.pop(), context)
                    )
                newest = time.monotonic() - max(run.start for run in active)
                time.sleep(min(max(newest / POLLS_PER_TIME, SHORTEST_POLL_SECONDS), LONGEST_POLL_SECONDS))
                for run in [run for run in active if run.process.exitcode is not None]:
                    active.remove(run)
                    idle.append(run.core)
                    yield run.spec, run.record(about)
                for run in active:
                    run.watch()
        finally:
            for run in active:
                kill(family_of(run.process.pid))
                run.process.join()


@contextmanager
def _copying() -> Iterator[Any]:
    """Yield how processes are made: under Linux as copies of one, which loads what they need and ends then.

    Ctrl-C is not for it, while it loads modules neither. One that the user has already is left alone.
    """
    if sys.platform != "linux":
        yield multiprocessing.get_context("spawn")
        return
    server: Any = forkserver._forkserver
    is_new = server._forkserver_pid is None
    with handling(signal.SIGINT, signal.SIG_IGN):
        forkserver.set_forkserver_preload([*LOADED_ONCE])
        forkserver.ensure_running()
    try:
        yield multiprocessing.get_context("forkserver")
    finally:
        if is_new:
            server._stop()


class _Running:
    """A run in a process of its own, which may use one core only, if that is named."""

    def __init__(self, spec: RunSpec, instance: Path, core: int | None, context: Any) -> None:
        self.spec, self.core = spec, core
        self.folder = tempfile.TemporaryDirectory(prefix="pyfsel-bench-")
        self.killed, self.peak, self.start = "", 0.0, time.monotonic()
        given = (spec.to_dict(), instance, core, Path(self.folder.name), dict(os.environ))
        self.process = context.Process(target=make_run, args=given)
        with _without_script():
            self.process.start()

    def watch(self) -> None:
        """Kill it with all that it has started if it goes beyond its limits."""
        family = family_of(self.process.pid)
        self.peak = max(self.peak, sum(map(memory_of, family)) / MEGABYTE)
        if time.monotonic() - self.start > self.spec.most_seconds + START_SECONDS:
            self.killed = "time limit"
        elif self.peak > MEMORY_TOLERANCE * self.spec.memory_limit:
            self.killed = "memory limit"
        if self.killed:
            kill(family)

    def record(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """Return the record of a run that has ended, also if it had to be killed, given its `provenance`."""
        measured = {"seconds": time.monotonic() - self.start, "peak_memory": round(self.peak, 1)}
        cores = available_cores() if self.core is None else [self.core]
        machine = {**about["machine"], "load": round(psutil.getloadavg()[0], 2), "cores": cores}
        with self.folder:
            found = {**about, **self._outcome(), "machine": machine}
        found["versions"] = {**about["versions"], **found["versions"]}
        return {"id": self.spec.id, **self.spec.to_dict(), **found, **measured}

    def _outcome(self) -> dict[str, Any]:
        if self.killed:
            return {"outcome": "killed", "message": f"killed: {self.killed}", "result": None}
        log, written = (Path(self.folder.name, name) for name in (LOG, RECORD))
        with suppress(OSError, ValueError):
            record: dict[str, Any] = json.loads(written.read_text(encoding="utf-8"))
            return record
        complaints = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        last = complaints.strip().rpartition("\n")[2]
        message = f"exit code {self.process.exitcode}: {last}"
        return {"outcome": RunOutcome.ERROR, "message": message, "result": None}


@contextmanager
def _without_script() -> Iterator[None]:
    """Start processes that do not run the script of the user again, as Python's would."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _cores_for(n_jobs: int) -> list[int | None]:
    cores = available_cores()
    if cores is None:
        raise InputError("pin=True: this system does not bind processes to cores")
    if len(cores) < n_jobs:
        raise InputError(f"pin=True, n_jobs={n_jobs}: there are {len(cores)} cores")
    return [*cores[-n_jobs:]]


def family_of(pid: int) -> list[psutil.Process]:
    """Return a process and all below it."""
    try:
        head = psutil.Process(pid)
        return [head, *head.children(recursive=True)]
    except psutil.Error:
        return []


def kill(family: list[psutil.Process]) -> None:
    """Kill processes, those too that have ended."""
    for member in family:
        with suppress(psutil.Error):
            member.kill()


def memory_of(process: psutil.Process) -> int:
    """Return the memory of a process in bytes; under Linux what it shares with others counts in parts."""
    try:
        used = process.memory_full_info() if sys.platform == "linux" else process.memory_info()
        return int(getattr(used, "pss", used.rss))
    except psutil.Error:
        return 0
