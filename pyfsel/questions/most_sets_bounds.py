"""How many dissimilar sets can reach a quality: bounds by counting, and by packing all good sets."""

import math
from dataclasses import dataclass, replace
from itertools import combinations

from pyfsel.algorithms.packing.pool import pool_of
from pyfsel.drivers.cpsat import solve
from pyfsel.model.model import ZeroOneModel
from pyfsel.problem.dissimilarity import shared_limit
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import objective_of
from pyfsel.questions.methods import METHODS
from pyfsel.reductions.interchange import most_by_counting
from pyfsel.reductions.promising import highest_sum
from pyfsel.results.backend_answer import BackendAnswer, Status, Task
from pyfsel.results.control import Control, TooManySetsError
from pyfsel.solving.asking import climb

MOST_COUNTED = 1000  # sets, whose uses of features are counted one by one at each step
LARGEST_MODEL = 1_000_000  # variables in all constraints together
PARTS_OF_SETS = 20  # for each set that is not too many: rules leave out parts on the way


def counting_bound(problem: Instance) -> int:
    """Return how many sets of the allowed sizes can be dissimilar to each other, at most.

    Sets of one size s share at most what two of this size may, which is less than s, and are counted size by
    size. Any two sets share at most what two of the largest size may: where that is less than some size, the
    sets of at least this size can be counted together, like subsets of this size.

    Examples
    --------
    >>> counting_bound(Instance([9, 8, 7, 3, 2, 1], n_sets=1, k=2, max_shared=0))
    3
    >>> counting_bound(
    ...     Instance([3, 2, 1], n_sets=1, k=2, k_min=1, max_shared=1, shared_weight=4, size_weight=1)
    ... )
    6
    """
    n_features = problem.n_features - len(problem.forbidden)
    most_shared = shared_limit(problem, problem.k, problem.k)
    if most_shared is None:
        return 1
    smaller, totals = 0, []
    for size in problem.sizes:
        if most_shared < size:
            totals.append(smaller + most_by_counting(n_features, size, most_shared))
        shared = shared_limit(problem, size, size)
        smaller += 1 if shared is None else most_by_counting(n_features, size, shared)
    return min([smaller, *totals])


def quality_bound(problem: Instance, known: int, highest: int) -> int | None:
    """Return a bound from the sums that a number of sets can reach, or None if they exclude nothing.

    A number of sets is impossible if their sum of qualities, bounded by counting uses of features, is below
    this number times the minimum quality.

    Parameters
    ----------
    problem : Instance
        A problem with a minimum quality.
    known : int
        A number of sets that is possible.
    highest : int
        A number that need not be exceeded; nor is `MOST_COUNTED`.
    """
    least, highest = problem.min_quality, min(highest, MOST_COUNTED)
    if least is None or known >= highest or problem.has_size_range or not objective_of(problem).is_sum:
        return None

    def is_excluded(number: int) -> bool:
        most = highest_sum(problem, number)
        return most is None or most < number * least

    bound, excluded = climb(known, highest + 1, lambda number: not is_excluded(number))
    return None if excluded > highest else bound


def good_sets(problem: Instance) -> list[FeatureSet] | None:
    """Return all sets that are good enough on their own, None if they are too many or cannot be listed."""
    if problem.min_quality is None or METHODS["packing"].refusal(problem.replace(n_sets=1)) is not None:
        return None
    pool, parts = pool_of(problem), max(1, math.comb(problem.k, problem.max_shared + 1))
    most = LARGEST_MODEL // parts
    pool.most = min(pool.most, PARTS_OF_SETS * most)
    try:
        sets = pool.above(problem.min_quality)[0]
    except TooManySetsError:
        return None
    if len(sets) > most:
        return None
    return [tuple(members) for members in sets.tolist()]


def pool_bound(problem: Instance, pool: list[FeatureSet]) -> int:
    """Return how many of the good sets can be dissimilar to each other, at most.

    No max_shared + 1 features lie in two of them, and only those that lie in a good set count.

    Examples
    --------
    >>> problem = Instance([9, 8, 7, 1, 1, 1], n_sets=1, k=2, max_shared=0, min_quality=9)
    >>> pool_bound(problem, [(0, 1), (0, 2), (1, 2)])
    1
    """
    size = problem.max_shared + 1
    parts = {part for members in pool for part in combinations(members, size)}
    return min(len(pool), len(parts) // math.comb(problem.k, size))


@dataclass(eq=False)
class MostSetsPacking(Task):
    """Picks as many good sets as possible such that no max_shared + 1 features lie in two, by CP-SAT.

    The number of sets is what is maximised: sets and bounds that are reported are about it.

    Parameters
    ----------
    pool : list of sets
        All good ones, see `good_sets`.
    """

    name = "cpsat on the good sets"
    basis = ("packing", "cpsat")
    pool: list[FeatureSet]

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        m = ZeroOneModel(limits=(0, len(self.pool)))
        chosen = [m.new("set", i) for i in range(len(self.pool))]
        m.read = lambda value: tuple(s for s, v in zip(self.pool, chosen, strict=True) if value(v))
        m.reward([(1, v) for v in chosen])
        holders: dict[tuple[int, ...], list[int]] = {}
        for variable, members in zip(chosen, self.pool, strict=True):
            for part in combinations(members, problem.max_shared + 1):
                holders.setdefault(part, []).append(variable)
        for variables in holders.values():
            if len(variables) > 1:
                m.row([(1, v) for v in variables], high=1)
        answer = solve(m, control)
        if answer.status is not Status.OPTIMAL or answer.sets is None:
            return answer
        return replace(answer, bound=len(answer.sets))
