"""Running a task, such as a backend, in a worker that can be killed without losing its reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.results.backend_answer import BackendAnswer, Task, no_answer
from pyfsel.results.control import Control


@contextmanager
def answered(task: Task, problem: Any, control: Control) -> Iterator[BackendAnswer]:
    """Yield the task's answer; without one, say in `stop_reason` and `message` what happened.

    An isolated task gets a worker (`pyfsel.solving.workers`), which is released after the ``with`` block. The
    worker is killed with everything it started when a deadline passes, when anything goes wrong in the block,
    and when this process ends in whatever way: so claims are checked inside the block.

    Raises
    ------
    SolverError
        If its process cannot be started.

    Examples
    --------
    >>> from pyfsel.backends import get_backend
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance(quality=[3, 2, 1], n_sets=1, k=2, max_shared=2)
    >>> with answered(get_backend("brute-force"), problem, Control()) as answer:
    ...     answer.sets
    ((0, 1),)
    """
    if not task.isolated:
        yield _answered_here(task, problem, control)
        return
    from pyfsel.solving.workers import in_worker

    with in_worker(task, problem, control) as answer:
        yield answer


def _answered_here(task: Task, problem: Any, control: Control) -> BackendAnswer:
    try:
        return task.solve(problem, control)
    except (FalseClaimError, InputError):
        raise
    except Exception as error:
        from pyfsel.drivers.processes.guarded import StartError
        from pyfsel.drivers.processes.serving import failure

        if isinstance(error, StartError):
            raise SolverError(f"{task.name}: {error}") from error
        return no_answer(*failure(task.name, error))
