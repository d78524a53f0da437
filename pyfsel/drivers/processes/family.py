"""A guard and all below it, which are known by a marker in their environment, and how they end."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

import psutil

from pyfsel.drivers.processes.child import FOLDER, MARKER, TEMPORARY

SHUTDOWN_SECONDS = 1.0  # processes that are killed end within milliseconds, unless the machine swaps


def marks(marker: str, folder: Path | None) -> dict[str, str]:
    """Return the variables by which processes are known, and that say where their temporary files go."""
    folders = {} if folder is None else dict.fromkeys((FOLDER, *TEMPORARY), str(folder))
    return {MARKER: marker, **folders}


def marked_environment(marker: str, folder: Path | None) -> dict[str, str]:
    """Return the environment of processes that are started."""
    inherited = {name: value for name, value in os.environ.items() if name != FOLDER}
    return inherited | marks(marker, folder)


def lives(process: int | psutil.Process) -> bool:
    """Return whether a process, or the one that has a number, has not ended."""
    try:
        found = psutil.Process(process) if isinstance(process, int) else process
        return found.is_running() and found.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def end_family(marker: str, guard: int) -> None:
    """Kill all but the guard, within some time; it may be this process.

    A guard that lives sees to what it may have left; one that was killed reaps nothing, so then a second look
    has to find nothing either.
    """
    patience = time.monotonic() + SHUTDOWN_SECONDS
    quiet_looks = 0
    while quiet_looks < (1 if lives(guard) else 2) and time.monotonic() < patience:
        quiet_looks = 0 if _kill_family(marker, guard) else quiet_looks + 1


def _kill_family(marker: str, guard: int) -> bool:
    """Kill what is below the guard and what inherited its marker; return whether more may come."""
    guarded = lives(guard)
    below: set[psutil.Process] = set()
    with suppress(psutil.Error):
        below.update(psutil.Process(guard).children(recursive=True))
    found = False
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.pid in (guard, os.getpid()):
                continue
            environment = process.environ()
            if environment.get(MARKER) == marker or process in below:
                found = True
                process.kill()
            elif not guarded and not environment and _is_starting(process):
                found = True
    return found


def _is_starting(process: psutil.Process) -> bool:
    """Return whether a process without an environment may be about to have one, as it changes its program."""
    return time.time() - process.create_time() < SHUTDOWN_SECONDS and bool(process.exe())
