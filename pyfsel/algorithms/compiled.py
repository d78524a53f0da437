"""How the inner loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit
from numba.core.event import Event, Listener, register

from pyfsel.solvers.compiling import tell_compiling

P = ParamSpec("P")
R = TypeVar("R")


class _Compilations(Listener):  # type: ignore[misc]
    """Tells when the outermost compilation begins and ends; what is read from disk is none."""

    def __init__(self) -> None:
        self._depth = 0

    def on_start(self, event: Event) -> None:
        self._depth += 1
        if self._depth == 1:
            tell_compiling(True)

    def on_end(self, event: Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            tell_compiling(False)


register("numba:compile", _Compilations())


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function when it is first called; the machine code is kept on disk for later processes.

    It is kept beside the source file, or in the user's cache folder where that is read-only, until that file
    changes. A change of a compiled function in another file that this one calls is not noticed: after such
    an edit remove the ``*.nbi`` and ``*.nbc`` files from ``__pycache__``.
    """
    return cast("Callable[P, R]", njit(cache=True)(function))
