"""Processes under a guard that is forked, with the help of the system (`child`); see `interface`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import wait
from pathlib import Path
from typing import IO, Any

import psutil

from pyfsel.drivers.processes.child import serve_over
from pyfsel.drivers.processes.family import marked_environment, marks
from pyfsel.drivers.processes.interface import Line, Process

CHUNK = 65536  # a pipe holds so much
LARGEST_DESCRIPTOR = 4096  # of this process that a copy is likely to have inherited
CHILD_PROGRAM = Path(__file__).with_name("child.py")


class _Output:
    """What a program writes to a pipe."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def poll(self, timeout: float) -> bool:
        return bool(wait([self._file.fileno()], timeout))

    def read(self) -> bytes:
        return os.read(self._file.fileno(), CHUNK)

    def close(self) -> None:
        self._file.close()


def start_program(
    command: Sequence[str], megabytes: int, log: IO[bytes], marker: str, folder: Path | None
) -> tuple[Process, _Output]:
    """Start a guard, and under it a program."""
    reading, writing = os.pipe()
    output = open(reading, "rb", buffering=0)  # noqa: SIM115 - lives as long as the program
    with open(writing, "wb", buffering=0):
        environment = marked_environment(marker, folder)
        return _started(["-P", "-S"], writing, megabytes, log, environment, command), _Output(output)


def start_worker(log: IO[bytes], marker: str, folder: Path) -> tuple[Process, Line]:
    """Start a guard, and under it a worker."""
    line, theirs = Pipe()
    with theirs:
        path = os.pathsep.join(map(os.path.abspath, sys.path))
        environment = {**marked_environment(marker, folder), "PYTHONPATH": path}
        return _started(["-P"], theirs.fileno(), 0, log, environment), line


def _started(
    options: Sequence[str],
    file_descriptor: int,
    megabytes: int,
    log: IO[bytes],
    environment: dict[str, str],
    command: Sequence[str] = (),
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            *(sys.executable, *options, str(CHILD_PROGRAM)),
            *(str(file_descriptor), str(os.getpid()), str(megabytes), *command),
        ],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=[file_descriptor],
        start_new_session=True,
        env=environment,
    )


class _Copy:
    """A copy of this process as a worker: what is used of `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | Any = None
        self._process = psutil.Process(pid)

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            try:
                self.returncode = int(self._process.wait(timeout) or 0)
            except psutil.TimeoutExpired as error:
                raise subprocess.TimeoutExpired(str(self.pid), error.seconds) from None
        return int(self.returncode)

    def kill(self) -> None:
        with suppress(psutil.NoSuchProcess):
            self._process.kill()


def start_copy(log: IO[bytes], marker: str, folder: Path) -> tuple[Process, Line]:
    """Start a worker as a copy of this process, with its guard."""
    if sys.platform != "linux":
        raise NotImplementedError
    line, theirs = Pipe()
    parent = os.getpid()
    with theirs:
        pid = os.fork()
        if pid:
            return _Copy(pid), line
        code = 1
        try:
            os.setsid()
            for descriptor in (1, 2):
                os.dup2(log.fileno(), descriptor)
            os.environ.update(marks(marker, folder))
            tempfile.tempdir = str(folder)
            os.closerange(3, theirs.fileno())
            os.closerange(theirs.fileno() + 1, LARGEST_DESCRIPTOR)
            serve_over(theirs.fileno(), parent)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
