"""Levels of columns: categories and few values as they are, other numbers in bins, a gap apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.streams.lanes import Lanes
from pyfsel.measures.tables.entries import (
    columns_as_rows,
    distinct_counts,
    places_of,
    present,
    stored_entries,
)
from pyfsel.measures.tables.table import Columns
from pyfsel.problem.checks import integer_in

LevelCodes = NDArray[np.unsignedinteger[Any]]

FEWEST_BINS, MOST_BINS = 3, 10
ENTRIES_AT_ONCE = 2**18
"""Block size, which fits into the cache of a processor."""
MANY_ROWS = 2**16
"""From these on the values of a column are sorted by themselves, without their rows."""


def default_bins(n_rows: int) -> int:
    """Return how many bins so many rows fill: their cube root, from 3 to 10.

    Examples
    --------
    >>> [default_bins(n) for n in (10, 216, 100_000)]
    [3, 6, 10]
    """
    return int(np.clip(round(n_rows ** (1 / 3)), FEWEST_BINS, MOST_BINS))


def level_codes(columns: Columns, n_bins: int | None = None) -> LevelCodes | Lanes:
    """Return codes of the levels of each column, shape (n_rows, n_features); all from 0 to the largest occur.

    Their type is the smallest one, a byte mostly. Those of a table that is read in parts lie in a file.

    Parameters
    ----------
    columns : Columns
        Discrete ones keep their values, and so do those of at most `n_bins` different values.
    n_bins : int, optional
        From 2; otherwise `default_bins`.
    """
    if columns.coded is not None and n_bins is None:
        lanes: Lanes = columns.coded
        return lanes
    return together(columns, _blocks(columns, _checked_bins(n_bins, columns.X.shape[0])))


def together(columns: Columns, blocks: Iterable[LevelCodes]) -> LevelCodes | Lanes:
    """Return the codes of all columns; blocks are of some, shape (n_some, n_rows)."""
    if columns.coded is not None:
        return Lanes.of(columns.X.shape[0], blocks)
    return np.concatenate(list(blocks)).T


def _blocks(columns: Columns, n_bins: int) -> Iterator[LevelCodes]:
    n, at_once = columns.n_features, max(1, ENTRIES_AT_ONCE // columns.X.shape[0])
    if hasattr(columns.X, "indptr"):
        for j in range(n):
            yield _of_stored(columns, j, n_bins)[None, :]
        return
    for some in (slice(first, first + at_once) for first in range(0, n, at_once)):
        values = columns_as_rows(columns.X, some)
        if columns.gaps is not None:
            values[columns_as_rows(columns.gaps, some)] = np.nan
        yield _codes(values, columns.is_discrete[some], n_bins)


def levels_of(values: NDArray[Any], n_bins: int | None = None) -> LevelCodes:
    """Return codes of the levels of one column of numbers, such as a regression target.

    Examples
    --------
    >>> levels_of(np.array([0.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.4, 0.8, 1.6]), 3).tolist()
    [2, 2, 2, 2, 0, 0, 1, 1, 1]
    """
    keep = np.zeros(1, dtype=bool)
    codes = _codes(values[None, :].astype(np.float64), keep, _checked_bins(n_bins, len(values)))
    return np.asarray(codes[0])


def _checked_bins(n_bins: int | None, n_rows: int) -> int:
    return default_bins(n_rows) if n_bins is None else integer_in("n_bins", n_bins, 2, None)


def _codes(values: NDArray[Any], keep: NDArray[np.bool_], n_bins: int) -> LevelCodes:
    """Return the codes of columns that lie one below another, shape (n_features, n_rows)."""
    if values.shape[1] >= MANY_ROWS:
        return np.stack([_of_many(*column, n_bins) for column in zip(values, keep, strict=True)])
    return _sorted(values, keep, n_bins)


def _of_many(values: NDArray[Any], keep: np.bool_, n_bins: int) -> LevelCodes:
    """Return the codes of one column of many rows, by comparison with the bounds of its levels."""
    is_gap = np.isnan(values)
    distinct, counts = distinct_counts(present(values))
    codes = _codes_of(counts, len(values), bool(keep), n_bins)
    begins = np.append(0, np.flatnonzero(codes[1:] != codes[:-1]) + 1)
    bounds, kind = distinct[begins[1:]], np.min_scalar_type(codes.max() + 1)
    found = codes[begins].astype(kind)[places_of(values, bounds)]
    found[is_gap] = codes.max() + 1
    return np.asarray(found)


def _of_stored(columns: Columns, j: int, n_bins: int) -> LevelCodes:
    """Return the codes of a column of a sparse table from its stored entries; all others are one level."""
    m, (rows, values) = columns.X.shape[0], stored_entries(columns.X, j)
    is_gap = np.zeros(len(rows), dtype=bool)
    if columns.gaps is not None:
        is_gap = np.isin(rows, stored_entries(columns.gaps, j)[0])
    distinct, counts = np.unique(np.append(values[~is_gap], 0), return_counts=True)
    zero = int(np.searchsorted(distinct, 0))
    counts[zero] += m - len(rows) - 1
    occurs = counts > 0
    codes = np.zeros(len(distinct), np.int64)
    codes[occurs] = _codes_of(counts[occurs], m, bool(columns.is_discrete[j]), n_bins)
    found = np.full(m, codes[zero], np.min_scalar_type(codes.max() + 1))
    found[rows] = np.where(is_gap, codes.max() + 1, codes[np.searchsorted(distinct, values) % len(distinct)])
    return found


def _codes_of(counts: NDArray[np.intp], n_rows: int, keep: bool, n_bins: int) -> NDArray[np.int64]:
    """Return the code of each different value of a column in ascending order, by the rows of each."""
    has_gaps = int(counts.sum()) < n_rows
    if keep or len(counts) + has_gaps <= n_bins:
        return np.arange(len(counts))
    codes = Bins(counts, n_bins, n_rows).codes()
    return np.asarray((np.cumsum(np.bincount(codes) > 0) - 1)[codes])


def _sorted(values: NDArray[Any], keep: NDArray[np.bool_], n_bins: int) -> LevelCodes:
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    is_gap, is_first = np.isnan(ordered), np.ones(values.shape, dtype=bool)
    is_first[:, 1:] = (ordered[:, 1:] != ordered[:, :-1]) & ~is_gap[:, :-1]
    places = is_first.cumsum(axis=1) - 1
    binned = ~keep & (places[:, -1] >= n_bins)
    if binned.any():
        places[binned] = _bins(is_first[binned], is_gap[binned], n_bins)
    codes = np.empty(values.shape, np.min_scalar_type(places.max()))
    np.put_along_axis(codes, order, places.astype(codes.dtype), axis=1)
    return codes


def _bins(is_first: NDArray[np.bool_], is_gap: NDArray[np.bool_], n_bins: int) -> NDArray[np.int64]:
    """Return the codes of ordered rows, of which the first of each value is marked.

    A value that more rows have than a bin should hold is a level of its own, and so is the gap; the others
    fill their bins equally, each value in that of the middle of its rows.
    """
    first, counts = np.flatnonzero(is_first), np.zeros(is_first.shape, np.int64)
    n_each = np.diff(first, append=is_first.size)
    counts.flat[first] = n_each
    counts[is_gap] = 0
    sparse = Bins(counts, n_bins, is_first.shape[1]).codes()
    sparse = np.repeat(sparse.ravel()[first], n_each).reshape(is_first.shape)
    sparse[is_gap] = sparse.max() + 1
    occurs = np.zeros((len(sparse), sparse.max() + 1), dtype=np.int64)
    np.put_along_axis(occurs, sparse, 1, axis=1)
    return np.take_along_axis(occurs.cumsum(axis=1) - 1, sparse, axis=1)


class Bins:
    """Bins of about equally many rows, without values that more rows have than a bin should hold.

    The bin of a value is ⌊wanted · (2 · rows below + its rows) / (2 · rows)⌋.

    Parameters
    ----------
    counts : array of int, shape (..., n_values)
        The rows of values in ascending order, the gap not among them.
    n_bins, n_rows : int
    """

    def __init__(self, counts: NDArray[np.int64], n_bins: int, n_rows: int) -> None:
        self.is_apart = counts * n_bins > n_rows
        self.counts = np.where(self.is_apart, 0, counts)
        self.below = self.counts.cumsum(axis=-1) - self.counts
        self.n_left = self.counts.sum(axis=-1, keepdims=True)
        self.n_wanted = np.maximum(np.rint(n_bins * self.n_left / n_rows), 2).astype(np.int64)

    def at(self, doubled: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bins at places, of which the double is given."""
        return np.asarray(self.n_wanted * doubled // np.maximum(2 * self.n_left, 1))

    def codes(self) -> NDArray[np.int64]:
        """Return the bin of each value, behind them the frequent ones; some may have no value."""
        apart = self.n_wanted + self.is_apart.cumsum(axis=-1) - 1
        return np.where(self.is_apart, apart, self.at(2 * self.below + self.counts))
