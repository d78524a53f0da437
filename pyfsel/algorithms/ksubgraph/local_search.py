"""Good sets without proof: random starts, each improved by swaps until none helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from pyfsel.algorithms.ksubgraph.instance import Instance

STARTS_PER_FEATURE = 4
LARGEST_NUMBER_OF_STARTS = 200


def swap_search(
    instance: Instance,
    random_state: int = 0,
    *,
    starts: int | None = None,
    first: Iterable[int] | None = None,
    expired: Callable[[], bool] = lambda: False,
) -> tuple[int, tuple[int, ...]] | None:
    """Return the value and the members of the best set found, or None if no start was feasible.

    Parameters
    ----------
    instance : Instance
    random_state : int
    starts : int
        Number of random starts; 4 per feature, at most 200, if not given.
    first : iterable of int, optional
        A feasible set to start from before the random ones.
    expired : callable
        Asked between the starts.
    """
    if starts is None:
        starts = min(LARGEST_NUMBER_OF_STARTS, STARTS_PER_FEATURE * instance.n_features)
    rng = np.random.default_rng(random_state)
    best: tuple[int, tuple[int, ...]] | None = None
    for start in range(starts + 1):
        if start > 0 and expired():
            break
        inside = _random_set(instance, rng) if start > 0 else _mask(instance, first)
        if inside is None:
            continue
        _climb(instance, inside)
        members = np.flatnonzero(inside)
        value = int(instance.values(members[None, :])[0])
        if best is None or value > best[0]:
            best = value, tuple(members.tolist())
    return best


def _mask(instance: Instance, members: Iterable[int] | None) -> NDArray[np.bool_] | None:
    if members is None:
        return None
    inside = np.zeros(instance.n_features, np.bool_)
    inside[list(members)] = True
    return inside


def _random_set(instance: Instance, rng: np.random.Generator) -> NDArray[np.bool_] | None:
    inside = np.zeros(instance.n_features, np.bool_)
    allowed = instance.allowed
    for _ in range(instance.set_size):
        candidates = np.flatnonzero(allowed)
        if len(candidates) == 0:
            return None
        feature = rng.choice(candidates)
        inside[feature] = True
        allowed[feature] = False
        full = (instance.previous & inside).sum(axis=1) >= instance.limits
        allowed &= ~instance.conflicts[feature] & ~instance.previous[full].any(axis=0)
    return inside


def _climb(instance: Instance, inside: NDArray[np.bool_]) -> None:
    gain = instance.linear - instance.pairwise @ inside
    while True:
        members, others = np.flatnonzero(inside), np.flatnonzero(~inside)
        if len(others) == 0:
            return
        change = gain[others][:, None] - gain[members][None, :] + instance.pairwise[np.ix_(others, members)]
        change = np.where(_swappable(instance, inside, members, others), change, 0)
        row, column = np.unravel_index(change.argmax(), change.shape)
        if change[row, column] <= 0:
            return
        out, new = members[column], others[row]
        inside[out], inside[new] = False, True
        gain += instance.pairwise[:, out] - instance.pairwise[:, new]


def _swappable(
    instance: Instance, inside: NDArray[np.bool_], members: NDArray[np.intp], others: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Return which swaps (others × members) keep the set feasible."""
    clashes = instance.conflicts[np.ix_(others, members)]
    possible: NDArray[np.bool_] = clashes.sum(axis=1)[:, None] - clashes == 0
    for previous, limit in zip(instance.previous, instance.limits, strict=True):
        after = (previous & inside).sum() + previous[others][:, None].astype(int) - previous[members]
        possible &= after <= limit
    return possible
