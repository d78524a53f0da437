"""Who is told while machine code is compiled, and for how long a task has done without it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

Listener = Callable[[bool], None]


def _nobody(is_compiling: bool) -> None:
    """Listen to nothing."""


_LISTENER: ContextVar[Listener] = ContextVar("_LISTENER", default=_nobody)


@contextmanager
def compiling_is_told_to(listener: Listener) -> Iterator[None]:
    """Call the listener, and nobody else, when a compilation begins (True) and when it has ended (False).

    Those of backends in child processes count too.

    Examples
    --------
    >>> with compiling_is_told_to(print):
    ...     tell_compiling(True)
    True
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell_compiling(is_compiling: bool) -> None:
    """Tell whether machine code is being compiled now."""
    _LISTENER.get()(is_compiling)


@dataclass(frozen=True)
class Task:
    """What this process does now, as far as machine code is concerned.

    Parameters
    ----------
    is_compiling_aside : bool
        Whether another process compiles what is lacking.
    """

    is_compiling_aside: bool = False
    _begin: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long it has worked."""
        return time.monotonic() - self._begin


_TASK: ContextVar[Task] = ContextVar("_TASK", default=Task())  # noqa: B039 - it does not change


@contextmanager
def task_begins(is_compiling_aside: bool) -> Iterator[None]:
    """Say that a task begins, and whether another process compiles what is lacking; for a ``with`` block."""
    token = _TASK.set(Task(is_compiling_aside))
    try:
        yield
    finally:
        _TASK.reset(token)


def current_task() -> Task:
    """Return the task that goes on, or that of a process that began none."""
    return _TASK.get()
