"""How the inner loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function when it is first called; the machine code is kept on disk for later processes.

    It is kept beside the source file, or in the user's cache folder where that is read-only, until that file
    changes. A change of a compiled function in another file that this one calls is not noticed: after such
    an edit remove the ``*.nbi`` and ``*.nbc`` files from ``__pycache__``.
    """
    return cast("Callable[P, R]", njit(cache=True)(function))
