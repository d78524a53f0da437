"""Processes under a guard: they end, with all they started, when they are told to and when this one ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing import Pipe
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any, Self
from uuid import uuid4

import psutil

from pyfsel.drivers.processes import guard
from pyfsel.drivers.processes.guard import (
    FOLDER,
    MARKER,
    SHUTDOWN_SECONDS,
    SIGNAL_EXIT,
    TERMINATE,
    end_family,
    passing,
)
from pyfsel.drivers.processes.own import open_standard_files
from pyfsel.errors import SolverError

REAPING_SECONDS = 10.0  # a guard on a busy machine, with much memory to be freed
LONGEST_WAIT_SECONDS = 0.1 if sys.platform == "win32" else 3600.0
"""Windows hears of Ctrl-C between two waits only; other systems refuse waits of some weeks."""
LOG_CHARACTERS = 2000  # of its end
MOST_SIGNALS = 64
MEGABYTE = 2**20
CHUNK = 65536
NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # under Windows
TEMPORARY = ("TMPDIR", "TEMP", "TMP") if os.name == "nt" else ("TMPDIR",)
WORKER = (
    "import sys; sys.path[:] = {path!r}; from pyfsel.drivers.processes.serving import main; main({handle})"
)


Starter = Callable[[IO[bytes], dict[str, str]], "subprocess.Popen[bytes]"]


class StartError(SolverError):
    """A process cannot be started, as for want of memory, or a file that it needs cannot be written."""


class Guarded:
    """A process under a guard.

    It is killed with everything that it started when `end` is called, when the object is collected, when
    this process ends in whatever way, and when its processes use too much memory together.

    Parameters
    ----------
    start : callable
        Starts the guard, given the log and its variables.
    folder : path, optional
        Where its temporary files go. The guard removes it.

    Attributes
    ----------
    guard : subprocess.Popen
    log : binary file
        What it prints that is not read.
    """

    def __init__(self, start: Starter, folder: Path | None) -> None:
        open_standard_files()
        marker = uuid4().hex
        folders = {} if folder is None else dict.fromkeys((FOLDER, *TEMPORARY), str(folder))
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.guard = start(self.log, {MARKER: marker, **folders})
        self.end = weakref.finalize(self, _end, self.guard, self.log, marker, folder)
        _all.add(self)

    def limit_memory(self, megabytes: int | None) -> None:
        """Have a limit of memory from now on, or none."""
        self._tell(str((megabytes or 0) * MEGABYTE))

    def terminate(self) -> None:
        """Ask it to end, and what it has started."""
        self._tell(TERMINATE)

    def kill(self) -> None:
        """End it by force; its exit code and log can still be read."""
        assert self.guard.stdin is not None
        self.guard.stdin.close()

    def _tell(self, word: str) -> None:
        assert self.guard.stdin is not None
        with suppress(OSError, ValueError):  # it has ended
            self.guard.stdin.write(f"{word}\n".encode())

    def is_running(self) -> bool:
        """Return whether it has not ended."""
        return self.guard.poll() is None

    def exit_code_and_log(self) -> tuple[int, str]:
        """Return the exit code when it has hung up, 128 + n for signal n, and the end of the log."""
        try:
            code = self.guard.wait(timeout=REAPING_SECONDS)
        except subprocess.TimeoutExpired:
            self.guard.kill()
            code = self.guard.wait()
        length = self.log.seek(0, os.SEEK_END)
        self.log.seek(max(0, length - LOG_CHARACTERS))
        return code, self.log.read().decode(errors="replace").strip()

    def leave(self) -> None:
        """Leave it to the process of which this one is a copy."""
        assert self.guard.stdin is not None
        self.end.detach()
        self.guard.returncode = 0
        self.guard.stdin.close()
        self.log.close()


class GuardedWorker(Guarded):
    """A process that serves orders (`serving`).

    Attributes
    ----------
    connection : multiprocessing.connection.Connection
        Where orders go, and what its tasks report comes from.
    """

    def __init__(self) -> None:
        self.connection, theirs = Pipe()
        with theirs:
            handle = theirs.fileno()
            super().__init__(partial(self._start, handle), Path(tempfile.mkdtemp(prefix="pyfsel-")))

    def _start(self, handle: int, log: IO[bytes], variables: dict[str, str]) -> subprocess.Popen[bytes]:
        code = WORKER.format(path=[os.path.abspath(entry) for entry in sys.path], handle=handle)
        return _started([sys.executable, "-P", "-c", code], log, variables, handle)

    def leave(self) -> None:
        """Leave it to the process of which this one is a copy."""
        self.connection.close()
        super().leave()


class GuardedProgram(Guarded):
    r"""A program whose output is read line by line.

    Parameters
    ----------
    command : sequence of str
        The path of the program and its arguments.
    memory_limit : int, optional
        In megabytes.
    folder : path, optional
        Where its temporary files go; it is removed when the program has ended.

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
        try:
            super().__init__(partial(_started, command), folder)
        except OSError as error:
            raise StartError(f"cannot start its process: {error}") from error
        if memory_limit is not None:
            self.limit_memory(memory_limit)
        output = self.guard.stdout
        assert output is not None
        self._output = Reader(output, lambda: output.read(CHUNK))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()

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
            if self._output.poll(patience(left)):
                return self._output.read()
            if left <= 0:
                raise TimeoutError


