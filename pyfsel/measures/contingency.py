"""Mutual information of binned columns, for all pairs at once through products of one-hot tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.measures.levels import together
from pyfsel.measures.streams.lanes import Lanes
from pyfsel.measures.tables.encoded import FEW_VALUES, hold, listed, warn
from pyfsel.measures.tables.entries import distinct_counts, places_of
from pyfsel.measures.tables.table import Columns

BLOCK_WIDTH = 2048
"""Columns of a one-hot table, 32 MB in single precision with all its rows."""
BLOCK_ROWS = MANY_ROWS = 4096
"""Sums of so many ones are exact in single precision, whose products are twice as fast. Pairs of as many rows
are counted by lanes in less time."""


def bin_columns(
    columns: Columns, n_bins: int, weights: NDArray[np.float64] | None = None
) -> NDArray[np.unsignedinteger[Any]] | Lanes:
    """Return codes from 0: discrete columns keep their values, the others get quantile bins.

    Parameters
    ----------
    columns : Columns
    n_bins : int
        Continuous columns of at most this many different values keep them too.
    weights : array of float, shape (n_rows,), optional
        The bins are those of the rows repeated as often as their weights say, if these are whole numbers;
        others count relative to their mean.

    Returns
    -------
    array of int, shape (n_rows, n_features), or lanes of a table that is read in parts
    """
    if isinstance(n_bins, bool) or not isinstance(n_bins, (int, np.integer)) or n_bins < 2:
        raise InputError(f"n_bins={n_bins!r}: must be an integer of at least 2")

    def codes_of(j: int) -> NDArray[np.integer[Any]]:
        if columns.coded is not None and columns.is_discrete[j]:
            known: NDArray[np.integer[Any]] = columns.coded[:, j]  # its values, not read again
            return known
        return _bin(columns.column(j), n_bins, bool(columns.is_discrete[j]), weights)

    each = map(codes_of, range(columns.n_features))
    return together(columns, (codes.astype(np.min_scalar_type(codes.max()))[None, :] for codes in each))


def value_codes(columns: Columns, n_bins: int | None = None) -> NDArray[np.intp]:
    """Return codes from 0 of the values of each column, in bins if a number of them is given."""
    if n_bins is not None:
        return bin_columns(columns, n_bins)[:, :].astype(np.intp)
    each = (columns.column(j) for j in range(columns.n_features))
    codes = np.column_stack([np.unique(values, return_inverse=True)[1].ravel() for values in each])
    differ = ~columns.is_discrete & (2 * codes.max(axis=0) > len(codes))
    if differ.any() and len(codes) > FEW_VALUES:
        warn(
            f"X: {listed(columns.feature_names, differ)} {hold(differ)} numbers of which most differ, and "
            "they are compared exactly: one alone tells apart most rows, whatever the target is; give "
            "n_bins (--bins on the command line)"
        )
    return codes if columns.gaps is None else np.where(columns.gaps, codes.max(axis=0) + 1, codes)


def bin_values(
    values: NDArray[np.float64], n_bins: int, weights: NDArray[np.float64] | None = None
) -> NDArray[np.intp]:
    """Return quantile-bin codes of one continuous column (or of a regression target)."""
    return _bin(values, n_bins, False, weights)


def _bin(
    values: NDArray[np.float64], n_bins: int, keep: bool, weights: NDArray[np.float64] | None
) -> NDArray[np.intp]:
    distinct = distinct_counts(values)[0]
    counted = distinct if weights is None else np.unique(values[weights > 0])
    if keep or len(counted) <= n_bins:
        return places_of(values, distinct[1:])
    codes = places_of(values, _quantiles(values, np.arange(1, n_bins) / n_bins, weights))
    return np.asarray((np.cumsum(np.bincount(codes) > 0) - 1)[codes])


def _quantiles(
    values: NDArray[np.float64], shares: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return quantiles as `numpy.quantile` does, of rows repeated as often as their weights say."""
    if weights is None:
        return np.quantile(values, shares)
    if (weights % 1).any():
        weights = weights / weights[weights > 0].mean()
    order = np.argsort(values)
    ends = np.cumsum(weights[order])
    places = shares * (ends[-1] - 1)
    rows = np.searchsorted(ends, [np.floor(places), np.floor(places) + 1], side="right")
    low, high = values[order[np.minimum(rows, len(values) - 1)]]
    return np.asarray(low + (high - low) * (places % 1))


