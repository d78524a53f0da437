"""How the inner loops are compiled, and what works until that pays and is done: the same loops in Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Generic, ParamSpec, TypeVar, cast

from pyfsel.algorithms.machine_code import takes_machine_code
from pyfsel.solvers.compiling import tell_compiling

P = ParamSpec("P")
R = TypeVar("R")
MARKS = {"graph_score": "sdp-bound"}
"""By folder, where they differ: the backend after whose problems the machine code of all loops is on disk."""


class Compiled(Generic[P, R]):
    """A function of numbers and arrays that is called as it is first, and as machine code later.

    Small problems are solved before Numba would be loaded, and no others wait while it compiles for the
    first time; `takes_machine_code` says when. The results are the same: there is nothing in such a function
    that Numba understands otherwise (random numbers are: call `machine` there, and where a search has
    decided about machine code itself).

    The machine code is kept on disk for later processes, beside the source file, or in the user's cache
    folder where that is read-only, until that file changes. A change of a compiled function in another file
    that this one calls is not noticed: after such an edit remove the ``*.nbi`` and ``*.nbc`` files from
    ``__pycache__``.
    """

    def __init__(self, function: Callable[P, R]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._in_python = function
        folder = function.__module__.split(".")[2]
        self._mark = MARKS.get(folder, folder)
        self._is_loaded = False

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if self._is_loaded or takes_machine_code(self._mark):
            return self.machine(*args, **kwargs)
        return self._in_python(*args, **kwargs)

    def in_python(self, function: Callable[P, R]) -> Callable[P, R]:
        """Take a function that does the same, and faster than this one without machine code; a decorator."""
        self._in_python = function
        return function

    @cached_property
    def machine(self) -> Callable[P, R]:
        """The same as machine code, which is compiled when it is first called, or read from disk."""
        _prepare_numba()
        from numba import njit

        self._is_loaded = True
        return cast("Callable[P, R]", njit(cache=True)(self._function))


compiled = Compiled
_is_prepared = False


def _prepare_numba() -> None:
    """Let Numba find the machine code of functions that others call, and tell when it compiles."""
    global _is_prepared  # noqa: PLW0603 - once in a process
    if _is_prepared:
        return
    from numba.core import types
    from numba.core.event import Event, Listener, register
    from numba.extending import typeof_impl

    class Compilations(Listener):  # type: ignore[misc]
        """Tells when the outermost compilation begins and ends; what is read from disk is none."""

        depth = 0

        def on_start(self, event: Event) -> None:
            self.depth += 1
            if self.depth == 1:
                tell_compiling(True)

        def on_end(self, event: Event) -> None:
            self.depth -= 1
            if self.depth == 0:
                tell_compiling(False)

    register("numba:compile", Compilations())
    typeof_impl.register(Compiled)(lambda function, _: types.Dispatcher(function.machine))
    _is_prepared = True
