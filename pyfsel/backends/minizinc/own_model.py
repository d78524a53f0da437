"""A MiniZinc model of the user's own, run on the data of a problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pyfsel.backends.base import Backend
from pyfsel.backends.minizinc.backend import MiniZinc
from pyfsel.errors import InputError
from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import SIDE_CONSTRAINTS
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control


class MiniZincModel(Backend):
    """One model file that declares the data of ``models/lib/problem.mzn`` and answers with `selected`.

    Its sets are checked against the problem like those of any backend. Whether they are best, or whether
    there are none, is the model's own claim, since it may ask for more or something else: the message repeats
    it, the status is FEASIBLE or NOT_SOLVED.

    Parameters
    ----------
    path : str or Path
        The ``.mzn`` file.
    solver : str
        What stands behind ``minizinc:`` in the name of the backend that runs it.

    Raises
    ------
    InputError
        If there is no such file or solver.

    Examples
    --------
    >>> from pyfsel import solve
    >>> from pyfsel.solvers.minizinc.model_files import models_dir
    >>> problem = Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1)
    >>> result = solve(problem, MiniZincModel(models_dir() / "simultaneous_sum.mzn"))
    >>> result.objective, str(result.status)
    (48.0, 'FEASIBLE')
    """

    summary = "a MiniZinc model of the user's own"
    exact = False
    isolated = False
    formulations = ("own",)
    objectives = tuple(OBJECTIVES)
    side_constraints = SIDE_CONSTRAINTS

    def __init__(self, path: str | Path, solver: str = "gecode") -> None:
        self.path = Path(path).absolute()
        if not self.path.is_file():
            raise InputError(f"model={str(path)!r}: is not a file")
        known = {runner.solver.name: runner for runner in (*MiniZinc.instances(), *MiniZinc.discovered())}
        if solver not in known:
            raise InputError(f"solver={solver!r}: must be one of {', '.join(known)}")
        self.runner = known[solver]
        self.name = f"{self.runner.name} with {self.path.name}"

    @classmethod
    def instances(cls) -> Sequence[Backend]:
        return ()

    def missing(self) -> str | None:
        return self.runner.missing()

    def version(self) -> str | None:
        return self.runner.version()

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        return self.runner.too_large(problem, problem.largest_total)

    def solve(self, problem: Problem, control: Control) -> Answer:
        answer = self.runner.run(self.path, problem, replace(control, report_bound=lambda bound: None))
        claim = ""
        if answer.status is Status.OPTIMAL:
            claim = f"{self.path.name} claims that these sets are best for it, which is not checked."
        elif answer.status is Status.INFEASIBLE:
            claim = f"{self.path.name} claims that it has no solution, which is not checked."
        status = Status.NOT_SOLVED if answer.sets is None else Status.FEASIBLE
        stop_reason = StopReason.FINISHED if claim else answer.stop_reason
        return replace(answer, status=status, bound=None, stop_reason=stop_reason, message=claim)
