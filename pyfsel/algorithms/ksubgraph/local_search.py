"""Good sets without proof: random starts, each improved by swaps until none helps, all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isqrt

import numpy as np

from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.core.arrays import Ints

# Random sets to begin with: only how good the set is depends on their number.
STARTS_PER_FEATURE = 4
LARGEST_NUMBER_OF_STARTS = 100
STARTS_AT_ONCE = 2**17  # numbers for each array: starts × features × set size
MOST_FEATURES = 1000  # of a wide instance: a matrix of eight megabytes
FEWEST_PER_MEMBER = 3  # features for each member of a set; with fewer there is little to choose


@dataclass(frozen=True)
class Start:
    """Where a local search begins.

    Parameters
    ----------
    random_state : int
    first : iterable of int, optional
        A feasible set to start from before the random ones.
    n_random : int, optional
        Number of random starts; 4 per feature, at most 100, if not given.
    """

    random_state: int = 0
    first: Iterable[int] | None = None
    n_random: int | None = None


def swap_search(
    instance: PairInstance,
    start: Start,
    *,
    expired: Callable[[], bool],
) -> tuple[int, tuple[int, ...]] | None:
    """Return the value and the members of the best whole set found, or None if no start was feasible.

    Parameters
    ----------
    instance : PairInstance
        A reduced one. If its pairs are computed on demand, only the 1,000 best features are taken.
    start : Start
    expired : callable
        Asked between groups of starts.
    """
    k, best = instance.k, list[tuple[int, tuple[int, ...]]]()

    def take(part: PairInstance, members: Ints, value: int) -> None:
        best.append((value + part.offset, tuple(part.whole(members[None])[0].tolist())))

    if k == 0:
        take(instance, np.zeros(0, np.int64), 0)
        return best[0]
    groups, some = [], instance
    if start.first is not None:
        groups.append(np.flatnonzero(np.isin(instance.numbers, list(start.first)))[None])
    if instance.is_wide:
        for (first,) in groups:
            take(instance, first, int(instance.values(first[None])[0]))
        at_once = isqrt(instance.pairwise.entries_at_once)
        some, groups = instance.in_memory(min(MOST_FEATURES, max(at_once, FEWEST_PER_MEMBER * k))), []
    n, starts = some.n_features, start.n_random
    if starts is None:
        starts = min(LARGEST_NUMBER_OF_STARTS, STARTS_PER_FEATURE * n)
    if n >= k:
        keys = np.random.default_rng(start.random_state).random((starts, n))
        random = np.argsort(keys, axis=1)[:, :k]
        at_once = max(1, STARTS_AT_ONCE // max(1, n * k))
        groups += [random[i : i + at_once] for i in range(0, starts, at_once)]
    for number, sets in enumerate(groups):
        if number and expired():
            break
        broken, values = some.moves.climb(sets)
        place = int(np.where(broken == 0, values, np.iinfo(np.int64).min).argmax())
        if broken[place] == 0:
            take(some, sets[place], int(values[place]))
    return max(best, key=lambda found: found[0], default=None)
