"""Upper bounds on the sum of further compatible sets, for objectives that are sums of feature qualities.

Features are numbered by their place in the order of quality.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.compiled import compiled
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality, objective_of
from pyfsel.reductions.promising import pair_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_MORE = -(2**60)
LARGEST_COUNT = 2**58


class Counting(NamedTuple):
    """What the bounds know of a problem; without features they are switched off.

    Attributes
    ----------
    quality : array of shape (n,)
        Decreasing.
    subsets : array of shape (set_size + 1,)
        Number of (max_overlap + 1)-subsets of x features.
    free : array of shape (n,)
        Number of (max_overlap + 1)-subsets of the t + 1 best features.
    max_overlap : int
    price : int
        Lagrange multiplier of pair counting, not negative.
    """

    quality: NDArray[np.int64]
    subsets: NDArray[np.int64]
    free: NDArray[np.int64]
    max_overlap: int
    price: int


def counting_of(problem: Problem, n_sets: int) -> Counting:
    """Return the data of the bounds, with the price that suits so many sets."""
    size = problem.max_overlap + 1
    quality = problem.quality[by_quality(problem)]
    price = 0
    if not objective_of(problem).is_sum or n_sets * comb(problem.set_size, size) >= LARGEST_COUNT:
        quality = quality[:0]
    else:
        best = quality[: n_sets * problem.set_size]
        price = pair_price(best, n_sets, problem.set_size, problem.max_overlap)
    subsets = [min(comb(x, size), LARGEST_COUNT) for x in range(problem.set_size + 1)]
    free = [min(comb(t + 1, size), 2 * LARGEST_COUNT) for t in range(len(quality))]
    return Counting(
        quality, np.array(subsets), np.array(free, dtype=np.int64), problem.max_overlap, price=price
    )


@compiled
def use_features(
    counting: Counting,
    ranks: NDArray[np.int32],
    chosen: int,
    free: NDArray[np.int64],
    uses: NDArray[np.int64],
    depth: int,
) -> None:
    """Write what is left after choosing a set from row `depth` of `free` and `uses` to the next row."""
    inside = 0
    for t in range(free.shape[1]):
        uses[depth + 1, t] = uses[depth, t]
        if inside < ranks.shape[1] and ranks[chosen, inside] == t:
            inside += 1
            uses[depth + 1, t] += 1
        free[depth + 1, t] = free[depth, t] - counting.subsets[inside]


@compiled
def prefix_bound(counting: Counting, free: NDArray[np.int64], more: int) -> int:
    """Return an upper bound on the sum of the values of so many more compatible sets.

    Spread evenly over the sets, their uses of the t best features need the fewest (max_overlap + 1)-subsets
    of these; at most the free ones can be had.
    """
    subsets = counting.subsets
    set_size = len(subsets) - 1
    n = len(free)
    total = 0
    before = 0
    for t in range(n):
        each = 0
        most = min(set_size, t + 1)
        while each < most and more * subsets[each + 1] <= free[t]:
            each += 1
        uses = more * each
        if each < most:
            uses += (free[t] - more * subsets[each]) // (subsets[each + 1] - subsets[each])
        if t == n - 1 and uses < more * set_size:
            return NO_MORE
        total += counting.quality[t] * (uses - before)
        before = uses
    return total


@compiled
def pair_bound(counting: Counting, uses: NDArray[np.int64], chosen: int, more: int) -> int:
    """Return an upper bound on the sum of the values of so many more compatible sets.

    A further use of a feature that is in c sets adds c to the sum of all pairwise overlaps. That sum may grow
    by max_overlap for every new pair of sets; each unit of it is sold at the price.
    """
    n = len(uses)
    left = more * (len(counting.subsets) - 1)
    new_pairs = more * chosen + more * (more - 1) // 2
    total = counting.price * counting.max_overlap * new_pairs
    added = np.zeros(n, dtype=np.int64)
    for _ in range(left):
        best = -1
        best_gain = 0
        for j in range(n):
            if added[j] < more:
                gain = counting.quality[j] - counting.price * (uses[j] + added[j])
                if best < 0 or gain > best_gain:
                    best = j
                    best_gain = gain
                if uses[j] + added[j] == 0:
                    break
        total += best_gain
        added[best] += 1
    return total