class Reader:
    """Reads in a thread, as a pipe cannot be waited for everywhere.

    Parameters
    ----------
    file : binary file
    read : callable
        Returns what comes next, empty at the end.
    """

    def __init__(self, file: IO[bytes], read: Callable[[], bytes]) -> None:
        self._found: SimpleQueue[bytes] = SimpleQueue()
        self._next: bytes | None = None
        threading.Thread(target=_fill, args=(self._found, file, read), daemon=True).start()

    def poll(self, timeout: float) -> bool:
        """Return whether something has come within some seconds; so does the end."""
        if self._next is None:
            with suppress(Empty):
                self._next = self._found.get(timeout=timeout)
        return self._next is not None

    def read(self) -> bytes:
        """Return what comes next, empty at the end."""
        while not self.poll(LONGEST_WAIT_SECONDS):
            pass
        found = self._next or b""
        self._next = None if found else b""
        return found


def _fill(found: SimpleQueue[bytes], file: IO[bytes], read: Callable[[], bytes]) -> None:
    with suppress(OSError), file:
        while some := read():
            found.put(some)
    found.put(b"")


def _started(
    command: Sequence[str], log: IO[bytes], variables: dict[str, str], handle: int = -1
) -> subprocess.Popen[bytes]:
    """Start a guard of a command; the output is read if the command inherits no connection."""
    # under Windows the Python of a virtual environment starts another one
    python = getattr(sys, "_base_executable", sys.executable) if os.name == "nt" else sys.executable
    packages = str(Path(psutil.__file__).parents[1])
    inherited = {name: value for name, value in os.environ.items() if name != FOLDER}
    return subprocess.Popen(
        [python, "-P", "-S", guard.__file__, packages, str(handle), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if handle < 0 else log,
        stderr=log,
        bufsize=0,
        start_new_session=True,
        creationflags=NO_WINDOW,
        env=inherited | variables,
        **passing(handle),
    )


def patience(left: float) -> float:
    """Return the seconds to wait at once of those that are left."""
    return min(max(0.0, left), LONGEST_WAIT_SECONDS)


def how_ended(code: int) -> str:
    """Return an exit code of a guard in words."""
    is_signal = code < 0 or SIGNAL_EXIT < code <= SIGNAL_EXIT + MOST_SIGNALS
    return f"signal {abs(code) % SIGNAL_EXIT}" if is_signal else f"exit code {code}"


def too_much_memory(megabytes: int | None) -> str:
    """Return what to say about `guard.MEMORY_EXIT`."""
    return f"used more than {megabytes} MB"


def _end(process: subprocess.Popen[bytes], log: IO[bytes], marker: str, folder: Path | None) -> None:
    """End a guard, which ends all below it; where it was killed or is late, this process does."""
    assert process.stdin is not None
    log.close()
    process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(SHUTDOWN_SECONDS)
    if process.returncode is None or process.returncode < 0:
        end_family(process.pid, marker)
        process.kill()
        process.wait()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _leave_all() -> None:
    """Leave all processes to the parent, in a forked copy of it, which starts its own."""
    for process in tuple(_all):
        process.leave()
    _all.clear()


_all: weakref.WeakSet[Any] = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)
