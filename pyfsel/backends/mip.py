"""CBC, HiGHS and SCIP, whose floats are believed within their tolerances only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

from pyfsel.backends.base import Backend
from pyfsel.backends.by_model import ByModel
from pyfsel.drivers.linear.connection import LinearRun
from pyfsel.errors import SolverError
from pyfsel.model import patterns
from pyfsel.model.dual_values import without_hopeless
from pyfsel.model.model import ZeroOneModel
from pyfsel.model.passes import better_than
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import ObjectiveKind
from pyfsel.results.backend_answer import BackendAnswer, Stated, Status, StopReason
from pyfsel.results.control import STRENGTHENED, Control

HALF = 0.5  # integers that differ by less are equal
GAP = (
    "The solver computes in floats, which prove no bound below {bound} for numbers so large; another "
    "formulation or backend can."
)


class MipSolver(NamedTuple):
    """A solver behind the name ``mip:name``; its driver is the file NAME.py in ``pyfsel.drivers.linear``.

    `tolerances` are the relative errors of the costs and bounds that it reports of integers, and of reals;
    without a `package` it is a program.
    """

    name: str
    summary: str
    tolerances: tuple[float, float]
    package: str = ""


SOLVERS = (
    MipSolver("cbc", "linear model on CBC; reports sets only at the end", (5e-7, 5e-7)),
    MipSolver("highs", "linear model on HiGHS", (1e-9, 1e-9), "highspy"),
    MipSolver("scip", "linear model on SCIP", (1e-9, 1e-6), "pyscipopt"),
)


class Mip(ByModel):
    """A branch-and-cut solver, which lacks exact numbers.

    The sets come from rounded variables and are evaluated in integers; what the solver states as cost is
    compared with theirs. With T the largest absolute total of the problem, the solver's bound may be off by
    ``tolerance · T``, which is added before rounding down to an integer. Where that leaves a gap, the solver
    searches for sets with a larger objective than those found, in digits
    (`pyfsel.model.passes.in_digits`): in integers so small that tolerances do not matter. Either there are
    better sets, or those found are optimal.

    Where a solution is known, the strengthened model of a minimum over pairs has only the pairs of features
    that a set of a solution as good can hold (`pyfsel.model.dual_values.without_hopeless`).

    OR-Tools and highspy each bring a ``libhighs.so.1`` of their own, of which a process can have only one.

    Parameters
    ----------
    solver : MipSolver
    """

    family = "lp"
    formulation_texts: ClassVar[Mapping[str, str]] = {
        **ByModel.formulation_texts,
        STRENGTHENED: "sums of plain qualities by numbers of features per pattern of sets; else as cpsat",
    }

    def __init__(self, solver: MipSolver) -> None:
        self.solver = solver
        self.name = f"mip:{solver.name}"
        self.summary = solver.summary
        self.basis = ("linear model", solver.name)
        self.shares_worker = solver.name != "highs"
        self.packages = {solver.package: solver.package} if solver.package else {}

    @classmethod
    def instances(cls) -> list[Backend]:
        return [cls(solver) for solver in SOLVERS]

    def _driver(self) -> Any:
        return import_module(f"pyfsel.drivers.linear.{self.solver.name}")

    def missing(self) -> str | None:
        if self.packages:
            return super().missing()
        return None if self.version() else "is not installed. Try: apt install coinor-cbc"

    def version(self) -> str | None:
        return super().version() if self.packages else self._driver().version()

    def model(self, problem: Instance, formulation: str) -> ZeroOneModel:
        """Return the model; patterns are up to fifty times faster than memberships where they apply."""
        if formulation == STRENGTHENED and patterns.unsupported(problem) is None:
            return patterns.build(problem)
        return super().model(problem, formulation)

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        if (
            control.hint
            and control.formulation == STRENGTHENED
            and problem.aggregate_weights == (0, 1, 0)
            and ObjectiveKind.PAIRS_OF_ONE_SIZE in problem_values.kinds_of(problem)
        ):
            problem = without_hopeless(problem, problem_values.total(problem, control.hint))
        return super().solve(problem, control)

    def claim(self, problem: Instance, m: ZeroOneModel, control: Control) -> BackendAnswer:
        answer = self._first(problem, m, control)
        while has_gap(answer) and not control.expired():
            answer = self._improved(problem, m, control, answer)
        return replace(answer, stop_reason=StopReason.TIME_LIMIT) if has_gap(answer) else answer

    def _solve(self, run: LinearRun) -> StopReason | None:
        """Run the solver, and return why it ended, or None without a solution."""
        driver = self._driver()
        ended = driver.solve(run)
        if run.error is not None:
            raise run.error
        if ended not in driver.OUTCOMES:
            raise SolverError(f"{self.solver.name} ended with {ended}")
        outcome: StopReason | None = driver.OUTCOMES[ended]
        return outcome

    def _first(self, problem: Instance, m: ZeroOneModel, control: Control) -> BackendAnswer:
        """Solve the model, and return what is sure of what the solver says."""
        run = LinearRun(m, control, self.solver.tolerances)
        stop_reason = self._solve(run)
        if stop_reason is None:
            return BackendAnswer(Status.INFEASIBLE)
        if run.sets is None or run.claimed is None:
            return BackendAnswer(Status.NOT_SOLVED, None, run.bound, stop_reason)
        value = problem_values.total(problem, run.sets)
        stated = Stated(run.claimed, max(HALF, run.slack))
        bound, status = run.bound, Status.FEASIBLE
        if stop_reason is StopReason.FINISHED:
            proved = run.integer(run.claimed)
            bound = None if proved is None else max(proved, value)
            if stated.differs_from(value):
                bound, status = None, Status.OPTIMAL  # a claim that what it states shows to be false
            elif bound == value:
                status = Status.OPTIMAL
        return BackendAnswer(status, run.sets, bound, stop_reason, stated=stated)

    def _improved(
        self, problem: Instance, m: ZeroOneModel, control: Control, answer: BackendAnswer
    ) -> BackendAnswer:
        """Return what is known after the solver has searched for better sets than an answer has."""
        assert answer.sets is not None
        value = problem_values.total(problem, answer.sets)
        question = better_than(m, value)
        # a bound on the question says nothing about the problem, and no known solution answers it
        alone = replace(control, hint=None, report_bound=lambda bound: None)
        run = LinearRun(question, alone, self.solver.tolerances)
        stop_reason = self._solve(run)
        if stop_reason is None:
            return replace(answer, status=Status.OPTIMAL, bound=value)
        if run.sets is None:
            return replace(answer, stop_reason=StopReason.TIME_LIMIT)
        if problem_values.total(problem, run.sets) <= value:
            return replace(answer, message=GAP.format(bound=answer.bound))
        return replace(answer, sets=run.sets, stated=None, stop_reason=stop_reason)


def has_gap(answer: BackendAnswer) -> bool:
    """Return whether sets were found and the solver has finished, but its floats do not prove the optimum."""
    return (
        answer.status is Status.FEASIBLE and answer.stop_reason is StopReason.FINISHED and not answer.message
    )
