"""Pandas' columns as numbers: what kind of values each holds, and what that means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pyfsel.core.arrays import Array, Bools, Reals
from pyfsel.errors import InputError, warn
from pyfsel.measures.tables.encoded import FEW_VALUES, LEAVE_OUT, EncodedColumns, exact_floats, listed
from pyfsel.measures.tables.entries import as_sparse, distinct_counts, present
from pyfsel.measures.tables.text import examples, nearly_numbers, numbers_in, spellings
from pyfsel.problem.checks import shown

SECONDS_OF_A_DAY = 86_400
MANY_ROWS = 2**16
"""From these on columns lie one after another, as what is measured goes column by column."""
DATE_KINDS = ("datetime64", "datetime", "date", "timedelta64", "timedelta")
READ_AS_NUMBERS = "text such as '1,000', '5%' or '$1.50', read as numbers"
DATES_AS_TEXT = "dates as text, taken as categories; with dates='number' they are numbers of days"
ISO_DATE = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"


def as_frame(X: Any) -> tuple[pd.DataFrame, Sequence[Any] | None]:
    """Return a table as a DataFrame, and the names of its columns if it has any."""
    if not isinstance(X, pd.DataFrame):
        return pd.DataFrame(X), None
    is_numbered = isinstance(X.columns, pd.RangeIndex) and X.columns.equals(pd.RangeIndex(X.shape[1]))
    return X, None if is_numbered else list(X.columns)


def encode_frame(X: pd.DataFrame, names: tuple[str, ...], dates: str) -> EncodedColumns:
    """Encode column by column; with sparse columns among them the whole is sparse."""
    sparse = np.array(
        [
            isinstance(dtype, pd.SparseDtype) and dtype.kind in "biuf" and dtype.fill_value == 0
            for dtype in X.dtypes
        ],
        dtype=bool,
    )
    if sparse.any():
        return _encode_sparse(X, names, dates, sparse)
    is_single = all(dtype == np.float32 for dtype in X.dtypes)
    numbers = np.empty(X.shape, np.float32 if is_single else np.float64, "F" if len(X) >= MANY_ROWS else "C")
    is_category, unordered = np.zeros((2, len(names)), dtype=bool)
    noted: dict[str, list[str]] = {}
    for j, name in enumerate(names):
        own = _encode_column(X.iloc[:, j], f"X: column {name!r}", dates)
        numbers[:, j], is_category[j] = own.values, own.is_category
        if own.is_category and not _has_order(X.dtypes.iloc[j]):
            unordered[j] = len(distinct_counts(present(numbers[:, j]))[0]) > 2
        if own.note:
            noted.setdefault(own.note, []).append(name)
    for note, those in noted.items():
        verb = "is" if len(those) == 1 else "are"
        warn(f"X: {listed(those, np.ones(len(those), bool))} {verb} {note}")
    return EncodedColumns(numbers, names, is_category, unordered, source=(X, names))


def _encode_sparse(X: pd.DataFrame, names: tuple[str, ...], dates: str, sparse: Bools) -> EncodedColumns:
    """Encode the columns that are not sparse, and put all together in the order of the table."""
    from scipy.sparse import hstack

    stored: Any = X.iloc[:, sparse]
    rest = encode_frame(X.iloc[:, ~sparse], tuple(np.array(names, object)[~sparse]), dates)
    order = np.argsort(np.argsort(~sparse, kind="stable"))
    together = hstack([as_sparse(stored.sparse.to_coo()), as_sparse(rest.X)], format="csc")[:, order]
    flags = np.zeros((2, len(names)), dtype=bool)
    flags[:, ~sparse] = rest.is_category, rest.is_unordered
    return EncodedColumns(together, names, *flags)


def _are_dates(column: pd.Series[Any]) -> bool:
    present = column.dropna()
    return bool(len(present)) and bool(present.astype(str).str.fullmatch(ISO_DATE).all())


def _has_order(dtype: Any) -> bool:
    """Return whether the categories of a column have an order."""
    return bool(getattr(getattr(dtype, "pyarrow_dtype", dtype), "ordered", False))


class _Encoded(NamedTuple):
    """The values of a column (missing ones as NaN), whether they are codes, and what is said of them."""

    values: Reals
    is_category: bool = False
    note: str = ""


def _encode_column(column: pd.Series[Any], where: str, dates: str) -> _Encoded:
    if isinstance(column.dtype, pd.ArrowDtype) and column.dtype.kind in "OmM":
        column = _of_pandas(column)
    column = inferred(column)
    if isinstance(column.dtype, pd.CategoricalDtype):
        _warn_of_spellings(where, column.cat.categories)
        if not column.cat.ordered:  # which ones do not occur, and how a container lists them, says nothing
            column = column.cat.remove_unused_categories()
            column = column.cat.reorder_categories(pd.Categorical(column.cat.categories).categories)
        return _Encoded(_with_gaps(column.cat.codes.to_numpy()), True)
    kind = pd.api.types.infer_dtype(column, skipna=True)
    is_date = kind in DATE_KINDS or (kind == "string" and _are_dates(column))
    if is_date and dates == "number":
        return _Encoded(_days(column, where))
    if kind in ("string", "empty"):
        return _encode_text(column, where, is_date)
    if kind == "complex":
        raise InputError(f"{where} is complex; Complex data not supported")
    if kind in ("integer", "integer-na"):
        return _Encoded(whole_numbers(column, where))
    if kind in ("boolean", "floating", "mixed-integer-float", "decimal"):
        return _Encoded(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if is_date:
        raise InputError(
            f"{where} holds dates or times ({kind}); allowed with dates='number', which takes them as "
            "numbers of days, or as numbers that you compute"
        )
    raise InputError(f"{where} holds {kind} values, must hold numbers, booleans, text or categories")


def _encode_text(column: pd.Series[Any], where: str, is_date: bool) -> _Encoded:
    """Return the numbers that text holds, or codes of its sorted values."""
    codes, labels = pd.factorize(column, sort=True)
    is_text = len(labels) > 0 and isinstance(labels[0], str)
    if is_text and (numbers := numbers_in(column)) is not None:
        return _Encoded(numbers, note=READ_AS_NUMBERS)
    note = ""
    if is_date:
        note = DATES_AS_TEXT
    elif is_text:
        if reason := nearly_numbers(column):
            warn(f"{where} is taken as categories, but {reason}")
        if len(labels) > max(FEW_VALUES, len(column) / 2):
            note = f"text that differs in most rows, taken as categories; {LEAVE_OUT}"
    _warn_of_spellings(where, labels)
    return _Encoded(_with_gaps(codes), True, note)


def _warn_of_spellings(where: str, labels: Iterable[Any]) -> None:
    if alike := spellings(labels):
        warn(f"{where} has {examples(alike)} as different categories")


def inferred(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return objects of one type as such, but whole numbers as they are: with a gap they would be rounded."""
    is_whole = column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) == "integer"
    return column if is_whole else column.infer_objects()


