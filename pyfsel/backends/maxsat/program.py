"""Solvers of the user: programs that read a WCNF or OPB file and speak the protocol of the evaluations."""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING

from pyfsel.backends.base import Backend
from pyfsel.backends.by_model import ByClauses, model_of
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer
from pyfsel.results.control import Control

if TYPE_CHECKING:
    from pyfsel.model.model import ZeroOneModel

MARKS = ("{wcnf}", "{classic_wcnf}", "{opb}")
"""What stands for the file in a command: in the format since 2022, in the one before, or pseudo-Boolean."""
PROGRAMS = {
    "cashwmaxsat": "cashwmaxsat {wcnf}",
    "cgss2": "cgss2 {wcnf}",
    "eval-maxsat": "EvalMaxSAT_bin {wcnf}",
    "exact": "Exact --verbosity=0 --print-sol=1 {opb}",
    "maxhs": "maxhs {wcnf}",
    "naps": "naps {opb}",
    "open-wbo": "open-wbo {classic_wcnf}",
    "rc2-program": "rc2.py -vv {wcnf}",
    "roundingsat": "roundingsat --print-sol=1 {opb}",
    "uwrmaxsat": "uwrmaxsat {wcnf}",
    "wmaxcdcl": "wmaxcdcl {wcnf}",
}
"""Those that are looked for on the PATH. ``rc2.py`` comes with python-sat, as the backend ``rc2`` does."""


class MaxSat(ByClauses):
    """A MaxSAT or pseudo-Boolean solver as a program.

    Parameters
    ----------
    name : str
        What stands behind ``maxsat:`` or, if it reads OPB files, ``pb:``.
    command : str
        Program and arguments; one of `MARKS` stands for the file.

    Raises
    ------
    InputError
        If none is among the arguments, or more than one.

    Examples
    --------
    >>> MaxSat("mine", "uwrmaxsat -v0 {wcnf}").name, MaxSat("mine", "roundingsat --print-sol=1 {opb}").name
    ('maxsat:mine', 'pb:mine')
    """

    def __init__(self, name: str, command: str) -> None:
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise InputError(f"command={command!r}: cannot be split ({error})") from None
        marks = [mark for mark in MARKS for _ in range(command.count(mark))]
        if len(marks) != 1:
            raise InputError(f"command={command!r}: must contain one of {', '.join(MARKS)}, once")
        (self.mark,) = marks
        kind, written = ("pb", "linear model") if self.mark == "{opb}" else ("maxsat", "clauses")
        self.name, self.basis = f"{kind}:{name}", (written, name)
        self.summary = f"the solver {self.words[0]}, through a file of {written}"

    @classmethod
    def instances(cls) -> list[Backend]:
        return []

    @classmethod
    def discovered(cls) -> list[Backend]:
        """Return the programs on PATH."""
        return [cls(name, text) for name, text in PROGRAMS.items() if shutil.which(text.split()[0])]

    def missing(self) -> str | None:
        return None if shutil.which(self.words[0]) else f"{self.words[0]} is not on the PATH"

    def model(self, problem: Instance, formulation: str) -> ZeroOneModel:
        return model_of(problem, formulation, "cp" if self.mark == "{opb}" else "sat")

    def claim(self, problem: Instance, m: ZeroOneModel, control: Control) -> BackendAnswer:
        from pyfsel.backends.maxsat.maxsat_run import run_maxsat

        return run_maxsat(self.words, self.mark, problem, m, control)
