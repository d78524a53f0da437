"""Compatible sets in a pool that is sorted by decreasing weight: what the search in C works on.

Two sets are compatible if they share few enough features. A set weighs what it is worth, or that minus the
prices of its features. The bounds, for objectives that are sums of feature qualities, or for prices, number
features by their place in the order of these.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, inf
from typing import Annotated, Any

import numpy as np

from pyfsel.algorithms.packing.relaxation import Prices
from pyfsel.core.arrays import Array, Ints, ShortInts, Words
from pyfsel.core.binding import Struct, in_core
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import objective_of
from pyfsel.reductions.promising import pair_price

LARGEST_COUNT = 2**58  # numbers of subsets are cut off here: two of them, added up, stay within 64 bits
NO_LIMIT = 2**60
WORD = 64
DEPTH, FIRST, BEST = range(3)
WORK_AT_ONCE = 4_000_000  # looks at a set in one call, after which the clock is read


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
    def of(cls, problem: Instance, quality: Ints, price: int = 0) -> Counting:
        """Return the data of the bounds on all sets of a problem, whose features count these qualities."""
        size = problem.max_shared + 1
        # if they are not, the bound by subsets bounds nothing
        are_few = problem.n_sets * comb(problem.k, size) < LARGEST_COUNT
        subsets = [are_few * min(comb(x, size), LARGEST_COUNT) for x in range(problem.k + 1)]
        free = [are_few * min(comb(t + 1, size), 2 * LARGEST_COUNT) for t in range(len(quality))]
        return cls(
            -np.sort(-quality),
            np.array(subsets, dtype=np.int64),
            np.array(free, dtype=np.int64),
            max_shared=problem.max_shared,
            price=price,
        )

    @classmethod
    def of_qualities(cls, problem: Instance) -> Counting:
        """Return the data for the problem's qualities, with the price that suits; empty without sums."""
        if not objective_of(problem).is_sum:
            return cls.of(problem, problem.quality[:0])
        best = -np.sort(-problem.quality)[: problem.n_sets * problem.k]
        price = pair_price(best, problem.n_sets, problem.k, problem.max_shared)
        return cls.of(problem, problem.quality, price)


