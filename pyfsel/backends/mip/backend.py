"""MIP solvers on the linear models of `pyfsel.backends.mip`, without MiniZinc."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from pyfsel.backends.base import Backend
from pyfsel.backends.mip.model import linear_model, sets_of, start_values
from pyfsel.backends.mip.solvers import MipRun, MipTask, Values, run
from pyfsel.problem import values as problem_values
from pyfsel.problem.objectives import SET_TERMS, SUM_AND_MIN, FeatureSet, Kind
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import SIDE_CONSTRAINTS
from pyfsel.problem.values import objective_of
from pyfsel.results.answer import Answer, Stated, Status, StopReason, check_claim
from pyfsel.results.control import LITERAL, STRENGTHENED, Control
from pyfsel.solvers.linear import installed
from pyfsel.solvers.linear.connection import Outcome

ROUNDING = 1e-6  # of sums of integers in floats, besides the tolerance of the solver
HALF = 0.5  # integers that differ by less are equal
GAP = (
    "The solver computes in floats, which prove no bound below {bound} for numbers so large; another "
    "formulation or backend can."
)


@dataclass(frozen=True)
class MipSolver:
    """A solver behind the name ``mip:name``.

    Parameters
    ----------
    name, summary : str
        The name is that of `pyfsel.solvers.linear`.
    tolerance : float
        Relative error of the costs and bounds that the solver reports of integers.
    real_tolerance : float
        The same where variables are real.
    """

    name: str
    summary: str
    tolerance: float
    real_tolerance: float

    def run(self, task: MipTask) -> MipRun:
        """Run the solver."""
        return run(self.name, task)


SOLVERS = (
    MipSolver("cbc", "linear model on CBC; tells sets at the end only", 5e-7, 5e-7),
    MipSolver("highs", "linear model on HiGHS", 1e-9, 1e-9),
    MipSolver("scip", "linear model on SCIP", 1e-9, 1e-6),
)


class Mip(Backend):
    """A branch-and-cut solver, whose floats are believed within its tolerance only.

    The sets come from rounded 0/1 variables and are evaluated in integers; what the solver states as cost is
    compared with theirs. With T the largest absolute total of the problem, the solver's bound may be off by
    ``tolerance · T``, which is added before rounding down to an integer. Where that leaves a gap, the model
    is solved again with the constraint that the objective is larger than that of the sets found, written in
    digits (`pyfsel.backends.mip.named_model.NamedModel`): in integers so small that tolerances do not
    matter. Either there are better sets, or those found are optimal.

    OR-Tools and highspy each bring a ``libhighs.so.1`` of their own, of which a process can have only one.

    Parameters
    ----------
    solver : MipSolver
    """

    formulations = (STRENGTHENED, LITERAL)
    formulation_texts: ClassVar[Mapping[str, str]] = {
        STRENGTHENED: "counts, dominance, ordered sets; mRMR by pairs with row sums",
        LITERAL: "as exported to LP and MPS (Eq. 6, 22); mRMR with one big-M per feature (Eq. 14)",
    }
    summary = "linear model on a MIP solver"
    objectives = (Kind.SUMS, Kind.PAIRS_OF_ONE_SIZE, Kind.MAXIMA)
    side_constraints = (*SIDE_CONSTRAINTS, *SET_TERMS)

    def __init__(self, solver: MipSolver) -> None:
        self.solver = solver
        self.name = f"mip:{solver.name}"
        self.summary = solver.summary
        self.basis = ("linear model", solver.name)
        self.forkable = solver.name != "highs"

    @classmethod
    def instances(cls) -> list[Backend]:
        return [cls(solver) for solver in SOLVERS]

    def missing(self) -> str | None:
        return installed.missing(self.solver.name)

    def version(self) -> str | None:
        return installed.version(self.solver.name)

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        free = formulation == LITERAL and objective_of(problem).has_pairs and problem.set_size > 1
        if free and problem.aggregate == "difference" and problem.n_sets > 1:
            return f"{LITERAL} bounds values from below, a difference takes exact ones"
        if (
            problem.min_quality is None
            or not free
            or self.solver.real_tolerance * problem.largest_total < HALF
        ):
            return None
        return f"least qualities among numbers so large are beyond the tolerance of {LITERAL} pairs"

    def size(self, problem: Problem, formulation: str) -> dict[str, int]:
        model = linear_model(problem, formulation).linear
        return {"variables": model.n_columns, "constraints": len(model.rows)}

    def solve(self, problem: Problem, control: Control) -> Answer:
        def report_values(values: Values) -> None:
            control.report_sets(judge.sets(values))

        def report_bound(cost: float) -> None:
            bound = judge.bound(cost)
            if bound is not None:
                control.report_bound(bound)

        with control.compiling():
            start = start_values(problem, control.hint) if control.hint else {}
            model = linear_model(problem, control.formulation)
        integral = all(model.linear.integer)
        tolerance = self.solver.tolerance if integral else self.solver.real_tolerance
        judge = _Judge(problem, tolerance)
        if control.expired():
            return Answer(Status.NOT_SOLVED, stop_reason=StopReason.TIME_LIMIT)
        answer = judge.answer(self.solver.run(MipTask(model, control, start, report_values, report_bound)))
        while has_gap(answer):
            mixed = problem.aggregate not in SUM_AND_MIN
            if mixed or any(model.has_reals(terms) for terms in model.set_values):
                return replace(answer, message=GAP.format(bound=answer.bound))
            if control.expired():
                return replace(answer, stop_reason=StopReason.TIME_LIMIT)
            least = problem_values.total(problem, answer.sets or ()) + 1
            better = linear_model(problem, control.formulation, least)
            run = self.solver.run(MipTask(better, control, {}, report_values, lambda cost: None))
            answer = judge.improved(answer, run)
        return answer


def has_gap(answer: Answer) -> bool:
    """Return whether sets were found and the solver has finished, but its floats do not prove the optimum."""
    return (
        answer.status is Status.FEASIBLE and answer.stop_reason is StopReason.FINISHED and not answer.message
    )


class _Judge:
    """Turns what a solver says in floats into integers, or into an error."""

    def __init__(self, problem: Problem, tolerance: float) -> None:
        self.problem = problem
        self.slack = tolerance * problem.largest_total + ROUNDING

    def sets(self, values: Values) -> tuple[FeatureSet, ...]:
        found = sets_of(self.problem, values)
        check_claim("mip", self.problem, Status.FEASIBLE, found, None)
        return found

    def bound(self, cost: float | None) -> int | None:
        if cost is None or not abs(cost) <= self.problem.largest_total + 1:
            return None
        return math.floor(-cost + self.slack)

    def answer(self, run: MipRun) -> Answer:
        statistics = dict(run.statistics)
        if run.outcome == Outcome.INFEASIBLE:
            return Answer(Status.INFEASIBLE, statistics=statistics)
        found = None if run.values is None or run.cost is None else self.sets(run.values)
        stop_reason = StopReason.FINISHED if run.outcome == Outcome.OPTIMAL else StopReason.TIME_LIMIT
        if found is None or run.cost is None:
            return Answer(Status.NOT_SOLVED, None, self.bound(run.bound), stop_reason, statistics)
        value = problem_values.total(self.problem, found)
        stated = Stated(-run.cost, max(HALF, self.slack))
        ended = run.outcome == Outcome.OPTIMAL
        if ended and stated.differs_from(value):
            return Answer(Status.OPTIMAL, found, statistics=statistics, stated=stated)
        bound = self.bound(run.cost if ended else run.bound)
        if ended and bound is not None:
            bound = max(bound, value)
        status = Status.OPTIMAL if ended and bound == value else Status.FEASIBLE
        return Answer(status, found, bound, stop_reason, statistics, stated=stated)

    def improved(self, answer: Answer, run: MipRun) -> Answer:
        """Return what is known after a run that was asked for better sets than those of an answer."""
        assert answer.sets is not None
        value = problem_values.total(self.problem, answer.sets)
        if run.outcome == Outcome.INFEASIBLE:
            return replace(answer, status=Status.OPTIMAL, bound=value)
        if run.values is None:
            return replace(answer, stop_reason=StopReason.TIME_LIMIT)
        found = self.sets(run.values)
        if problem_values.total(self.problem, found) <= value:
            return replace(answer, message=GAP.format(bound=answer.bound))
        finished = run.outcome == Outcome.OPTIMAL
        return replace(
            answer,
            sets=found,
            stated=None,
            stop_reason=StopReason.FINISHED if finished else StopReason.TIME_LIMIT,
        )
