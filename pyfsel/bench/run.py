"""Making the runs of a suite, each in a process of its own, and going on where an earlier call ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event
from typing import Any

import psutil

from pyfsel.bench.store import Store, opened, read_records
from pyfsel.bench.suite import RunSpec, Suite, read_suite
from pyfsel.errors import InputError

INSTANCES = "instances"
SUITE = "suite.json"
START_SECONDS = 30.0
POLL_SECONDS = 0.05
MEGABYTE = 2**20
MEMORY_TOLERANCE = 1.1

OnRun = Callable[[RunSpec, str, int, int], None]


def run_suite(
    suite_file: str | Path,
    folder: str | Path,
    *,
    n_jobs: int = 1,
    on_run: OnRun = lambda spec, outcome, done, total: None,
) -> int:
    """Make the runs of a suite that the folder does not hold yet.

    Parameters
    ----------
    suite_file : path
    folder : path
        Gets the instances, the list of runs and the results; made if missing.
    n_jobs : int
        Runs at the same time.
    on_run : callable
        Called after each run with its specification, its outcome, and how many of how many are done.

    Returns
    -------
    int
        Number of runs made by this call.

    Raises
    ------
    InputError
        If the suite is not valid, or the folder holds results of another one or is in use.
    """
    folder = Path(folder)
    suite = read_suite(suite_file, folder / INSTANCES)
    with opened(folder) as store:
        _write_once(folder, suite)
        done = {record["id"] for record in read_records(folder)}
        todo = [spec for spec in suite.runs if spec.id not in done]
        _run_all(suite, todo, store, n_jobs, on_run)
    return len(todo)


def _write_once(folder: Path, suite: Suite) -> None:
    """Write the list of runs, or find out that the folder belongs to another suite."""
    path = folder / SUITE
    text = json.dumps([{"id": spec.id, **spec.to_dict()} for spec in suite.runs], indent=1) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") != text:
        raise InputError(f"{folder}: holds results of another suite; choose another folder")
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def _run_all(suite: Suite, todo: list[RunSpec], store: Store, n_jobs: int, on_run: OnRun) -> None:
    cancelled = Event()
    total = len(suite.runs)
    done = total - len(todo)
    waiting = list(reversed(todo))
    running: dict[Future[dict[str, Any]], RunSpec] = {}
    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < n_jobs:
                    spec = waiting.pop()
                    job = pool.submit(_run, spec, suite.instances[spec.instance], cancelled)
                    running[job] = spec
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    spec = running.pop(future)
                    record = future.result() | {"shape": suite.shapes[spec.problem_name]}
                    store.append(record)
                    done += 1
                    on_run(spec, record["outcome"], done, total)
        finally:
            cancelled.set()


def _run(spec: RunSpec, instance: Path, cancelled: Event) -> dict[str, Any]:
    """Run the worker program and return its record, also if it had to be killed."""
    order = {"spec": spec.to_dict(), "instance": str(instance), "parent": os.getpid()}
    start = time.monotonic()
    with TemporaryFile() as asked, TemporaryFile() as written, TemporaryFile() as complaints:
        asked.write(json.dumps(order).encode())
        asked.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-m", "pyfsel.bench.worker"],
            stdin=asked,
            stdout=written,
            stderr=complaints,
            start_new_session=True,
        )
        killed, peak = _watch(process, spec, start, cancelled)
        written.seek(0)
        complaints.seek(0)
        outcome = _outcome(process, killed, written.read(), complaints.read())
    record = {"id": spec.id, **spec.to_dict(), **outcome}
    return record | {"seconds": time.monotonic() - start, "peak_memory": peak}


def _watch(
    process: subprocess.Popen[bytes], spec: RunSpec, start: float, cancelled: Event
) -> tuple[str, float]:
    """Wait for the end; kill it beyond its limits. Return why it was killed, and its largest memory in MB."""
    peak = 0.0
    killed = ""
    while process.poll() is None:
        family = _family(process.pid)
        peak = max(peak, sum(_memory(member) for member in family) / MEGABYTE)
        if cancelled.is_set():
            killed = "interrupted"
        elif time.monotonic() - start > spec.time_limit + START_SECONDS:
            killed = "time limit"
        elif peak > MEMORY_TOLERANCE * spec.memory_limit:
            killed = "memory limit"
        if killed:
            for member in family:
                with suppress(psutil.Error):
                    member.kill()
            process.wait()
            break
        time.sleep(POLL_SECONDS)
    return killed, round(peak, 1)


def _family(pid: int) -> list[psutil.Process]:
    try:
        head = psutil.Process(pid)
        return [head, *head.children(recursive=True)]
    except psutil.Error:
        return []


def _memory(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _outcome(
    process: subprocess.Popen[bytes], killed: str, written: bytes, complaints: bytes
) -> dict[str, Any]:
    try:
        record = json.loads(written)
        if isinstance(record, dict) and not killed:
            return record
    except ValueError:
        pass
    if killed:
        return {"outcome": "killed", "message": f"killed: {killed}", "result": None}
    last = complaints.decode(errors="replace").strip().rpartition("\n")[2]
    return {"outcome": "error", "message": f"exit code {process.returncode}: {last}", "result": None}
