"""Columns of a table of any kind by their places: choose first, convert only what was chosen.

A table is an array, a list, a sparse matrix, a DataFrame of pandas, Polars or Spark, a LazyFrame, an Arrow
table or an AnnData object. Kinds are recognised by their module or their own attributes, never by a method
that several kinds have under one name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyfsel.core.arrays import Indices
from pyfsel.measures.tables.entries import is_sparse

ARRAY, SPARSE, ANNDATA, OTHER = "array", "sparse", "anndata", "other"
PANDAS, POLARS, ARROW = "pandas", "polars", "pyarrow"
LARGE_BYTES = 400_000_000
"""From this size on, as numbers in double precision, tables are read in parts."""


def is_anndata(X: Any) -> bool:
    """Return whether a table is an AnnData object, whose rows have columns of their own (``obs``)."""
    return hasattr(X, "var_names") and hasattr(X, "obs_names")


def kind_of(X: Any) -> str:
    """Return which kind of table this is."""
    if is_anndata(X):
        return ANNDATA
    if is_sparse(X) and not isinstance(
        X, np.ndarray
    ):  # a view into an AnnData object is an array with `toarray`
        return SPARSE
    module = type(X).__module__.partition(".")[0]
    if module in (PANDAS, POLARS, ARROW):
        return module
    return OTHER if hasattr(X, "select") and hasattr(X, "columns") else ARRAY


def is_large_frame(X: Any) -> bool:
    """Return whether a table is a DataFrame that would be large as numbers, without sparse columns."""
    if kind_of(X) != PANDAS or np.ndim(X) != 2 or 8 * X.size < LARGE_BYTES:
        return False
    return not any(hasattr(dtype, "fill_value") for dtype in X.dtypes)


def is_lazy(X: Any) -> bool:
    """Return whether the rows of a table are not computed yet, as in a LazyFrame or a DataFrame of Spark."""
    kind = kind_of(X)
    return kind == OTHER or (kind == POLARS and not hasattr(X, "to_numpy"))


def names_of(X: Any) -> list[Any] | None:
    """Return the names of the columns, None if the table has none."""
    kind = kind_of(X)
    if kind in (ARRAY, SPARSE):
        return None
    if kind == ANNDATA:
        return list(X.var_names)
    if kind == ARROW:
        return list(X.column_names)
    return list(X.collect_schema().names() if hasattr(X, "collect_schema") else X.columns)


def columns_of(X: Any, places: Sequence[int] | Indices) -> Any:
    """Return some columns of a table as a table of the same kind, with the values as they are.

    Parameters
    ----------
    X : table
    places : sequence of int
        0-based; a name may occur twice, so columns are never chosen by name if the kind allows it.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"day": pd.to_datetime(["2024-01-01"]), 7: [0.5], "level": ["high"]})
    >>> columns_of(frame, [2, 1]).columns.tolist()
    ['level', 7]
    """
    chosen, kind = [int(j) for j in places], kind_of(X)
    if kind == PANDAS:
        return X.iloc[:, chosen]
    if kind == ARROW:
        return X.select(chosen)
    if kind in (POLARS, OTHER):
        names = names_of(X) or []
        return X.select([names[j] for j in chosen])
    if kind == SPARSE:
        return (X if X.format in ("csr", "csc") else X.tocsr())[:, chosen]
    return (X if kind == ANNDATA else np.asarray(X))[:, chosen]


def in_memory(X: Any) -> Any:
    """Return the entries of a table as an array, a list, a sparse matrix or a DataFrame of pandas."""
    if is_anndata(X):
        return X.X.to_memory() if hasattr(X.X, "to_memory") else X.X  # which a file backs
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):
        X = X.collect()
    if hasattr(X, "toPandas"):
        return X.toPandas()
    return X.to_pandas() if hasattr(X, "to_pandas") else X


def as_array(X: Any) -> Any:
    """Return a table as an array, or as a sparse matrix if it is one; a lazy table stays as it is.

    Columns of numbers are floats together, whether pandas allows missing values in them or not. The array is
    of objects only if a column is not a number.

    Examples
    --------
    >>> import pandas as pd
    >>> as_array(pd.DataFrame({"n": pd.array([1, None], dtype="Int64"), "yes": [True, False]})).tolist()
    [[1.0, 1.0], [nan, 0.0]]
    """
    if is_lazy(X):
        return X
    X = in_memory(X)
    kind = kind_of(X)
    if kind != PANDAS:
        return X if kind == SPARSE else np.asarray(X)
    if any(dtype.kind not in "biuf" for dtype in X.dtypes):
        return X.astype(object).to_numpy(object, na_value=np.nan) if len(set(X.dtypes)) > 1 else X.to_numpy()
    if not X.shape[1]:
        return X.to_numpy()
    gaps = {"dtype": np.float64, "na_value": np.nan}
    return np.column_stack(
        [one.to_numpy(**({} if isinstance(one.dtype, np.dtype) else gaps)) for _, one in X.items()]
    )


def in_library(X: Any, library: str, names: Sequence[str]) -> Any:
    """Return a table as `set_output` wraps it: computed, and a sparse matrix with pandas' sparse columns.

    Parameters
    ----------
    X : table
    library : {"pandas", "polars"}
    names : sequence of str
        Of the columns; only a sparse matrix gets them here.
    """
    kind = kind_of(X)
    if kind == ANNDATA:
        return X.to_df()
    if library == POLARS and kind in (POLARS, ARROW):
        import polars

        return polars.from_arrow(X) if kind == ARROW else X.lazy().collect()
    X = in_memory(X)
    if kind == SPARSE and library == PANDAS:
        import pandas as pd

        stored: Any = pd.DataFrame.sparse
        return stored.from_spmatrix(X, columns=list(names))
    if kind == SPARSE:
        return X.toarray()
    if kind == PANDAS and library == POLARS:
        return X.apply(lambda column: column.sparse.to_dense() if hasattr(column, "sparse") else column)
    return X
