"""Levels of columns: categories and few values as they are, other numbers in bins, a missing value apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.arrays import Array, Bools, Floats, Ints, slices
from pyfsel.measures.streams.lanes import Lanes
from pyfsel.measures.tables.encoded import FEW_VALUES, hold, listed, warn
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
Counts = Array
Rule = Callable[[Array, Counts], Ints]
"""Returns the codes of different values in ascending order, from the number of rows of each."""

FEWEST_BINS, MOST_BINS = 3, 10
ENTRIES_AT_ONCE = 2**18
"""Block size, which fits into the cache of a processor."""
MANY_ROWS = 2**16
"""From these on the values of a column are sorted by themselves, without their rows."""


def default_bins(n_rows: int) -> int:
    """Return the number of bins for this many rows: their cube root, from 3 to 10.

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
        Discrete columns keep their values, and so do columns of at most `n_bins` different values.
    n_bins : int, optional
        From 2; otherwise `default_bins`.
    """
    if columns.coded is not None and n_bins is None:
        lanes: Lanes = columns.coded
        return lanes
    return _together(columns, _blocks(columns, _checked_bins(n_bins, columns.X.shape[0])))


def levels_of(values: Array, n_bins: int | None = None) -> LevelCodes:
    """Return codes of the levels of one column of numbers, such as a regression target.

    Examples
    --------
    >>> levels_of(np.array([0.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.4, 0.8, 1.6]), 3).tolist()
    [2, 2, 2, 2, 0, 0, 1, 1, 1]
    """
    n_rows = len(values)
    return _codes(values, _rule(n_rows, False, _checked_bins(n_bins, n_rows)))


def bin_columns(columns: Columns, n_bins: int, weights: Floats | None = None) -> LevelCodes | Lanes:
    """Return codes from 0: discrete columns keep their values, the others get quantile bins.

    Parameters
    ----------
    columns : Columns
    n_bins : int
        From 2. Continuous columns of at most this many different values keep them too.
    weights : array of float, shape (n_rows,), optional
        If the weights are whole numbers, the bins are the same as if each row were repeated that often;
        other weights count relative to their mean.

    Returns
    -------
    array of int, shape (n_rows, n_features), or lanes of a table that is read in parts
    """
    integer_in("n_bins", n_bins, 2, None)

    def codes_of(j: int) -> Array:
        if columns.is_discrete[j]:
            if columns.coded is not None:
                return np.asarray(columns.coded[:, j])  # its values, not read again
            return _codes(columns.column(j), _as_they_are)
        return bin_values(columns.column(j), n_bins, weights)

    return _together(columns, (codes_of(j)[None, :] for j in range(columns.n_features)))


def bin_values(values: Floats, n_bins: int, weights: Floats | None = None) -> LevelCodes:
    """Return quantile-bin codes of one continuous column (or of a regression target)."""

    def rule(distinct: Array, counts: Counts) -> Ints:
        if weights is not None:
            times = weights if not (weights % 1).any() else weights / weights[weights > 0].mean()
            counts = np.bincount(np.searchsorted(distinct, values), times)
        if np.count_nonzero(counts) <= n_bins:
            return _as_they_are(distinct, counts)
        bounds = _quantiles(distinct, counts, np.arange(1, n_bins) / n_bins)
        return np.unique(places_of(distinct, bounds), return_inverse=True)[1]

    return _codes(values, rule)


def value_codes(columns: Columns, n_bins: int | None = None) -> NDArray[np.intp]:
    """Return codes from 0 of the values of each column, in bins if a number of them is given."""
    if n_bins is not None:
        return bin_columns(columns, n_bins)[:, :].astype(np.intp)
    every = range(columns.n_features)
    codes = np.column_stack([_codes(columns.column(j), _as_they_are) for j in every]).astype(np.intp)
    differ = ~columns.is_discrete & (2 * codes.max(axis=0) > len(codes))
    if differ.any() and len(codes) > FEW_VALUES:
        warn(
            f"X: {listed(columns.feature_names, differ)} {hold(differ)} numbers of which most differ, and "
            "they are compared exactly: one alone distinguishes most rows, whatever the target is; give "
            "n_bins (--bins on the command line)"
        )
    return codes if columns.gaps is None else np.where(columns.gaps, codes.max(axis=0) + 1, codes)


def _together(columns: Columns, blocks: Iterable[LevelCodes]) -> LevelCodes | Lanes:
    """Return the codes of all columns; blocks are of some, shape (n_some, n_rows)."""
    if columns.coded is not None:
        return Lanes.of(columns.X.shape[0], blocks)
    return np.concatenate(list(blocks)).T


def _blocks(columns: Columns, n_bins: int) -> Iterator[LevelCodes]:
    (m, n), keep = columns.X.shape, columns.is_discrete
    one_by_one = m >= MANY_ROWS or hasattr(columns.X, "indptr")
    for some in slices(n, 1 if one_by_one else ENTRIES_AT_ONCE // m):
        if not one_by_one:
            yield _sorted(_with_gaps(columns, some), keep[some], n_bins)
            continue
        rule = _rule(m, bool(keep[some.start]), n_bins)
        if hasattr(columns.X, "indptr"):
            yield _of_stored(columns, some.start, rule)[None, :]
        else:
            yield _codes(_with_gaps(columns, some)[0], rule)[None, :]


def _with_gaps(columns: Columns, some: slice) -> Array:
    """Return some columns one below another, NaN for a missing value that is a level."""
    values = columns_as_rows(columns.X, some)
    if columns.gaps is not None:
        values[columns_as_rows(columns.gaps, some)] = np.nan
    return values


def _checked_bins(n_bins: int | None, n_rows: int) -> int:
    return default_bins(n_rows) if n_bins is None else integer_in("n_bins", n_bins, 2, None)


def _codes(values: Array, rule: Rule) -> LevelCodes:
    """Return the codes of one column, by comparison with the bounds of its levels; NaN is the last one."""
    distinct, counts = distinct_counts(present(values))
    codes = rule(distinct, counts)
    begins = np.append(0, np.flatnonzero(codes[1:] != codes[:-1]) + 1)
    bounds, kind = distinct[begins[1:]], np.min_scalar_type(codes.max() + 1)
    found = codes[begins].astype(kind)[places_of(values, bounds)]
    found[np.isnan(values)] = codes.max() + 1
    return np.asarray(found.astype(np.min_scalar_type(found.max())))


def _of_stored(columns: Columns, j: int, rule: Rule) -> LevelCodes:
    """Return the codes of a column of a sparse table from its stored entries; all others are one level."""
    m, (rows, values) = columns.X.shape[0], stored_entries(columns.X, j)
    if columns.gaps is not None:
        values = np.where(np.isin(rows, stored_entries(columns.gaps, j)[0]), np.nan, values)

    def with_zeros(distinct: Array, counts: Counts) -> Ints:
        counts[np.searchsorted(distinct, 0)] += m - len(rows) - 1
        codes, occurs = np.zeros(len(counts), np.int64), counts > 0
        codes[occurs] = rule(distinct[occurs], counts[occurs])
        return codes

    found = _codes(np.append(values, 0), with_zeros)
    every = np.full(m, found[-1])
    every[rows] = found[:-1]
    return every


def _as_they_are(distinct: Array, counts: Counts) -> Ints:
    return np.arange(len(distinct))


def _quantiles(distinct: Array, counts: Counts, shares: Floats) -> Floats:
    """Return quantiles, as `numpy.quantile` does, of values that are repeated as often as counts say."""
    ends = np.round(np.cumsum(counts), 9)  # sums of fractions, whatever their unit
    places = shares * (ends[-1] - 1)
    rows = np.searchsorted(ends, [np.floor(places), np.floor(places) + 1], side="right")
    low, high = distinct[np.minimum(rows, len(distinct) - 1)].astype(np.float64)
    after, step = places % 1, high - low
    return np.asarray(np.where(after < 0.5, low + step * after, high - step * (1 - after)))


def _rule(n_rows: int, keep: bool, n_bins: int) -> Rule:
    return lambda distinct, counts: _levels(counts[None, :], n_rows, np.array([keep]), n_bins).ravel()


def _sorted(values: Array, keep: Bools, n_bins: int) -> LevelCodes:
    """Return the codes of columns that lie one below another, shape (n_features, n_rows)."""
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    is_gap, is_first = np.isnan(ordered), np.ones(values.shape, dtype=bool)
    is_first[:, 1:] = (ordered[:, 1:] != ordered[:, :-1]) & ~is_gap[:, :-1]
    places = is_first.cumsum(axis=1) - 1
    n_values = int(places[:, -1].max()) + 1
    cells = (places + n_values * np.arange(len(values))[:, None])[~is_gap]
    counts = np.bincount(cells, minlength=len(values) * n_values).reshape(-1, n_values)
    codes = np.take_along_axis(_levels(counts, values.shape[1], keep, n_bins), places, axis=1)
    found = np.empty(values.shape, np.min_scalar_type(codes.max()))
    np.put_along_axis(found, order, codes.astype(found.dtype), axis=1)
    return found


def _levels(counts: Counts, n_rows: int, keep: Bools, n_bins: int) -> Ints:
    """Return the codes of the different values of columns in ascending order, by the rows of each.

    A value without rows, such as the place of missing ones behind all others, has the code after all others.
    """
    n_levels = (counts > 0).sum(axis=1) + (counts.sum(axis=1) < n_rows)
    is_binned = ~keep & (n_levels > n_bins)
    codes = np.tile(np.arange(counts.shape[1]), (len(counts), 1))
    codes[is_binned] = _bins(counts[is_binned], n_rows, n_bins)
    return codes


def _bins(counts: Counts, n_rows: int, n_bins: int) -> Ints:
    """Return bins of about equally many rows; a value that more rows have than a bin should is one alone.

    The bin of another value is ⌊wanted · (2 · rows below + its rows) / (2 · rows)⌋; of those that are left
    without a value the numbers are used for others.
    """
    is_apart = counts * n_bins > n_rows
    others = np.where(is_apart, 0, counts)
    n_left = others.sum(axis=1, keepdims=True)
    n_wanted = np.maximum(np.rint(n_bins * n_left / n_rows), 2).astype(np.int64)
    doubled = 2 * others.cumsum(axis=1) - others
    bins = n_wanted * doubled // np.maximum(2 * n_left, 1)
    bins = np.where(is_apart, n_wanted + is_apart.cumsum(axis=1) - 1, bins)
    bins[counts == 0] = bins.max(initial=0) + 1
    is_used = np.zeros((len(bins), bins.max(initial=0) + 1), np.int64)
    np.put_along_axis(is_used, bins, 1, axis=1)
    return np.take_along_axis(is_used.cumsum(axis=1) - 1, bins, axis=1)
