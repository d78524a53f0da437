"""Processes under a guard: they end, with all they started, when they are told to and when this one ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol
from uuid import uuid4

import psutil

from pyfsel.errors import BackendError
from pyfsel.solvers.processes.child import FOLDER, MARKER, SIGNAL_EXIT

SHUTDOWN_SECONDS = 1.0
REAPING_SECONDS = 10.0  # a guard on a busy machine, with much memory to be freed
LONGEST_WAIT_SECONDS = 3600.0
LOG_CHARACTERS = 2000
CHUNK = 65536
CHILD_PROGRAM = Path(__file__).with_name("child.py")


class Process(Protocol):
    """What is used of `subprocess.Popen`."""

    pid: int

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code when it has ended."""

    def kill(self) -> None:
        """End it by SIGKILL."""


class Closable(Protocol):
    """A connection or a file."""

    def close(self) -> None:
        """Close it."""


class StartError(BackendError):
    """A process cannot be started, as for want of memory, or a file that it needs cannot be written."""


class GuardedProgram:
    r"""A program whose output is read line by line.

    It is killed with everything that it started when it is left, when the object is collected, when this
    process ends in whatever way, and when its processes use too much memory together.

    Parameters
    ----------
    command : sequence of str
        The path of the program and its arguments.
    memory_limit : int, optional
        In megabytes.
    folder : path, optional
        Where its temporary files go, which it leaves behind when it is killed. The caller removes the folder;
        the guard does so if this process ends before.

    Raises
    ------
    StartError

    Examples
    --------
    >>> with GuardedProgram(["/bin/echo", "hello"]) as program:
    ...     list(program.lines())
    [b'hello\n']
    """

    def __init__(
        self, command: Sequence[str], memory_limit: int | None = None, folder: Path | None = None
    ) -> None:
        self.memory_limit = memory_limit
        marker = uuid4().hex
        try:
            log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the program
            reading, writing = os.pipe()
            output = open(reading, "rb", buffering=0)  # noqa: SIM115 - the same
            with open(writing, "wb", buffering=0):
                process = start_program(writing, memory_limit or 0, log, marker, folder, command)
        except OSError as error:
            raise StartError(f"cannot start its process: {error}") from error
        self._process, self._output, self._log = process, output, log
        self.end = weakref.finalize(self, end, process, output, log, marker)

    def __enter__(self) -> GuardedProgram:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def is_running(self) -> bool:
        """Return whether it has not ended."""
        return self._process.poll() is None

    def lines(self, deadline: float | None = None) -> Iterator[bytes]:
        """Yield the lines of the standard output as they come.

        Parameters
        ----------
        deadline : float, optional
            Value of `time.monotonic`.

        Raises
        ------
        TimeoutError
            If the output has not ended by the deadline.
        """
        rest = b""
        while chunk := self._chunk(deadline):
            *whole, rest = (rest + chunk).split(b"\n")
            yield from (line + b"\n" for line in whole)
        if rest:
            yield rest

    def _chunk(self, deadline: float | None) -> bytes:
        """Return what comes next, empty at the end of the output."""
        while True:
            left = LONGEST_WAIT_SECONDS if deadline is None else deadline - time.monotonic()
            if wait([self._output.fileno()], min(max(0.0, left), LONGEST_WAIT_SECONDS)):
                return os.read(self._output.fileno(), CHUNK)
            if left <= 0:
                raise TimeoutError

    def last_words(self) -> tuple[int, str]:
        """Return the exit code after the output has ended, 128 + n for signal n, and the end of the log."""
        return post_mortem(self._process, self._log)


def start_program(
    file_descriptor: int,
    megabytes: int,
    log: IO[bytes],
    marker: str,
    folder: Path | None,
    command: Sequence[str] = (),
) -> subprocess.Popen[bytes]:
    """Start a guard, and under it a backend served over a descriptor, or a command that writes to it."""
    environment = os.environ | marks(marker, folder)
    if folder is None:
        environment.pop(FOLDER, None)
    options = ["-P", "-S"] if command else ["-P"]
    if not command:
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, sys.path))
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


def marks(marker: str, folder: Path | None) -> dict[str, str]:
    """Return the variables by which processes are known, and that say where their temporary files go."""
    folders = {} if folder is None else {FOLDER: str(folder), "TMPDIR": str(folder)}
    return {MARKER: marker, **folders}


def post_mortem(process: Process, log: IO[bytes]) -> tuple[int, str]:
    """Return the exit code of a process that has hung up, and the end of what it printed."""
    try:
        code = process.wait(timeout=REAPING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    length = log.seek(0, os.SEEK_END)
    log.seek(max(0, length - LOG_CHARACTERS))
    return code, log.read().decode(errors="replace").strip()


def how_ended(code: int) -> str:
    """Return an exit code of a guard in words."""
    return f"signal {abs(code) % SIGNAL_EXIT}" if code < 0 or code > SIGNAL_EXIT else f"exit code {code}"


def too_much_memory(megabytes: int | None) -> str:
    """Return what to say about `MEMORY_EXIT`."""
    return f"used more than {megabytes} MB"


def end(
    process: Process, connection: Closable, log: IO[bytes], marker: str, folder: Path | None = None
) -> None:
    """End a guard and all below it, and remove their folder, if there is one."""
    _end_processes(process, connection, log, marker)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _end_processes(process: Process, connection: Closable, log: IO[bytes], marker: str) -> None:
    """Kill all but the guard, which reaps the others and then ends by itself, as it has if all went well.

    A guard that was killed reaps nothing, so then a second look has to find nothing either.
    """
    connection.close()
    log.close()
    if process.poll() == 0:
        return
    patience = time.monotonic() + SHUTDOWN_SECONDS
    quiet_looks = 0
    while quiet_looks < (1 if _lives(process.pid) else 2) and time.monotonic() < patience:
        quiet_looks = 0 if _kill_family(marker, process.pid) else quiet_looks + 1
    try:
        process.wait(SHUTDOWN_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _kill_family(marker: str, guard: int) -> bool:
    """Kill what the guard started and what inherited its marker; return whether more may come."""
    guarded = _lives(guard)
    found = False
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.pid in (guard, os.getpid()):
                continue
            environment = process.environ()
            if environment.get(MARKER) == marker or (guarded and process.ppid() == guard):
                found = True
                process.kill()
            elif not guarded and not environment and _is_starting(process):
                found = True
    return found


def _lives(guard: int) -> bool:
    try:
        return psutil.Process(guard).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _is_starting(process: psutil.Process) -> bool:
    """Return whether a process without an environment may be about to have one, as it changes its program."""
    return time.time() - process.create_time() < SHUTDOWN_SECONDS and bool(process.exe())
