"""The loop: one step after another until no better set exists, from a greedy start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from pyfsel.algorithms.cfs.step import STEP_LIMIT, CFSStep
from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import conflict_matrix
from pyfsel.results.backend_answer import BackendAnswer, Status, StopReason, check_claim
from pyfsel.results.control import Control
from pyfsel.results.verify import violations

TOO_COARSE = "The integers of the solver are too small to distinguish the best sets; use a smaller scale."
StepSolver = Callable[[Instance, Control], BackendAnswer]


def solve_by_steps(
    problem: Instance,
    control: Control,
    solve_step: StepSolver,
    *,
    limit: int = STEP_LIMIT,
) -> BackendAnswer:
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

    Returns
    -------
    BackendAnswer
        Optimal with the bound that the last step has proved, unless the time is up, or the limit makes the
        weights of the last step so coarse that they cannot distinguish sets of different values.
    """
    return _Steps(problem, control, solve_step, limit).run()


class _Steps(IncumbentSearch):
    def __init__(self, problem: Instance, control: Control, solve_step: StepSolver, limit: int) -> None:
        super().__init__(problem, control)
        self.solve_step = solve_step
        self.limit = limit

    @property
    def wanted(self) -> int:
        """No value is negative, so the first step asks for 0 if nothing is known."""
        return max(0, super().wanted or 0)

    def improve(self, sets: Sequence[FeatureSet], added_up: int | None = None) -> bool:
        """Take a better set; coarse weights of a step let worse ones through."""
        is_wanted = values.total(self.problem, sets) >= self.wanted
        return is_wanted and super().improve(sets, added_up)

    def run(self) -> BackendAnswer:
        for start in (*(self.control.hint or ()), forward_selection(self.problem)):
            if start is not None:
                self.improve([start])
        steps = 0
        while not self.control.expired():
            steps += 1
            wanted = self.wanted
            answer = self._take(CFSStep.of(self.problem, wanted, self.limit))
            self.statistics = {**answer.statistics, "steps": steps}
            if self.wanted > wanted:
                continue
            if answer.status is Status.INFEASIBLE or (self.bound is not None and self.bound < wanted):
                return self.proved()
            why = answer.stop_reason
            return self.unproved(why, TOO_COARSE if why is StopReason.FINISHED else "")
        return self.unproved()

    def _take(self, step: CFSStep) -> BackendAnswer:
        """Solve a step."""
        control = Control(
            limits=self.control.limits,
            formulation=self.control.formulation,
            hint=self.best,
            report_sets=self._take_sets,
            report_bound=lambda score: self.tighten(step.bound(score)),
        )
        answer = self.solve_step(step.problem, control)
        who = f"a step for {self.problem.objective}"
        check_claim(who, step.problem, answer.status, answer.sets or (), answer.bound, answer.stated)
        if answer.sets is not None:
            self.improve(answer.sets)
        if answer.bound is not None:
            self.tighten(step.bound(answer.bound))
        return answer

    def _take_sets(self, sets: Sequence[Iterable[int]]) -> None:
        self.improve([tuple(sorted(members)) for members in sets])


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
    ...     quality=[60, 50, 40], pairs=[[0, 90, 0], [90, 0, 0], [0, 0, 0]], scale=100,
    ...     n_sets=1, k=2, max_shared=2, objective="cfs",
    ... )
    >>> forward_selection(problem)
    (0, 2)
    """
    relevance, redundancy = problem.quality / problem.scale, problem.pairs / problem.scale
    conflict, chosen = conflict_matrix(problem), list(problem.forced)
    shared = redundancy[:, chosen].sum(axis=1)
    found: dict[FeatureSet, float] = {}
    while len(chosen) < problem.k:
        barred = np.any(conflict[chosen], axis=0)
        barred[[*chosen, *problem.forbidden]] = True
        for previous in problem.previous:
            if len({*chosen}.intersection(previous)) >= problem.max_shared:
                barred[list(previous)] = True
        if barred.all():
            break
        totals = relevance[chosen].sum() + relevance
        qualities = totals / np.sqrt(len(chosen) + 1 + shared[chosen].sum() + 2 * shared)
        best = int(np.where(barred, -np.inf, qualities).argmax())
        chosen.append(best)
        shared += redundancy[best]
        found[tuple(sorted(chosen))] = float(qualities[best])
    feasible = [members for members in found if not violations(problem, [members])]
    return max(feasible, key=found.__getitem__, default=None)
