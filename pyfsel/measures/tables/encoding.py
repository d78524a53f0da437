"""Columns of a user's table as numbers: one kind of table at a time."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.core.arrays import Array
from pyfsel.errors import InputError, warn
from pyfsel.measures.tables.containers import LARGE_BYTES, SPARSE, in_memory, is_anndata, kind_of, names_of
from pyfsel.measures.tables.encoded import LARGEST_EXACT, EncodedColumns, check_distinct, exact_floats
from pyfsel.measures.tables.entries import as_sparse, floats_of, is_sparse
from pyfsel.measures.tables.frames import as_frame, encode_frame
from pyfsel.problem.checks import list_of, one_of, shown


def as_numbers_if_possible(X: Any) -> Any:
    """Convert arrays of Python objects as scikit-learn does: a TypeError for other than numbers and text."""
    if not isinstance(X, np.ndarray) or X.dtype != object:
        return X
    try:
        return X.astype(np.float64)
    except ValueError:
        return X


def encode_columns(
    X: Any, feature_names: Sequence[str] | None, n_rows: int | None, dates: str
) -> EncodedColumns:
    """Encode the features; `n_rows` is the length of the target, if there is one.

    What the caller changes later does not change them, except in arrays of at least 0.4 GB, which are not
    copied.
    """
    X = X.copy(deep=False) if hasattr(X, "iloc") else X
    given = X if _row_labels(X) is not None else None
    X, own_names = _numbers_or_frame(X)
    m, n = X.shape
    if n == 0:
        raise InputError(
            f"X: has 0 feature(s) (shape=({m}, 0)) while a minimum of 1 is required."
        )  # the wording that scikit-learn's estimator checks look for
    if m == 0:
        raise InputError(f"X: has 0 sample(s) (shape=(0, {n})) while a minimum of 1 is required.")
    if n_rows is not None and m != n_rows:
        raise InputError(f"y: has {n_rows} values, must have {m}, one for each row of X")
    names = _names(own_names, n, feature_names)
    if not is_sparse(X) and not isinstance(X, np.ndarray):
        return replace(encode_frame(X, names, dates), given=given)
    numbers = as_sparse(X) if is_sparse(X) else _floats(X, names)
    return EncodedColumns(numbers, names, *np.zeros((2, n), dtype=bool), given=given)


def _floats(X: Array, names: Sequence[str]) -> NDArray[np.floating[Any]]:
    if X.dtype.kind not in "iu" or max(-int(X.min()), int(X.max())) <= LARGEST_EXACT:
        return X.astype(floats_of(X.dtype), copy=X.nbytes < LARGE_BYTES)
    columns = zip(X.T, names, strict=True)
    return np.column_stack([exact_floats(values, f"X: column {name!r}") for values, name in columns])


def require_table(X: Any) -> None:
    """Raise `InputError` for what is not a table, such as the name of a file."""
    if X is None:
        raise InputError("X: is None. It must be a table.")
    if isinstance(X, (str, PathLike)):
        raise InputError(f"X={shown(X)}: must be a table; pyfsel.measures.read_table reads a file")
    require_unmasked("X", X)


def require_unmasked(argument: str, numbers: Any) -> None:
    """Raise `InputError` if entries are masked: what lies under a mask is not data."""
    if isinstance(numbers, np.ma.MaskedArray) and np.ma.is_masked(numbers):
        raise InputError(
            f"{argument}: holds masked values; fill them with NaN to have them handled as missing"
        )


def in_order_of(X: Any, given: Any, argument: str) -> Any:
    """Return what is given for each row of a table, in the order of its rows.

    Values with row labels belong to the rows of the same labels, unless either just counts from 0; all others
    belong to rows by their position. Of AnnData a name means a column of ``obs``.

    Parameters
    ----------
    X : table
    given : array-like or str
    argument : str
        Its name, for messages.

    Raises
    ------
    InputError
        If the labels of the rows differ from the labels of the table.

    Warns
    -----
    UserWarning
        If the order of the labels is another one.
    """
    if is_anndata(X) and isinstance(given, str):
        one_of(argument, given, [str(name) for name in X.obs.columns])
        return X.obs[given]
    rows, own = _row_labels(X), _row_labels(given)
    if rows is None or own is None or len(rows) != len(own) or rows.equals(own):
        return given
    if rows.is_unique and own.is_unique and own.isin(rows).all():
        warn(f"{argument}: its rows have the labels of X in another order; rows are matched by their labels")
        return given.iloc[own.get_indexer(rows)]
    if _counts_rows(rows) or _counts_rows(own):
        return given
    unknown = int((~own.isin(rows)).sum())
    what = f"{unknown} of {len(own)} do not occur in X" if unknown else "some are there more than once"
    raise InputError(
        f"{argument}: has other row labels than X ({what}). Rows are matched by labels. Give values without "
        "labels (.to_numpy()) if they are in the order of X."
    )


def _row_labels(table: Any) -> Any:
    """Return the labels of the rows, an Index of pandas, or None."""
    if is_anndata(table):
        import pandas as pd

        return pd.Index(table.obs_names)
    return table.index if hasattr(table, "iloc") else None


def _counts_rows(labels: Any) -> bool:
    return labels.dtype.kind in "iu" and bool((labels == np.arange(len(labels))).all())


def _numbers_or_frame(X: Any) -> tuple[Any, Sequence[Any] | None]:
    """Return a numeric array, a sparse matrix, or a DataFrame to be looked at by columns; and its names."""
    own = names_of(X) if is_anndata(X) else None
    X = in_memory(X)
    require_table(X)
    if kind_of(X) == SPARSE:
        return X, own
    if not (hasattr(X, "iloc") and X.ndim == 2):
        try:
            X = np.asarray(X)
        except ValueError:
            raise InputError("X: rows differ in length") from None
        if X.ndim != 2:
            raise InputError(
                f"X: has {X.ndim} dimension(s), must have 2 (rows × features). Reshape your data."
            )
        if X.dtype.kind == "c":
            raise InputError("X: Complex data not supported")
        if X.dtype.kind in "biuf":
            return X, own
    return as_frame(X)


def _names(own: Sequence[Any] | None, n: int, feature_names: Sequence[str] | None) -> tuple[str, ...]:
    names = tuple(map(str, own)) if own is not None else tuple(f"x{j}" for j in range(n))
    if feature_names is not None:
        names = tuple(str(name) for name in list_of("feature_names", feature_names))
        if len(names) != n:
            raise InputError(f"feature_names: has {len(names)} names. It must have {n}.")
    check_distinct(names)
    return names
