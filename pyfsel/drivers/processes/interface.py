"""What is asked of the system: start a worker or a program under a guard, and end all of it.

There are two implementations of `System`. Both keep limits of time and memory, and end what they started,
with its offspring, when they are told to, when a worker or a guard is killed, and when this process ends in
whatever way.

`linux` has the system's help: each guard adopts what its program leaves behind, and the system kills a worker
when its guard ends. `portable` does it with pipes, threads and psutil, on macOS and Windows, and on Linux if
the environment variable PYFSEL_PROCESSES is "portable". It cannot promise as much:

- A process that a backend or a solver starts with an environment of its own, and whose parent then ends
  before it does, is not found again.
- If this process and a guard are both killed by force within the same third of a second, a worker has to end
  by itself with what it started, once compiled code leaves Python's global lock to it; a program such as
  MiniZinc goes on until its own time limit.
- What exceeds a limit of memory is seen 0.3 s late at worst, under Linux 0.05 s.
- Each worker and program that runs has a thread here, of which Python 3.12 and later warn whoever forks.
- Windows cannot interrupt CBC, which is ended there and loses the solution that it has not told yet, and
  hears of Ctrl-C a tenth of a second late.
- Runs of benchmarks each start a program of their own, whose start is not counted, instead of a copy of one
  that has everything loaded. The processor time of runs is not known on Windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Protocol


class Process(Protocol):
    """What is used of `subprocess.Popen`."""

    pid: int
    returncode: int | Any

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code when it has ended."""

    def kill(self) -> None:
        """End it by force."""


class Line(Protocol):
    """What is used of `multiprocessing.connection.Connection`."""

    def poll(self, timeout: float | None = 0.0) -> bool:
        """Return whether something has come within some seconds, None for ever; so does an end."""

    def recv(self) -> Any:
        """Return what comes next.

        Raises
        ------
        EOFError
            If the other end has hung up.
        """

    def send(self, obj: Any) -> None:
        """Send an object."""

    def send_bytes(self, buf: bytes) -> None:
        """Send an object that is pickled already."""

    def close(self) -> None:
        """Hang up."""


class Output(Protocol):
    """What a program prints."""

    def poll(self, timeout: float) -> bool:
        """Return whether something has come within some seconds; so does the end."""

    def read(self) -> bytes:
        """Return what comes next, empty at the end."""

    def close(self) -> None:
        """Leave the rest unread."""


class System(Protocol):
    """A way to start processes, which are known by a marker; a module.

    What they print that is not read goes into a log, and their temporary files go into a folder.
    """

    def start_worker(self, log: IO[bytes], marker: str, folder: Path) -> tuple[Process, Line]:
        """Start a guard, and under it a worker that serves a line."""

    def start_program(
        self, command: Sequence[str], megabytes: int, log: IO[bytes], marker: str, folder: Path | None
    ) -> tuple[Process, Output]:
        """Start a guard, and under it a program, with a limit of memory or 0."""
