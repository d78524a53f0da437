"""Simple searches, for problems that are easy or small: sorting, ranking, and trying all sets.

Sorting and ranking are exact if the best features, or the best single sets, alone decide (paper 000). All
sets are tried of one set by NumPy at once, of several in all compatible combinations: the oracle of tests.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from math import comb

from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.backends.base import Backend
from pyfsel.problem import values as problem_values
from pyfsel.problem.dissimilarity import may_stand_together
from pyfsel.problem.fields import FIXED_SIZE_CONSTRAINTS, SIDE_CONSTRAINTS
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SET_TERMS, Family, FeatureSet, ObjectiveKind
from pyfsel.problem.values import is_interchangeable
from pyfsel.results.backend_answer import BackendAnswer, Stated, Status
from pyfsel.results.control import Control
from pyfsel.results.verify import violations

LARGEST_NUMBER_OF_SETS = 200_000  # each of which is checked in Python, in seconds


class BruteForce(Backend):
    """Tries every combination of feature sets; for small problems only."""

    name = "brute-force"
    summary = "every combination of sets; the oracle for small problems"
    objectives = tuple(ObjectiveKind)
    side_constraints = (*SIDE_CONSTRAINTS, *SET_TERMS)
    basis = ("brute-force",)

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        return too_many_sets(problem, LARGEST_NUMBER_OF_SETS)

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        search, price = IncumbentSearch(problem, control), problem_values.overlap_price(problem)

        def run() -> None:
            pool = list(with_first_solution(search, allowed_sets(problem)))
            if not pool:
                return
            worth = dict(zip(pool, problem_values.values(problem, pool).tolist(), strict=True))
            pool.sort(key=lambda members: -worth[members])
            for family in compatible_families(problem, pool, control):
                value = problem_values.aggregate_values(problem, [worth[members] for members in family])
                value -= price and price * problem_values.n_priced(problem, family)
                search.improve(family, value)

        return search.answer(run, self.name)


def too_many_sets(problem: Instance, most: int) -> str | None:
    """Return that there are more possible sets than are tried, or None."""
    count = sum(comb(problem.n_features, size) for size in problem.sizes)
    return f"{count} possible sets are more than {most}" if count > most else None


def allowed_sets(problem: Instance) -> Iterator[FeatureSet]:
    """Return all sets, one by one, that satisfy the constraints on single sets."""
    alone = problem.replace(n_sets=1)
    return (
        members
        for size in problem.sizes
        for members in combinations(range(problem.n_features), size)
        if not violations(alone, [members])
    )


def with_first_solution(search: IncumbentSearch, sets: Iterable[FeatureSet]) -> Iterator[FeatureSet]:
    """Yield the sets, and report the first of them that may stand together as soon as there are enough.

    To list and to value all sets takes seconds, after which a short limit would leave nothing.
    """
    problem, first = search.problem, list[FeatureSet]()
    for members in sets:
        if len(first) < problem.n_sets and all(may_stand_together(problem, one, members) for one in first):
            first.append(members)
            if len(first) == problem.n_sets:
                search.improve(first, problem_values.total(problem, first))
        yield members


def compatible_families(problem: Instance, pool: list[FeatureSet], control: Control) -> Iterator[Family]:
    """Yield the families of sets in the order of the pool, in which any two sets are dissimilar enough.

    Parameters
    ----------
    problem : Instance
    pool : list of feature sets
    control : Control
        Ends the search by an exception when the time is up.
    """

    def extended(family: Family, first: int) -> Iterator[Family]:
        if len(family) == problem.n_sets:
            yield family
            return
        control.check_time()
        for i in range(first, len(pool)):
            if all(may_stand_together(problem, pool[i], members) for members in family):
                yield from extended((*family, pool[i]), i)

    return extended((), 0)


MOST_SETS = 150_000  # for NumPy, in hundredths of a second


class EnumerationBackend(Backend):
    """Takes the best of all sets: milliseconds for one set, where other backends first load their libraries.

    Notes
    -----
    `complete_pool` lists every set of the size that its constraints and the previous sets allow, so the first
    one of the largest value is a best one, and an empty list proves that there is none.
    """

    name = "enumeration"
    summary = "tries all sets of a small problem at once, for one set at a time"
    isolated = False
    side_constraints = FIXED_SIZE_CONSTRAINTS
    basis = ("enumeration",)
    needs_start = False

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        return "takes one set at a time" if problem.n_sets > 1 else too_many_sets(problem, MOST_SETS)

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        from pyfsel.algorithms.packing.pool import complete_pool

        pool = complete_pool(problem)
        sets, values = pool.above(pool.highest)
        if not len(sets):
            return BackendAnswer(Status.INFEASIBLE)
        best, value = tuple(sets[0].tolist()), int(values[0])
        return BackendAnswer(Status.OPTIMAL, (best,), value, stated=Stated(value))


class Sorting(Backend):
    """Takes the best features: for one set, for disjoint sets, and where sets may be equal."""

    name = "sorting"
    summary = "takes the best features; exact for one set, disjoint sets (000, Prop. 11) or equal sets"
    isolated = False
    objectives = (ObjectiveKind.SUMS,)
    basis = ("sorting",)
    needs_start = False

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        if not is_interchangeable(problem):
            return "needs the univariate objective without conflicts"
        if 0 < problem.max_shared < problem.k and (problem.n_sets > 1 or problem.previous):
            return f"needs sets that are disjoint or may be equal, not max_shared={problem.max_shared}"
        if problem.max_shared == 0 and problem.n_sets > 1 and problem.aggregate != "sum":
            return "disjoint sets with the largest minimum are a number-partitioning problem"
        return None

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        size = problem.k
        step = 0 if problem.max_shared else size  # sets that may be equal are all the best one
        used = {j for members in problem.previous for j in members if step}
        order = [j for j in problem_values.by_quality(problem) if j not in used]
        chunks = [order[i * step : i * step + size] for i in range(problem.n_sets)]
        if len(chunks[-1]) < size:
            return BackendAnswer(Status.INFEASIBLE)
        return best(problem, tuple(tuple(sorted(members)) for members in chunks))


def best(problem: Instance, sets: Family) -> BackendAnswer:
    """Return the best sets, worth what the numbers say by which their features were sorted."""
    sums = [sum(int(problem.quality[j]) for j in members) for members in sets]
    value = problem_values.aggregate_values(problem, sums)
    return BackendAnswer(Status.OPTIMAL, sets, value, stated=Stated(value))


class Ranking(Backend):
    """Enumerates single sets by decreasing quality: sum and smallest quality, max_shared = k − 1."""

    name = "ranking"
    summary = "the best distinct sets, where sets need only differ (000, A.5.1)"
    isolated = False
    needs_start = False
    objectives = (ObjectiveKind.SUMS,)
    basis = ("ranking",)

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        """Return why the problem does not just ask for distinct sets of univariate quality, or None.

        Two sets of one size are different if and only if they share at most one feature less than that. The
        i-th best of any such sets is at most the i-th best set of all, so the best distinct sets are optimal
        for the sum of the qualities and for the smallest one.
        """
        if not is_interchangeable(problem):
            return "needs the univariate objective without conflicts"
        if any(len(previous) > problem.k for previous in problem.previous):
            return "needs previous sets without relatives"
        if problem.max_shared != problem.k - 1:
            return f"needs max_shared={problem.k - 1}, one less than the size, not {problem.max_shared}"
        return None

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        sets = tuple(islice(best_distinct_sets(problem), problem.n_sets))
        if len(sets) < problem.n_sets:
            return BackendAnswer(Status.INFEASIBLE)
        return best(problem, sets)


def best_distinct_sets(problem: Instance) -> Iterator[FeatureSet]:
    """Yield the sets of a problem by decreasing quality, without its previous sets.

    Examples
    --------
    >>> problem = Instance(
    ...     quality=[9, 8, 7, 3], n_sets=2, k=2, max_shared=1, previous=[(0, 1)]
    ... )
    >>> list(best_distinct_sets(problem))
    [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    """
    order = problem_values.by_quality(problem)
    for ranks in subsets_by_value(problem.quality[order].tolist(), problem.k):
        members = tuple(sorted(order[r] for r in ranks))
        if members not in problem.previous:
            yield members


def subsets_by_value(values: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield all subsets of one size by decreasing sum, as positions in the decreasing `values`.

    A subset comes after those from which it differs by one step of one member to the next better value, of
    which the best subset has none.
    """
    first = tuple(range(size))
    heap = [(-sum(values[:size]), first)]
    seen = {first}
    while heap:
        negative, members = heapq.heappop(heap)
        yield members
        for p, j in enumerate(members):
            end = members[p + 1] if p + 1 < size else len(values)
            if j + 1 < end:
                following = (*members[:p], j + 1, *members[p + 1 :])
                if following not in seen:
                    seen.add(following)
                    heapq.heappush(heap, (negative + values[j] - values[j + 1], following))
