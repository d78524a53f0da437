"""MiniZinc with the solvers that it knows; the models are listed in `pyfsel.backends.minizinc.catalogue`."""

from __future__ import annotations

from dataclasses import replace

from pyfsel.algorithms.cfs.step import as_graph_score, too_coarse
from pyfsel.algorithms.cfs.steps import solve_by_steps
from pyfsel.backends.base import Backend
from pyfsel.backends.minizinc.catalogue import CatalogueModel, find_model, formulations, refusal
from pyfsel.drivers.minizinc.installed import SOLVERS, MiniZincSolver, other_solvers
from pyfsel.problem.checks import one_of
from pyfsel.problem.fields import SIDE_CONSTRAINTS
from pyfsel.problem.instance import Instance
from pyfsel.problem.linear_rows import largest_cost, largest_quality_row
from pyfsel.problem.objectives import SET_TERMS, UP_TO_PAIRS
from pyfsel.problem.values import takes_steps
from pyfsel.results.backend_answer import BackendAnswer, Stated, Status
from pyfsel.results.control import STRENGTHENED, Control


class MiniZinc(Backend):
    """A solver run by MiniZinc on the models of the catalogue.

    Parameters
    ----------
    solver : MiniZincSolver
    """

    objectives = UP_TO_PAIRS
    isolated = False
    side_constraints = (*SIDE_CONSTRAINTS, *SET_TERMS)
    by_steps = (STRENGTHENED,)

    def __init__(self, solver: MiniZincSolver) -> None:
        self.solver = solver
        self.name = f"minizinc:{solver.name}"
        self.basis = ("minizinc models", solver.name)
        self.summary = solver.summary
        self.formulations = formulations()

    @classmethod
    def instances(cls) -> list[MiniZinc]:
        return [cls(solver) for solver in SOLVERS]

    @classmethod
    def discovered(cls) -> list[MiniZinc]:
        return [cls(solver) for solver in other_solvers()]

    @classmethod
    def on(cls, solver: str) -> MiniZinc:
        """Return the backend of a solver by its name; raise `InputError` for an unknown one."""
        known = {backend.solver.name: backend for backend in (*cls.instances(), *cls.discovered())}
        one_of("solver", solver, known)
        return known[solver]

    def missing(self) -> str | None:
        return self.solver.missing()

    def version(self) -> str | None:
        return self.solver.version()

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        if self.goes_by_steps(problem, formulation):
            limit = self.solver.largest_total
            return (
                too_coarse(problem, limit)
                or refusal(as_graph_score(problem, limit), formulation)
                or self.too_large(problem, largest_cost(problem))
            )
        if not self.solver.does_fractions and takes_steps(problem):
            return f"{self.solver.name} fails on the products of the literal model, or claims false optima"
        if why_not := refusal(problem, formulation, self.solver.family):
            return why_not
        largest = self._model(problem, formulation).largest_number(problem)
        return self.too_large(problem, max(largest, largest_cost(problem), largest_quality_row(problem)))

    def _model(self, problem: Instance, formulation: str) -> CatalogueModel:
        model = find_model(problem, formulation, self.solver.family)
        assert model is not None
        return model

    def too_large(self, problem: Instance, largest: int) -> str | None:
        """Return why the solver cannot represent a number that occurs in the problem, or None."""
        if largest <= self.solver.largest_total:
            return None
        return (
            f"the objective or a cost can reach {largest}, {self.solver.name}'s integers end at "
            f"{self.solver.largest_total}; use smaller scales"
        )

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        if self.goes_by_steps(problem, control.formulation):
            return solve_by_steps(problem, control, self.solve, limit=self.solver.largest_total)
        if control.expired():
            return BackendAnswer.unproved(None)
        from pyfsel.backends.minizinc.minizinc_run import run_model

        model = self._model(problem, control.formulation)
        return claim_of(run_model(model.path, self.solver, problem, control))

    def size(self, problem: Instance, formulation: str) -> dict[str, int] | None:
        from pyfsel.backends.minizinc.minizinc_run import flat_size

        if self.goes_by_steps(problem, formulation):
            problem = as_graph_score(problem, self.solver.largest_total)
        return flat_size(self._model(problem, formulation).path, self.solver.tag, problem)


def claim_of(answer: BackendAnswer) -> BackendAnswer:
    """Return the answer of a model whose objective is the problem's, with what it claims of the problem."""
    own = None if answer.model_claim is None else answer.model_claim.objective
    if own is None:
        return replace(answer, model_claim=None)
    bound = int(own) if answer.status is Status.OPTIMAL else None  # an integer in all models
    return replace(answer, model_claim=None, bound=bound, stated=Stated(own))
