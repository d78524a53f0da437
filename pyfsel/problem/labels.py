"""Numbers with labels: labels of pandas objects name the features, and match numbers to them in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyfsel.errors import InputError

MOST_LISTED = 3
AXES = {1: ("labels",), 2: ("rows", "columns")}


def columns_of(table: Any) -> list[str] | None:
    """Return the names of the columns of a table of pandas, Polars or Arrow; None for anything else."""
    columns = getattr(table, "column_names", None) or getattr(table, "columns", None)
    return None if columns is None or callable(columns) else list(map(str, columns))


def _square(numbers: Any) -> Any:
    """Return a table without labels of rows as a DataFrame with the labels of its columns; others as is."""
    names = None if hasattr(numbers, "iloc") else columns_of(numbers)
    if names is None or names == [f"column_{j}" for j in range(len(names))]:  # which Polars invents
        return numbers
    import pandas as pd

    matrix = np.asarray(numbers)
    return pd.DataFrame(matrix, index=names if len(matrix) == len(names) else None, columns=names)


def labels_of(numbers: Any) -> list[tuple[str, ...] | None]:
    """Return the labels of each axis of a Series or DataFrame, as text; None where they only count from 0.

    Tables of Polars and Arrow have the labels of their columns for their rows, too. Empty for anything else.

    Examples
    --------
    >>> import pandas as pd
    >>> labels_of(pd.Series([0.5, 0.3], index=["age", "iron"])), labels_of([0.5, 0.3])
    ([('age', 'iron')], [])
    """
    numbers = _square(numbers)
    if not hasattr(numbers, "iloc") or getattr(numbers, "ndim", 0) not in AXES:
        return []
    axes = [list(axis) for axis in numbers.axes]
    return [None if axis == list(range(len(axis))) else tuple(map(str, axis)) for axis in axes]


def first_labels(*arguments: Any) -> tuple[str, ...] | None:
    """Return the labels of the first of these numbers that has some; None if there are none."""
    return next(
        (labels for numbers in arguments for labels in labels_of(numbers) if labels is not None), None
    )


def in_order(argument: str, numbers: Any, names: Sequence[str] | None) -> Any:
    """Return numbers in the order of the features, if these have names, by their labels, if they have some.

    Raises
    ------
    InputError
        If the labels are not the features, each once.

    Examples
    --------
    >>> import pandas as pd
    >>> in_order("quality", pd.Series([0.5, 0.3], index=["iron", "age"]), ["age", "iron"]).tolist()
    [0.3, 0.5]
    """
    numbers = _square(numbers)
    for place, labels in enumerate(labels_of(numbers)):
        if labels is None or names is None or labels == tuple(names):
            continue
        unknown, lacking = listed_names(labels, set(names)), listed_names(names, set(labels))
        if unknown or lacking or len(labels) != len(names):
            why = f"hold {unknown}, no feature" if unknown else f"lack {lacking}" if lacking else "repeat"
            raise InputError(f"{argument}: its {AXES[numbers.ndim][place]} {why}. Expected each feature once")
        numbers = numbers.take([labels.index(name) for name in names], axis=place)
    return numbers


def listed_names(labels: Sequence[str], without: set[str]) -> str:
    """Return the first of the labels that are not among some others, in words; "" if there are none."""
    others = [repr(label) for label in labels if label not in without]
    more = f" and {len(others) - MOST_LISTED} more" if len(others) > MOST_LISTED else ""
    return ", ".join(others[:MOST_LISTED]) + more
