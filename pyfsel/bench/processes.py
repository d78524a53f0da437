"""Runs on this machine, in worker programs (`bench.worker`) that have loaded everything beforehand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, local
from typing import Any, Self

import psutil

from pyfsel.bench.provenance import MEGABYTE, available_cores
from pyfsel.bench.suite import RunSpec
from pyfsel.drivers.processes.own import is_portable
from pyfsel.drivers.processes.portable import NO_WINDOW, Reader
from pyfsel.errors import InputError, SolverError

START_SECONDS = 30.0  # to load libraries on a busy machine, and to end by itself after its time limit
END_SECONDS = 5.0
# Looking at the memory of a run takes milliseconds, so longer runs are looked at less often.
SHORTEST_POLL_SECONDS = 0.1
LONGEST_POLL_SECONDS = 0.5
POLLS_PER_TIME = 20
MEMORY_TOLERANCE = 1.1


class Worker:
    """One worker program, which ends by `close`, with the thread that started it, or after an idle minute.

    Parameters
    ----------
    core : int, optional
        The only core that its runs may use.

    Raises
    ------
    SolverError
        From `run`, if the program itself ends; a run that ends badly is an outcome, not an error.
    """

    def __init__(self, core: int | None = None) -> None:
        self._core = core
        self._folder = TemporaryDirectory(prefix="pyfsel-bench-")
        self._process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            # -P: a folder pyfsel in the current one is not the package that asks
            [sys.executable, "-P", "-m", "pyfsel.bench.worker", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            creationflags=NO_WINDOW,
        )
        answers = process.stdout
        assert answers is not None
        self._answers = Reader(answers, answers.readline)
        return process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the program and the run that it is making."""
        _kill(_family(self._process.pid))
        self._process.wait()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._folder.cleanup()

    def run(
        self, spec: RunSpec, instance: Path, is_cancelled: Callable[[], bool] = lambda: False
    ) -> dict[str, Any]:
        """Make a run and return its record, also if it had to be killed."""
        log, record = (Path(self._folder.name, name) for name in ("log", "record"))
        for path in (log, record):
            path.write_bytes(b"")
        order = {
            "spec": spec.to_dict(),
            "instance": str(instance.absolute()),
            "log": str(log),
            "record": str(record),
            "core": self._core,
        }
        pid = self._asked(json.dumps(order))
        start = time.monotonic()
        killed, peak, code = self._watch(pid, spec, start, is_cancelled)
        outcome = _outcome(code, killed, record.read_bytes(), log.read_bytes())
        seconds = time.monotonic() - start
        return {"id": spec.id, **spec.to_dict(), **outcome, "seconds": seconds, "peak_memory": peak}

    def _asked(self, order: str) -> int:
        """Return the number of the process of a run; an idle program may end just before it is asked."""
        number = self._number(order)
        if number is None:
            self._process.wait()
            self._process = self._started()
            number = self._number(order)
        return self._answered(number)

    def _number(self, order: str = "") -> int | None:
        """Return the next number that the program prints, to an order if one is given; None if it ended."""
        assert self._process.stdin is not None
        if order:
            with suppress(OSError):
                self._process.stdin.write(order.encode() + b"\n")
        line = self._answers.read()
        return int(line) if line else None

    def _exit_code(self) -> int:
        """Return that of the run, which may be that of the program."""
        number = self._number()
        return self._process.wait() if number is None and is_portable() else self._answered(number)

    def _answered(self, number: int | None) -> int:
        if number is None:
            raise SolverError(f"bench: the worker program ended with exit code {self._process.wait()}")
        return number

    def _watch(
        self, pid: int, spec: RunSpec, start: float, is_cancelled: Callable[[], bool]
    ) -> tuple[str, float, int]:
        """Wait for the end; kill the run beyond its limits.

        Returns why it was killed, its largest memory in MB, and its exit code.
        """
        peak = 0.0
        killed = ""
        while True:
            elapsed = time.monotonic() - start
            wait = min(max(elapsed / POLLS_PER_TIME, SHORTEST_POLL_SECONDS), LONGEST_POLL_SECONDS)
            if self._answers.poll(wait):
                return killed, round(peak, 1), self._exit_code()
            family = _family(pid)
            peak = max(peak, sum(_memory(member) for member in family) / MEGABYTE)
            if is_cancelled():
                killed = "interrupted"
            elif elapsed > spec.most_seconds + START_SECONDS:
                killed = "time limit"
            elif peak > MEMORY_TOLERANCE * spec.memory_limit:
                killed = "memory limit"
            if killed:
                _kill(family)


class LocalExecutor:
    """Makes runs on this machine, each in a process of its own; when it ends, so do they.

    Parameters
    ----------
    n_jobs : int
    pin : bool
        Each run has a core of its own.

    Raises
    ------
    InputError
        If there are fewer cores than runs at the same time, or processes cannot be bound to cores here.
    """

    def __init__(self, n_jobs: int, pin: bool = False) -> None:
        self.n_jobs = n_jobs
        self._cores = _cores_for(n_jobs) if pin else [None] * n_jobs
        self._pool = ThreadPoolExecutor(n_jobs)
        self._cancelled = Event()
        self._here = local()
        self._workers: list[Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._cancelled.set()
        self._pool.shutdown()
        for worker in self._workers:
            worker.close()

    def submit(self, spec: RunSpec, instance: Path) -> Future[dict[str, Any]]:
        """Begin a run; the future gets its record."""
        return self._pool.submit(self._run, spec, instance)

    def _run(self, spec: RunSpec, instance: Path) -> dict[str, Any]:
        worker: Worker | None = getattr(self._here, "worker", None)
        if worker is None:
            worker = self._here.worker = Worker(self._cores.pop())
            self._workers.append(worker)
        return worker.run(spec, instance, self._cancelled.is_set)


def _cores_for(n_jobs: int) -> list[int | None]:
    cores = available_cores()
    if cores is None:
        raise InputError("pin=True: this system does not bind processes to cores")
    if len(cores) < n_jobs:
        raise InputError(f"pin=True, n_jobs={n_jobs}: there are {len(cores)} cores")
    return [*cores[-n_jobs:]]


def _family(pid: int) -> list[psutil.Process]:
    try:
        head = psutil.Process(pid)
        return [head, *head.children(recursive=True)]
    except psutil.Error:
        return []


def _kill(family: list[psutil.Process]) -> None:
    for member in family:
        with suppress(psutil.Error):
            member.kill()


def _memory(process: psutil.Process) -> int:
    """Return the memory of a process in bytes; under Linux what it shares with others counts in parts."""
    try:
        used = process.memory_full_info() if sys.platform == "linux" else process.memory_info()
        return int(getattr(used, "pss", used.rss))
    except psutil.Error:
        return 0


def _outcome(code: int, killed: str, written: bytes, complaints: bytes) -> dict[str, Any]:
    try:
        record = json.loads(written)
        if isinstance(record, dict) and not killed:
            return record
    except ValueError:
        pass
    if killed:
        return {"outcome": "killed", "message": f"killed: {killed}", "result": None}
    last = complaints.decode(errors="replace").strip().rpartition("\n")[2]
    return {"outcome": "error", "message": f"exit code {code}: {last}", "result": None}
