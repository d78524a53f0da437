"""Running a task, such as a backend, in a child process that can be killed without losing its reports."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import traceback
import weakref
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Generic, TypeVar
from uuid import uuid4

import psutil

from pyfsel.backends.base import Backend
from pyfsel.errors import BackendError, VerificationError
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control
from pyfsel.results.task import Task, timed_solve
from pyfsel.solvers.compiling import tell_compiling
from pyfsel.solvers.processes.child import MEMORY_EXIT, failure, serve
from pyfsel.solvers.processes.guarded import (
    LONGEST_WAIT_SECONDS,
    StartError,
    end,
    how_ended,
    marks,
    post_mortem,
    start_program,
    too_much_memory,
)

GRACE_SECONDS = 0.3
DRAIN_SECONDS = 0.5
LARGEST_DESCRIPTOR = 4096
_STARTS_BY_FORK = False


AnyTask = TypeVar("AnyTask", bound=Task)


class Session(Generic[AnyTask]):
    """Runs one task, such as a backend, on one problem after the other.

    An isolated task lives in a child process, which stays between the problems so that the task can
    keep what it learned. When a deadline passes, when the session is closed or garbage-collected, and when
    this process ends in whatever way, the child is killed with everything it started.

    Examples
    --------
    >>> from pyfsel.backends import get_backend
    >>> from pyfsel.problem.problem import Problem
    >>> problem = Problem(quality=[3, 2, 1], n_sets=1, set_size=2, max_overlap=2)
    >>> with Session(get_backend("brute-force")) as session:
    ...     session.solve(problem, Control()).sets
    ((0, 1),)
    """

    def __init__(self, task: AnyTask) -> None:
        self.task = task
        self._child: _Child | None = None

    def __enter__(self) -> Session[AnyTask]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def solve(self, problem: Any, control: Control) -> Answer:
        """Return the task's answer; without one, say in `stop_reason` and `message` what happened."""
        if not self.task.is_isolated(control.formulation):
            return self._solve_here(problem, control)
        try:
            return self._solve_in_child(problem, control)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the child process, if there is one, and everything it started."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def _solve_here(self, problem: Any, control: Control) -> Answer:
        try:
            return timed_solve(self.task, problem, control)
        except VerificationError:
            raise
        except StartError as error:
            raise BackendError(f"{self.task.name}: {error}") from error
        except Exception as error:
            return _no_answer(*failure(self.task.name, error))

    def _solve_in_child(self, problem: Any, control: Control) -> Answer:
        try:
            if self._child is not None and self._child.memory_limit != control.limits.memory_limit:
                self.close()
            if self._child is None:
                self._child = self._start(control.limits.memory_limit)
                self._child.connection.send(self.task)
            self._child.connection.send((problem, _options(control)))
            return self._listen(self._child.connection, control)
        except (EOFError, ConnectionError):
            return _no_answer(*self._epitaph())

    def _start(self, memory_limit: int | None) -> _Child:
        try:
            return _Child(memory_limit, _STARTS_BY_FORK and self.task.forkable)
        except OSError as error:
            raise BackendError(f"{self.task.name}: cannot start its process: {error}") from error

    def _listen(self, connection: Connection[Any, Any], control: Control) -> Answer:
        while True:
            left = _seconds_left(control)
            if not connection.poll(min(max(0.0, left), LONGEST_WAIT_SECONDS)) or left < -DRAIN_SECONDS:
                if left > 0:
                    continue
                self.close()
                return _no_answer(StopReason.TIME_LIMIT)
            kind, content = connection.recv()
            if kind == "sets":
                control.report_sets(content)
            elif kind == "bound":
                control.report_bound(content)
            elif kind == "compiling":
                tell_compiling(content)
            elif kind == "answer":
                answer: Answer = content
                return answer
            else:
                self.close()
                return _no_answer(kind, content)

    def _epitaph(self) -> tuple[StopReason, str]:
        assert self._child is not None
        code, log = post_mortem(self._child.process, self._child.log)
        memory_limit = self._child.memory_limit
        self.close()
        if code == MEMORY_EXIT:
            return StopReason.MEMORY_LIMIT, f"{self.task.name}: {too_much_memory(memory_limit)}"
        last_words = f": {log.splitlines()[-1]}\n{log}" if log else ""
        return StopReason.ERROR, f"{self.task.name}: its process ended with {how_ended(code)}{last_words}"


