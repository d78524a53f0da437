"""Entries of a table that is an array or a sparse matrix by columns (``scipy.sparse.csc_array``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.core.arrays import Array, Indices, Reals
from pyfsel.errors import InputError
from pyfsel.measures.arrays import slices

LARGEST_DENSE = 10**8
MOST_CELLS = 2**16
"""Whole numbers of a smaller range are counted instead of sorted."""
N_DRAWN = 4096
FEW_BOUNDS = 16
"""Comparisons with few bounds beat a search."""
ROWS_AT_ONCE = 2**14
"""Numbers of this many rows fit into a processor's cache."""
LARGE_EXPONENT = 200
"""Squares of numbers below 2²⁰⁰, and sums of them, are far from the ends of double precision."""


def is_sparse(X: Any) -> bool:
    """Return whether a table is a sparse matrix or array of SciPy, or is read in parts: not an array."""
    return hasattr(X, "toarray")


def is_read(X: Any) -> bool:
    """Return whether the entries of a table are read when they are needed (`pyfsel.measures.streams`)."""
    return hasattr(X, "reader")


def as_sparse(X: Any) -> Any:
    """Return a sparse table by columns, without zeros among its entries, as a copy."""
    from scipy.sparse import csc_array

    if X.dtype.kind == "c":
        raise InputError("X: Complex data not supported")
    by_columns = csc_array(X, dtype=floats_of(X.dtype), copy=True)
    by_columns.sum_duplicates()
    by_columns.eliminate_zeros()
    return by_columns


def floats_of(dtype: Any) -> Any:
    """Return the type of floats that numbers of a type are kept in: single precision stays single."""
    return np.float32 if dtype == np.float32 else np.float64


def as_dense(X: Any) -> Reals:
    """Return a table as an array of double precision.

    Raises
    ------
    InputError
        If one that is sparse or read in parts has more than 10⁸ entries.
    """
    if is_sparse(X):
        if X.shape[0] * X.shape[1] > LARGEST_DENSE and X.shape[1] > 1:
            raise InputError(
                f"X: has shape {X.shape}. What needs all columns together takes at most {LARGEST_DENSE:,} "
                "entries of a table that is sparse or read in parts. Keep fewer columns (--keep-best)"
            )
        X = X.toarray()
    return np.asarray(X, dtype=np.float64)


def column(X: Any, j: int) -> Reals:
    """Return a column in double precision."""
    if not hasattr(X, "indptr"):
        return np.asarray(as_dense(X[:, [j]])[:, 0] if is_sparse(X) else X[:, j], dtype=np.float64)
    found, (rows, values) = np.zeros(X.shape[0]), stored_entries(X, j)
    found[rows] = values
    return found


def centred(X: Reals, weights: Reals | None = None) -> Reals:
    """Return columns minus their means, in units of powers of two in which squares do not overflow.

    The first row is subtracted before the mean is: of a nearly constant column, or one far from 0, the mean
    would round off all that varies. Powers of two and that difference are exact.
    """
    X = of_moderate_size(X)
    X = of_moderate_size(X - X[0])  # an array of its own from here on
    X -= X.mean(axis=0) if weights is None else np.average(X, axis=0, weights=weights)
    return X


def of_moderate_size(X: Reals, largest: int = LARGE_EXPONENT) -> Reals:
    """Return columns as they are, or, if squares might over- or underflow, in other units.

    These are powers of two, so nothing is rounded. All numbers that are left are below 2 to the largest.
    """
    exponents = np.frexp(np.maximum(X.max(axis=0), -X.min(axis=0)))[1]
    is_far = np.abs(exponents) >= largest
    return np.asarray(np.ldexp(X, -exponents * is_far)) if is_far.any() else X


def stored_entries(X: Any, j: int) -> tuple[Indices, Array]:
    """Return the rows and values of the entries of a column that a sparse table stores."""
    own = slice(X.indptr[j], X.indptr[j + 1])
    return X.indices[own], X.data[own]


def distinct_counts(values: Array) -> tuple[Array, Indices]:
    """Return the different numbers of a column without gaps, ascending, and how often each occurs.

    Examples
    --------
    >>> [each.tolist() for each in distinct_counts(np.array([2.0, 7.0, 2.0]))]
    [[2.0, 7.0], [2, 1]]
    """
    low, high = (values.min(), values.max()) if len(values) else (0, -1)
    if high - low < MOST_CELLS and low == np.floor(low):
        counts = _counts_above(values, low, int(high - low) + 1)
        if counts is not None:
            places = np.flatnonzero(counts)
            return (places + low).astype(values.dtype), counts[places]
    return np.unique(values, return_counts=True)


def _counts_above(values: Array, low: Any, n_cells: int) -> Indices | None:
    """Return how often each whole number from the lowest value on occurs, None if one value is not whole."""
    counts = np.zeros(n_cells, np.intp)
    for some in slices(len(values), MOST_CELLS):
        apart = values[some] - low
        cells = apart.astype(np.intp)
        if (cells != apart).any():
            return None
        counts += np.bincount(cells, minlength=n_cells)
    return counts


def places_of(values: Array, bounds: Array) -> NDArray[np.integer[Any]]:
    """Return how many of some ascending bounds are at most each value; NaN may have any number."""
    if len(bounds) > FEW_BOUNDS:
        return np.searchsorted(bounds, values, side="right")
    places = np.zeros(len(values), np.uint8)
    for bound in bounds:
        places += values >= bound
    return places


def present(values: Array) -> Array:
    """Return the values of a column that are not missing."""
    is_gap = np.isnan(values)
    return values[~is_gap] if is_gap.any() else values


def drawn_rows(n_rows: int, most: int | None = None) -> Indices:
    """Return some of many rows, ascending, always the same ones; of few all."""
    n_drawn = min(N_DRAWN, n_rows if most is None else most)
    drawn = np.random.default_rng(0).choice(n_rows, n_drawn, replace=False)
    return np.sort(drawn).astype(np.intp)


def values_of(X: Any, j: int) -> Array:
    """Return the values of a column: of a sparse one those that are stored, and a zero for the others."""
    if not is_sparse(X):
        return np.ascontiguousarray(X[:, j])
    stored = stored_entries(X, j)[1]
    return np.append(stored, X.dtype.type(0)) if len(stored) < X.shape[0] else np.asarray(stored)


def missing_entries(X: Any) -> Any:
    """Return which entries are missing, as an array or, of a sparse table, a sparse one."""
    if not is_sparse(X):
        return np.isnan(X)
    found = X.astype(bool)
    found.data = np.isnan(X.data)
    found.eliminate_zeros()
    return found
