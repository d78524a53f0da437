"""Processes under a guard: they end, with all they started, on request and when this process ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import inf
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
    MEGABYTE,
    SHUTDOWN_SECONDS,
    SIGNAL_EXIT,
    TERMINATE,
    end_family,
    lives,
    passing,
)
from pyfsel.errors import SolverError

REAPING_SECONDS = 10.0  # a guard on a busy machine, with much memory to be freed
LONGEST_WAIT_SECONDS = 0.1 if sys.platform == "win32" else 3600.0
"""Windows hears of Ctrl-C between two waits only; other systems refuse waits of some weeks."""
LOG_CHARACTERS = 2000  # of its end
MOST_SIGNALS = 64
NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # under Windows
TEMPORARY = ("TMPDIR", "TEMP", "TMP") if os.name == "nt" else ("TMPDIR",)
WORKER = (
    "import sys; sys.path[:] = {path!r}; from pyfsel.drivers.processes.serving import main; main({handle})"
)


class StartError(SolverError):
    """A process cannot be started, for example without memory, or a file that it needs cannot be written."""


class Guarded:
    """A process under a guard.

    It is killed with everything that it started when `end` is called, when the object is collected, when
    this process ends in whatever way, and when its processes use too much memory together.

    Parameters
    ----------
    command : sequence of str, optional
        None: a copy of this process (`copied`), which serves the connection.
    folder : path, optional
        Where its temporary files go. The guard removes it.
    handle : int
        A connection that it inherits; -1: its output is read instead.

    Attributes
    ----------
    process : psutil.Process
        The guard.
    variables : dict
        What its environment has more than the environment of this process.
    log : binary file
        What it prints that is not read.
    """

    def __init__(self, command: Sequence[str] | None, folder: Path | None, handle: int = -1) -> None:
        folders = {} if folder is None else dict.fromkeys((FOLDER, *TEMPORARY), str(folder))
        self.variables = {MARKER: uuid4().hex, **folders}
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.process: Any
        if command is None:
            from pyfsel.drivers.processes.copied import start_worker

            self.process, self._orders = start_worker(handle, self.log, self.variables)
        else:
            self.process = _started(command, handle, self.log, self.variables)
            self._orders = self.process.stdin
        self.end = weakref.finalize(
            self, _end, os.getpid(), self.process, (self._orders, self.log), self.variables
        )

    def limit_memory(self, megabytes: int | None) -> None:
        """Have a limit of memory from now on, or none."""
        self._order(str((megabytes or 0) * MEGABYTE))

    def terminate(self) -> None:
        """Ask it to end, and what it has started."""
        self._order(TERMINATE)

    def kill(self) -> None:
        """End it by force; its exit code and log can still be read."""
        self._orders.close()

    def _order(self, word: str) -> None:
        with suppress(OSError, ValueError):  # it has ended
            os.write(self._orders.fileno(), f"{word}\n".encode())  # without a rest that closing would write

    def is_running(self) -> bool:
        """Return whether it has not ended."""
        return lives(self.process.pid)

    def exit_code_and_log(self) -> tuple[int, str]:
        """Return the exit code when it has hung up, 128 + n for signal n, and the end of the log."""
        try:
            code = self.process.wait(REAPING_SECONDS)
        except psutil.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        length = self.log.seek(0, os.SEEK_END)
        self.log.seek(max(0, length - LOG_CHARACTERS))
        return int(code or 0), self.log.read().decode(errors="replace").strip()


class GuardedWorker(Guarded):
    """A process that serves orders (`serving`).

    Parameters
    ----------
    by_fork : bool
        Whether it is a copy of this process.

    Attributes
    ----------
    connection : multiprocessing.connection.Connection
        Where orders go, and what its tasks report comes from.
    """

    def __init__(self, by_fork: bool = False) -> None:
        self.connection, theirs = Pipe()
        with theirs:
            handle = theirs.fileno()
            code = WORKER.format(path=[os.path.abspath(entry) for entry in sys.path], handle=handle)
            command = None if by_fork else [sys.executable, "-P", "-c", code]
            super().__init__(command, Path(tempfile.mkdtemp(prefix="pyfsel-")), handle)


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
            super().__init__(command, folder)
        except OSError as error:
            raise StartError(f"cannot start its process: {error}") from error
        if memory_limit is not None:
            self.limit_memory(memory_limit)
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=_read, args=(self._lines, self.process.stdout), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()

    def lines(self, deadline: float = inf) -> Iterator[bytes]:
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
        while True:
            left = deadline - time.monotonic()
            try:
                line = self._lines.get(timeout=patience(left))
            except Empty:
                if left <= 0:
                    raise TimeoutError from None
                continue
            if not line:
                return
            yield line


def _read(lines: SimpleQueue[bytes], output: IO[bytes]) -> None:
    """Read lines in a thread, because not all systems can wait for a pipe; the last one is empty."""
    with suppress(OSError), output:
        for line in output:
            lines.put(line)
    lines.put(b"")


def _started(command: Sequence[str], handle: int, log: IO[bytes], variables: dict[str, str]) -> psutil.Popen:
    """Start a guard of a command; the output is read if the command inherits no connection."""
    # under Windows the Python of a virtual environment starts another one
    python = getattr(sys, "_base_executable", sys.executable) if os.name == "nt" else sys.executable
    packages = str(Path(psutil.__file__).parents[1])
    inherited = {name: value for name, value in os.environ.items() if name != FOLDER}
    return psutil.Popen(
        [python, "-P", "-S", guard.__file__, packages, str(handle), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if handle < 0 else log,
        stderr=log,
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


def _end(owner: int, process: Any, files: Sequence[IO[bytes]], variables: dict[str, str]) -> None:
    """End a guard, which ends all below it; if it was killed or is late, this process does.

    A forked copy of the owner leaves it to the owner.
    """
    for file in files:
        file.close()
    if os.getpid() != owner:
        if isinstance(process, psutil.Popen):
            process.poll()  # without a warning that it still runs
        return
    with suppress(psutil.TimeoutExpired):
        if (process.wait(SHUTDOWN_SECONDS) or 0) >= 0:
            return
    end_family(process.pid, variables[MARKER])
    with suppress(psutil.NoSuchProcess):
        process.kill()
    process.wait()
    shutil.rmtree(variables.get(FOLDER, ""), ignore_errors=True)
