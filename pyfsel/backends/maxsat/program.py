"""MaxSAT solvers of the user: programs that read a WCNF file and speak the protocol of the evaluations."""

from __future__ import annotations

import os
import shlex
import shutil
from typing import TYPE_CHECKING

from pyfsel.backends.base import Backend
from pyfsel.errors import InputError
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import SIDE_CONSTRAINTS
from pyfsel.results.control import LITERAL, STRENGTHENED, Control

if TYPE_CHECKING:
    from pyfsel.results.answer import Answer

VARIABLE = "PYFSEL_MAXSAT_COMMAND"
FILE = "{wcnf}"
CLASSIC_FILE = "{classic_wcnf}"
PROGRAMS = {
    "cashwmaxsat": ("cashwmaxsat", FILE),
    "cgss2": ("cgss2", FILE),
    "eval-maxsat": ("EvalMaxSAT_bin", FILE),
    "maxhs": ("maxhs", FILE),
    "open-wbo": ("open-wbo", CLASSIC_FILE),
    "rc2-program": ("rc2.py", "-vv", FILE),
    "uwrmaxsat": ("uwrmaxsat", FILE),
    "wmaxcdcl": ("wmaxcdcl", FILE),
}


class MaxSat(Backend):
    """A MaxSAT solver as a program.

    Parameters
    ----------
    name : str
        What stands behind ``maxsat:``.
    command : sequence of str
        Program and arguments; ``{wcnf}`` stands for the file, in the format since 2022, and
        ``{classic_wcnf}`` for one in the format before.

    Raises
    ------
    InputError
        If neither is among the arguments, or both are.

    Examples
    --------
    >>> MaxSat("mine", ["uwrmaxsat", "-v0", "{wcnf}"]).name
    'maxsat:mine'
    """

    formulations = (STRENGTHENED, LITERAL)
    summary = "a MaxSAT solver on PATH"
    side_constraints = SIDE_CONSTRAINTS

    def __init__(self, name: str, command: tuple[str, ...] | list[str]) -> None:
        text = shlex.join(command)
        if sum(text.count(file) for file in (FILE, CLASSIC_FILE)) != 1:
            raise InputError(f"maxsat_command={text!r}: must contain {FILE} or {CLASSIC_FILE}, once")
        self.name = f"maxsat:{name}"
        self.command = tuple(command)
        self.basis = ("clauses", name)
        self.summary = f"the MaxSAT solver {command[0]}, through a WCNF file"

    @classmethod
    def of_command(cls, text: str) -> MaxSat:
        """Return the backend ``maxsat:command`` for a command line in one string."""
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise InputError(f"maxsat_command={text!r}: cannot be split ({error})") from None
        return cls("command", words)

    @classmethod
    def instances(cls) -> list[Backend]:
        return []

    @classmethod
    def discovered(cls) -> list[Backend]:
        """Return the known programs that are on PATH, and the command in `PYFSEL_MAXSAT_COMMAND`.

        ``rc2.py`` comes with python-sat; the backend ``rc2`` uses the same algorithm as a library.
        """
        found: list[Backend] = [
            cls(name, command) for name, command in PROGRAMS.items() if shutil.which(command[0])
        ]
        own = os.environ.get(VARIABLE)
        return [*found, cls.of_command(own)] if own else found

    def missing(self) -> str | None:
        return None if shutil.which(self.command[0]) else f"{self.command[0]} is not on the PATH"

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        from pyfsel.backends.maxsat.encoding import encoding_unsupported

        return encoding_unsupported(problem)

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.backends.maxsat.run import run_maxsat

        return run_maxsat(self.command, problem, control)
