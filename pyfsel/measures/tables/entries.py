"""Entries of a table that is an array or a sparse matrix by columns (``scipy.sparse.csc_array``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError

LARGEST_DENSE = 10**8


def is_sparse(X: Any) -> bool:
    """Return whether a table is a sparse matrix or array of SciPy."""
    return hasattr(X, "toarray")


def as_sparse(X: Any) -> Any:
    """Return a sparse table by columns, without zeros among its entries; the given one stays as it is."""
    from scipy.sparse import csc_array

    if X.dtype.kind == "c":
        raise InputError("X: Complex data not supported")
    by_columns = csc_array(X, dtype=floats_of(X.dtype))
    if not by_columns.has_canonical_format or (by_columns.data == 0).any():
        by_columns = by_columns.copy()
        by_columns.sum_duplicates()
        by_columns.eliminate_zeros()
    return by_columns


def floats_of(dtype: Any) -> Any:
    """Return the type of floats that numbers of a type are kept in: single precision stays single."""
    return np.float32 if dtype == np.float32 else np.float64


def as_dense(X: Any) -> NDArray[np.float64]:
    """Return a table as an array of double precision.

    Raises
    ------
    InputError
        If a sparse one has more than 10⁸ entries.
    """
    if is_sparse(X):
        if X.shape[0] * X.shape[1] > LARGEST_DENSE:
            raise InputError(
                f"X: is sparse with shape {X.shape}, must have at most {LARGEST_DENSE} entries for what "
                "needs all columns together"
            )
        X = X.toarray()
    return np.asarray(X, dtype=np.float64)


def column(X: Any, j: int) -> NDArray[np.float64]:
    """Return a column in double precision."""
    return np.asarray(as_dense(X[:, [j]])[:, 0] if is_sparse(X) else X[:, j], dtype=np.float64)


def centred(X: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return columns minus their means, in units of powers of two in which squares do not overflow.

    The first row is subtracted before the mean is: of a nearly constant column, or one far from 0, the mean
    would round off all that varies. Powers of two and that difference are exact.
    """
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])
    X -= X[0]
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])
    return np.asarray(X - (X.mean(axis=0) if weights is None else np.average(X, axis=0, weights=weights)))


def columns_as_rows(X: Any, some: slice) -> NDArray[Any]:
    """Return some columns one below another, an array of their own in the precision of the table."""
    part = X[:, some]
    return np.array((part.toarray() if is_sparse(X) else part).T, order="C")


def values_of(X: Any, j: int) -> NDArray[Any]:
    """Return the values of a column: of a sparse one those that are stored, and a zero for the others."""
    if not is_sparse(X):
        return np.asarray(X[:, j])
    stored = X.data[X.indptr[j] : X.indptr[j + 1]]
    return np.append(stored, X.dtype.type(0)) if len(stored) < X.shape[0] else np.asarray(stored)


def count_by_column(X: Any, wanted: Callable[[Any], Any]) -> NDArray[np.intp]:
    """Return how many entries of each column are wanted, where zero is not."""
    if not is_sparse(X):
        return np.asarray(wanted(X).sum(axis=0))
    columns = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    return np.bincount(columns[wanted(X.data)], minlength=X.shape[1])


def rows_with(X: Any, wanted: Callable[[Any], Any]) -> NDArray[np.bool_]:
    """Return which rows have an entry that is wanted, where zero is not."""
    if not is_sparse(X):
        return np.asarray(wanted(X).any(axis=1))
    found = np.zeros(X.shape[0], dtype=bool)
    found[X.indices[wanted(X.data)]] = True
    return found


def constant_columns(X: Any) -> NDArray[np.bool_]:
    """Return which columns have one value only."""
    if not is_sparse(X):
        return np.asarray((X[0] == X).all(axis=0))
    columns = (values_of(X, j) for j in range(X.shape[1]))
    return np.array([(values[0] == values).all() for values in columns], dtype=bool)


def missing_entries(X: Any) -> Any:
    """Return which entries are missing, as an array or, of a sparse table, a sparse one."""
    if not is_sparse(X):
        return np.isnan(X)
    found = X.astype(bool)
    found.data = np.isnan(X.data)
    found.eliminate_zeros()
    return found


def set_missing(X: Any, j: int, value: float) -> None:
    """Set the missing entries of a column."""
    entries = X.data[X.indptr[j] : X.indptr[j + 1]] if is_sparse(X) else X[:, j]
    entries[np.isnan(entries)] = value
