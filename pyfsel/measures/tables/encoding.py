"""Columns and target of a user's table as numbers: one kind of value at a time."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pyfsel.errors import InputError
from pyfsel.measures.tables.entries import as_sparse, floats_of, is_sparse
from pyfsel.problem.checks import list_of, one_of, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW_VALUES = 20
MOST_CLASSES = 100
DATES = ("error", "number")
SECONDS_OF_A_DAY = 86_400
DATE_KINDS = ("datetime64", "datetime", "date", "timedelta64", "timedelta")
ISO_DATE = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"


@dataclass(frozen=True)
class EncodedColumns:
    """Features with missing values as NaN, their names, and which of them hold codes of categories.

    `X` is an array of floats, or a ``scipy.sparse.csc_array`` of them.
    """

    X: Any
    names: tuple[str, ...]
    is_category: NDArray[np.bool_]


def as_numbers_if_possible(X: Any) -> Any:
    """Convert arrays of Python objects as scikit-learn does: a TypeError for what is no number or text."""
    if not isinstance(X, np.ndarray) or X.dtype != object:
        return X
    try:
        return X.astype(np.float64)
    except ValueError:
        return X


def encode_columns(
    X: Any, feature_names: Sequence[str] | None, n_rows: int | None, dates: str = "error"
) -> EncodedColumns:
    """Encode the features; `n_rows` is the length of the target, if there is one."""
    one_of("dates", dates, DATES)
    X = _numbers_or_frame(X)
    m, n = X.shape
    if n == 0:
        raise InputError(
            f"X: has 0 feature(s) (shape=({m}, 0)) while a minimum of 1 is required."
        )  # the wording that scikit-learn's estimator checks look for
    if m == 0:
        raise InputError(f"X: has 0 sample(s) (shape=(0, {n})) while a minimum of 1 is required.")
    if n_rows is not None and m != n_rows:
        raise InputError(f"y: has {n_rows} values, must have {m}, one for each row of X")
    names = _names(X, feature_names)
    if is_sparse(X):
        return EncodedColumns(as_sparse(X), names, np.zeros(n, dtype=bool))
    if isinstance(X, np.ndarray):
        return EncodedColumns(X.astype(floats_of(X.dtype)), names, np.zeros(n, dtype=bool))
    return _encode_frame(X, names, dates)


def _encode_frame(X: pd.DataFrame, names: tuple[str, ...], dates: str) -> EncodedColumns:
    """Encode column by column; with sparse columns among them the whole is sparse."""
    sparse = np.array([_is_sparse_column(dtype) for dtype in X.dtypes], dtype=bool)
    if sparse.any():
        from scipy.sparse import hstack

        apart = np.concatenate([np.flatnonzero(sparse), np.flatnonzero(~sparse)])
        parts, is_category = [as_sparse(_stored(X.iloc[:, sparse]))], np.zeros(len(names), dtype=bool)
        if not sparse.all():
            others = [name for name, is_stored in zip(names, sparse, strict=True) if not is_stored]
            rest = _encode_frame(X.iloc[:, ~sparse], tuple(others), dates)
            parts.append(as_sparse(rest.X))
            is_category[~sparse] = rest.is_category
        together = hstack(parts, format="csc")[:, np.argsort(apart)]
        return EncodedColumns(together, names, is_category)
    is_single = all(dtype == np.float32 for dtype in X.dtypes)
    numbers = np.empty(X.shape, dtype=np.float32 if is_single else np.float64)
    is_category = np.zeros(len(names), dtype=bool)
    for j, name in enumerate(names):
        numbers[:, j], is_category[j] = _encode_column(X.iloc[:, j], f"X: column {name!r}", dates)
    _warn_of_identifiers(X, numbers, is_category, names)
    return EncodedColumns(numbers, names, is_category)


def _stored(X: Any) -> Any:
    return X.sparse.to_coo()


def _warn_of_identifiers(
    X: pd.DataFrame, codes: NDArray[Any], is_category: NDArray[np.bool_], names: Sequence[str]
) -> None:
    """Warn of dates as text, of text columns in which most rows differ, and of whole numbers that all do."""
    is_text = np.array([pd.api.types.infer_dtype(X.iloc[:, j]) == "string" for j in range(X.shape[1])])
    is_date = np.array([text and _are_dates(X.iloc[:, j]) for j, text in enumerate(is_text & is_category)])
    if is_date.any():
        what = "is dates" if is_date.sum() == 1 else "are dates"
        warn(
            f"X: {listed(names, is_date)} {what} as text, taken as categories; with dates='number' they are "
            "numbers of days"
        )
    most = max(FEW_VALUES, len(X) / 2)
    suspected = is_text & is_category & ~is_date & (np.nan_to_num(codes, nan=-1.0).max(axis=0) + 1 > most)
    leave_out = "an identifier is better left out (--ignore on the command line)"
    if suspected.any():
        what = "is text that differs" if suspected.sum() == 1 else "are text that differs"
        warn(f"X: {listed(names, suspected)} {what} in most rows, taken as categories; {leave_out}")
    numbered = ~is_category & np.array([_numbers_rows(column) for column in codes.T], dtype=bool)
    if numbered.any():
        what = "is a whole number that differs" if numbered.sum() == 1 else "are whole numbers that differ"
        warn(f"X: {listed(names, numbered)} {what} in every row; {leave_out}")


def _are_dates(column: pd.Series[Any]) -> bool:
    present = column.dropna()
    return bool(len(present)) and bool(present.astype(str).str.fullmatch(ISO_DATE).all())


def _numbers_rows(column: NDArray[np.float64]) -> bool:
    """Return whether a column holds different whole numbers only, more than a measurement of few values."""
    if len(column) <= FEW_VALUES or not np.isfinite(column).all() or (column != np.floor(column)).any():
        return False
    return len(np.unique(column)) == len(column)


def require_table(X: Any) -> None:
    """Raise `InputError` for what is no table at all, such as the name of a file."""
    if X is None:
        raise InputError("X: is None, must be a table")
    if isinstance(X, (str, PathLike)):
        raise InputError(f"X={shown(X)}: must be a table; pyfsel.measures.read_table reads a file")


def _is_sparse_column(dtype: Any) -> bool:
    """Return whether a column stores all numbers but zeros."""
    return isinstance(dtype, pd.SparseDtype) and dtype.kind in "biuf" and dtype.fill_value == 0


def _numbers_or_frame(X: Any) -> Any:
    """Return a numeric array, a sparse matrix, or a DataFrame to be looked at column by column."""
    require_table(X)
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if isinstance(X, pd.DataFrame) or is_sparse(X):
        return X
    try:
        array = np.asarray(X)
    except ValueError:
        raise InputError("X: rows differ in length") from None
    if array.ndim != 2:
        raise InputError(
            f"X: has {array.ndim} dimension(s), must have 2 (rows × features). Reshape your data."
        )
    if array.dtype.kind in "biuf":
        return array
    if array.dtype.kind == "c":
        raise InputError("X: Complex data not supported")
    return pd.DataFrame(array).infer_objects()


def _names(X: Any, feature_names: Sequence[str] | None) -> tuple[str, ...]:
    n = X.shape[1]
    if feature_names is not None:
        names = tuple(str(name) for name in list_of("feature_names", feature_names))
        if len(names) != n:
            raise InputError(f"feature_names: has {len(names)} names, must be {n}")
    elif isinstance(X, pd.DataFrame) and not isinstance(X.columns, pd.RangeIndex):
        names = tuple(str(name) for name in X.columns)
    else:
        names = tuple(f"x{j}" for j in range(n))
    check_distinct(names)
    return names


def check_distinct(names: Sequence[str]) -> None:
    """Raise `InputError` if a name stands more than once."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"X: column name {name!r} stands more than once; names must be different")
        seen.add(name)


