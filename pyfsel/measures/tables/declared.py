"""Declarations of a user about columns: codes that mean missing, and orders of categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pyfsel.errors import InputError
from pyfsel.problem.checks import column_in, shown

Codes = Mapping[str | None, Sequence[Any]]
Orders = Mapping[str, Sequence[Any] | str]


def declared(
    table: pd.DataFrame, *, missing_codes: Codes | None = None, orders: Orders | None = None
) -> pd.DataFrame:
    """Return a table in which codes of missing values are gaps, and categories have the orders declared.

    Parameters
    ----------
    table : DataFrame, shape (n_rows, n_columns)
        Features, and the target if its codes are meant too.
    missing_codes : dict of column to list, optional
        Values that mean missing, such as 99 for "no answer". The key None stands for all columns. Numbers are
        compared as numbers, also where they are given as text.
    orders : dict of column to list or str, optional
        All categories of a column from the least to the largest, or as text "never<rarely<often".

    Returns
    -------
    DataFrame
        The given one is not changed.

    Raises
    ------
    InputError
        If a column does not exist, no column has a code, or a category is not in the order.

    Examples
    --------
    >>> answers = pd.DataFrame({"often": ["rarely", "never", "often"], "age": [31, 99, 45]})
    >>> found = declared(answers, missing_codes={"age": [99]}, orders={"often": "never<rarely<often"})
    >>> found["age"].tolist(), found["often"].cat.codes.tolist()
    ([31.0, nan, 45.0], [1, 0, 2])
    """
    table = table.copy(deep=False)
    names = list(map(str, table.columns))
    for name, codes in (missing_codes or {}).items():
        places = range(len(names)) if name is None else [column_in(f"missing_codes: {name!r}", name, names)]
        is_code = {j: _holds(table.iloc[:, j], codes) for j in places}
        if not any(rows.any() for rows in is_code.values()):
            where = "no column holds" if name is None else f"column {name!r} does not hold"
            raise InputError(
                f"missing_codes: {where} {shown(list(codes))}. Give values as they are in the table."
            )
        for j, rows in is_code.items():
            if rows.any():
                table.isetitem(j, table.iloc[:, j].mask(rows).array)
    for name, order in (orders or {}).items():
        place = column_in(f"orders: {name!r}", name, names)
        table.isetitem(place, _ordered(table.iloc[:, place], name, order).array)
    return table


def _holds(column: pd.Series[Any], codes: Sequence[Any]) -> pd.Series[Any]:
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return column.isin(pd.to_numeric(pd.Series(list(codes)), errors="coerce").dropna())
    return column.astype(str).str.strip().isin([str(code) for code in codes]) & column.notna()


def _ordered(column: pd.Series[Any], name: str, order: Sequence[Any] | str) -> pd.Series[Any]:
    """Return a column as categories in an order, which are compared as text."""
    labels = [str(label).strip() for label in (order.split("<") if isinstance(order, str) else order)]
    text = column.astype(str).str.strip().where(column.notna())
    unknown = sorted(set(text.dropna()) - set(labels))
    if unknown or len(set(labels)) < len(labels):
        wrong = f"lacks the category {unknown[0]!r}" if unknown else "holds a category twice"
        raise InputError(
            f"orders: the order of column {name!r} {wrong}. Name each of its categories once, from "
            f"the least to the largest, such as {'<'.join(sorted(set(text.dropna()))[:4])!r}."
        )
    return text.astype(pd.CategoricalDtype(labels, ordered=True))


def parsed_codes(texts: Sequence[str]) -> dict[str | None, list[str]]:
    """Return codes of missing values as the command line has them: ``99``, ``income=-9,age=999``.

    Examples
    --------
    >>> parsed_codes(["88,99", "income=-9,age=999,age=998"])
    {None: ['88', '99'], 'income': ['-9'], 'age': ['999', '998']}
    """
    found: dict[str | None, list[str]] = {}
    for part in ",".join(texts).split(",") if texts else ():
        name, _, code = part.rpartition("=")
        if not code.strip():
            raise InputError(
                f"missing_codes={','.join(texts)!r}: must be codes separated by commas, each for all "
                "columns, or as COLUMN=CODE for one"
            )
        found.setdefault(name.strip() or None, []).append(code.strip())
    return found


def parsed_orders(texts: Sequence[str]) -> dict[str, str]:
    """Return orders as the command line has them: ``COLUMN=never<rarely<often``.

    Examples
    --------
    >>> parsed_orders(["Q1=never<rarely<often"])
    {'Q1': 'never<rarely<often'}
    """
    found = {}
    for text in texts:
        name, separator, order = text.partition("=")
        if not separator or "<" not in order:
            raise InputError(
                f"order={text!r}: must be COLUMN=LEAST<…<LARGEST, such as 'Q1=never<rarely<often'"
            )
        if name.strip() in found:
            raise InputError(f"order={text!r}: column {name.strip()!r} has an order already. Expected one")
        found[name.strip()] = order
    return found
