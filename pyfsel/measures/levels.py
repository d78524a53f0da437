"""Levels of columns: categories and few values as they are, other numbers in bins, a gap apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.streams.levels import CELLS_AT_ONCE, Bins, find_levels, found
from pyfsel.measures.tables.entries import columns_as_rows
from pyfsel.measures.tables.table import Columns
from pyfsel.problem.checks import integer_in

LevelCodes = NDArray[np.unsignedinteger[Any]]

FEWEST_BINS, MOST_BINS = 3, 10
ENTRIES_AT_ONCE = 2**18
"""Block size, which fits into the cache of a processor."""
MANY_ROWS = 2**16
"""From these on values are counted by the bits of their keys, as tables are read in parts, not sorted."""


def default_bins(n_rows: int) -> int:
    """Return how many bins so many rows fill: their cube root, from 3 to 10.

    Examples
    --------
    >>> [default_bins(n) for n in (10, 216, 100_000)]
    [3, 6, 10]
    """
    return int(np.clip(round(n_rows ** (1 / 3)), FEWEST_BINS, MOST_BINS))


def level_codes(columns: Columns, n_bins: int | None = None) -> LevelCodes:
    """Return codes of the levels of each column, shape (n_rows, n_features); all from 0 to the largest occur.

    Their type is the smallest one, a byte mostly.

    Parameters
    ----------
    columns : Columns
        Discrete ones keep their values, and so do those of at most `n_bins` different values.
    n_bins : int, optional
        From 2; otherwise `default_bins`.
    """
    m, n = columns.X.shape
    n_bins, at_once, codes = _checked_bins(n_bins, m), max(1, ENTRIES_AT_ONCE // m), []
    for some in (slice(first, first + at_once) for first in range(0, n, at_once)):
        values = columns_as_rows(columns.X, some)
        if columns.gaps is not None:
            values[columns_as_rows(columns.gaps, some)] = np.nan
        codes.append(_codes(values, columns.is_discrete[some], n_bins))
    return np.concatenate(codes).T


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
    if values.shape[1] >= MANY_ROWS and n_bins <= CELLS_AT_ONCE:
        return np.concatenate([_counted(*column, n_bins) for column in zip(values, keep, strict=True)])
    return _sorted(values, keep, n_bins)


def _counted(values: NDArray[Any], keep: np.bool_, n_bins: int) -> LevelCodes:
    """Return the codes of one column, shape (1, n_rows), in passes over it unless it keeps many values."""
    few = CELLS_AT_ONCE if keep else 0
    search = find_levels("", values.dtype.type, n_bins=n_bins, few=few, only_whole=not keep)
    levels = found(search, lambda tally: tally.update([values]))
    if keep and levels.values is None:
        return _sorted(values[None, :], np.array([keep]), n_bins)
    return np.asarray(levels.encode(values)[None, :])


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
