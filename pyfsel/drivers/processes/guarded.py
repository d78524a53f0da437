"""Processes under a guard: they end, with all they started, when they are told to and when this one ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO
from uuid import uuid4

from pyfsel.drivers.processes import linux, portable
from pyfsel.drivers.processes.child import SIGNAL_EXIT
from pyfsel.drivers.processes.family import SHUTDOWN_SECONDS, end_family
from pyfsel.drivers.processes.interface import Line, Output, Process, System
from pyfsel.drivers.processes.own import is_portable, open_standard_files
from pyfsel.errors import SolverError

REAPING_SECONDS = 10.0  # a guard on a busy machine, with much memory to be freed
LONGEST_WAIT_SECONDS = 3600.0  # systems refuse waits of some weeks
LOG_CHARACTERS = 2000  # of its end
MOST_SIGNALS = 64


class StartError(SolverError):
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
            process, output = system().start_program(command, memory_limit or 0, log, marker, folder)
        except OSError as error:
            raise StartError(f"cannot start its process: {error}") from error
        self._process, self._output, self._log = process, output, log
        self.end = weakref.finalize(self, end, process, output, log, marker)

    def __enter__(self) -> GuardedProgram:
        return self

    def __exit__(self, *exception: object) -> None:
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
            if self._output.poll(patience(left)):
                return self._output.read()
            if left <= 0:
                raise TimeoutError

    def exit_code_and_log(self) -> tuple[int, str]:
        """Return the exit code after the output has ended, 128 + n for signal n, and the end of the log."""
        return post_mortem(self._process, self._log)


def system() -> System:
    """Return how processes are started here."""
    open_standard_files()
    return portable if is_portable() else linux


def post_mortem(process: Process, log: IO[bytes]) -> tuple[int, str]:
    """Return the exit code of a process that has hung up, 128 + n for signal n, and the end of its log."""
    try:
        code = process.wait(timeout=REAPING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    length = log.seek(0, os.SEEK_END)
    log.seek(max(0, length - LOG_CHARACTERS))
    return code, log.read().decode(errors="replace").strip()


def patience(left: float) -> float:
    """Return the seconds to wait at once of those that are left."""
    return min(max(0.0, left), LONGEST_WAIT_SECONDS)


def how_ended(code: int) -> str:
    """Return an exit code of a guard in words."""
    is_signal = code < 0 or SIGNAL_EXIT < code <= SIGNAL_EXIT + MOST_SIGNALS
    return f"signal {abs(code) % SIGNAL_EXIT}" if is_signal else f"exit code {code}"


def too_much_memory(megabytes: int | None) -> str:
    """Return what to say about `MEMORY_EXIT`."""
    return f"used more than {megabytes} MB"


def end(
    process: Process, connection: Line | Output, log: IO[bytes], marker: str, folder: Path | None = None
) -> None:
    """End a guard and all below it, and remove their folder, if there is one.

    All but the guard are killed, which then ends by itself, as it has if all went well.
    """
    connection.close()
    log.close()
    if process.poll() != 0:
        end_family(marker, process.pid)
        try:
            process.wait(SHUTDOWN_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
