"""Which features sets that are at least as good as known ones can hold, for sums of qualities.

No set with feature j is worth more than the best one that is only limited in its size: its quality
and the qualities of the best others. Let v be the value of the known sets. Where the smallest value of a set
counts, each set of an at least as good solution is worth v or more. Where their sum counts, all sets but one
are worth at most a bound U for that number of sets, and the one at least v − U. Features that are in no set
of such worth are in no better solution and in none as good: the known sets stay possible, and so does every
optimum.

No assumption is made on signs, ties, or what else the sets must satisfy, which is disregarded here: that
makes the part larger and not wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from pyfsel.core.arrays import Ints
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SET_TERMS, FeatureSet
from pyfsel.problem.values import objective_of
from pyfsel.reductions.restriction import Restriction

MOST_GAINS = 200_000
"""Pair counting looks at this many possible uses of features at each price."""


def promising(problem: Instance, known: Sequence[FeatureSet]) -> Restriction:
    """Return the problem over the features of solutions that are at least as good as a known one.

    Features of previous sets, groups and `forced` stay. Where the objective is not a sum of qualities, has
    more than their sum or minimum (`SET_TERMS`), or the sizes of the sets may differ, all do.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> promising(problem, [(0, 1), (0, 2), (1, 2)]).kept
    (0, 1, 2)
    """
    priced = not SET_TERMS.isdisjoint(problem.side_constraints)
    if not objective_of(problem).is_sum or problem.has_size_range or priced:
        return Restriction.none(problem)
    least = values.total(problem, known)
    if problem.aggregate == "sum" and problem.n_sets > 1:
        highest = highest_sum(problem, problem.n_sets - 1)
        assert highest is not None, "all but one of the known sets are such sets"
        least -= highest
    others = int(np.sort(problem.quality)[problem.n_features - problem.k + 1 :].sum())
    needed = problem.quality + others >= least  # a set with one of the best is worth more than these two
    if needed.all():
        return Restriction.none(problem)
    named = (problem.forced, *problem.previous, *(group.features for group in problem.groups))
    for features in named:
        needed[list(features)] = True
    return Restriction.to(problem, np.flatnonzero(needed).tolist())


def highest_sum(problem: Instance, n_sets: int) -> int | None:
    """Return an upper bound on the sum of the values of `n_sets` compatible sets, None if there are none.

    It is the lower one of two. The best t features can be used as often as `prefix_limits` says. And pair
    counting: the uses that gain most at a price for each pair of sets that share a feature, see `pair_price`.

    Parameters
    ----------
    problem : Instance
        With an objective that is a sum of qualities, and sets of one size.
    n_sets : int
        Instead of the number in the problem.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3], n_sets=3, k=2, max_shared=1)
    >>> [highest_sum(problem, n_sets) for n_sets in (1, 2, 3, 7)]
    [17, 33, 48, None]
    """
    from pyfsel.reductions.interchange import prefix_limits

    n_uses = n_sets * problem.k
    best = np.sort(problem.quality)[::-1][:n_uses]
    limits = prefix_limits(len(best), n_sets, problem.k, problem.max_shared)
    if limits[-1] < n_uses:
        return None
    bound = int(best @ np.diff(limits, prepend=0))
    price = pair_price(best, n_sets, problem.k, problem.max_shared)
    if price:  # for nothing, the best features are in all sets
        bound = min(bound, _priced(best, n_sets, problem.k, problem.max_shared, price)[0])
    return bound


def pair_price(best: Ints, n_sets: int, k: int, max_shared: int) -> int:
    """Return the price of a shared feature at which pair counting bounds the sum of the values best, or 0.

    The c-th use of a feature is in c − 1 sets with it already, so it adds as many to what all pairs of
    sets share, which is at most `max_shared` for each pair. The bound at a price, a Lagrange multiplier, is
    convex in it; its slope is what the pairs may share, less what they do.

    Parameters
    ----------
    best : array
        Qualities in decreasing order, of n_sets·k features if there are as many.
    n_sets, k, max_shared : int
    """
    low, high = 0, int(best[0] - best[-1])
    if len(best) * n_sets > MOST_GAINS:
        return 0
    while low < high:
        middle = (low + high) // 2
        if _priced(best, n_sets, k, max_shared, middle)[1] >= 0:
            high = middle
        else:
            low = middle + 1
    return low


def _priced(best: Ints, n_sets: int, k: int, max_shared: int, price: int) -> tuple[int, int]:
    """Return the bound at a price, and a slope of it there."""
    shared = np.arange(n_sets)
    gains = (best[:, None] - price * shared).ravel()
    n_uses = n_sets * k
    chosen = np.argpartition(-gains, n_uses - 1)[:n_uses]
    free = max_shared * comb(n_sets, 2)
    return int(gains[chosen].sum()) + price * free, free - int((chosen % n_sets).sum())