def whole_numbers(column: pd.Series[Any], where: str) -> Reals:
    """Return whole numbers, which Python may hold without limits, as floats that differ where they do."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu":
        return exact_floats(column.to_numpy(), where)
    present = column.notna().to_numpy()
    numbers = np.full(len(column), np.nan)
    numbers[present] = exact_floats(column[present].to_numpy(), where)
    return numbers


def _of_pandas(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column that Arrow stores in pandas' own types: categories, times and durations as such."""
    import pyarrow as pa

    return pd.Series(pa.array(column).to_pandas(), index=column.index)


def _days(column: pd.Series[Any], where: str) -> Reals:
    """Return days since 1970, or the days that a duration takes; NaN where it is missing."""
    if not pd.api.types.is_timedelta64_dtype(column):
        try:
            moments = pd.to_datetime(column, utc=True)
        except (ValueError, TypeError, OverflowError):
            raise InputError(
                f"{where} holds dates that cannot be read, such as {shown(column.iloc[0])}"
            ) from None
        column = moments - pd.Timestamp(0, tz="UTC").as_unit("s")  # nanoseconds end in 2262
    return np.asarray(column.dt.total_seconds() / SECONDS_OF_A_DAY, dtype=np.float64)


def _with_gaps(codes: Array) -> Reals:
    return np.where(codes < 0, np.nan, codes)
