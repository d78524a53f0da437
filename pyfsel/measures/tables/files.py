"""Tables from files and from scikit-learn's bundled data sets."""

from __future__ import annotations

import csv
import difflib
import importlib.util
import lzma
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsel.errors import InputError
from pyfsel.measures.tables.encoding import check_distinct
from pyfsel.problem.checks import file_path, is_a, one_of, shown
from pyfsel.problem.names import feature_numbers

CSV_EXTENSIONS = (".csv", ".tsv", ".txt")
SEPARATORS = (",", ";", "\t")
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zip", ".zst")
PARQUET_EXTENSIONS = (".parquet", ".pq")
DATASETS = ("breast_cancer", "diabetes", "digits", "iris", "wine")
NUMBER_WITH_COMMA = r"[+-]?\d*,?\d+(?:[eE][+-]?\d+)?"
THOUSANDS = r"[+-]?\d{1,3}(?:,\d{3})+"
UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    ImportError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    csv.Error,
)


def read_table(
    path: str | Path, target: str, *, separator: str | None = None, ignored: Sequence[int | str] = ()
) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Read a table from a file and split off the target column.

    In CSV files ``?`` counts as missing, besides what pandas takes as missing (empty cells, NA, null …);
    a first column without a name is taken as row labels, not as a feature. Where cells are not separated by
    commas, numbers may have a decimal comma.

    Parameters
    ----------
    path : str or Path
        ``.csv``, ``.tsv`` (tab-separated) or ``.txt``, each also compressed (``.gz``, ``.bz2``, ``.xz``,
        ``.zip``, ``.zst``), or ``.parquet`` (with pyarrow: ``pip install 'pyfsel[parquet]'``).
    target : str
        Name of the target column.
    separator : str, optional
        Between the cells of a CSV file. Unless given: a tab in ``.tsv``, else a comma, or a semicolon or tab
        where these make more columns of the first line.
    ignored : sequence of int or str
        Columns that are left out, by name or by position among those besides the target. Of Parquet files the
        others only are read.

    Returns
    -------
    X : DataFrame, shape (n_rows, n_features)
    y : Series, shape (n_rows,)

    Raises
    ------
    InputError
        If the file cannot be read or is empty, column names stand twice, or the target is not there.
    """
    path = file_path("path", path)
    is_a("target", target, str, "the name of a column")
    if separator is not None and (not isinstance(separator, str) or len(separator) != 1):
        raise InputError(f"separator={shown(separator)}: must be one character or None")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = next((s for s in reversed(suffixes) if s not in COMPRESSIONS), "")
    try:
        if kind in PARQUET_EXTENSIONS:
            if importlib.util.find_spec("pyarrow") is None:
                raise InputError(f"{path}: reading Parquet takes pyarrow (pip install 'pyfsel[parquet]')")
            table = _read_parquet(path, target, ignored)
        elif kind in CSV_EXTENSIONS:
            table = _read_csv(path, separator or ("\t" if kind == ".tsv" else _usual_separator(path)))
        else:
            allowed = ", ".join(CSV_EXTENSIONS + PARQUET_EXTENSIONS)
            raise InputError(f"{path}: has an unknown extension, must be one of {allowed}")
    except InputError:
        raise
    except UNREADABLE as error:
        told = (isinstance(error, OSError) and error.strerror) or str(error)
        reason = (told.splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path}: cannot be read ({reason})") from None
    table.columns = pd.Index([str(name) for name in table.columns])
    if target not in table.columns:
        raise InputError(
            f"target={target!r}: is not a column of {path}; {_near(target, list(table.columns))}"
        )
    if kind not in PARQUET_EXTENSIONS:
        table = table[_read_columns(list(table.columns), target, ignored)]
    if table.empty or table.shape[1] < 2:
        raise InputError(
            f"{path}: has {len(table)} rows and {table.shape[1] - 1} columns besides the target, "
            "must have at least one of each"
        )
    return table.drop(columns=target), table[target]


def load_dataset(name: str) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return one of scikit-learn's bundled data sets: breast_cancer, diabetes, digits, iris or wine.

    Parameters
    ----------
    name : str

    Returns
    -------
    X : DataFrame, shape (n_rows, n_features)
    y : Series, shape (n_rows,)

    Raises
    ------
    InputError
        If there is no data set of this name.
    """
    one_of("dataset", name, DATASETS)
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")(as_frame=True)
    return bunch.data, bunch.target


def left_columns(names: Sequence[str], ignored: Sequence[int | str]) -> list[int]:
    """Return the numbers of the columns that are not ignored.

    Raises
    ------
    InputError
        If one that is ignored does not exist, or none is left.
    """
    left_out = set(feature_numbers("ignored", ignored, names))
    if left_out and len(left_out) == len(names):
        raise InputError("ignored: leaves no column besides the target, must leave at least one")
    return [j for j in range(len(names)) if j not in left_out]


def _read_columns(names: Sequence[str], target: str, ignored: Sequence[int | str]) -> list[str]:
    features = [name for name in names if name != target]
    left = {features[j] for j in left_columns(features, ignored)}
    return [name for name in names if name == target or name in left]


def _read_parquet(path: Path, target: str, ignored: Sequence[int | str]) -> pd.DataFrame:
    """Read the columns that are not ignored; those of the index are none."""
    from pyarrow.parquet import read_schema

    schema = read_schema(path)
    of_index = (schema.pandas_metadata or {}).get("index_columns", ())
    names = [name for name in schema.names if name not in of_index]
    columns = _read_columns(names, target, ignored) if ignored else None
    return pd.read_parquet(path, engine="pyarrow", columns=columns)


def _names(path: Path, separator: str) -> list[str]:
    header = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False)
    return [str(name) for name in header.iloc[0]]


def _usual_separator(path: Path) -> str:
    return max(SEPARATORS, key=lambda separator: len(_names(path, separator)))


def _read_csv(path: Path, separator: str) -> pd.DataFrame:
    names = _names(path, separator)
    check_distinct([name for name in names if name])

    def read(decimal: str) -> pd.DataFrame:
        return pd.read_csv(
            path,
            sep=separator,
            decimal=decimal,
            index_col=0 if names[0] == "" and len(names) > 1 else None,
            na_values=["?"],
            skipinitialspace=True,
            low_memory=False,
        )

    table = read(".")
    with_comma = separator != "," and any(map(_has_decimal_commas, table.items()))
    return read(",") if with_comma else table


def _has_decimal_commas(column: tuple[Any, pd.Series[Any]]) -> bool:
    """Return whether a column is text only because its numbers are written with a decimal comma."""
    values = column[1].dropna()
    if pd.api.types.is_numeric_dtype(values) or not values.map(lambda value: isinstance(value, str)).all():
        return False
    numbers = values.str.fullmatch(NUMBER_WITH_COMMA)
    thousands = values.str.fullmatch(THOUSANDS)
    return bool(numbers.all() and values.str.contains(",").any() and not thousands.all())


def _near(name: str, names: Sequence[str]) -> str:
    lower = {other.lower(): other for other in names}
    near = [lower[match] for match in difflib.get_close_matches(name.lower(), lower)]
    if near:
        return f"did you mean {' or '.join(repr(other) for other in near)}?"
    shown = ", ".join(names[-5:])
    return f"its {'last ' if len(names) > 5 else ''}columns are {shown}"
