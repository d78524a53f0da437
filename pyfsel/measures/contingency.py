"""Mutual information of binned columns, for all pairs at once through products of one-hot tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.arrays import Array, Floats, Ints
from pyfsel.measures.streams.lanes import Lanes

BLOCK_WIDTH = 2048
"""Columns of a one-hot table, 32 MB in single precision with all its rows."""
BLOCK_ROWS = MANY_ROWS = 4096
"""Sums of so many ones are exact in single precision, whose products are twice as fast. Pairs of as many rows
are counted by lanes in less time."""


def entropies(codes: Ints | Lanes, weights: Floats | None = None) -> Floats:
    """Return the entropy of each column in nats, shape (n_features,)."""
    total = len(codes) if weights is None else weights.sum()
    sums = np.array([x_log_x(counts).sum() for counts in counts_of_levels(codes, weights)])
    return np.asarray(np.log(total) - sums / total)


def counts_of_levels(codes: Ints | Lanes, weights: Floats | None = None) -> list[Array]:
    """Return how often each level of each column occurs, or the sums of weights."""
    return [np.bincount(codes[:, j], weights) for j in range(codes.shape[1])]


def joint_entropies(
    codes: Ints | Lanes,
    others: Ints | None = None,
    weights: Floats | None = None,
) -> Floats:
    """Return the entropy of every pair of columns in nats.

    Counts come block by block: beyond the codes and the result, about 150 MB whatever the size of the table
    (more if one column has over 2048 different values), or of many rows the levels in bytes.

    Parameters
    ----------
    codes : array of int, shape (n_rows, n), or lanes
        Each column holds the codes 0 … its largest, all of which occur.
    others : array of int, shape (n_rows, n_others), optional
        The second members of the pairs; `codes` itself if not given (then each pair is computed once).
    weights : array of float, shape (n_rows,), optional
        How much each row counts.

    Returns
    -------
    array of float, shape (n, n_others)
    """
    known = x_log_x(np.arange(len(codes) + 1))
    total = len(codes) if weights is None else weights.sum()
    n, symmetric = codes.shape[1], others is None
    first = 0 if symmetric else n
    rows_of = counted_rows(codes if others is None else np.hstack([codes[:, :], others]), weights)
    sizes, second = rows_of.sizes[:n], rows_of.sizes[first:]
    result = np.empty((n, len(second)))
    for rows in _blocks(sizes):
        for cols in _blocks(second):
            if symmetric and cols.start < rows.start:
                result[rows, cols] = result[cols, rows].T
                continue
            numbers = range(first + cols.start, first + cols.stop)
            if symmetric and rows == cols:
                counts = rows_of.count(numbers)
                counts = np.maximum(counts, counts.T)
            else:
                counts = rows_of.count(numbers, range(rows.start, rows.stop))
            logs = known[counts] if weights is None else x_log_x(counts)
            sums = np.add.reduceat(logs, first_levels(second[cols]), axis=1)
            joint = np.add.reduceat(sums, first_levels(sizes[rows]), axis=0)
            result[rows, cols] = np.log(total) - joint / total
    return (result + result.T) / 2 if symmetric else result


def x_log_x(counts: Array) -> Floats:
    """Return c · ln c of counts, or of sums of weights, 0 for 0."""
    return np.asarray(counts * np.log(np.where(counts > 0, counts, 1)))


def _blocks(sizes: Ints) -> Iterator[slice]:
    """Cut the columns into runs whose one-hot tables are at most `BLOCK_WIDTH` wide (one column at least)."""
    start, width = 0, 0
    for j, size in enumerate(sizes):
        if j > start and width + size > BLOCK_WIDTH:
            yield slice(start, j)
            start, width = j, 0
        width += size
    yield slice(start, len(sizes))


def level_counts(codes: Ints | Lanes) -> Ints:
    """Return the number of levels of each column of codes, all of which occur."""
    return codes.sizes if isinstance(codes, Lanes) else np.asarray(codes.max(axis=0).astype(np.int64) + 1)


def first_levels(sizes: Ints) -> Ints:
    """Return the number of the first level of each column, if those of all are numbered one after another."""
    return np.asarray(np.cumsum(sizes) - sizes, dtype=np.intp)


def counted_rows(codes: Ints | Lanes, weights: Floats | None = None) -> Codes | Lanes:
    """Return who counts pairs of columns of codes: many rows go the way of those that are read in parts."""
    if isinstance(codes, Lanes):
        return codes if weights is None else Codes(codes[:, :], weights)
    if weights is None and len(codes) >= MANY_ROWS:
        return Lanes.of(len(codes), [np.ascontiguousarray(codes.T)])
    return Codes(codes, weights)


class Codes:
    """Counts the levels of rows in memory as `Lanes` does, by products of one-hot tables.

    Parameters
    ----------
    codes : array of int, shape (n_rows, n_columns)
    weights : array of float, shape (n_rows,), optional
        How much each row counts.
    """

    def __init__(self, codes: Ints, weights: Floats | None = None) -> None:
        self._codes, self._weights, self.sizes = codes, weights, level_counts(codes)

    def count(self, columns: Sequence[int], asked: Sequence[int] | None = None) -> Array:
        """Return how often levels of the columns that are asked for occur with those of some columns."""
        rows, places = (
            [self._codes[:, np.asarray(some)[block]] for block in _blocks(self.sizes[list(some)])]
            for some in (columns if asked is None else asked, columns)
        )
        return np.vstack([np.hstack([self._pairs(each, other) for other in places]) for each in rows])

    def _pairs(self, first: Ints, second: Ints) -> Array:
        """Return how often each level of a column occurs with each one of another."""
        sizes, other_sizes, weights = level_counts(first), level_counts(second), self._weights
        starts, other_starts = first_levels(sizes), first_levels(other_sizes)
        width, other_width = int(sizes.sum()), int(other_sizes.sum())
        counts: Array = np.zeros((width, other_width), np.intp if weights is None else np.float64)
        for begin in range(0, len(first), BLOCK_ROWS):
            chunk = slice(begin, begin + BLOCK_ROWS)
            left = _one_hot(first[chunk] + starts, width)
            right = _one_hot(second[chunk] + other_starts, other_width)
            if weights is None:
                counts += (left.T @ right).astype(np.intp)
            else:
                counts += (left * weights[chunk, None]).T @ right
        return counts


def _one_hot(positions: Ints, width: int) -> NDArray[np.float32]:
    """Return 0/1 floats; counts up to `BLOCK_ROWS` are exact in single precision."""
    table = np.zeros((len(positions), width), dtype=np.float32)
    np.put_along_axis(table, positions, 1.0, axis=1)
    return table
