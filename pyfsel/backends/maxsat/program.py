"""Solvers of the user: programs that read a WCNF or OPB file and speak the protocol of the evaluations."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from pyfsel.backends.base import Backend
from pyfsel.backends.by_model import ByClauses
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer
from pyfsel.results.control import Control

if TYPE_CHECKING:
    from pyfsel.model.model import ZeroOneModel

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
OPB_FILE = "{opb}"
OPB_PROGRAMS = {
    "exact": ("Exact", "--verbosity=0", "--print-sol=1", OPB_FILE),
    "naps": ("naps", OPB_FILE),
    "roundingsat": ("roundingsat", "--print-sol=1", OPB_FILE),
}


class MaxSat(ByClauses):
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

    summary = "a MaxSAT solver on PATH"
    prefix: ClassVar[str] = "maxsat"
    files: ClassVar[tuple[str, ...]] = (FILE, CLASSIC_FILE)
    programs: ClassVar[Mapping[str, tuple[str, ...]]] = PROGRAMS
    written: ClassVar[str] = "clauses"
    fault: str = ""

    def __init__(self, name: str, command: tuple[str, ...] | list[str]) -> None:
        text = shlex.join(command)
        if sum(text.count(file) for file in self.files) != 1:
            allowed = f"{FILE}, {CLASSIC_FILE} or, for a pseudo-Boolean solver, {OPB_FILE}"
            raise InputError(f"{self.prefix}_command={text!r}: must contain {allowed}, once")
        self.name = f"{self.prefix}:{name}"
        self.command = tuple(command)
        self.basis = (self.written, name)
        self.summary = f"the solver {command[0]}, through a file of {self.written}"

    @classmethod
    def of_command(cls, text: str) -> MaxSat:
        """Return the backend ``maxsat:command``, or ``pb:command``, for a command line in one string."""
        kind = PseudoBooleanSolver if OPB_FILE in text else cls
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise InputError(f"{kind.prefix}_command={text!r}: cannot be split ({error})") from None
        return kind("command", words)

    @classmethod
    def instances(cls) -> list[Backend]:
        return []

    @classmethod
    def discovered(cls) -> list[Backend]:
        """Return programs on PATH, and `PYFSEL_MAXSAT_COMMAND`, `PYFSEL_PB_COMMAND`.

        ``rc2.py`` comes with python-sat; the backend ``rc2`` uses the same algorithm as a library.
        """
        found: list[Backend] = [
            cls(name, command) for name, command in cls.programs.items() if shutil.which(command[0])
        ]
        variable = f"PYFSEL_{cls.prefix.upper()}_COMMAND"
        own = os.environ.get(variable)
        return [*found, cls._of_environment(variable, own)] if own else found

    @classmethod
    def _of_environment(cls, variable: str, text: str) -> MaxSat:
        """Return the backend of a command in the environment; one that is wrong is missing and says so."""
        try:
            return cls.of_command(text)
        except InputError as error:
            backend = cls("command", [cls.files[0]])
            backend.fault = f"{variable}{str(error).removeprefix(f'{cls.prefix}_command')}"
            return backend

    def missing(self) -> str | None:
        if self.fault:
            return self.fault
        return None if shutil.which(self.command[0]) else f"{self.command[0]} is not on the PATH"

    def claim(self, problem: Instance, m: ZeroOneModel, control: Control) -> BackendAnswer:
        from pyfsel.backends.maxsat.maxsat_run import run_maxsat

        return run_maxsat(self.command, problem, m, control)


class PseudoBooleanSolver(MaxSat):
    """A pseudo-Boolean solver as a program; in its command ``{opb}`` stands for the file.

    Examples
    --------
    >>> PseudoBooleanSolver("mine", ["roundingsat", "--print-sol=1", "{opb}"]).name
    'pb:mine'
    """

    summary = "a pseudo-Boolean solver on PATH"
    prefix = "pb"
    files = (OPB_FILE,)
    programs = OPB_PROGRAMS
    written = "linear model"
    family = "cp"
