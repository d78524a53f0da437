"""CBC, HiGHS and SCIP, whose floats are believed within their tolerances only."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pyfsel.backends.base import Backend
from pyfsel.backends.by_model import ByModel
from pyfsel.drivers.linear import installed
from pyfsel.drivers.linear.connection import Outcome, Settings, load
from pyfsel.drivers.linear.from_model import in_floats, linear_model
from pyfsel.errors import FalseClaimError, SolverError
from pyfsel.model import patterns
from pyfsel.model.model import Model
from pyfsel.model.passes import better_than
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Answer, Stated, Status, StopReason
from pyfsel.results.control import STRENGTHENED, Control

ROUNDING = 1e-6  # of sums of integers in floats, in addition to the tolerance of the solver
HALF = 0.5  # integers that differ by less are equal
LARGEST_FRACTION = 1e-4  # solvers' tolerances for integers are 1e-5 and less
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
        The name is that of `pyfsel.drivers.linear`.
    tolerance : float
        Relative error of the costs and bounds that the solver reports of integers.
    real_tolerance : float
        The same where variables are real.
    """

    name: str
    summary: str
    tolerance: float
    real_tolerance: float


SOLVERS = (
    MipSolver("cbc", "linear model on CBC; tells sets at the end only", 5e-7, 5e-7),
    MipSolver("highs", "linear model on HiGHS", 1e-9, 1e-9),
    MipSolver("scip", "linear model on SCIP", 1e-9, 1e-6),
)


class Mip(ByModel):
    """A branch-and-cut solver, which lacks exact numbers.

    The sets come from rounded variables and are evaluated in integers; what the solver states as cost is
    compared with theirs. With T the largest absolute total of the problem, the solver's bound may be off by
    ``tolerance · T``, which is added before rounding down to an integer. Where that leaves a gap, the solver
    is asked for sets with a larger objective than those found, in digits
    (`pyfsel.model.passes.in_digits`): in integers so small that tolerances do not matter. Either there are
    better sets, or those found are optimal.

    OR-Tools and highspy each bring a ``libhighs.so.1`` of their own, of which a process can have only one.

    Parameters
    ----------
    solver : MipSolver
    """

    summary = "linear model on a MIP solver"
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

    @classmethod
    def instances(cls) -> list[Backend]:
        return [cls(solver) for solver in SOLVERS]

    def missing(self) -> str | None:
        return installed.missing(self.solver.name)

    def version(self) -> str | None:
        return installed.version(self.solver.name)

    def model(self, problem: Instance, formulation: str) -> Model:
        """Return the model; patterns are up to fifty times faster than memberships where they apply."""
        if formulation == STRENGTHENED and patterns.unsupported(problem) is None:
            return patterns.build(problem)
        return super().model(problem, formulation)

    def claim(self, problem: Instance, m: Model, control: Control) -> Answer:
        answer = self._first(problem, m, control)
        while has_gap(answer):
            if control.expired():
                return replace(answer, stop_reason=StopReason.TIME_LIMIT)
            answer = self._improved(problem, m, control, answer)
        return answer

    def _first(self, problem: Instance, m: Model, control: Control) -> Answer:
        """Solve the model, and return what is sure of what the solver says."""
        run = _Run(self.solver, m, control)
        outcome = run.solve(control.hint or (), control.report_bound)
        if outcome == Outcome.INFEASIBLE:
            return Answer(Status.INFEASIBLE, statistics=run.facts)
        ended = outcome == Outcome.OPTIMAL
        stop_reason = StopReason.FINISHED if ended else StopReason.TIME_LIMIT
        if run.sets is None or run.claimed is None:
            return Answer(Status.NOT_SOLVED, None, run.bound, stop_reason, run.facts)
        value = problem_values.total(problem, run.sets)
        stated = Stated(run.claimed, max(HALF, run.slack))
        if ended and stated.differs_from(value):
            return Answer(Status.OPTIMAL, run.sets, statistics=run.facts, stated=stated)
        bound = run.bound
        if ended:
            proved = run.integer(run.claimed)
            bound = None if proved is None else max(proved, value)
        status = Status.OPTIMAL if ended and bound == value else Status.FEASIBLE
        return Answer(status, run.sets, bound, stop_reason, run.facts, stated=stated)

    def _improved(self, problem: Instance, m: Model, control: Control, answer: Answer) -> Answer:
        """Return what is known after the solver was asked for better sets than those of an answer."""
        assert answer.sets is not None
        value = problem_values.total(problem, answer.sets)
        with control.compiling():
            question = better_than(m, value)
        run = _Run(self.solver, question, control)
        outcome = run.solve((), lambda bound: None)
        if outcome == Outcome.INFEASIBLE:
            return replace(answer, status=Status.OPTIMAL, bound=value)
        if run.sets is None:
            return replace(answer, stop_reason=StopReason.TIME_LIMIT)
        if problem_values.total(problem, run.sets) <= value:
            return replace(answer, message=GAP.format(bound=answer.bound))
        stop_reason = StopReason.FINISHED if outcome == Outcome.OPTIMAL else StopReason.TIME_LIMIT
        return replace(answer, sets=run.sets, stated=None, stop_reason=stop_reason)


