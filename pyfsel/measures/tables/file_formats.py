"""CSV, Parquet and Excel files, read by pandas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from pyfsel.errors import InputError
from pyfsel.measures.tables.encoded import LARGEST_EXACT, check_distinct, warn
from pyfsel.measures.tables.text import NUMBER, SPREADSHEET_ERRORS
from pyfsel.problem.checks import shown

SEPARATORS = (",", ";", "\t", "|")
NUMBER_WITH_COMMA = r"[+-]?\d*,?\d+(?:[eE][+-]?\d+)?"
THOUSANDS = r"[+-]?(?:[1-9]\d{0,2}(?:,\d{3})*|0)"
THOUSANDS_WITH_POINT = r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+"
TOO_MANY_CELLS = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zip", ".zst")
GAPS = ["?", *SPREADSHEET_ERRORS]


def read_parquet(path: Path, wanted: Callable[[Sequence[str]], list[str]] | None) -> pd.DataFrame:
    """Read all columns but those of the index, or those that are `wanted` of their names."""
    from pyarrow.parquet import read_schema

    schema = read_schema(path)
    of_index = (schema.pandas_metadata or {}).get("index_columns", ())
    names = [name for name in schema.names if name not in of_index]
    columns = None if wanted is None else wanted(names)
    return pd.read_parquet(path, engine="pyarrow", columns=columns)


def read_excel(path: Path, sheet: str | int = 0) -> pd.DataFrame:
    """Read all columns of a sheet, by its name or number."""
    with pd.ExcelFile(path, engine="openpyxl") as book:
        if isinstance(sheet, str) and sheet not in book.sheet_names:
            raise InputError(
                f"{path}#{sheet}: has no such sheet; it has {', '.join(map(str, book.sheet_names))}"
            )
        table = pd.read_excel(book, sheet_name=sheet, na_values=GAPS)
    is_nameless = table.shape[1] > 1 and str(table.columns[0]) == "Unnamed: 0"
    table = table.set_index(table.columns[0]) if is_nameless else table
    check_header(path, table.columns, table)
    return table


def _first_row(path: Path, separator: str, encoding: str) -> list[str]:
    header = pd.read_csv(
        path, sep=separator, encoding=encoding, header=None, nrows=1, dtype=str, keep_default_na=False
    )
    return [str(name) for name in header.iloc[0]]


def check_header(path: Path, first_row: Iterable[Any], table: pd.DataFrame) -> None:
    """Raise `InputError` if the names of all columns look like entries of them.

    Names of columns of numbers are numbers then, and names of other columns stand in them too. Whole numbers
    alone may be names, such as years.
    """
    names = list(map(str, first_row))
    is_entry = [
        bool(NUMBER.fullmatch(name.strip()) if is_numeric_dtype(column) else (column == name).any())
        for name, (_, column) in zip(names, table.items(), strict=True)
    ]
    if all(is_entry) and not all(name.strip().isdecimal() for name in names):
        raise InputError(
            f"{path}: its first row looks like data, {shown(list(first_row))}; put the names of the columns "
            "above it"
        )


def read_csv(path: Path, separator: str | None, encoding: str) -> pd.DataFrame:
    """Read all columns; without a separator, with the one that makes most columns of the first line."""
    separator = separator or separator_of(path, encoding)
    names = _first_row(path, separator, encoding)
    is_nameless = names[0] == "" and len(names) > 1

    def read(decimal: str, dtype: dict[str, str] | None = None) -> pd.DataFrame:
        return pd.read_csv(
            path,
            sep=separator,
            decimal=decimal,
            encoding=encoding,
            index_col=0 if is_nameless else None,
            na_values=GAPS,
            skipinitialspace=True,
            low_memory=False,
            dtype=dtype,
        )

    try:
        table = read(".")
    except pd.errors.ParserError as error:
        wrong = TOO_MANY_CELLS.search(str(error))
        if wrong is None:
            raise
        raise InputError(
            f"{path}: line {wrong[2]} has {wrong[3]} cells, must have {wrong[1]} as the first line"
        ) from None
    if is_nameless:
        warn(f"{path}: its first column has no name and is taken as row labels, not as a feature")
    rounded = [name for name, column in table.items() if _may_be_rounded(column)]
    if rounded:
        with suppress(ValueError):  # some are not whole numbers
            table = read(".", dict.fromkeys(map(str, rounded), "Int64"))
    if any(has_decimal_commas(column) for _, column in table.items()):
        table = _by_either_mark(table, read(","))
    check_header(path, names[len(names) - table.shape[1] :], table)
    check_distinct([name for name in names if name])
    return table


def _may_be_rounded(column: pd.Series[Any]) -> bool:
    """Return whether pandas may have rounded whole numbers to floats, for a gap among them."""
    if column.dtype != "float64" or not column.isna().any():
        return False
    present = column.dropna()
    return bool((present.abs() > LARGEST_EXACT).any() and (present % 1 == 0).all())


def separator_of(path: Path, encoding: str = "utf-8-sig") -> str:
    """Return the separator that makes most columns of the first line of a CSV file."""
    return max(SEPARATORS, key=lambda each: len(_first_row(path, each, encoding)))


def has_decimal_commas(column: pd.Series[Any]) -> bool:
    """Return whether a column is text only because its numbers are written with a decimal comma.

    Commas may also separate thousands: they do if all numbers, those without a comma as well, allow it.

    Examples
    --------
    >>> has_decimal_commas(pd.Series(["1,5", "20"])), has_decimal_commas(pd.Series(["1,500", "20"]))
    (True, False)
    """
    values = column.dropna()
    if is_numeric_dtype(values) or not values.map(lambda value: isinstance(value, str)).all():
        return False
    has_comma = values.str.contains(",")
    numbers = values.str.fullmatch(NUMBER_WITH_COMMA)
    return bool(numbers.all() and has_comma.any() and not values.str.fullmatch(THOUSANDS).all())


def _by_either_mark(by_point: pd.DataFrame, by_comma: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a file with decimal commas; some have decimal points all the same.

    A column that is numbers with points stays so, unless the points may separate thousands: such a column
    stays text, for nobody can say what its numbers are.
    """
    for name, numbers in by_point.items():
        if is_numeric_dtype(numbers):
            text = by_comma[name].dropna().astype(str)
            is_doubtful = (
                not is_numeric_dtype(by_comma[name]) and text.str.fullmatch(THOUSANDS_WITH_POINT).all()
            )
            by_comma[name] = by_comma[name] if is_doubtful else numbers
    return by_comma
