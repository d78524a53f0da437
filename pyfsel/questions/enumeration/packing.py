"""All optimal solutions by enumerating the sets that some can need, and the cliques of compatible ones.

In a solution with the best sum of l sets, r of them have at most the best sum of r sets; so each has at least
the best sum of l less that of l − 1.
"""

from __future__ import annotations

from pyfsel.backends import get_backend
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.questions.enumeration.base import Take
from pyfsel.results.control import STRENGTHENED, Control


def refusal(problem: Problem) -> str | None:
    """Return why the sets cannot be enumerated, or None."""
    return get_backend("packing").refusal(problem, STRENGTHENED)


def list_families(problem: Problem, value: int, control: Control, take: Take) -> None:
    """Hand over all solutions that reach the value, which is the optimum."""
    from pyfsel.algorithms.packing.pool import pool_of

    is_sum = problem.aggregate == "sum"
    best_sums = _best_sums(problem, control) if is_sum else []
    least = value - best_sums[-1] if is_sum else value
    sets, values = pool_of(problem).above(least)
    members: list[FeatureSet] = [tuple(row) for row in sets.tolist()]
    masks = [sum(1 << j for j in row) for row in members]
    worth = values.tolist()

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
                c for c in candidates[position:] if (masks[i] & masks[c]).bit_count() <= problem.max_overlap
            ]
            extended([*chosen, i], fitting, reached + worth[i])

    extended([], list(range(len(members))), 0)


def _best_sums(problem: Problem, control: Control) -> list[int]:
    """Return the best sums of 0, 1, …, n_sets − 1 sets."""
    from pyfsel.algorithms.packing.search import PackingSearch

    sums = [0]
    for number in range(1, problem.n_sets):
        search = PackingSearch(problem.replace(n_sets=number), Control(control.limits))
        search.run()
        assert search.value is not None
        sums.append(search.value)
    return sums
