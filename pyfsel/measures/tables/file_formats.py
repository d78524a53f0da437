"""CSV and Parquet files, read by pandas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsel.measures.tables.encoded import check_distinct

SEPARATORS = (",", ";", "\t")
NUMBER_WITH_COMMA = r"[+-]?\d*,?\d+(?:[eE][+-]?\d+)?"
THOUSANDS = r"[+-]?\d{1,3}(?:,\d{3})+"


def read_parquet(path: Path, wanted: Callable[[Sequence[str]], list[str]] | None) -> pd.DataFrame:
    """Read all columns but those of the index, or those that are `wanted` of their names."""
    from pyarrow.parquet import read_schema

    schema = read_schema(path)
    of_index = (schema.pandas_metadata or {}).get("index_columns", ())
    names = [name for name in schema.names if name not in of_index]
    columns = None if wanted is None else wanted(names)
    return pd.read_parquet(path, engine="pyarrow", columns=columns)


def _names(path: Path, separator: str) -> list[str]:
    header = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False)
    return [str(name) for name in header.iloc[0]]


def _usual_separator(path: Path) -> str:
    return max(SEPARATORS, key=lambda separator: len(_names(path, separator)))


def read_csv(path: Path, separator: str | None) -> pd.DataFrame:
    """Read all columns; without a separator, with the one that makes most columns of the first line."""
    separator = separator or _usual_separator(path)
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
