"""Numbers with labels: labels of pandas objects name the features, or are the features in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyfsel.errors import InputError

MOST_LISTED = 3
AXES = {1: ("labels",), 2: ("rows", "columns")}


def labels_of(numbers: Any) -> list[tuple[str, ...] | None]:
    """Return the labels of each axis of a Series or DataFrame, as text; None where they only count from 0.

    Empty for what is neither of the two.

    Examples
    --------
    >>> import pandas as pd
    >>> labels_of(pd.Series([0.5, 0.3], index=["age", "iron"])), labels_of([0.5, 0.3])
    ([('age', 'iron')], [])
    """
    if not hasattr(numbers, "iloc") or getattr(numbers, "ndim", 0) not in AXES:
        return []
    axes = [list(axis) for axis in numbers.axes]
    return [None if axis == list(range(len(axis))) else tuple(map(str, axis)) for axis in axes]


def first_labels(*arguments: Any) -> tuple[str, ...] | None:
    """Return the labels of the first of these numbers that has some; None if there are none."""
    return next(
        (labels for numbers in arguments for labels in labels_of(numbers) if labels is not None), None
    )


def require_order(argument: str, numbers: Any, names: Sequence[str]) -> None:
    """Raise `InputError` if numbers have labels that are not the features in their order."""
    labels = labels_of(numbers)
    for what, axis in zip(AXES[max(1, len(labels))], labels, strict=False):
        if axis not in (None, tuple(names)):
            unknown = listed_names(axis, set(names))
            why = f"hold {unknown}, no feature" if unknown else "are not the features in their order"
            raise InputError(f"{argument}: its {what} {why}. Try {argument}.reindex(…)")


def listed_names(labels: Sequence[str], without: set[str]) -> str:
    """Return the first of the labels that are not among some others, in words; "" if there are none."""
    others = [repr(label) for label in labels if label not in without]
    more = f" and {len(others) - MOST_LISTED} more" if len(others) > MOST_LISTED else ""
    return ", ".join(others[:MOST_LISTED]) + more
