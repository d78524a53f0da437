"""Text that means something else: numbers written with signs, and one word spelled in several ways."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from pyfsel.measures.arrays import Floats

SPREADSHEET_ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")
SIGNS = re.compile(r"[,%$€£¥\s]")
NUMBER = re.compile(
    r"[-+]?\s*[$€£¥]?\s*[-+]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*[%$€£¥]?"
)
MOSTLY, MOST_OTHERS = 0.5, 0.1
MOST_EXAMPLES = 3


def numbers_in(column: pd.Series[Any]) -> Floats | None:
    """Return the numbers of a column of text that are written with thousands, currencies or percent signs.

    Errors of spreadsheets are missing values. None if any other entry is not such a number, or all are plain
    digits: these may be codes, such as postal ones.

    Examples
    --------
    >>> numbers_in(pd.Series(["$1,000", "5%", "#DIV/0!", "-.5"])).tolist()
    [1000.0, 0.05, nan, -0.5]
    >>> numbers_in(pd.Series(["01234", "98765"])) is None
    True
    """
    value_of, any_sign = {}, False
    for text in column.dropna().unique():
        if text.strip() in SPREADSHEET_ERRORS:
            continue
        if not NUMBER.fullmatch(text.strip()):
            return None
        plain = SIGNS.sub("", text)
        any_sign |= plain != text.strip()
        value_of[text] = float(plain) / (100 if "%" in text else 1)
    return column.map(value_of).to_numpy(dtype=np.float64) if any_sign else None


def nearly_numbers(column: pd.Series[Any]) -> str:
    """Return in words why a column is text though it means numbers; "" for any other.

    Half of the rows, or nine in ten of the different values, are numbers, or all with the same unit.

    Examples
    --------
    >>> nearly_numbers(pd.Series(["0.7 mg", "12 mg"])), nearly_numbers(pd.Series(["1 a", "2 b"]))
    ("all are numbers with 'mg'", '')
    """
    text = column.dropna()
    labels = text.unique()
    units = {NUMBER.match(label) and NUMBER.sub("", label, count=1).strip() for label in labels}
    if len(units) == 1 and (unit := units.pop()):
        return f"all are numbers with {unit!r}"
    others = [label for label in labels if not NUMBER.fullmatch(label.strip())]
    if not len(text) or (text.isin(others).mean() > MOSTLY and len(others) > MOST_OTHERS * len(labels)):
        return ""
    return f"all but {examples(others)} are numbers" if others else "all are numbers, as text"


def spellings(labels: Iterable[Any]) -> list[str]:
    """Return the labels that differ from another one by case, or by spaces around them, only.

    Examples
    --------
    >>> spellings(["Yes", "no", "yes", " yes"])
    ['Yes', 'yes', ' yes']
    """
    alike: dict[str, list[str]] = {}
    for label in labels:
        if isinstance(label, str):
            alike.setdefault(label.strip().casefold(), []).append(label)
    return [label for same in alike.values() if len(same) > 1 for label in same]


def examples(labels: list[str]) -> str:
    """Return some labels for a message."""
    more = f" and {len(labels) - MOST_EXAMPLES} more" if len(labels) > MOST_EXAMPLES else ""
    return f"{', '.join(map(repr, labels[:MOST_EXAMPLES]))}{more}"
