"""Good sets to start from: steepest descent by flips and swaps from many random sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np

from pyfsel.algorithms.graph_score.instance import Instance
from pyfsel.core.binding import Bools, Ints, in_core

MOVES_TIMES_PAIRS = 10**7
"""A call of compiled code ends after some milliseconds, so that an interrupt is seen."""


def descend(linear: Ints, pairwise: Ints, chosen: Bools, fewest: int) -> int:
    """Improve a set in place by the best flip, or else swap, while there is one; return its score.

    Parameters
    ----------
    linear, pairwise
        As in `Instance`, without the constant.
    chosen : array of bool, shape (n,)
    fewest : int
        The set never gets smaller than this.
    """
    gains = linear + pairwise[chosen].sum(axis=0)
    while not move_down(gains, pairwise, chosen, fewest, 1 + MOVES_TIMES_PAIRS // max(1, pairwise.size)):
        continue
    pairs_twice = int((gains - linear)[chosen].sum())
    return int(linear[chosen].sum()) + pairs_twice // 2


@in_core
def move_down(
    gains: Annotated[Ints, "n"],
    pairwise: Annotated[Ints, "n", "n"],
    chosen: Annotated[Bools, "n"],
    fewest: int,
    most_moves: int,
) -> bool:
    """Take so many steps of `descend`, and keep the gains up to date; return whether there are no more."""


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
