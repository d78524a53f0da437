"""All optimal solutions by combining single sets: all there are, or those that a solution can need.

`Family`, `Take` and `EnoughError` are what all ways to list them share.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.overlap import may_stand_together
from pyfsel.results.control import Control
from pyfsel.results.verify import violations

Family = tuple[FeatureSet, ...]
Take = Callable[[Family], None]


class EnoughError(Exception):
    """No further solutions are wanted."""


def list_by_trying(problem: Instance, value: int, control: Control, take: Take) -> None:
    """Hand over all solutions that reach the value, by trying every combination of sets."""
    alone = problem.replace(n_sets=1)
    pool = [
        members
        for size in problem.sizes
        for members in combinations(range(problem.n_features), size)
        if not violations(alone, [members])
    ]

    def extended(chosen: tuple[FeatureSet, ...], first: int) -> None:
        control.check_time()
        if len(chosen) == problem.n_sets:
            if values.total(problem, chosen) >= value:
                take(chosen)
            return
        for i in range(first, len(pool)):
            one = pool[i]
            if all(may_stand_together(problem, one, s) for s in chosen):
                extended((*chosen, pool[i]), i)

    extended((), 0)


def list_by_packing(problem: Instance, value: int, control: Control, take: Take) -> None:
    """Hand over all solutions that reach the value, which is the optimum, as cliques of compatible sets.

    In a solution with the best sum of l sets, r of them have at most the best sum of r sets; so each has at
    least the best sum of l less that of l − 1.
    """
    from pyfsel.algorithms.packing.pool import pool_of

    is_sum = problem.aggregate == "sum"
    best_sums = _best_sums(problem, control) if is_sum else []
    least = value - best_sums[-1] if is_sum else value
    sets, numbers = pool_of(problem).above(least)
    members: list[FeatureSet] = [tuple(row) for row in sets.tolist()]
    masks = [sum(1 << j for j in row) for row in members]
    worth = numbers.tolist()

    def extended(chosen: list[int], candidates: list[int], reached: int) -> None:
        control.check_time()
        left = problem.n_sets - len(chosen)
        if left == 0:
            if not is_sum or reached >= value:
                take(tuple(members[i] for i in chosen))
            return
        for position, i in enumerate(candidates):
            if is_sum and reached + min(left * worth[i], worth[i] + best_sums[left - 1]) < value:
                return
            fitting = [
                c for c in candidates[position:] if (masks[i] & masks[c]).bit_count() <= problem.max_shared
            ]
            extended([*chosen, i], fitting, reached + worth[i])

    extended([], list(range(len(members))), 0)


def _best_sums(problem: Instance, control: Control) -> list[int]:
    """Return the best sums of 0, 1, …, n_sets − 1 sets."""
    from pyfsel.algorithms.packing.search import PackingSearch

    sums = [0]
    for number in range(1, problem.n_sets):
        search = PackingSearch(problem.replace(n_sets=number), Control(control.limits))
        search.run()
        assert search.value is not None
        sums.append(search.value)
    return sums
