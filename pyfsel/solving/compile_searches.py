"""Compiling the machine code of searches: aside, before benchmarks and before tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import product

from pyfsel.algorithms import hitting_sets
from pyfsel.algorithms.machine_code import COMPILING, is_compiled, lock_of_compiling, note_compiled
from pyfsel.backends import registry
from pyfsel.errors import UnsupportedError
from pyfsel.results.answer import Answer, Status
from pyfsel.results.control import SEARCHES, Control
from pyfsel.results.task import Task
from pyfsel.solvers.versions import is_installed
from pyfsel.solving.compile_aside import SWITCH
from pyfsel.solving.sessions import Session
from pyfsel.solving.solve import solve

LOWER_PRIORITY = 5


def compile_searches(
    on_backend: Callable[[str], None] = lambda name: None, names: Sequence[str] | None = None
) -> None:
    """Solve small problems of each kind with every backend that has compiled loops, and what no backend uses.

    The machine code is kept beside the package, or in the user's cache folder where that is read-only: the
    first call takes up to a minute or two, the next one some seconds.

    Parameters
    ----------
    on_backend : callable
        Called with the name of each backend before its code is compiled.
    names : sequence of str
        The backends, and "hitting_sets"; all that have compiled loops unless given.
    """
    with _environment({SWITCH: "0", COMPILING: "1"}):
        for name, backend in registry().items():
            problems = list(backend.warm_up_problems())
            if not problems or backend.missing() is not None or (names is not None and name not in names):
                continue
            on_backend(name)
            for problem, search in product(problems, SEARCHES):
                with suppress(UnsupportedError):
                    solve(problem, name, search, time_limit=None)
            note_compiled(name)
        if is_installed("numba") and (names is None or hitting_sets.NAME in names):
            on_backend(hitting_sets.NAME)
            with Session(_HittingSets()) as session:
                session.solve(None, Control())
            note_compiled(hitting_sets.NAME)


class _HittingSets(Task):
    """Compiles what no backend uses."""

    name = hitting_sets.NAME

    def solve(self, problem: None, control: Control) -> Answer:
        hitting_sets.warm_up()
        return Answer(Status.NOT_SOLVED)


@contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    """Set variables of the environment, and afterwards set them back."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def compile_when_alone(names: Sequence[str]) -> None:
    """Compile the searches of backends at a lower priority, unless another process has done it before."""
    import psutil
    from filelock import FileLock

    if sys.platform == "win32":
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(LOWER_PRIORITY)
    with FileLock(lock_of_compiling()):
        lacking = [name for name in names if not is_compiled(name)]
        if lacking:
            compile_searches(names=lacking)