def _encode_column(column: pd.Series[Any], where: str, dates: str) -> tuple[NDArray[np.float64], bool]:
    """Return the values (missing ones as NaN) and whether they are codes of categories."""
    if column.dtype == object:
        column = column.infer_objects()
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _with_gaps(column.cat.codes.to_numpy()), True
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if dates == "number" and (kind in DATE_KINDS or (kind == "string" and _are_dates(column))):
        return _days(column, where), False
    if kind in ("string", "empty") or (kind == "boolean" and column.dtype == object):
        return _with_gaps(pd.factorize(column, sort=True)[0]), True
    if kind == "complex":
        raise InputError(f"{where} is complex; Complex data not supported")
    if kind in ("boolean", "integer", "integer-na", "floating", "mixed-integer-float", "decimal"):
        return column.to_numpy(dtype=np.float64, na_value=np.nan), False
    if kind in DATE_KINDS:
        raise InputError(
            f"{where} holds dates or times ({kind}); allowed with dates='number', which takes them as "
            "numbers of days, or as numbers that you compute"
        )
    raise InputError(f"{where} holds {kind} values, must hold numbers, booleans, text or categories")


def _days(column: pd.Series[Any], where: str) -> NDArray[np.float64]:
    """Return days since 1970, or the days that a duration takes; NaN where it is missing."""
    if pd.api.types.is_timedelta64_dtype(column):
        return np.asarray(column.dt.total_seconds() / SECONDS_OF_A_DAY, dtype=np.float64)
    try:
        moments = pd.to_datetime(column, utc=True)
    except (ValueError, TypeError, OverflowError):
        raise InputError(
            f"{where} holds dates that cannot be read, such as {shown(column.iloc[0])}"
        ) from None
    since = moments - pd.Timestamp(0, tz="UTC")
    return np.asarray(since.dt.total_seconds() / SECONDS_OF_A_DAY, dtype=np.float64)