def has_gap(answer: Answer) -> bool:
    """Return whether sets were found and the solver has finished, but its floats do not prove the optimum."""
    return (
        answer.status is Status.FEASIBLE and answer.stop_reason is StopReason.FINISHED and not answer.message
    )


class _Run:
    """One run of a solver on a model; it listens to the solver.

    Attributes
    ----------
    sets : feature sets or None
        The last ones that it found.
    bound : int or None
        The last one that it proved, safe from its floats.
    claimed : float or None
        What it says that the sets are worth.
    slack : float
        By how much its floats may be wrong.
    """

    def __init__(self, solver: MipSolver, m: Model, control: Control) -> None:
        self.solver, self.m, self.control = solver, m, control
        with control.compiling():
            self.linear, self.unit = in_floats(linear_model(m))
        tolerance = solver.tolerance if all(self.linear.integer) else solver.real_tolerance
        self.slack = tolerance * m.limits[1] + ROUNDING
        self.facts: dict[str, object] = {}
        self.sets: tuple[FeatureSet, ...] | None = None
        self.bound: int | None = None
        self.claimed: float | None = None
        self._error: FalseClaimError | None = None
        self._report_bound: Callable[[int], None] = control.report_bound

    def solve(self, start: Sequence[FeatureSet], report_bound: Callable[[int], None]) -> Outcome:
        """Solve from known sets; bounds go here, as those on a question say nothing about the problem."""
        self._report_bound = report_bound
        limits = self.control.limits
        known = [
            (v - 1, float(j in members))
            for row, members in zip(self.m.member, start, strict=False)
            for j, v in enumerate(row)
        ]
        settings = Settings(limits.deadline, limits.n_threads, limits.random_state, start=known)
        ending = load(self.solver.name)(self.linear, settings).solve(self)
        if self._error is not None:
            raise self._error
        if ending.outcome not in (Outcome.OPTIMAL, Outcome.INFEASIBLE, Outcome.LIMIT):
            raise SolverError(f"{self.solver.name} ended with {ending.native or ending.outcome}")
        if ending.claimed is not None:
            self.claimed = self.m.constant - ending.claimed * self.unit
        return ending.outcome

    def solution(self, found: Sequence[float]) -> bool:
        """Take a solution; what is wrong with it is raised when the solver has ended."""
        read = [v for row in self.m.member for v in row] or range(1, self.m.n + 1)
        for v in read:
            value = found[v - 1]
            if not math.isfinite(value) or abs(value - round(value)) > LARGEST_FRACTION:
                self._error = FalseClaimError(f"{self.m.names[v]} is {value}. It must be an integer")
                return False
        self.sets = self.m.sets(lambda v: round(found[v - 1]))
        self.control.report_sets(self.sets)
        return True

    def take_bound(self, bound: float) -> None:
        """Take a bound on the cost."""
        proved = self.integer(self.m.constant - bound * self.unit)
        if proved is not None:
            self.bound = proved
            self._report_bound(proved)

    def integer(self, bound: float) -> int | None:
        """Return an integer bound from one in floats, or None where it says nothing."""
        return math.floor(bound + self.slack) if abs(bound) <= self.m.limits[1] + 1 else None
