"""Who is told while machine code is compiled: seconds in which a search that is used first is silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
