"""Running a backend in a child process that can be killed without losing what it reported."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from types import TracebackType
from typing import IO, Any

import psutil

from pyfsel.backends.base import Backend, Control
from pyfsel.problem import Problem
from pyfsel.result import Answer, Status, StopReason

GRACE_SECONDS = 0.3
SHUTDOWN_SECONDS = 1.0
LOG_CHARACTERS = 2000


class Session:
    """Runs one backend on one problem after the other.

    An isolated backend lives in a child process, which stays between the problems so that the backend can
    keep what it learned, and which is killed with all its descendants when a deadline passes.

    Examples
    --------
    >>> from pyfsel.backends import get_backend
    >>> with Session(get_backend("brute-force")) as session:  # doctest: +SKIP
    ...     answer = session.solve(problem, Control())
    """

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection[Any, Any] | None = None
        self._log: IO[bytes] | None = None

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def solve(self, problem: Problem, control: Control) -> Answer:
        """Return the backend's answer; without one, say in `stop_reason` and `message` what happened."""
        if not self.backend.isolated:
            return self.backend.solve(problem, control)
        try:
            return self._solve_in_child(problem, control)
        except BaseException:
            self._kill()
            raise

    def close(self) -> None:
        """End the child process, if there is one, and everything it started."""
        self._kill()

    def _solve_in_child(self, problem: Problem, control: Control) -> Answer:
        connection = self._start()
        bound: int | None = None
        try:
            connection.send((problem, _options(control)))
            while True:
                if not connection.poll(_patience(control)):
                    self._kill()
                    return Answer(Status.NOT_SOLVED, bound=bound, stop_reason=StopReason.TIME_LIMIT)
                kind, content = connection.recv()
                if kind == "sets":
                    control.report_sets(content)
                elif kind == "bound":
                    bound = content
                    control.report_bound(content)
                elif kind == "answer":
                    answer: Answer = content
                    return answer
                else:
                    self._kill()
                    return Answer(
                        Status.NOT_SOLVED,
                        bound=bound,
                        stop_reason=StopReason(kind),
                        message=content,
                    )
        except (EOFError, ConnectionError):
            return Answer(
                Status.NOT_SOLVED,
                bound=bound,
                stop_reason=StopReason.ERROR,
                message=self._epitaph(),
            )

    def _start(self) -> Connection[Any, Any]:
        if self._connection is not None:
            return self._connection
        ours, theirs = Pipe()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "pyfsel.isolated_child",
                    str(theirs.fileno()),
                    str(os.getpid()),
                ],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            )
        ours.send(self.backend)
        self._connection = ours
        return ours

    def _epitaph(self) -> str:
        assert self._process is not None
        assert self._log is not None
        code = self._kill()
        self._log.seek(0)
        log = self._log.read().decode(errors="replace").strip()[-LOG_CHARACTERS:]
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{self.backend.name}: its process ended with {how}" + (f"; it said: {log}" if log else "")

    def _kill(self) -> int:
        if self._process is None:
            return 0
        kill_tree(self._process.pid)
        code = self._process.wait()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None
        return code


def kill_tree(pid: int) -> None:
    """Kill a process and all its descendants, those in process groups of their own included."""
    try:
        parent = psutil.Process(pid)
        family = [*parent.children(recursive=True), parent]
    except psutil.NoSuchProcess:
        return
    for process in family:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(family[:-1], timeout=SHUTDOWN_SECONDS)


def _options(control: Control) -> dict[str, Any]:
    return {
        "seconds": control.remaining(),
        "random_state": control.random_state,
        "n_threads": control.n_threads,
        "formulation": control.formulation,
        "hint": control.hint,
    }


def _patience(control: Control) -> float | None:
    if control.deadline is None:
        return None
    return max(0.0, control.deadline + GRACE_SECONDS - time.monotonic())
