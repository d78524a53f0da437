"""Runs on this machine, by a worker program (`bench.worker`) that has loaded everything beforehand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from pyfsel.bench.provenance import available_cores
from pyfsel.bench.suite import RunSpec
from pyfsel.drivers.processes.guarded import NO_WINDOW
from pyfsel.errors import InputError, SolverError

START_SECONDS = 30.0  # to load libraries on a busy machine, and to end by itself after its time limit
MEMORY_TOLERANCE = 1.1


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
    SolverError
        If the program itself ends; a run that ends badly is an outcome, not an error.
    """
    cores = _cores_for(n_jobs) if pin else [None] * n_jobs
    if not todo:
        return
    specs = {spec.id: spec for spec in todo}
    orders = [
        {"spec": {"id": number, **spec.to_dict()}, "instance": str(instances[spec.instance].absolute())}
        for number, spec in specs.items()
    ]
    program = subprocess.Popen(
        # -P: a folder pyfsel in the current one is not the package that asks
        [sys.executable, "-P", "-m", "pyfsel.bench.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        creationflags=NO_WINDOW,
    )
    assert program.stdin is not None
    assert program.stdout is not None
    try:
        with suppress(BrokenPipeError), program.stdin as orders_file:
            json.dump({"parent": os.getpid(), "cores": cores, "orders": orders}, orders_file)
        for _ in orders:
            line = program.stdout.readline()
            if not line:
                raise SolverError(f"bench: the worker program ended with exit code {program.wait()}")
            record = json.loads(line)
            yield specs[record["id"]], record
    finally:
        kill(family_of(program.pid))
        program.wait()
        program.stdout.close()


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
