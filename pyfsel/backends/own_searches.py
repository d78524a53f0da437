"""Our own searches of `pyfsel.algorithms` as backends: best subsets, heaviest k-subgraphs, packing, prices.

Each is loaded when a problem is solved by it.
"""

from __future__ import annotations

from dataclasses import replace

from pyfsel.backends.base import Backend
from pyfsel.problem import values
from pyfsel.problem.fields import FIXED_SIZE_CONSTRAINTS, SIDE_CONSTRAINTS
from pyfsel.problem.fractions import R2
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet, ObjectiveKind
from pyfsel.results.backend_answer import PAIRS_MEASURED, BackendAnswer, Stated, Status
from pyfsel.results.control import STRENGTHENED, Control


class Packing(Backend):
    """Enumerates single sets in order of their value; for any objective that can be evaluated."""

    name = "packing"
    summary = "enumerates single sets by decreasing value and picks compatible ones"
    side_constraints = FIXED_SIZE_CONSTRAINTS
    basis = ("packing",)

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        from pyfsel.algorithms.packing.pool import too_large

        return too_large(problem)

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        from pyfsel.algorithms.packing.families import PackingSearch

        return PackingSearch(problem, control).packed()


class KSubgraph(Backend):
    """Heavy chains for one set; several sets by packing those that it enumerates."""

    name = "ksubgraph"
    summary = "pairwise objectives as heaviest k-subgraphs: sets grow along heavy chains"
    objectives = (ObjectiveKind.PAIRS_OF_ONE_SIZE, ObjectiveKind.PAIRS, ObjectiveKind.FRACTIONS)
    side_constraints = ("forced", "size_range")
    takes_lazy_redundancy = True
    basis = ("ksubgraph", "packing")
    by_steps = (STRENGTHENED,)

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        if problem.lazy_pairs is not None and (problem.has_conflicts or problem.has_size_range):
            return f"takes {problem.n_features} features without conflicts and in sets of one size only"
        if problem.has_size_range and problem.forced:
            return "takes forced features in sets of one size only"
        if problem.has_size_range and problem.n_sets > 1:
            return f"finds one set of {problem.sizes_text} features, not {problem.n_sets}"
        return None

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        from pyfsel.algorithms.ksubgraph.sizes import best_of_sizes, solve_several

        if values.takes_steps(problem):
            from pyfsel.algorithms.cfs.steps import solve_by_steps

            return solve_by_steps(problem, control, best_of_sizes)
        before = 0 if problem.lazy_pairs is None else problem.lazy_pairs.measured
        answer = best_of_sizes(problem, control) if problem.n_sets == 1 else solve_several(problem, control)
        if problem.lazy_pairs is None:
            return answer
        measured = {PAIRS_MEASURED: problem.lazy_pairs.measured - before}
        return replace(answer, statistics={**answer.statistics, **measured})


class ColumnGeneration(Backend):
    """Dual values price the features of single sets; then all sets near the bound are listed and searched."""

    name = "prices"
    summary = "sums of pairwise objectives: column generation bounds them, then heavy sets are searched"
    objectives = (ObjectiveKind.PAIRS_OF_ONE_SIZE, ObjectiveKind.PAIRS)
    side_constraints = ("forced",)
    basis = ("prices", "highs", "ksubgraph")

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        if problem.n_sets > 1 and problem.aggregate != "sum":
            return f"needs search='sum', not {problem.search_word!r}"
        return None

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        from pyfsel.algorithms.prices.column_generation import PricesSearch

        search = PricesSearch(problem, control)
        return search.answer(search.run, self.name)


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