class SessionPool:
    """One session for each backend, kept while many problems are solved; close it, or use ``with``.

    Examples
    --------
    >>> from pyfsel.backends import get_backend
    >>> with SessionPool() as pool:
    ...     pool.session(get_backend("sorting")) is pool.session(get_backend("sorting"))
    True
    """

    def __init__(self) -> None:
        self._sessions: dict[str, Session[Backend]] = {}

    def __enter__(self) -> SessionPool:
        return self

    def __exit__(self, *_: object) -> None:
        for session in self._sessions.values():
            session.close()

    def session(self, backend: Backend) -> Session[Backend]:
        """Return the session of a backend (of this name)."""
        return self._sessions.setdefault(backend.name, Session(backend))


def start_sessions_by_fork() -> None:
    """Start the processes of sessions as copies of this process from now on.

    They have everything loaded that this one has, and start the faster; those of tasks that are not
    `forkable` still start afresh. Only for a process that has a single thread and holds nothing that a copy
    must not have.
    """
    global _STARTS_BY_FORK  # noqa: PLW0603 - says how this process starts others
    _STARTS_BY_FORK = True


class _Child:
    """A process that runs `pyfsel.solvers.processes.child`; it ends with its offspring when collected."""

    def __init__(self, memory_limit: int | None, by_fork: bool) -> None:
        self.memory_limit = memory_limit
        marker = uuid4().hex
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        folder = Path(tempfile.mkdtemp(prefix="pyfsel-"))
        self.connection, theirs = Pipe()
        with theirs:
            start = _copy if by_fork else start_program
            self.process = start(theirs.fileno(), memory_limit or 0, self.log, marker, folder)
        self.end = weakref.finalize(self, end, self.process, self.connection, self.log, marker, folder)


class _Copy:
    """A copy of this process as the child: what is used of `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._process = psutil.Process(pid)
        self._code: int | None = None

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        if self._code is None:
            try:
                self._code = int(self._process.wait(timeout) or 0)
            except psutil.TimeoutExpired as error:
                raise subprocess.TimeoutExpired(str(self.pid), error.seconds) from None
        return self._code

    def kill(self) -> None:
        with suppress(psutil.NoSuchProcess):
            self._process.kill()


def _copy(file_descriptor: int, megabytes: int, log: IO[bytes], marker: str, folder: Path) -> _Copy:
    """Start the child as a copy of this process."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return _Copy(pid)
    code = 1
    try:
        os.setsid()
        for descriptor in (1, 2):
            os.dup2(log.fileno(), descriptor)
        os.environ.update(marks(marker, folder))
        tempfile.tempdir = str(folder)
        os.closerange(3, file_descriptor)
        os.closerange(file_descriptor + 1, LARGEST_DESCRIPTOR)
        serve(file_descriptor, parent, megabytes)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _no_answer(stop_reason: str, message: str = "") -> Answer:
    return Answer(Status.NOT_SOLVED, stop_reason=StopReason(stop_reason), message=message)


def _options(control: Control) -> dict[str, Any]:
    """Return what a child is told; its memory is watched from outside."""
    return {
        "limits": replace(control.limits, memory_limit=None),
        "formulation": control.formulation,
        "hint": control.hint,
        "known_bound": control.known_bound,
    }


def _seconds_left(control: Control) -> float:
    if control.limits.deadline is None:
        return LONGEST_WAIT_SECONDS
    return control.limits.deadline + GRACE_SECONDS - time.monotonic()
