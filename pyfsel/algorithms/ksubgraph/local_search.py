"""Good sets without proof: random starts, each improved by swaps until none helps, all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.wide import WideInstance

# Random sets to begin with: only how good the set is depends on their number.
STARTS_PER_FEATURE = 4
LARGEST_NUMBER_OF_STARTS = 100
STARTS_AT_ONCE = 2**20  # numbers for each array: starts × features × set size
MOST_FEATURES = 1000  # of a wide instance: a matrix of eight megabytes
FEWEST_PER_MEMBER = 3  # so many features for each member of a set, or there is little to choose


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
    instance: PairInstance | WideInstance,
    start: Start,
    *,
    expired: Callable[[], bool] = lambda: False,
) -> tuple[int, tuple[int, ...]] | None:
    """Return the value and the members of the best set found, or None if no start was feasible.

    Parameters
    ----------
    instance : PairInstance or WideInstance
        Of the second kind only the 1,000 best features are taken.
    start : Start
    expired : callable
        Asked between groups of starts.
    """
    if instance.k == 0:
        return 0, ()
    if isinstance(instance, WideInstance):
        return _among_the_best(instance, start, expired)
    starts = start.n_random
    if starts is None:
        starts = min(LARGEST_NUMBER_OF_STARTS, STARTS_PER_FEATURE * instance.n_features)
    rng = np.random.default_rng(start.random_state)
    best: tuple[int, tuple[int, ...]] | None = None
    at_once = max(1, STARTS_AT_ONCE // (instance.n_features * instance.k))
    groups = [np.array([sorted(start.first)])] if start.first is not None else []
    while groups or (starts > 0 and not expired()):
        if groups:
            sets = groups.pop()
        else:
            sets = _random_sets(instance, rng, min(starts, at_once))
            starts -= at_once
        if len(sets) == 0:
            continue
        _climb(instance, sets)
        values = instance.values(sets)
        place = int(values.argmax())
        if best is None or values[place] > best[0]:
            best = int(values[place]), tuple(sorted(sets[place].tolist()))
    return best


def _among_the_best(
    instance: WideInstance, start: Start, expired: Callable[[], bool]
) -> tuple[int, tuple[int, ...]] | None:
    """Search the sets of the features of the largest linear weights; return the start if it is better."""
    order, at_once = instance.in_order(), isqrt(instance.redundancies.entries_at_once)
    most = min(MOST_FEATURES, len(order), max(at_once, FEWEST_PER_MEMBER * instance.k))
    found = None
    if most >= instance.k:
        best = instance.among(order).in_memory(most)
        found = swap_search(best, replace(start, first=None), expired=expired)
    known = [] if found is None else [(found[0], tuple(sorted(order[list(found[1])].tolist())))]
    if start.first is not None:
        first = np.array(sorted(start.first), np.intp)
        known.append((instance.value(first), tuple(first.tolist())))
    return max(known, default=None)


def _random_sets(instance: PairInstance, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Return feasible sets, fewer where random choices lead nowhere."""
    allowed = np.broadcast_to(instance.allowed, (count, instance.n_features)).copy()
    sets = np.empty((count, 0), np.int64)
    while len(sets) and sets.shape[1] < instance.k:
        keys = rng.random(allowed.shape)
        chosen = np.where(allowed, keys, -np.inf).argmax(axis=1)
        able = allowed[np.arange(len(sets)), chosen]
        sets = np.column_stack([sets, chosen])[able]
        allowed, chosen = allowed[able], chosen[able]
        allowed[np.arange(len(sets)), chosen] = False
        allowed &= ~instance.conflicts[chosen]
        if len(instance.previous):
            full = instance.shared(sets) >= instance.limits
            allowed[full @ instance.previous] = False
    return sets


def _climb(instance: PairInstance, sets: NDArray[np.int64]) -> None:
    """Improve each set by the best swap until none helps, in place."""
    active = np.arange(len(sets))
    while len(active):
        gain, place, new = _best_swaps(instance, sets[active])
        active, place, new = active[gain > 0], place[gain > 0], new[gain > 0]
        sets[active, place] = new


def _best_swaps(
    instance: PairInstance, sets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return for each set the largest gain of a feasible swap, the place of what leaves, and what comes."""
    everyone = np.arange(len(sets))
    with_set = instance.pairwise[sets].sum(axis=1)
    blocking = instance.conflicts[sets].sum(axis=1)
    shared = instance.shared(sets)
    gains, places, features = (np.zeros(len(sets), np.int64) for _ in range(3))
    for place in range(sets.shape[1]):
        leaving = sets[:, place]
        change = instance.linear - with_set + instance.pairwise[leaving]
        change -= (instance.linear[leaving] - with_set[everyone, leaving])[:, None]
        possible = blocking == instance.conflicts[leaving]
        full = shared - instance.previous[:, leaving].T >= instance.limits
        if full.any():
            possible &= ~(full @ instance.previous)
        np.put_along_axis(possible, sets, values=False, axis=1)
        change[~possible] = 0
        coming = change.argmax(axis=1)
        gain = change[everyone, coming]
        better = gain > gains
        gains[better], places[better], features[better] = gain[better], place, coming[better]
    return gains, places, features
