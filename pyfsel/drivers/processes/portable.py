"""Processes under a guard of their own, with pipes, threads and psutil only; see `interface`.

The guard is a program: it starts the worker or the program that it guards, hands its own standard input and
output on to it, and watches it until one of the two or the parent ends.
"""

from __future__ import annotations

import math
import os
import pickle
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from io import BufferedReader, RawIOBase
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any, NoReturn, cast

import psutil

from pyfsel.drivers.processes.child import (
    FOLDER,
    GUARD_SECONDS,
    MARKER,
    MEGABYTE,
    MEMORY_EXIT,
    MEMORY_GUARD_SECONDS,
    SIGNAL_EXIT,
    memory_of_offspring,
    remove_folder,
    serve,
)
from pyfsel.drivers.processes.family import end_family, lives, marked_environment
from pyfsel.drivers.processes.interface import Process

CHUNK = 65536
TICK_SECONDS = 0.1  # how late Windows may see Ctrl-C
CUT_SECONDS = 0.2  # for what was written before the end, and is not read yet
NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # under Windows
LENGTH = struct.Struct("<Q")
LIMIT_FILE = "pyfsel-limit"
GUARD = "PYFSEL_GUARD"
ROOT = str(Path(__file__).parents[2])
WITHOUT_PACKAGE = (
    "import sys, types; sys.path[:] = {path!r}; "
    "package = sys.modules['pyfsel'] = types.ModuleType('pyfsel'); "
    "package.__path__ = [{root!r}]; from pyfsel.drivers.processes.portable import guard; guard()"
)
WORKER = "import sys; sys.path[:] = {path!r}; from pyfsel.drivers.processes.portable import work; work()"


class Reader:
    """Reads in a thread, as a pipe cannot be waited for everywhere.

    Parameters
    ----------
    file : binary file
    read : callable
        Returns what comes next, empty at the end.
    is_cut : callable, optional
        Returns whether nobody sees to an end any more: then it has come if nothing else does.
    """

    def __init__(
        self, file: IO[bytes], read: Callable[[], bytes], is_cut: Callable[[], bool] | None = None
    ) -> None:
        self._found: SimpleQueue[bytes] = SimpleQueue()
        self._next: bytes | None = None
        self._is_cut = is_cut
        threading.Thread(target=_fill, args=(self._found, file, read), daemon=True).start()

    def poll(self, timeout: float | None = 0.0) -> bool:
        """Return whether something has come within some seconds, None for ever; so does the end.

        One who can be interrupted waits for a tick at a time, as Windows does not interrupt the wait.
        """
        end = math.inf if timeout is None else time.monotonic() + timeout
        cut = math.inf
        while self._next is None:
            now = time.monotonic()
            patience = min(end - now, threading.TIMEOUT_MAX if self._is_cut is None else TICK_SECONDS)
            with suppress(Empty):
                self._next = self._found.get(timeout=max(0.0, patience))
                break
            if now >= end:
                return False
            if self._is_cut is not None and self._is_cut():
                cut = min(cut, now)
                if now - cut > CUT_SECONDS:
                    self._next = b""
        return True

    def read(self) -> bytes:
        """Return what comes next, empty at the end."""
        self.poll(None)
        found = self._next or b""
        self._next = None if found else b""
        return found

    def close(self) -> None:
        """Leave the rest unread; the thread ends with the process that writes."""


def _fill(found: SimpleQueue[bytes], file: IO[bytes], read: Callable[[], bytes]) -> None:
    with suppress(OSError), file:
        while some := read():
            found.put(some)
    found.put(b"")


class PipeLine(Reader):
    """What is used of `multiprocessing.connection.Connection`, over two pipes."""

    def __init__(
        self, reading: IO[bytes], writing: IO[bytes], is_cut: Callable[[], bool] | None = None
    ) -> None:
        self._writing = writing
        self._lock = threading.Lock()
        super().__init__(reading, lambda: _message(reading), is_cut)

    def recv(self) -> Any:
        """Return the object that comes next; raise `EOFError` at the end."""
        message = self.read()
        if not message:
            raise EOFError
        return pickle.loads(message)

    def send(self, obj: Any) -> None:
        """Send an object."""
        self.send_bytes(pickle.dumps(obj, pickle.HIGHEST_PROTOCOL))

    def send_bytes(self, buf: bytes) -> None:
        """Send an object that is pickled already."""
        with self._lock:
            try:
                for part in (LENGTH.pack(len(buf)), buf):
                    rest = memoryview(part)
                    while rest:
                        rest = rest[self._writing.write(rest) :]
            except OSError:
                self._writing.close()
                raise

    def close(self) -> None:
        """Hang up, unless a thread waits to send, which ends with the other process."""
        if self._lock.acquire(blocking=False):
            self._writing.close()


def _message(file: IO[bytes]) -> bytes:
    """Return the next message, empty at the end, in the middle of one too."""
    header = file.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return b""
    (length,) = LENGTH.unpack(header)
    message = file.read(length)
    return message if len(message) == length else b""


