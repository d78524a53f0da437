"""Best subsets for least squares: `pyfsel.algorithms.best_subsets` as a backend."""

from __future__ import annotations

from dataclasses import replace

from pyfsel.backends.base import Backend
from pyfsel.problem import values
from pyfsel.problem.fields import SIDE_CONSTRAINTS
from pyfsel.problem.fractions import R2
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet, ObjectiveKind
from pyfsel.results.backend_answer import BackendAnswer, Stated, Status
from pyfsel.results.control import Control


class BestSubsetsBackend(Backend):
    """Branch and bound on Schur complements, several sets by packing; the winner is decided in integers."""

    name = "best-subsets"
    summary = "least squares by branch and bound on the correlations of the features"
    objectives = (ObjectiveKind.LEAST_SQUARES,)
    side_constraints = SIDE_CONSTRAINTS
    basis = ("best-subsets", "packing")

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        if problem.has_size_range and problem.n_sets > 1:
            return f"finds one set of {problem.sizes_text} features, not {problem.n_sets}"
        return None

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        return _solve_one(problem, control) if problem.n_sets == 1 else _solve_several(problem, control)


def _solve_one(problem: Instance, control: Control) -> BackendAnswer:
    """Search one size after the other for sets that are better than those before.

    The largest first, unless a criterion favours small ones: what they reach leaves little of large ones.
    """
    from pyfsel.algorithms.best_subsets.tree import BestSubsets

    best: tuple[FeatureSet, int] | None = None
    least = problem.min_quality
    for size in problem.sizes if problem.objective_criterion else reversed(problem.sizes):
        search = BestSubsets(problem, control, size)
        finished = search.run(least)
        if search.best is not None and search.value is not None:
            best, least = (search.best, search.value), search.value + 1
        if not finished:
            # a set of another size may explain as much as any
            bound = search.bound() if len(problem.sizes) == 1 else search.most()
            return BackendAnswer.unproved(best and best[:1], bound)
    if best is None:
        return BackendAnswer(Status.INFEASIBLE)
    members, value = best
    return BackendAnswer(Status.OPTIMAL, (members,), value, stated=Stated(value))


def _solve_several(problem: Instance, control: Control) -> BackendAnswer:
    """Pack sets from a value on, from a start with one best set after another."""
    from pyfsel.algorithms.best_subsets.tree import sets_above
    from pyfsel.algorithms.packing.families import PackingSearch
    from pyfsel.algorithms.packing.pool import Pool

    alone = problem.replace(n_sets=1, aggregate="sum")
    start: list[FeatureSet] = []
    highest = 0
    while len(start) < problem.n_sets:
        answer = _solve_one(alone.after(start), replace(control, hint=None, report_sets=lambda sets: None))
        if answer.status is Status.INFEASIBLE and start:
            break
        if answer.status is not Status.OPTIMAL or answer.sets is None or answer.bound is None:
            bound = highest if start else answer.bound
            if bound is None:
                return answer
            return BackendAnswer.unproved(None, values.aggregate_values(problem, [bound] * problem.n_sets))
        highest = max(highest, answer.bound)
        start += answer.sets
    lowest = R2.of(alone).value_of(0, alone.k, alone.scale)
    if alone.min_quality is not None:
        lowest = max(lowest, alone.min_quality)
    pool = Pool(alone, lambda least: sets_above(alone, control, least), lowest, highest)
    return PackingSearch(problem, control, pool, start).packed()
