"""The bound of a node by how many of its sets hold each feature, by column generation over listed sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.columns.by_uses.master import UseMaster
from pyfsel.algorithms.columns.by_uses.prices import UseBound
from pyfsel.algorithms.columns.by_uses.ranges import UseRanges

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_NEW = 50
NEAREST = 20_000
CLOSE = 0.02
MOST_STALLED = 3


def relaxed(
    master: UseMaster,
    members: NDArray[np.int32],
    ranges: UseRanges,
    goal: int,
    check_time: Callable[[], None],
) -> tuple[NDArray[np.int32], UseBound | None] | None:
    """Return the sets that solutions can consist of, and a bound; None if no solution reaches the goal.

    Columns are priced among the sets nearest to being worth it, and only if there are none among all, which
    gives a bound. Rows are added when the columns are nearly complete, as long as that lowers the bound.
    The bound is None if the linear solver fails at once.

    Parameters
    ----------
    master : UseMaster
        Which keeps its columns and rows.
    members : array of shape (m, set_size)
        All sets that a solution within the ranges can consist of.
    ranges : UseRanges
    goal : int
        The least sum of values.
    check_time : callable
        Raises an error when time is up.
    """
    master.restrict(ranges)
    best: UseBound | None = None
    near = members[:0]
    before, stalled = None, 0
    while stalled < MOST_STALLED:
        check_time()
        prices = master.solve()
        if prices is None:
            break
        if master.add_sets(near[_heaviest(prices.weights(near), master.level)]):
            continue
        bound = prices.bounded(ranges, prices.weights(members))
        if bound.value < goal:
            return None
        weights = bound.weights
        if best is None or bound.value < best.value:
            kept = bound.worth_keeping(goal)
            members, weights = members[kept], weights[kept]
            best = bound._replace(weights=weights)
        near = members[_nearest(weights)]
        added = master.add_sets(members[_heaviest(weights, master.level)])
        close = CLOSE * (best.value - goal)
        if added and ranges.n_sets * (bound.heaviest - master.level) > close:
            continue
        if not master.separate():
            break
        stalled = stalled + 1 if before is not None and before - best.value < close else 0
        before = best.value
    return members, best


def _heaviest(weights: NDArray[np.int64], level: int) -> NDArray[np.intp]:
    """Return which sets weigh more than that, the heaviest ones if there are many."""
    above = np.flatnonzero(weights > level + 1)
    if len(above) > MOST_NEW:
        above = above[np.argpartition(-weights[above], MOST_NEW)[:MOST_NEW]]
    return above


def _nearest(weights: NDArray[np.int64]) -> NDArray[np.intp]:
    if len(weights) <= NEAREST:
        return np.arange(len(weights))
    return np.argpartition(-weights, NEAREST)[:NEAREST]
