"""A worker as a copy of this process, with its guard another one: what this has loaded is loaded there, too.

A run of a benchmark starts within 20 ms by that, instead of half a second. Only under Linux, and only for a
process that has a single thread and holds nothing that a copy must not have.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import IO, Any

import psutil

from pyfsel.drivers.processes import guard
from pyfsel.drivers.processes.guard import FOLDER
from pyfsel.drivers.processes.serving import serve

LARGEST_DESCRIPTOR = 4096  # of this process that a copy is likely to have inherited


class Copy:
    """A copy of this process that calls a function and ends: what is used of `subprocess.Popen`."""

    stdin: IO[bytes] | None = None

    def __init__(self, function: Callable[[], object]) -> None:
        if sys.platform != "linux":
            raise NotImplementedError
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                function()
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code when it has ended."""
        if self.returncode is None:
            try:
                self.returncode = int(psutil.Process(self.pid).wait(timeout) or 0)
            except psutil.NoSuchProcess:
                self.returncode = 0
            except psutil.TimeoutExpired as error:
                raise subprocess.TimeoutExpired(str(self.pid), error.seconds) from None
        return self.returncode

    def kill(self) -> None:
        """End it by force."""
        if self.poll() is None:
            psutil.Process(self.pid).kill()


def start_worker(handle: int, log: IO[bytes], variables: dict[str, str]) -> Any:
    """Start a guard, and under it a worker that serves a connection."""
    reading, writing = os.pipe()

    def serve_alone() -> None:
        guard.end_with_parent()
        serve(Connection(handle))

    def watch_over_worker() -> None:
        if sys.platform != "linux":
            raise NotImplementedError
        os.setsid()
        for descriptor, own in enumerate((reading, log.fileno(), log.fileno())):
            os.dup2(own, descriptor)
        os.environ.update(variables)
        tempfile.tempdir = variables[FOLDER]
        os.closerange(3, handle)
        os.closerange(handle + 1, LARGEST_DESCRIPTOR)
        guard.guard(lambda: Copy(serve_alone), handle)

    started = Copy(watch_over_worker)
    os.close(reading)
    started.stdin = open(writing, "wb", buffering=0)  # noqa: SIM115 - lives as long as the worker
    return started
