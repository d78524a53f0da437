"""A worker as a copy of this process, with its guard another one: what this has loaded is loaded there, too.

A run of a benchmark starts within 20 ms by that, instead of half a second. Only under Linux, and only for a
process that has a single thread and has nothing that a copy must not have.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import IO

import psutil

from pyfsel.drivers.processes import guard
from pyfsel.drivers.processes.serving import serve

LARGEST_DESCRIPTOR = 4096  # of this process that a copy is likely to have inherited


def copy_process(function: Callable[[], object]) -> psutil.Process:
    """Start a copy of this process that calls a function and ends."""
    pid = os.fork() if sys.platform == "linux" else -1
    if pid == 0:
        try:
            function()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    return psutil.Process(pid)


def start_worker(handle: int, log: IO[bytes], variables: dict[str, str]) -> tuple[psutil.Process, IO[bytes]]:
    """Start a guard, and under it a worker that serves a connection; return it with its standard input."""
    reading, writing = os.pipe()

    def serve_alone() -> None:
        guard.end_with_parent()
        serve(Connection(handle))
        os._exit(0)

    def watch_over_worker() -> None:
        os.setsid()
        for descriptor, given in enumerate((reading, log.fileno(), log.fileno())):
            os.dup2(given, descriptor)
        os.environ.update(variables)
        tempfile.tempdir = variables[guard.FOLDER]
        os.closerange(3, handle)
        os.closerange(handle + 1, LARGEST_DESCRIPTOR)
        guard.guard(lambda: copy_process(serve_alone), handle)

    started = copy_process(watch_over_worker)
    os.close(reading)
    return started, open(writing, "wb", buffering=0)
