"""MiniZinc with the solvers that it knows; the models are those of `pyfsel.catalogue`."""

from __future__ import annotations

from pyfsel.backends.base import Backend, Control, installed_version
from pyfsel.catalogue import find_model, formulations
from pyfsel.minizinc_solvers import SOLVERS, MiniZincSolver, other_solvers
from pyfsel.problem import Problem
from pyfsel.result import Answer, Status, StopReason


class MiniZinc(Backend):
    """A solver run by MiniZinc on the models of the catalogue.

    Parameters
    ----------
    solver : MiniZincSolver
    """

    summary = "the MiniZinc models on one solver"
    formulations = formulations()

    def __init__(self, solver: MiniZincSolver) -> None:
        self.solver = solver
        self.name = f"minizinc:{solver.name}"
        self.summary = solver.summary

    @classmethod
    def instances(cls) -> list[Backend]:  # noqa: D102
        return [cls(solver) for solver in SOLVERS]

    @classmethod
    def discovered(cls) -> list[Backend]:  # noqa: D102
        return [cls(solver) for solver in other_solvers()]

    def missing(self) -> str | None:  # noqa: D102
        if installed_version("minizinc") is None:
            return "the Python package minizinc is not installed (pip install minizinc)"
        return self.solver.missing()

    def version(self) -> str | None:  # noqa: D102
        return self.solver.version()

    def unsupported(self, problem: Problem, formulation: str) -> str | None:  # noqa: D102
        if find_model(problem, formulation) is None:
            return f"no {formulation} model for objective {problem.objective}, aggregate {problem.aggregate}"
        if problem.largest_total > self.solver.largest_total:
            return (
                f"the objective can reach {problem.largest_total}, {self.solver.name}'s integers end at "
                f"{self.solver.largest_total}; use a smaller scale than {problem.scale:g}"
            )
        return None

    def solve(self, problem: Problem, control: Control) -> Answer:  # noqa: D102
        from pyfsel.minizinc_run import run_model

        model = find_model(problem, control.formulation)
        assert model is not None
        if control.expired():
            return Answer(Status.NOT_SOLVED, stop_reason=StopReason.TIME_LIMIT)
        return run_model(model.path, self.solver.tag, problem, control)
