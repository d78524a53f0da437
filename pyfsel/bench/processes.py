"""Runs on this machine, in worker programs (`bench.worker`) that have loaded everything beforehand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import psutil

from pyfsel.bench.provenance import available_cores
from pyfsel.bench.suite import RunSpec
from pyfsel.drivers.processes.guarded import NO_WINDOW
from pyfsel.errors import InputError, SolverError

START_SECONDS = 30.0  # to load libraries on a busy machine, and to end by itself after its time limit
MEMORY_TOLERANCE = 1.1


class Worker:
    """One worker program; its runs may use one core only, if that is named."""

    def __init__(self, core: int | None) -> None:
        self._core = core
        self._process = subprocess.Popen(
            # -P: a folder pyfsel in the current one is not the package that asks
            [sys.executable, "-P", "-m", "pyfsel.bench.worker", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            creationflags=NO_WINDOW,
        )

    def run(self, spec: RunSpec, instance: Path) -> dict[str, Any]:
        """Make a run and return its record.

        Raises
        ------
        SolverError
            If the program itself ends; a run that ends badly is an outcome, not an error.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {
            "spec": {"id": spec.id, **spec.to_dict()},
            "instance": str(instance.absolute()),
            "core": self._core,
        }
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SolverError(f"bench: the worker program ended with exit code {self._process.wait()}")
        record: dict[str, Any] = json.loads(line)
        return record

    def end(self) -> None:
        """End the program and the run that it is making."""
        kill(family_of(self._process.pid))
        self._process.wait()


def make_runs(
    todo: Sequence[RunSpec], instances: Mapping[str, Path], n_jobs: int, pin: bool
) -> Generator[tuple[RunSpec, dict[str, Any]], None, None]:
    """Make runs on this machine and yield each with its record; when that ends, so do the runs.

    Parameters
    ----------
    todo : sequence of RunSpec
    instances : mapping
        The file of each instance.
    n_jobs : int
        Runs at the same time.
    pin : bool
        Each run has a core of its own.

    Raises
    ------
    InputError
        If there are fewer cores than runs at the same time, or processes cannot be bound to cores here.
    """
    cores = _cores_for(n_jobs) if pin else [None] * n_jobs
    workers = [Worker(core) for core in cores[: len(todo)]]
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def make(spec: RunSpec) -> dict[str, Any]:
        worker = idle.get()
        try:
            return worker.run(spec, instances[spec.instance])
        finally:
            idle.put(worker)

    pool = ThreadPoolExecutor(n_jobs)
    try:
        waiting = {pool.submit(make, spec): spec for spec in todo}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.end()
        pool.shutdown()


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