def entropies(
    codes: NDArray[np.integer[Any]] | Lanes, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the entropy of each column in nats, shape (n_features,)."""
    total = len(codes) if weights is None else weights.sum()
    sums = np.array([x_log_x(counts).sum() for counts in counts_of_levels(codes, weights)])
    return np.asarray(np.log(total) - sums / total)


def counts_of_levels(
    codes: NDArray[np.integer[Any]] | Lanes, weights: NDArray[np.float64] | None = None
) -> list[NDArray[Any]]:
    """Return how often each level of each column occurs, or the sums of weights."""
    return [np.bincount(codes[:, j], weights) for j in range(codes.shape[1])]


def joint_entropies(
    codes: NDArray[np.integer[Any]] | Lanes,
    others: NDArray[np.integer[Any]] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
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


def x_log_x(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return c · ln c of counts, or of sums of weights, 0 for 0."""
    return np.asarray(counts * np.log(np.where(counts > 0, counts, 1)))


def _blocks(sizes: NDArray[np.integer[Any]]) -> Iterator[slice]:
    """Cut the columns into runs whose one-hot tables are at most `BLOCK_WIDTH` wide (one column at least)."""
    start, width = 0, 0
    for j, size in enumerate(sizes):
        if j > start and width + size > BLOCK_WIDTH:
            yield slice(start, j)
            start, width = j, 0
        width += size
    yield slice(start, len(sizes))


def level_counts(codes: NDArray[np.integer[Any]] | Lanes) -> NDArray[np.int64]:
    """Return the number of levels of each column of codes, all of which occur."""
    return codes.sizes if isinstance(codes, Lanes) else np.asarray(codes.max(axis=0).astype(np.int64) + 1)


def first_levels(sizes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Return the number of the first level of each column, if those of all are numbered one after another."""
    return np.asarray(np.cumsum(sizes) - sizes, dtype=np.intp)


def counted_rows(
    codes: NDArray[np.integer[Any]] | Lanes, weights: NDArray[np.float64] | None = None
) -> Codes | Lanes:
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

    def __init__(self, codes: NDArray[np.integer[Any]], weights: NDArray[np.float64] | None = None) -> None:
        self._codes, self._weights, self.sizes = codes, weights, level_counts(codes)

    def count(self, columns: Sequence[int], asked: Sequence[int] | None = None) -> NDArray[Any]:
        """Return how often levels of the columns that are asked for occur with those of some columns."""
        rows, places = (
            [self._codes[:, np.asarray(some)[block]] for block in _blocks(self.sizes[list(some)])]
            for some in (columns if asked is None else asked, columns)
        )
        return np.vstack([np.hstack([self._pairs(each, other) for other in places]) for each in rows])

    def _pairs(self, first: NDArray[np.integer[Any]], second: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """Return how often each level of a column occurs with each one of another."""
        sizes, other_sizes, weights = level_counts(first), level_counts(second), self._weights
        starts, other_starts = first_levels(sizes), first_levels(other_sizes)
        width, other_width = int(sizes.sum()), int(other_sizes.sum())
        counts: NDArray[Any] = np.zeros((width, other_width), np.intp if weights is None else np.float64)
        for begin in range(0, len(first), BLOCK_ROWS):
            chunk = slice(begin, begin + BLOCK_ROWS)
            left = _one_hot(first[chunk] + starts, width)
            right = _one_hot(second[chunk] + other_starts, other_width)
            if weights is None:
                counts += (left.T @ right).astype(np.intp)
            else:
                counts += (left * weights[chunk, None]).T @ right
        return counts


def _one_hot(positions: NDArray[np.integer[Any]], width: int) -> NDArray[np.float32]:
    """Return 0/1 floats; counts up to `BLOCK_ROWS` are exact in single precision."""
    table = np.zeros((len(positions), width), dtype=np.float32)
    np.put_along_axis(table, positions, 1.0, axis=1)
    return table
