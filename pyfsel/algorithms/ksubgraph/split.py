"""How much features can add to a set: the weight of each pair split between its two features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Steps of the split, by trial; whichever split they lead to gives a valid bound.
STALLS_BEFORE_SHORTER_STEP = 10  # steps that have not lowered the bound
STEP_FACTOR = 0.6
SMALLEST_STEP = 1e-4  # of the first one
NEVER = -(2**62)
LARGEST_PART = 2**58  # of all parts of a set together, as `instance.LARGEST_WEIGHT`
ROWS_AT_ONCE = 256  # of the matrix of pairs, which is copied so many rows at a time
TIE = 2.0**-20
"""Orders equal parts, of each pair alike for both features: so more of them count on each other."""


def halves(edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the parts that give half of each weight to either feature, odd ones one more to one of them."""
    half: NDArray[np.int64] = edges // 2
    return np.where(np.tri(len(edges), dtype=np.bool_), half, edges - half)


def reaches(
    parts: NDArray[np.int64], set_size: int, apart: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """Return the most that features add besides their weight with T, for each number of missing ones.

    If r features are missing, one of them gets its part of the pairs with the r − 1 others: at most the r − 1
    largest entries of its row.

    Parameters
    ----------
    parts : array of shape (n, n)
        What each feature (row) gets of its pair with another; the diagonal does not count.
    set_size : int
    apart : array of bool, shape (n, n), optional
        Pairs that no set that is looked for holds, and the diagonal. Without it the parts are not parts, but
        the weights, of which each feature gets half, rounded up.

    Returns
    -------
    array of shape (set_size + 1, n)
        `NEVER` where a feature has not so many partners.
    """
    n, count = len(parts), set_size - 1
    least = NEVER // max(1, count)  # so that no sum of `count` of them leaves 64 bits
    table = np.zeros((set_size + 1, n), np.int64)
    for first in range(0, n, ROWS_AT_ONCE):
        rows = np.arange(first, min(n, first + ROWS_AT_ONCE))
        others = parts[rows] if apart is None else np.where(apart[rows], least, parts[rows])
        others[np.arange(len(rows)), rows] = least
        if count < n:
            others = np.partition(others, n - count, axis=1)[:, n - count :]
        np.cumsum(np.sort(others, axis=1)[:, ::-1].T, axis=0, out=table[2:, rows[0] : rows[-1] + 1])
    if apart is None:
        table = -(-table // 2)
    return np.where(table < least // 2, NEVER, table)


def hopeless_pairs(
    parts: NDArray[np.int64],
    apart: NDArray[np.bool_],
    reach: NDArray[np.int64],
    set_size: int,
    target: int,
) -> NDArray[np.bool_]:
    """Return the pairs, shape (n, n), that no set of weight `target` holds.

    If a feature has to count on another one, it loses the difference between the least part that it counts on
    and the part of that pair, if there is one; the other k − 2 features are worth at most the k − 2 largest
    reaches besides the two.

    Parameters
    ----------
    parts : array of shape (n, n)
    apart : array of bool, shape (n, n)
        Pairs that are known to be hopeless, and the diagonal.
    reach : array of shape (n,)
        `reaches` for k missing features, none of them `NEVER`.
    set_size : int
    target : int
    """
    n, k = len(parts), set_size
    others = np.where(apart, NEVER, parts)
    least = np.partition(others, n - k + 1, axis=1)[:, n - k + 1]
    with_other = reach[:, None] - np.maximum(0, least[:, None] - parts)
    rank = np.empty(n, np.int64)
    rank[np.argsort(-reach, kind="stable")] = np.arange(n)
    sums = np.concatenate([[0], np.cumsum(-np.sort(-reach))])
    first, last = np.minimum(rank[:, None], rank), np.maximum(rank[:, None], rank)
    better = np.maximum(reach[:, None], reach)
    rest = np.where(
        last < k - 1,
        sums[k] - reach[:, None] - reach,
        np.where(first < k - 2, sums[k - 1] - better, sums[k - 2]),
    )
    hopeless: NDArray[np.bool_] = rest + with_other + with_other.T < target
    return hopeless


def better_split(
    parts: NDArray[np.int64], apart: NDArray[np.bool_], set_size: int, target: int, steps: int
) -> NDArray[np.int64]:
    """Return parts for which the sum of the k largest reaches of k features is smaller.

    Subgradient steps (Lagrangian decomposition; the split is the vector of multipliers): where a feature of
    the k best counts on a partner that does not count on it in turn, it gets less of that pair. The steps are
    in floating point, the parts that are returned are integers that add up to the weights.
    """
    n = len(parts)
    start = np.where(apart, -np.inf, parts + TIE * (np.add.outer(np.arange(n), np.arange(n)) % n))
    gets = best = start
    lowest, step, stalls = np.inf, 1.0, 0
    for _ in range(steps):
        partners = largest_of_rows(gets, set_size - 1)
        reach = _sum(np.where(partners, gets, 0.0))
        chosen = largest_of_rows(reach, set_size)
        bound = float(_sum(reach[chosen]))
        if bound < lowest:
            lowest, stalls, best = bound, 0, gets
        else:
            stalls += 1
        if stalls >= STALLS_BEFORE_SHORTER_STEP:
            step, stalls = step * STEP_FACTOR, 0
        counts_on = partners & chosen[:, None]
        rows, columns = np.nonzero(counts_on & ~counts_on.T)
        if len(rows) == 0 or bound < target or step < SMALLEST_STEP:
            break
        move, gets = step * (bound - target + 1) / len(rows), gets.copy()
        gets[rows, columns] -= move
        gets[columns, rows] += move
    largest = LARGEST_PART // set_size**2
    below = np.tri(n, k=-1, dtype=np.bool_) & ~apart
    moved = np.clip(np.subtract(best, start, out=np.zeros((n, n)), where=below), -largest, largest)
    moves = np.rint(moved - moved.T).astype(np.int64)
    good = np.abs(parts + moves) <= largest
    moved_parts: NDArray[np.int64] = parts + np.where(good & good.T, moves, 0)
    return moved_parts


def largest_of_rows(values: NDArray[np.float64], count: int) -> NDArray[np.bool_]:
    """Return which values of each row are the largest ones, so many; of equal ones the first."""
    least = np.partition(values, -count, axis=-1)[..., [-count]]
    largest = values >= least
    if np.count_nonzero(largest) > count * (values.size // values.shape[-1]):
        equal = values == least
        missing = count - np.count_nonzero(largest & ~equal, axis=-1, keepdims=True)
        largest &= ~equal | (np.cumsum(equal, axis=-1) <= missing)
    return largest


def _sum(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each row, added from left to right: the same on every machine."""
    return np.asarray(np.cumsum(values, axis=-1)[..., -1])
