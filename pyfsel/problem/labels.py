"""Numbers with labels: pandas objects belong to features by their labels, never by their positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

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


def in_order_of(argument: str, numbers: Any, names: Sequence[str]) -> Any:
    """Return numbers in the order of the features: by their labels where they have some, else as they are.

    Raises
    ------
    InputError
        If the labels are not the names, each once, or the labels of one axis alone are in another order.
    """
    labels = labels_of(numbers)
    if not any(labels):
        return numbers
    for place, (what, axis) in enumerate(zip(AXES[len(labels)], labels, strict=True)):
        if axis is None:
            continue
        _require_the_names(argument, what, axis, names)
        if None in labels and list(axis) != list(names):
            raise InputError(
                f"{argument}: only its {what} have labels, in another order than the features; label both"
            )
        numbers = numbers.set_axis(axis, axis=place).reindex(names, axis=place)
    return np.asarray(numbers)


def _require_the_names(argument: str, what: str, labels: Sequence[str], names: Sequence[str]) -> None:
    known, given = set(names), set(labels)
    if len(given) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InputError(f"{argument}: has {twice!r} more than once among its {what}")
    unknown, lacking = listed_names(labels, known), listed_names(names, given)
    if unknown or lacking:
        parts = [f"hold {unknown}, no feature" if unknown else "", f"lack {lacking}" if lacking else ""]
        raise InputError(f"{argument}: its {what} {' and '.join(filter(None, parts))}")


def listed_names(labels: Sequence[str], without: set[str]) -> str:
    """Return the first of the labels that are not among some others, in words; "" if there are none."""
    others = [repr(label) for label in labels if label not in without]
    more = f" and {len(others) - MOST_LISTED} more" if len(others) > MOST_LISTED else ""
    return ", ".join(others[:MOST_LISTED]) + more
