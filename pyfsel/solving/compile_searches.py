"""Compiling the machine code of all searches at once, so that no later solve waits for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import product

from pyfsel.algorithms.machine_code import is_compiled, lock_of_compiling, note_compiled
from pyfsel.backends import registry
from pyfsel.errors import UnsupportedError
from pyfsel.results.control import SEARCHES
from pyfsel.solving.compile_aside import SWITCH
from pyfsel.solving.solve import solve

LOWER_PRIORITY = 5


def compile_searches(
    on_backend: Callable[[str], None] = lambda name: None, names: Sequence[str] | None = None
) -> None:
    """Solve small problems of each kind with every backend that has compiled loops.

    The machine code is kept beside the package, or in the user's cache folder where that is read-only: the
    first call takes up to a minute or two, the next one some seconds.

    Parameters
    ----------
    on_backend : callable
        Called with the name of each backend before its code is compiled.
    names : sequence of str
        The backends; all that have compiled loops unless given.
    """
    before = os.environ.get(SWITCH)
    os.environ[SWITCH] = "0"
    try:
        for name, backend in registry().items():
            problems = list(backend.warm_up_problems())
            if not problems or backend.missing() is not None or name not in (names or registry()):
                continue
            on_backend(name)
            for problem, search in product(problems, SEARCHES):
                with suppress(UnsupportedError):
                    solve(problem, name, search, time_limit=None)
            note_compiled(name)
    finally:
        os.environ.pop(SWITCH)
        if before is not None:
            os.environ[SWITCH] = before


def compile_when_alone(names: Sequence[str]) -> None:
    """Compile the searches of backends at a lower priority, unless another process has done it before."""
    import fcntl

    os.nice(LOWER_PRIORITY)
    with lock_of_compiling().open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lacking = [name for name in names if not is_compiled(name)]
        if lacking:
            compile_searches(names=lacking)
