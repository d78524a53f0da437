"""Levels of columns: categories and few values as they are, other numbers in bins, a missing value apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.core.arrays import Indices
from pyfsel.errors import warn
from pyfsel.measures.arrays import Array, Floats, Ints, slices
from pyfsel.measures.tables.encoded import FEW_VALUES, hold, listed
from pyfsel.measures.tables.entries import (
    ROWS_AT_ONCE,
    distinct_counts,
    places_of,
    present,
    stored_entries,
)
from pyfsel.measures.tables.table import Columns
from pyfsel.problem.checks import integer_in

if TYPE_CHECKING:
    from pyfsel.measures.streams.lanes import Lanes

LevelCodes = NDArray[np.unsignedinteger[Any]]
Counts = Array
Counted = Callable[[Array], tuple[Array, Counts]]
Rule = Callable[[Counts], Ints]
"""Returns the codes of different values in ascending order, from the number of rows of each."""

FEWEST_BINS, MOST_BINS = 3, 10
MANY_ROWS = 2**16
"""From this many rows on, only values at bounds of bins are counted each."""


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
    n_bins = default_bins(columns.X.shape[0]) if n_bins is None else integer_in("n_bins", n_bins, 2, None)
    return _together(columns, (_of_column(columns, j, n_bins) for j in range(columns.n_features)))


def levels_of(values: Array, n_bins: int | None = None) -> LevelCodes:
    """Return codes of the levels of one column of numbers, such as a regression target.

    Examples
    --------
    >>> levels_of(np.array([0.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.4, 0.8, 1.6]), 3).tolist()
    [2, 2, 2, 2, 0, 0, 1, 1, 1]
    """
    n_rows = len(values)
    return _codes(values, partial(_levels, n_rows, False, n_bins or default_bins(n_rows)))


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
        if not columns.is_discrete[j]:
            return bin_values(columns.known(j), n_bins, weights)
        if columns.coded is not None:
            return np.asarray(columns.coded[:, j])  # its values, not read again
        return _of_column(columns, j, n_bins)

    return _together(columns, map(codes_of, range(columns.n_features)))


def bin_values(values: Floats, n_bins: int, weights: Floats | None = None) -> LevelCodes:
    """Return quantile-bin codes of one continuous column (or of a regression target)."""

    def counted(values: Floats) -> tuple[Array, Counts]:
        distinct, counts = distinct_counts(values)
        if weights is not None:
            times = weights if not (weights % 1).any() else weights / weights[weights > 0].mean()
            return distinct, np.bincount(np.searchsorted(distinct, values), times)
        return distinct, counts

    return _codes(values, partial(_quantile_bins, n_bins), counted)


def _quantile_bins(n_bins: int, counts: Counts) -> Ints:
    """Return bins between the quantiles of `numpy.quantile`, of values repeated as often as counts say.

    A quantile between two neighbours in the order of the rows parts them; one that is a row's begins a bin.
    """
    if np.count_nonzero(counts) <= n_bins:
        return np.arange(len(counts))
    ends = np.round(np.cumsum(counts), 9)  # sums of fractions, whatever their unit
    places = np.ceil(np.arange(1, n_bins) * (ends[-1] - 1) / n_bins)
    bins = places_of(np.arange(len(counts)), np.searchsorted(ends, places, side="right"))
    return np.asarray(np.unique(bins, return_inverse=True)[1])


def value_codes(columns: Columns, n_bins: int | None = None) -> Indices:
    """Return codes from 0 of the values of each column, in bins if a number of them is given."""
    if n_bins is not None:
        return bin_columns(columns, n_bins)[:, :].astype(np.intp)
    as_they_are = replace(columns, is_discrete=np.ones_like(columns.is_discrete), coded=None)
    codes = level_codes(as_they_are)[:, :].astype(np.intp)
    differ = ~columns.is_discrete & (2 * codes.max(axis=0) > len(codes))
    if differ.any() and len(codes) > FEW_VALUES:
        warn(
            f"X: {listed(columns.feature_names, differ)} {hold(differ)} numbers of which most differ, and "
            "they are compared exactly: one alone distinguishes most rows, whatever the target is; give "
            "n_bins (--n-bins on the command line)"
        )
    return codes


def _together(columns: Columns, found: Iterable[LevelCodes]) -> LevelCodes | Lanes:
    """Return the codes of all columns, of one after the other."""
    if columns.coded is not None:
        lanes: Lanes = columns.coded.of(columns.X.shape[0], (codes[None, :] for codes in found))
        return lanes
    return np.array(list(found)).T


def _of_column(columns: Columns, j: int, n_bins: int) -> LevelCodes:
    """Return the codes of the levels of a column; a missing value that is a level is the last one."""
    n_rows = columns.X.shape[0]
    rule = partial(_levels, n_rows, bool(columns.is_discrete[j]), n_bins)
    if hasattr(columns.X, "indptr"):
        return _of_stored(columns, j, rule)
    is_counted = n_rows >= MANY_ROWS and not columns.is_discrete[j]
    counted = partial(_counted_for_bins, n_rows, n_bins) if is_counted else distinct_counts
    return _codes(columns.known(j), rule, counted)


def _codes(values: Array, rule: Rule, counted: Counted = distinct_counts) -> LevelCodes:
    """Return the codes of one column, by comparison with the bounds of its levels; NaN is the last one."""
    distinct, counts = counted(present(values))
    codes = rule(counts)
    begins = np.append(0, np.flatnonzero(codes[1:] != codes[:-1]) + 1)
    bounds, kind = distinct[begins[1:]], np.min_scalar_type(codes.max() + 1)
    found, of_bounds = np.empty(len(values), kind), codes[begins].astype(kind)
    for some in slices(len(values), ROWS_AT_ONCE):
        found[some] = of_bounds[places_of(values[some], bounds)]
    found[np.isnan(values)] = codes.max() + 1
    return found.astype(np.min_scalar_type(found.max()))


def _counted_for_bins(n_rows: int, n_bins: int, values: Floats) -> tuple[Array, Counts]:
    """Return what `distinct_counts` does, but values that lie in one bin for certain count as the least one.

    A bin begins at the value in the row where it should begin, or at the next value: these stand apart. So do
    values in the middle of bins, so no others together are as many as a value that is a bin alone.
    """
    ordered, n = np.sort(values), len(values)
    n_places = 2 * max(round(n_bins * n / n_rows), 2)  # of those without a level of their own
    near = ordered[np.arange(1, n_places) * n // n_places]
    first, behind = (np.searchsorted(ordered, near, side) for side in ("left", "right"))
    starts = np.unique([0, *first, *behind[behind < n]])
    counts = np.diff(starts, append=n)
    if counts.max() * n_bins > n_rows or len(counts) <= n_bins:  # a value fills a bin, or perhaps few differ
        return distinct_counts(ordered)
    return ordered[starts], counts


def _of_stored(columns: Columns, j: int, rule: Rule) -> LevelCodes:
    """Return the codes of a column of a sparse table from its stored entries; all others are one level."""
    m, (rows, values) = columns.X.shape[0], stored_entries(columns.X, j)
    if columns.gaps is not None:
        values = np.where(np.isin(rows, stored_entries(columns.gaps, j)[0]), np.nan, values)

    def with_zeros(values: Array) -> tuple[Array, Counts]:
        distinct, counts = distinct_counts(values)
        counts[np.searchsorted(distinct, 0)] += m - len(rows) - 1
        return distinct[counts > 0], counts[counts > 0]

    found = _codes(np.append(values, 0), rule, with_zeros)
    every = np.full(m, found[-1])
    every[rows] = found[:-1]
    return every


def _levels(n_rows: int, keep: bool, n_bins: int, counts: Counts) -> Ints:
    """Return the levels of values: as they are, or in bins of about equally many rows.

    Missing values are one more level. A value that more rows have than a bin should is one alone. The bin of
    another value is ⌊wanted · (2 · rows below + its rows) / (2 · rows)⌋; of those that are left
    without a value the numbers are used for others.
    """
    if keep or len(counts) + (counts.sum() < n_rows) <= n_bins:
        return np.arange(len(counts))
    is_apart = counts * n_bins > n_rows
    others = np.where(is_apart, 0, counts)
    n_left = int(others.sum())
    n_wanted = max(round(n_bins * n_left / n_rows), 2)  # of those without a level of their own
    bins = n_wanted * (2 * others.cumsum() - others) // max(2 * n_left, 1)
    return np.unique(np.where(is_apart, n_wanted + is_apart.cumsum() - 1, bins), return_inverse=True)[1]
