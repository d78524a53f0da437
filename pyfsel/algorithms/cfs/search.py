"""The loop: one step after another until no better set exists, from a greedy start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pyfsel.algorithms.cfs.step import STEP_LIMIT, Step
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Answer, Status, StopReason, check_claim
from pyfsel.results.control import Control
from pyfsel.results.verify import violations

TOO_COARSE = "The integers of the solver are too small to tell the best sets apart; use a smaller scale."
StepSolver = Callable[[Instance, Control], Answer]


class _BetterSetError(Exception):
    """A step has found a better set: what is left of it is not needed."""


def solve_by_steps(
    problem: Instance,
    control: Control,
    solve_step: StepSolver,
    *,
    limit: int = STEP_LIMIT,
    leave_early: bool = False,
) -> Answer:
    """Find a set of the largest value, and prove it.

    Parameters
    ----------
    problem : Instance
        With objective "cfs" and one set.
    control : Control
    solve_step : callable
        Solves a problem with the graph score as objective and the constraints of `problem`.
    limit : int
        Largest absolute score that `solve_step` can represent.
    leave_early : bool
        Whether a step can be ended by an exception out of `Control.report_sets` as soon as it has found a
        better set.

    Returns
    -------
    Answer
        Optimal with the bound that the last step has proved, unless the time is up, or the limit makes the
        weights of the last step so coarse that they cannot tell sets of different values apart.
    """
    return _Search(problem, control, solve_step, limit, leave_early).run()


class _Search:
    def __init__(
        self, problem: Instance, control: Control, solve_step: StepSolver, limit: int, leave_early: bool
    ) -> None:
        self.problem = problem
        self.control = control
        self.solve_step = solve_step
        self.limit = limit
        self.leave_early = leave_early
        self.least = 0 if problem.min_quality is None else max(0, problem.min_quality)
        self.best: FeatureSet | None = None
        self.value = self.least - 1  # so that the first step asks for the least value that is allowed
        self.bound: int | None = None
        self.statistics: dict[str, Any] = {}

    def run(self) -> Answer:
        for start in (*(self.control.hint or ()), forward_selection(self.problem)):
            if start is not None:
                self._offer(start)
        steps = 0
        while not self.control.expired():
            steps += 1
            before = self.value
            answer = self._take(Step.of(self.problem, self.value + 1, self.limit))
            self.statistics = {**(answer.statistics if answer is not None else {}), "steps": steps}
            if self.value > before:
                continue
            if answer is not None and answer.status is Status.INFEASIBLE:
                return Answer(Status.INFEASIBLE, statistics=self.statistics)
            if self.bound is not None and self.bound <= self.value:
                return self._proved()
            return self._unproved(StopReason.TIME_LIMIT if answer is None else answer.stop_reason)
        return self._unproved(StopReason.TIME_LIMIT)

    def _take(self, step: Step) -> Answer | None:
        """Solve a step; return None if it was left."""
        outer = self.control
        control = Control(
            limits=outer.limits,
            formulation=outer.formulation,
            hint=None if self.best is None else (self.best,),
            report_sets=self._take_sets,
            report_bound=lambda score: self._lower(step.bound(score)),
        )
        try:
            answer = self.solve_step(step.problem, control)
        except _BetterSetError:
            return None
        finally:
            outer.compile_seconds += control.compile_seconds
        who = f"a step for {self.problem.objective}"
        check_claim(who, step.problem, answer.status, answer.sets or (), answer.bound, answer.stated)
        if answer.sets is not None:
            self._offer(answer.sets[0])
        if answer.bound is not None:
            self._lower(step.bound(answer.bound))
        return answer

    def _take_sets(self, sets: Sequence[Iterable[int]]) -> None:
        better = self._offer(next(iter(sets)))
        if better and self.leave_early:
            raise _BetterSetError

    def _offer(self, members: Iterable[int]) -> bool:
        """Keep a set if it is better; return whether it is."""
        features = tuple(sorted(members))
        value = values.value(self.problem, features)
        if value <= self.value:
            return False
        self.best, self.value = features, value
        self.control.report_sets([features])
        return True

    def _lower(self, bound: int) -> None:
        if self.bound is None or bound < self.bound:
            self.bound = bound
            self.control.report_bound(bound)

    def _proved(self) -> Answer:
        if self.best is None:
            return Answer(Status.INFEASIBLE, statistics=self.statistics)
        return Answer(Status.OPTIMAL, (self.best,), self.bound, statistics=self.statistics)

    def _unproved(self, stop_reason: StopReason) -> Answer:
        message = TOO_COARSE if stop_reason is StopReason.FINISHED else ""
        sets = None if self.best is None else (self.best,)
        return Answer.unproved(sets, self.bound, stop_reason, self.statistics, message)


def forward_selection(problem: Instance) -> FeatureSet | None:
    """Add the feature that makes the quality largest, again and again; return the best feasible set met.

    Features that conflict with chosen ones, or would make the overlap with a previous set too large, are
    passed over; other constraints are only checked at the end of every round, so the search can fail.

    Parameters
    ----------
    problem : Instance
        With objective "cfs".

    Returns
    -------
    set, or None if no set met was feasible

    Examples
    --------
    >>> problem = Instance(
    ...     quality=[60, 50, 40], redundancy=[[0, 90, 0], [90, 0, 0], [0, 0, 0]], scale=100,
    ...     n_sets=1, k=2, max_shared=2, objective="cfs",
    ... )
    >>> forward_selection(problem)
    (0, 2)
    """
    search = _Forward(problem)
    best: tuple[float, FeatureSet] | None = None
    while len(search.chosen) < problem.k and search.add():
        members = tuple(sorted(search.chosen))
        if (best is None or search.quality > best[0]) and not violations(problem, [members]):
            best = search.quality, members
    return None if best is None else best[1]


class _Forward:
    """The chosen features, and what each other one would contribute."""

    def __init__(self, problem: Instance) -> None:
        assert problem.redundancy is not None
        self.problem = problem
        self.redundancy = problem.redundancy / problem.scale
        self.relevance = problem.quality / problem.scale
        self.chosen: list[int] = []
        self.allowed = np.ones(problem.n_features, dtype=bool)
        self.allowed[list(problem.forbidden)] = False
        self.shared = np.zeros(problem.n_features)
        self.total, self.denominator = 0.0, 0.0
        for feature in problem.forced:
            self._take(feature)
        self._forbid()

    @property
    def quality(self) -> float:
        """The value of the chosen features, in floats."""
        return float(self.total / np.sqrt(self.denominator))

    def add(self) -> bool:
        """Choose the best feature that is allowed; return whether there is one."""
        candidates = np.flatnonzero(self.allowed)
        if len(candidates) == 0:
            return False
        totals = self.total + self.relevance[candidates]
        denominators = self.denominator + 1 + 2 * self.shared[candidates]
        self._take(int(candidates[(totals / np.sqrt(denominators)).argmax()]))
        self._forbid()
        return True

    def _take(self, feature: int) -> None:
        self.chosen.append(feature)
        self.allowed[feature] = False
        self.total += self.relevance[feature]
        self.denominator += 1 + 2 * self.shared[feature]
        self.shared += self.redundancy[feature]

    def _forbid(self) -> None:
        """Forbid the features that can no longer be added."""
        problem, inside = self.problem, set(self.chosen)
        for i, j in problem.conflicts:
            if i in inside or j in inside:
                self.allowed[[i, j]] = False
        for previous in problem.previous:
            if len(inside.intersection(previous)) >= problem.max_shared:
                self.allowed[list(previous)] = False
