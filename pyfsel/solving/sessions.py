"""Running a task, such as a backend, in a worker that can be killed without losing its reports."""

from __future__ import annotations

from typing import Any

from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.results.backend_answer import BackendAnswer, StopReason, Task, no_answer, timed_solve
from pyfsel.results.control import Control


class Session:
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

    def __init__(self, task: Task) -> None:
        self.task = task
        self._worker: Any = None  # only tasks with a worker load its modules

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def solve(self, problem: Any, control: Control) -> BackendAnswer:
        """Return the task's answer; without one, say in `stop_reason` and `message` what happened."""
        if not self.task.isolated:
            return self._solve_here(problem, control)
        try:
            return self._solve_in_worker(problem, control)
        except BaseException:
            self.abandon()
            raise

    def close(self) -> None:
        """Release the worker, if there is one."""
        if self._worker is not None:
            from pyfsel.solving.workers import release

            release(self.task, self._worker)
            self._worker = None

    def abandon(self) -> None:
        """End the worker, if there is one, and everything it started."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None

    def _solve_here(self, problem: Any, control: Control) -> BackendAnswer:
        try:
            return timed_solve(self.task, problem, control)
        except (FalseClaimError, InputError):
            raise
        except Exception as error:
            from pyfsel.drivers.processes.guarded import StartError
            from pyfsel.drivers.processes.serving import failure

            if isinstance(error, StartError):
                raise SolverError(f"{self.task.name}: {error}") from error
            return no_answer(*failure(self.task.name, error))

    def _solve_in_worker(self, problem: Any, control: Control) -> BackendAnswer:
        from pyfsel.solving import workers

        try:
            self._worker = self._worker or workers.acquire(self.task)
            begun = self._worker.begins(self.task, problem, control)
            if not begun and self._worker.n_orders > 1:  # it had ended while it was idle
                self.abandon()
                self._worker = workers.start(self.task)
                begun = self._worker.begins(self.task, problem, control)
        except TimeoutError:
            self.abandon()
            return no_answer(StopReason.TIME_LIMIT)
        except OSError as error:
            raise SolverError(f"{self.task.name}: cannot start its process: {error}") from error
        answer: BackendAnswer | None = self._worker.answer(control) if begun else None
        if answer is None:
            answer = self._worker.why_ended(self.task.name, control.limits.memory_limit)
        if not self._worker.is_fit:
            self.abandon()
        return answer
