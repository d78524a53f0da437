"""Good sets to start from: steepest descent by flips and swaps from many random sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.algorithms.graph_score.instance import Instance


@compiled
def descend(
    linear: NDArray[np.int64], pairwise: NDArray[np.int64], chosen: NDArray[np.bool_], fewest: int
) -> int:
    """Improve a set in place by the best flip, or else swap, while there is one; return its score.

    Parameters
    ----------
    linear, pairwise
        As in `Instance`, without the constant.
    chosen : array of bool, shape (n,)
    fewest : int
        The set never gets smaller than this.
    """
    n = len(linear)
    gains = linear.copy()
    score = 0
    size = 0
    for i in range(n):
        if chosen[i]:
            score += gains[i]
            gains += pairwise[i]
            size += 1
    while True:
        best, leave, enter = 0, -1, -1
        for i in range(n):
            if not chosen[i] and gains[i] < best:
                best, leave, enter = gains[i], -1, i
            elif chosen[i] and size > fewest and -gains[i] < best:
                best, leave, enter = -gains[i], i, -1
        if best == 0:
            for i in range(n):
                for j in range(n):
                    swap = gains[j] - gains[i] - pairwise[i, j]
                    if chosen[i] and not chosen[j] and swap < best:
                        best, leave, enter = swap, i, j
        if best == 0:
            return score
        score += best
        if leave >= 0:
            chosen[leave] = False
            gains -= pairwise[leave]
            size -= 1
        if enter >= 0:
            chosen[enter] = True
            gains += pairwise[enter]
            size += 1


def multistart(
    instance: Instance,
    starts: int,
    random_state: int = 0,
    *,
    first: tuple[int, ...] | None = None,
    expired: Callable[[], bool] = lambda: False,
) -> tuple[int, tuple[int, ...]]:
    """Return the lowest score found, and its set, which is not empty.

    Parameters
    ----------
    instance : Instance
        With all features free.
    starts : int
        Number of random sets; the best single feature is tried besides.
    random_state : int
    first : tuple of int, optional
        A set to begin with.
    expired : callable
        Asked after every start; the search ends when it returns True.
    """
    rng = np.random.default_rng(random_state)
    n = len(instance.free)
    begin = [np.arange(n) == instance.linear.argmin()]
    if first is not None:
        begin.append(np.isin(np.arange(n), first))
    begin += [rng.random(n) < density for density in rng.random(starts)]
    best: tuple[int, tuple[int, ...]] | None = None
    for chosen in begin:
        if not chosen.any():
            chosen[rng.integers(n)] = True
        score = descend(instance.linear, instance.pairwise, chosen, 1)
        found = (int(score) + instance.constant, instance.features_of(chosen))
        best = found if best is None else min(best, found)
        if expired():
            break
    assert best is not None
    return best
