"""How much features can add to a set: the weight of each pair split between its two features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STALLS_BEFORE_SHORTER_STEP = 10
STEP_FACTOR = 0.6
SMALLEST_STEP = 1e-4


def reaches(parts: NDArray[np.int64], set_size: int, share: int = 1) -> NDArray[np.int64]:
    """Return the most that features add besides their weight with T, for each number of missing ones.

    If r features are missing, one of them gets its part of the pairs with the r − 1 others: at most the r − 1
    largest entries of its row.

    Parameters
    ----------
    parts : array of shape (n, n)
        What each feature (row) gets of its pair with another; the diagonal does not count.
    set_size : int
    share : int
        By what the sums of parts are divided, and rounded up: 2 if the parts are the weights themselves.

    Returns
    -------
    array of shape (set_size + 1, n)
    """
    n, count = len(parts), set_size - 1
    others = parts.copy()
    np.fill_diagonal(others, np.iinfo(np.int64).min)
    if count < n:
        others = np.partition(others, n - count, axis=1)[:, n - count :]
    table = np.zeros((set_size + 1, n), np.int64)
    np.cumsum(np.sort(others, axis=1)[:, ::-1].T, axis=0, out=table[2:])
    return -(-table // share)


def better_split(edges: NDArray[np.int64], set_size: int, target: int, iterations: int) -> NDArray[np.int64]:
    """Return parts for which the sum of the k largest reaches of k features is small.

    Subgradient steps (Lagrangian decomposition; the split is the vector of multipliers) from halves on: where
    a feature of the k best counts on a partner that does not count on it in turn, it gets less of that pair.
    The steps are in floating point, the parts that are returned are integers that add up to the weights.
    """
    n, count = len(edges), set_size - 1
    half = edges / 2
    np.fill_diagonal(half, -np.inf)
    moved, best = np.zeros((n, n)), np.zeros((n, n))
    lowest, step, stalls = np.inf, 1.0, 0
    for _ in range(iterations):
        gets = half + moved
        partners = np.argpartition(gets, n - count, axis=1)[:, n - count :]
        reach = np.take_along_axis(gets, partners, axis=1).sum(axis=1)
        chosen = np.argpartition(reach, n - set_size)[n - set_size :]
        bound = reach[chosen].sum()
        if bound < lowest:
            lowest, stalls = bound, 0
            best[:] = moved
        else:
            stalls += 1
        if stalls >= STALLS_BEFORE_SHORTER_STEP:
            step, stalls = step * STEP_FACTOR, 0
        counts_on = np.zeros((n, n))
        counts_on[chosen[:, None], partners[chosen]] = 1
        direction = counts_on - counts_on.T
        size = (direction**2).sum() / 2
        if size == 0 or bound < target or step < SMALLEST_STEP:
            break
        moved -= step * (bound - target + 1) / size * direction
    largest = 4 * int(np.abs(edges).max(initial=0))
    parts: NDArray[np.int64] = edges // 2 + np.rint(np.clip(best, -largest, largest)).astype(np.int64)
    lower = np.tri(n, dtype=np.bool_)
    return np.where(lower, parts, edges - parts.T)
