"""How the inner loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function when it is first called; the machine code is kept on disk for later processes."""
    return cast("Callable[P, R]", njit(cache=True)(function))