class SortedPool(Struct):
    """The enumerated sets."""

    words: Annotated[Words, "m", "n_words"]
    """The sets as bits."""
    values: Annotated[Ints, "m"]
    weights: Annotated[Ints, "m"]
    """Decreasing, but where any compatible sets are looked for, which does not read them."""
    ranks: Annotated[ShortInts, "m", "k"]
    """The features by their place in the order of quality, or price, ascending."""
    paid: Annotated[Ints, "m"]
    """What each set pays for its pairs of features."""
    counting: Counting
    is_priced: bool
    """Whether the features of `counting` have prices, and `weights` are without them."""

    @classmethod
    def of(
        cls,
        sets: Array,
        values: Ints,
        counting: Counting,
        quality: Ints,
        priced: tuple[Ints, Ints] | None = None,
    ) -> SortedPool:
        """Return a pool of sets in this order.

        With weights and what is paid for pairs in `priced`, `quality` are prices of features.
        """
        rank = np.empty(len(quality), dtype=np.int32)
        rank[np.argsort(-quality, kind="stable")] = np.arange(len(quality))
        words = np.zeros((len(sets), -(-len(quality) // WORD)), dtype=np.uint64)
        for column in sets.T:
            words[np.arange(len(sets)), column // WORD] |= np.uint64(1) << (column % WORD).astype(np.uint64)
        ranks = np.sort(rank[sets], axis=1)
        weights, paid = priced or (values, np.zeros_like(values))
        return cls(words, values, weights, ranks, paid, counting, priced is not None)


class Descent(Struct):
    """Where a search stands, so it can pause and go on."""

    state: Annotated[Ints, "3"]
    """How many sets are chosen, −1 between the searches that begin with one pool member each; that member;
    the largest sum found."""
    positions: Annotated[Ints, "n_sets"]
    sizes: Annotated[Ints, "n_sets"]
    ends: Annotated[Ints, "n_sets"]
    """Of each depth's list `positions` is the next member to be tried, `sizes` the length, and `ends` how
    many members are in front, one of which is in every solution."""
    chosen: Annotated[ShortInts, "n_sets"]
    found: Annotated[ShortInts, "n_sets"]
    """`chosen` are the numbers of the chosen sets, `found` the numbers of the sets of the largest sum."""
    sums: Annotated[Ints, "n_sets + 1"]
    """Values of the chosen sets, summed up."""
    free: Annotated[Ints, "n_sets + 1", "n"]
    uses: Annotated[Ints, "n_sets + 1", "n"]
    """`free` and `uses` are what the bounds know of the features."""
    added: Annotated[Ints, "n"]
    counts: Annotated[Ints, "n"]
    """`added` and `counts` are room to work in."""
    rest: Annotated[Ints, "n_sets"]
    """Upper bounds on what the features of further sets count."""
    left: Annotated[Ints, "n_sets + 1"]
    """Upper bounds on what further pairs of features bring in."""
    best_sums: Annotated[Ints, "n_sets"]
    """Upper bounds on the sum of 0, 1, … compatible sets."""
    lists: Annotated[ShortInts, "n_sets", "m"]
    """The compatible members by depth; row 0 holds the pool's numbers 0..m−1."""

    @classmethod
    def of(cls, pool: SortedPool, n_sets: int, *, first: int = 0, best: int = -NO_LIMIT) -> Descent:
        """Return a search for `n_sets` sets that begins with one pool member and wants more than a sum."""
        sizes = {"n_sets": n_sets, "n": len(pool.counting.free), "m": len(pool.values)}
        descent = cls.with_room(sizes, state=np.array([-1, first, best]))
        descent.free[0], descent.lists[0] = pool.counting.free, np.arange(len(pool.values))
        return descent

    @property
    def is_complete(self) -> bool:
        """Whether a search for compatible sets has chosen all of them."""
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


@in_core
def search_compatible(pool: SortedPool, descent: Descent, least: int, most_work: int) -> bool:
    """Go on to look for any compatible sets of a pool, each of which pays at least this.

    The qualities of its features are what these cost. Return whether it is done: the descent is complete, or
    the pool has no such sets.
    """


def priced(prices: Prices, sets: Array, values: Ints, best: int = -NO_LIMIT) -> tuple[SortedPool, Descent]:
    """Return a pool of sets in this order, which weigh their values less prices, and a search in it."""
    paid, of_pairs = prices.paid(sets)
    counting = Counting.of(prices.problem, prices.features, prices.overlap)
    pool = SortedPool.of(sets, values, counting, prices.features, (values - paid, of_pairs))
    descent = Descent.of(pool, prices.problem.n_sets, best=best)
    descent.left[0] = prices.of_pairs.sum()
    descent.rest[0] = prices.brought_in()
    return pool, descent


def search_pool(
    sets: Array,
    pool: SortedPool,
    descent: Descent,
    check: Callable[[], None],
    on_better: Callable[[list[FeatureSet], int], Any],
    most_work: float = inf,
) -> None:
    """Look for compatible sets of the largest sum, and hand over better and better ones.

    Parameters
    ----------
    sets : array of int, shape (m, k)
        What the pool is made of.
    pool : SortedPool
    descent : Descent
    check : callable
        Called now and then; may raise to end the search.
    on_better : callable
        Takes the sets, in decreasing order of weight, and the sum.
    most_work : number
        The search ends after this work; then it proves nothing.
    """
    is_done, work = False, 0
    while not is_done and work < most_work:
        check()
        reached, work = int(descent.state[BEST]), work + WORK_AT_ONCE
        is_done = search_best_sum(pool, descent, WORK_AT_ONCE)
        if descent.state[BEST] > reached:
            on_better(list(map(tuple, sets[descent.found].tolist())), int(descent.state[BEST]))
