"""Levels of columns: categories and few values as they are, other numbers in bins, a gap apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.problem.checks import integer_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.measures.tables.table import Columns

FEWEST_BINS, MOST_BINS = 3, 10
ENTRIES_AT_ONCE = 2**18
"""Block size, which fits into the cache of a processor."""


def default_bins(n_rows: int) -> int:
    """Return how many bins so many rows fill: their cube root, from 3 to 10.

    Examples
    --------
    >>> [default_bins(n) for n in (10, 216, 100_000)]
    [3, 6, 10]
    """
    return int(np.clip(round(n_rows ** (1 / 3)), FEWEST_BINS, MOST_BINS))


def level_codes(columns: Columns, n_bins: int | None = None) -> NDArray[np.intp]:
    """Return codes of the levels of each column, shape (n_rows, n_features); all from 0 to the largest occur.

    Parameters
    ----------
    columns : Columns
        Discrete ones keep their values, and so do those of at most `n_bins` different values.
    n_bins : int, optional
        From 2; otherwise `default_bins`.
    """
    m, n = columns.X.shape
    n_bins, at_once = _checked_bins(n_bins, m), max(1, ENTRIES_AT_ONCE // m)
    codes = np.empty((m, n), dtype=np.intp)
    for some in (slice(first, first + at_once) for first in range(0, n, at_once)):
        values = columns.X[:, some].T.astype(np.float64)
        if columns.gaps is not None:
            values[columns.gaps[:, some].T] = np.nan
        codes[:, some] = _codes(values, columns.is_discrete[some], n_bins).T
    return codes


def levels_of(values: NDArray[Any], n_bins: int | None = None) -> NDArray[np.intp]:
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


def _codes(values: NDArray[np.float64], keep: NDArray[np.bool_], n_bins: int) -> NDArray[np.intp]:
    """Return the codes of columns that lie one below another, shape (n_features, n_rows)."""
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    is_gap, is_first = np.isnan(ordered), np.ones(values.shape, dtype=bool)
    is_first[:, 1:] = (ordered[:, 1:] != ordered[:, :-1]) & ~is_gap[:, :-1]
    places = is_first.cumsum(axis=1) - 1
    binned = ~keep & (places[:, -1] >= n_bins)
    if binned.any():
        places[binned] = _bins(is_first[binned], is_gap[binned], n_bins)
    codes = np.empty_like(places)
    np.put_along_axis(codes, order, places, axis=1)
    return codes


def _bins(is_first: NDArray[np.bool_], is_gap: NDArray[np.bool_], n_bins: int) -> NDArray[np.intp]:
    """Return the codes of ordered rows, of which the first of each value is marked.

    A value that more rows have than a bin should hold is a level of its own, and so is the gap; the others
    fill their bins equally, each value in that of the middle of its rows.
    """
    n_rows, at = is_first.shape[1], np.arange(is_first.shape[1])
    begin = np.maximum.accumulate(np.where(is_first, at, 0), axis=1)
    ends = np.append(is_first[:, 1:], np.ones((len(is_first), 1), dtype=bool), axis=1)
    end = np.minimum.accumulate(np.where(ends, at, n_rows)[:, ::-1], axis=1)[:, ::-1] + 1
    is_apart = ((end - begin) * n_bins > n_rows) | is_gap
    rank = (~is_apart).cumsum(axis=1)
    middle, n_left = rank - at + (begin + end) / 2 - 1, rank[:, -1:]
    n_wanted = np.maximum(np.rint(n_bins * n_left / n_rows), 2).astype(np.intp)
    bins = (n_wanted * middle // np.maximum(n_left, 1)).astype(np.intp)
    sparse = np.where(is_apart, n_wanted + (is_apart & is_first).cumsum(axis=1), bins)
    occurs = np.zeros((len(sparse), sparse.max() + 1), dtype=np.intp)
    np.put_along_axis(occurs, sparse, 1, axis=1)
    return np.take_along_axis(occurs.cumsum(axis=1) - 1, sparse, axis=1)
