"""Compilation in the background, while the same loops work in Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pyfsel.algorithms.machine_code import is_compiled
from pyfsel.solvers.compiling import task_begins
from pyfsel.solvers.processes.guarded import GuardedProgram, StartError

SWITCH = "PYFSEL_COMPILE_ASIDE"
PROGRAM = (
    "import sys; sys.path[:] = {path!r}; "
    "from pyfsel.solving.compile_searches import compile_when_alone; compile_when_alone({names!r})"
)
_programs: dict[str, GuardedProgram] = {}


@contextmanager
def compiled_aside(names: Sequence[str]) -> Iterator[None]:
    """Have a program compile what is lacking, while the searches in a ``with`` block do without."""
    with task_begins(is_compiling_aside(names)):
        yield


def is_compiling_aside(names: Sequence[str]) -> bool:
    """Return whether a program compiles the machine code of these that is lacking; start it if there is none.

    It works at a lower priority and ends with this process. Nothing is started if the environment variable
    PYFSEL_COMPILE_ASIDE is 0, and if it has failed before.
    """
    lacking = [name for name in names if not is_compiled(name)]
    if not lacking or os.environ.get(SWITCH) == "0":
        return False
    for name in lacking:
        if name not in _programs:
            code = PROGRAM.format(path=[os.path.abspath(entry) for entry in sys.path], names=[name])
            try:
                _programs[name] = GuardedProgram([sys.executable, "-P", "-c", code])
            except StartError:
                return False
    return all(_programs[name].is_running() for name in lacking)