def _with_gaps(codes: NDArray[Any]) -> NDArray[np.float64]:
    return np.where(codes < 0, np.nan, codes)


def target_series(y: Any) -> pd.Series[Any]:
    """Return the target as a Series, numbered from 0."""
    if y is None:
        raise InputError("y: is None, must hold one value for each row of X")
    given = y
    if hasattr(y, "to_pandas"):
        y = y.to_pandas()
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        y = y.iloc[:, 0]
    if not isinstance(y, (pd.Series, pd.Categorical, pd.Index)):
        y = np.asarray(y) if not isinstance(y, (list, tuple)) else np.asarray(pd.Series(y))
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim == 0:
            raise InputError(f"y={shown(given)}: must be a list, one value for each row of X")
        if y.ndim != 1:
            raise InputError(f"y: has shape {y.shape}, must have one dimension")
    return pd.Series(y).reset_index(drop=True).infer_objects()


def encode_target(target: pd.Series[Any], task: str) -> tuple[NDArray[Any], str, tuple[Any, ...]]:
    """Return the codes or values of a target without gaps, the task found, and the labels."""
    is_number = pd.api.types.is_numeric_dtype(target) and not pd.api.types.is_bool_dtype(target)
    if pd.api.types.is_complex_dtype(target) or target.dtype.kind in "mM":
        raise InputError(f"y: is of type {target.dtype}, must be numbers or class labels")
    if is_number and np.isinf(target.to_numpy(dtype=np.float64)).any():
        raise InputError("y: holds infinite (inf) values, must be finite")
    try:
        codes, labels = pd.factorize(target, sort=True)
    except TypeError:
        raise InputError("y: holds labels that cannot be sorted, must be numbers or text") from None
    n_values = len(labels)
    if task == "auto":
        is_float = pd.api.types.is_float_dtype(target)
        task = "regression" if is_float and n_values > FEW_VALUES else "classification"
        if task == "classification" and is_number and n_values > MOST_CLASSES:
            raise InputError(
                f"y: holds {n_values} different whole numbers; say with task='regression' or "
                "task='classification' what they are"
            )
        if task == "classification" and is_number and n_values > FEW_VALUES:
            warn(f"y: {n_values} different whole numbers are taken as classes; or give task='regression'")
    if task == "regression":
        if not (is_number or pd.api.types.is_bool_dtype(target)):
            raise InputError(f"y: is of type {target.dtype}, must be numbers for task='regression'")
        if n_values < 2:
            raise InputError("y: has one value only, must have at least two for regression")
        return target.to_numpy(dtype=np.float64), task, ()
    if n_values < 2:
        raise InputError(f"y: has one class only ({labels.tolist()[0]!r}), must have at least two")
    return codes.astype(np.int64), task, tuple(labels.tolist())


def listed(names: Sequence[str], mask: NDArray[np.bool_], limit: int = 5) -> str:
    """Return the masked names for a message: "column 'a'" or "columns 'a', 'b' and 3 more" … ."""
    chosen = [name for name, wanted in zip(names, mask, strict=True) if wanted]
    shown = ", ".join(repr(name) for name in chosen[:limit])
    rest = f" and {len(chosen) - limit} more" if len(chosen) > limit else ""
    return f"column{'s' if len(chosen) > 1 else ''} {shown}{rest}"


def hold(mask: NDArray[np.bool_]) -> str:
    """Return the verb that goes with the masked names."""
    return "hold" if mask.sum() > 1 else "holds"


def warn(message: str) -> None:
    """Issue a UserWarning."""
    warnings.warn(message, UserWarning, stacklevel=4)