def start_program(
    command: Sequence[str], megabytes: int, log: IO[bytes], marker: str, folder: Path | None
) -> tuple[Process, Reader]:
    """Start a guard, and under it a program."""
    process = _started(command, megabytes, log, marker, folder, subprocess.DEVNULL)
    output = process.stdout
    assert output is not None
    return process, Reader(output, lambda: output.read(CHUNK), lambda: process.poll() is not None)


def start_worker(log: IO[bytes], marker: str, folder: Path) -> tuple[Process, PipeLine]:
    """Start a guard, and under it a worker."""
    _tell_limit(folder, 0)
    command = [_python()[0], "-P", "-c", WORKER.format(path=_path())]
    process = _started(command, 0, log, marker, folder, subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    reading = BufferedReader(cast(RawIOBase, process.stdout))
    return process, PipeLine(reading, process.stdin, lambda: process.poll() is not None)


def _started(
    command: Sequence[str], megabytes: int, log: IO[bytes], marker: str, folder: Path | None, stdin: int
) -> subprocess.Popen[bytes]:
    program, variables = _python()
    code = WITHOUT_PACKAGE.format(path=_path(), root=ROOT)
    return subprocess.Popen(
        [program, "-P", "-c", code, str(os.getpid()), str(megabytes), *command],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=log,
        bufsize=0,
        start_new_session=True,
        creationflags=NO_WINDOW,
        env=marked_environment(marker, folder) | variables,
    )


def _path() -> list[str]:
    return [os.path.abspath(entry) for entry in sys.path]


def _python() -> tuple[str, dict[str, str]]:
    """Return the program of Python, and variables for it.

    The one of a virtual environment starts the real one under Windows, and is between it and its guard.
    """
    if sys.platform != "win32":
        return sys.executable, {}
    return getattr(sys, "_base_executable", sys.executable), {"__PYVENV_LAUNCHER__": sys.executable}


def guard() -> None:
    """Start a command, and end it and everything it started as soon as it, or the parent, ends.

    The arguments of this program are the number of the parent, a limit of memory in MB or 0, and the command.
    A worker has its limits in a file.
    """
    parent, megabytes, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    limit_file = Path(os.environ.get(FOLDER, ""), LIMIT_FILE)
    is_worker = limit_file.exists()
    code = 1
    try:
        watched = psutil.Process(parent)
        environment = os.environ | {GUARD: str(os.getpid())} | _python()[1]
        process = subprocess.Popen(command, stdin=0, stdout=1, stderr=2, env=environment)
        _leave_standard_files(os.open(os.devnull, os.O_RDWR))
        code = _watch(watched, process, lambda: _told_limit(limit_file) if is_worker else megabytes)
    except psutil.NoSuchProcess:
        pass
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr, flush=True)
    finally:
        end_family(os.environ[MARKER], os.getpid())
        if is_worker or not lives(parent):
            remove_folder()
    os._exit(code)


def _watch(parent: psutil.Process, process: subprocess.Popen[bytes], limit: Callable[[], int]) -> int:
    """Wait until a process or the parent ends; return the exit code, 128 + n for signal n."""
    while lives(parent):
        megabytes = limit()
        with suppress(subprocess.TimeoutExpired):
            code = process.wait(MEMORY_GUARD_SECONDS if megabytes else GUARD_SECONDS)
            if code < 0:
                return SIGNAL_EXIT - code
            return code if code < 2**31 else code - 2**32  # those of Windows have no sign
        if megabytes and memory_of_offspring() > megabytes * MEGABYTE:
            return MEMORY_EXIT
    return 1


def work() -> None:
    """Serve orders that come from the standard input; what is printed goes where errors go."""
    orders, reports = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    _leave_standard_files(2)
    guard = int(os.environ[GUARD])
    threading.Thread(target=_end_with, args=(guard,), daemon=True).start()
    serve(PipeLine(orders, reports), partial(_tell_limit, Path(os.environ[FOLDER])))
    _end_all(guard, 0)  # a guard that was killed a moment ago may still look alive


def _leave_standard_files(output: int) -> None:
    """Read from the standard input and write to the standard output no more."""
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(output, 1)


def _end_with(guard: int) -> None:
    """End this process as soon as its guard has ended without doing so."""
    with suppress(psutil.NoSuchProcess):
        watched = psutil.Process(guard)
        while lives(watched):
            time.sleep(GUARD_SECONDS)
    _end_all(guard, 1)


def _end_all(guard: int, code: int) -> NoReturn:
    """End this process and what it started, whether or not its guard does so too."""
    end_family(os.environ[MARKER], guard)
    remove_folder()
    os._exit(code)


def _tell_limit(folder: Path, megabytes: int) -> None:
    """Tell a guard the limit of memory of its worker."""
    Path(folder, LIMIT_FILE).write_text(str(megabytes), encoding="ascii")


def _told_limit(file: Path) -> int:
    with suppress(OSError, ValueError):  # it is being written
        return int(file.read_text(encoding="ascii"))
    return 0
