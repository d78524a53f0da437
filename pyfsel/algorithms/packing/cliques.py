"""Compatible sets in a pool that is sorted by decreasing value: what the search in C works on.

Two sets are compatible if they share few enough features. The bounds, for objectives that are sums of feature
qualities, number features by their place in the order of quality.
"""

from __future__ import annotations

from math import comb
from typing import Annotated

import numpy as np

from pyfsel.algorithms.bits import as_words
from pyfsel.core.arrays import Ints, ShortInts, Words
from pyfsel.core.binding import Struct, in_core
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import by_quality, objective_of
from pyfsel.reductions.promising import pair_price

LARGEST_COUNT = 2**58  # numbers of subsets are cut off here: two of them, added up, stay within 64 bits
NO_LIMIT = 2**60
DEPTH, FIRST, BEST = range(3)


class Counting(Struct):
    """What the bounds know of a problem; without features they are switched off."""

    quality: Annotated[Ints, "n"]
    """Decreasing."""
    subsets: Annotated[Ints, "k + 1"]
    """Number of (max_shared + 1)-subsets of x features."""
    free: Annotated[Ints, "n"]
    """Number of (max_shared + 1)-subsets of the t + 1 best features."""
    max_shared: int
    price: int
    """Lagrange multiplier of pair counting, not negative."""

    @classmethod
    def of(cls, problem: Instance, n_sets: int) -> Counting:
        """Return the data of the bounds, with the price that suits this number of sets."""
        size = problem.max_shared + 1
        quality = problem.quality[by_quality(problem)]
        price = 0
        if not objective_of(problem).is_sum or n_sets * comb(problem.k, size) >= LARGEST_COUNT:
            quality = quality[:0]
        else:
            best = quality[: n_sets * problem.k]
            price = pair_price(best, n_sets, problem.k, problem.max_shared)
        subsets = [min(comb(x, size), LARGEST_COUNT) for x in range(problem.k + 1)]
        free = [min(comb(t + 1, size), 2 * LARGEST_COUNT) for t in range(len(quality))]
        return cls(
            quality,
            np.array(subsets, dtype=np.int64),
            np.array(free, dtype=np.int64),
            max_shared=problem.max_shared,
            price=price,
        )


class SortedPool(Struct):
    """The enumerated sets."""

    words: Annotated[Words, "m", "n_words"]
    """The sets as bits."""
    values: Annotated[Ints, "m"]
    """Decreasing."""
    ranks: Annotated[ShortInts, "m", "k"]
    """The features by their place in the order of quality, ascending."""
    counting: Counting

    @classmethod
    def of(cls, problem: Instance, sets: ShortInts, values: Ints, counting: Counting) -> SortedPool:
        """Return a pool of the sets of a problem."""
        rank = np.empty(problem.n_features, dtype=np.int32)
        rank[by_quality(problem)] = np.arange(problem.n_features)
        return cls(as_words(sets, problem.n_features), values, np.sort(rank[sets], axis=1), counting)


class Descent(Struct):
    """Where a search stands, so it can pause and go on."""

    state: Annotated[Ints, "3"]
    """How many sets are chosen, −1 between the searches that begin with one pool member each; that member;
    the largest sum found."""
    positions: Annotated[Ints, "n_sets"]
    sizes: Annotated[Ints, "n_sets"]
    """Of each depth's list `positions` is the next member to be tried, `sizes` the length."""
    chosen: Annotated[ShortInts, "n_sets"]
    found: Annotated[ShortInts, "n_sets"]
    """`chosen` are the numbers of the chosen sets, `found` the numbers of the sets of the largest sum."""
    sums: Annotated[Ints, "n_sets + 1"]
    """Values of the chosen sets, summed up."""
    free: Annotated[Ints, "n_sets + 1", "n"]
    uses: Annotated[Ints, "n_sets + 1", "n"]
    """`free` and `uses` are what the bounds know of the features."""
    added: Annotated[Ints, "n"]
    """Room to work in."""
    best_sums: Annotated[Ints, "n_sets"]
    """Upper bounds on the sum of 0, 1, … compatible sets."""
    lists: Annotated[ShortInts, "n_sets", "m"]
    """The compatible members by depth; row 0 holds the pool's numbers 0..m−1."""

    @classmethod
    def of(
        cls,
        pool: SortedPool,
        n_sets: int,
        *,
        first: int = 0,
        best: int = -NO_LIMIT,
        best_sums: Ints | None = None,
    ) -> Descent:
        """Return a search for `n_sets` sets that begins with one pool member and wants more than a sum."""
        given = {} if best_sums is None else {"best_sums": best_sums}
        sizes = {"n_sets": n_sets, "n": len(pool.counting.free), "m": len(pool.values)}
        descent = cls.with_room(sizes, state=np.array([-1, first, best]), **given)
        descent.free[0], descent.lists[0] = pool.counting.free, np.arange(len(pool.values))
        return descent

    @property
    def is_complete(self) -> bool:
        """Whether `search_best_worst` has chosen all sets."""
        return bool(self.state[DEPTH] == len(self.chosen))


@in_core
def search_best_sum(pool: SortedPool, descent: Descent, most_work: int) -> bool:
    """Go on to look for compatible sets of the largest sum; return whether that is done.

    It ends where no sets that begin with a later pool member can sum up to more than the best.

    Parameters
    ----------
    pool : SortedPool
    descent : Descent
    most_work : int
        Return after a look at about this number of sets.
    """


@in_core
def search_best_worst(pool: SortedPool, descent: Descent, highest_sum: int, most_work: int) -> bool:
    """Go on to look for compatible sets, none of which is worse than the first pool member that has any.

    As they sum up to at most `highest_sum` and none is worse than that, none can be much better either.
    Return whether it is done: the descent is complete, or the pool has no such sets.
    """
