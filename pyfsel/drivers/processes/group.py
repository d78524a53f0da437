"""A program with all that it starts, as one group: signals reach all, and output ends with the program."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import IO

from pyfsel.drivers.processes.own import open_standard_files
from pyfsel.errors import SolverError

CHUNK = 65536
SILENCE_SECONDS = 0.5  # of what goes on after the program itself has ended, such as a child of a wrapper
LOOKING_SECONDS = 0.05


class ProgramGroup:
    r"""A program and its children; they are killed when it is left.

    Parameters
    ----------
    words : sequence of str
        The program and its arguments.
    errors : binary file or int
        Where its error output goes, as for `subprocess.Popen`.

    Raises
    ------
    SolverError
        If it cannot be started.

    Examples
    --------
    A child that keeps the output open does not delay what the program itself has printed.

    >>> with ProgramGroup(["sh", "-c", "sleep 60 & echo found"]) as group:
    ...     list(group.lines())
    ['found']
    """

    def __init__(self, words: Sequence[str], errors: IO[bytes] | int = subprocess.DEVNULL) -> None:
        open_standard_files()
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise SolverError(f"{words[0]}: cannot be started ({error.strerror})") from None
        self._chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> ProgramGroup:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self.process.wait()
        self._reader.join(LOOKING_SECONDS)

    def terminate(self) -> None:
        """Ask all of them to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End all of them by force."""
        self._signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(OSError):
            if sys.platform == "win32":
                self.process.send_signal(number)
            else:
                os.killpg(self.process.pid, number)

    def _read(self) -> None:
        """Hand on what is printed, until nobody can print any more."""
        assert self.process.stdout is not None
        with self.process.stdout as output:
            while chunk := output.read(CHUNK):
                self._chunks.put(chunk)
        self._chunks.put(b"")

    def lines(self, deadline: float | None = None) -> Iterator[str]:
        """Yield the lines that are printed, until the output ends, or the program has and all is silent.

        Raises
        ------
        TimeoutError
            If that is not so by the deadline, a value of `time.monotonic`.
        """
        rest, heard = b"", time.monotonic()
        while True:
            try:
                chunk = self._chunks.get(timeout=LOOKING_SECONDS)
            except queue.Empty:
                if deadline is not None and time.monotonic() > deadline:
                    raise TimeoutError from None
                if self.process.poll() is None:
                    heard = time.monotonic()
                if time.monotonic() < heard + SILENCE_SECONDS:
                    continue
                chunk = b""
            heard = time.monotonic()
            *whole, rest = (rest + chunk).split(b"\n")
            yield from (line.decode(errors="replace") for line in whole)
            if not chunk:
                break
        if rest:
            yield rest.decode(errors="replace")
