"""Running a task, such as a backend, in a worker that can be killed without losing its reports."""

from __future__ import annotations

import time
from dataclasses import replace
from math import inf
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from pyfsel.drivers.processes.guard import MEMORY_EXIT
from pyfsel.drivers.processes.guarded import StartError, how_ended, patience, too_much_memory
from pyfsel.drivers.processes.serving import LIE, failure
from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control
from pyfsel.results.task import Task, timed_solve
from pyfsel.solving import workers
from pyfsel.solving.workers import Worker

GRACE_SECONDS = 0.3  # for a task to return at its deadline by itself, before it is killed
DRAIN_SECONDS = 0.5  # for reports that were sent in time; a task may never stop reporting

AnyTask = TypeVar("AnyTask", bound=Task)


class Session(Generic[AnyTask]):
    """Runs one task, such as a backend, on one problem after the other.

    An isolated task gets a worker (`pyfsel.solving.workers`) with its first problem, which is released when
    the session is closed, as after a ``with`` block. The worker is killed with everything it started when a
    deadline passes, when anything goes wrong in the block, and when this process ends in whatever way: so
    claims are checked inside the block.

    Examples
    --------
    >>> from pyfsel.backends import get_backend
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance(quality=[3, 2, 1], n_sets=1, k=2, max_shared=2)
    >>> with Session(get_backend("brute-force")) as session:
    ...     session.solve(problem, Control()).sets
    ((0, 1),)
    """

    def __init__(self, task: AnyTask) -> None:
        self.task = task
        self._worker: Worker | None = None

    def __enter__(self) -> Session[AnyTask]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def solve(self, problem: Any, control: Control) -> Answer:
        """Return the task's answer; without one, say in `stop_reason` and `message` what happened."""
        if not self.task.is_isolated(control.formulation):
            return self._solve_here(problem, control)
        try:
            return self._solve_in_worker(problem, control)
        except BaseException:
            self.abandon()
            raise

    def close(self) -> None:
        """Release the worker, if there is one."""
        if self._worker is not None:
            workers.release(self.task, self._worker)
            self._worker = None

    def abandon(self) -> None:
        """End the worker, if there is one, and everything it started."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None

    def _solve_here(self, problem: Any, control: Control) -> Answer:
        try:
            return timed_solve(self.task, problem, control)
        except (FalseClaimError, InputError):
            raise
        except StartError as error:
            raise SolverError(f"{self.task.name}: {error}") from error
        except Exception as error:
            return _no_answer(*failure(self.task.name, error))

    def _solve_in_worker(self, problem: Any, control: Control) -> Answer:
        try:
            if self._worker is None:
                self._worker = workers.acquire(self.task)
            begun = self._begins(self._worker, problem, control)
            if not begun and self._worker.n_orders > 1:
                self.abandon()
                self._worker = workers.start(self.task)
                begun = self._begins(self._worker, problem, control)
        except TimeoutError:
            self.abandon()
            return _no_answer(StopReason.TIME_LIMIT)
        except OSError as error:
            raise SolverError(f"{self.task.name}: cannot start its process: {error}") from error
        if not begun:
            return self._answer_after_end(self._worker, control)
        try:
            return self._listen(self._worker.connection, control)
        except (EOFError, ConnectionError):
            return self._answer_after_end(self._worker, control)

    def _begins(self, worker: Worker, problem: Any, control: Control) -> bool:
        """Send an order and return whether the worker begins it; one that was idle may have ended before.

        Raises
        ------
        TimeoutError
            If it has not by the deadline.
        """
        deadline = time.monotonic() + _seconds_left(control)
        try:
            worker.ask(self.task, problem, _options(control), control.limits.memory_limit, deadline)
            while not worker.connection.poll(patience(deadline - time.monotonic())):
                if time.monotonic() >= deadline:
                    raise TimeoutError
            worker.connection.recv()
        except (EOFError, ConnectionError):
            return False
        return True

    def _listen(self, connection: Connection, control: Control) -> Answer:
        while True:
            left = _seconds_left(control)
            if not connection.poll(patience(left)) or left < -DRAIN_SECONDS:
                if left > 0:
                    continue
                self.abandon()
                return _no_answer(StopReason.TIME_LIMIT)
            kind, content = connection.recv()
            if kind == "sets":
                control.report_sets(content)
            elif kind == "bound":
                control.report_bound(content)
            elif kind == LIE:
                raise FalseClaimError(content)
            elif kind == "answer":
                answer: Answer = content
                return answer
            else:
                self.abandon()
                return _no_answer(kind, content)

    def _answer_after_end(self, worker: Worker, control: Control) -> Answer:
        """Return why a worker has ended without an answer."""
        code, log = worker.exit_code_and_log()
        self.abandon()
        if code == MEMORY_EXIT:
            used = too_much_memory(control.limits.memory_limit)
            return _no_answer(StopReason.MEMORY_LIMIT, f"{self.task.name}: {used}")
        last_line = f": {log.splitlines()[-1]}\n{log}" if log else ""
        ended = f"{self.task.name}: its process ended with {how_ended(code)}{last_line}"
        return _no_answer(StopReason.ERROR, ended)


def _no_answer(stop_reason: str, message: str = "") -> Answer:
    return Answer(Status.NOT_SOLVED, stop_reason=StopReason(stop_reason), message=message)


def _options(control: Control) -> dict[str, Any]:
    """Return the options of a worker; its memory is watched from outside."""
    return {
        "limits": replace(control.limits, memory_limit=None),
        "formulation": control.formulation,
        "hint": control.hint,
        "known_bound": control.known_bound,
    }


def _seconds_left(control: Control) -> float:
    if control.limits.deadline is None:
        return inf
    return control.limits.deadline + GRACE_SECONDS - time.monotonic()
