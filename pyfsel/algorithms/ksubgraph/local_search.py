"""Good sets without proof: random starts, each improved by swaps until none helps, all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np

from pyfsel.algorithms.ksubgraph.instance import PairInstance

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
    expired: Callable[[], bool] = lambda: False,
) -> tuple[int, tuple[int, ...]] | None:
    """Return the value and the members of the best set found, or None if no start was feasible.

    Parameters
    ----------
    instance : PairInstance
        If its pairs are computed on demand, only the 1,000 best features are taken.
    start : Start
    expired : callable
        Asked between groups of starts.
    """
    if instance.k == 0:
        return 0, ()
    if instance.is_wide:
        return _among_the_best(instance, start, expired)
    starts = start.n_random
    if starts is None:
        starts = min(LARGEST_NUMBER_OF_STARTS, STARTS_PER_FEATURE * instance.n_features)
    rng, moves = np.random.default_rng(start.random_state), instance.moves
    best: tuple[int, tuple[int, ...]] | None = None
    at_once = max(1, STARTS_AT_ONCE // (instance.n_features * instance.k))
    possible = np.flatnonzero(moves.may_come)
    groups = [np.array([sorted(start.first)])] if start.first is not None else []
    if len(possible) >= instance.k:
        keys = rng.random((starts, len(possible)))
        random = possible[np.argpartition(keys, instance.k - 1, axis=1)[:, : instance.k]]
        groups += [random[i : i + at_once] for i in range(0, starts, at_once)]
    for number, sets in enumerate(groups):
        if number and expired():
            break
        broken, values = moves.climb(sets)
        place = int(np.where(broken == 0, values, np.iinfo(np.int64).min).argmax())
        if broken[place] == 0 and (best is None or values[place] > best[0]):
            best = int(values[place]), tuple(sorted(sets[place].tolist()))
    return best


def _among_the_best(
    instance: PairInstance, start: Start, expired: Callable[[], bool]
) -> tuple[int, tuple[int, ...]] | None:
    """Search the sets of the features of the largest linear weights; return the start if it is better."""
    at_once = isqrt(instance.pairwise.entries_at_once)
    best, within = instance.best_in_memory(min(MOST_FEATURES, max(at_once, FEWEST_PER_MEMBER * instance.k)))
    found = None
    if len(best) >= instance.k:
        found = swap_search(within, replace(start, first=None), expired=expired)
    known = [] if found is None else [(found[0], tuple(sorted(best[list(found[1])].tolist())))]
    if start.first is not None:
        first = tuple(sorted(start.first))
        known.append((int(instance.values(np.array([first]))[0]), first))
    return max(known, default=None)
