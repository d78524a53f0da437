"""Columns as encoding leaves them, and how messages name columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError, warn

FEW_VALUES = 20
LARGEST_EXACT = 2**53
LEAVE_OUT = "an identifier is better left out (--ignore on the command line)"


@dataclass(frozen=True)
class EncodedColumns:
    """Features with missing values as NaN, their names, and which of them hold codes of categories.

    `X` is an array of floats, or a ``scipy.sparse.csc_array`` of them. `source` is the user's DataFrame with
    the names of its columns, for estimators that look at them; None if there are only numbers. Columns that
    are unordered hold more than two categories of which none comes before another. `given` is the user's
    table if its rows have labels.
    """

    X: Any
    feature_names: tuple[str, ...]
    is_category: NDArray[np.bool_]
    source: tuple[Any, tuple[str, ...]] | None = None
    is_unordered: NDArray[np.bool_] | None = None
    given: Any = None


def exact_floats(values: NDArray[Any], where: str) -> NDArray[np.float64]:
    """Return whole numbers as floats that differ where the numbers do.

    Those beyond 2⁵³ count from the least one, as no measure depends on where 0 is. Where they are too far
    apart for that, they are rounded if that makes no two of them equal, and else numbered in their order.

    Parameters
    ----------
    values : array of int or of Python's whole numbers, shape (n_values,)
    where : str
        The column, for a message.

    Examples
    --------
    >>> exact_floats(np.array([2**60 + 1, 2**60]), "X").tolist()
    [1.0, 0.0]
    >>> exact_floats(np.array([-5, 7]), "X").tolist()
    [-5.0, 7.0]
    """
    if not len(values):
        return values.astype(np.float64)
    least, largest = int(values.min()), int(values.max())
    if max(-least, largest) <= LARGEST_EXACT:
        return values.astype(np.float64)
    if largest - least <= LARGEST_EXACT:
        return np.asarray((values - values.min()).astype(np.float64))
    distinct, order = np.unique(values, return_inverse=True)
    try:
        rounded = distinct.astype(np.float64)
    except OverflowError:
        rounded = np.zeros(len(distinct))
    if (np.diff(rounded) > 0).all():
        return np.asarray(rounded[order])
    warn(
        f"{where} holds whole numbers that are too far apart for floats of 53 digits; they are taken in "
        f"their order, as 0, 1, 2 …; {LEAVE_OUT}"
    )
    return order.astype(np.float64)


def warn_of_no_order(names: Sequence[str], unordered: NDArray[np.bool_], argument: str) -> None:
    """Warn of categories without an order that a measure takes in the order of their codes."""
    if unordered.any():
        warn(
            f"X: {listed(names, unordered)} {hold(unordered)} categories without an order; {argument} takes "
            "them in the order of their names, which means nothing. measure='information' needs no order; or "
            "declare one (--order on the command line, ordered categories of pandas)"
        )


def check_distinct(names: Sequence[str]) -> None:
    """Raise `InputError` if a name stands more than once."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"X: column name {name!r} stands more than once; names must be different")
        seen.add(name)


def listed(names: Sequence[str], mask: NDArray[np.bool_], limit: int = 5) -> str:
    """Return the masked names for a message: "column 'a'" or "columns 'a', 'b' and 3 more" … ."""
    chosen = [name for name, wanted in zip(names, mask, strict=True) if wanted]
    shown = ", ".join(repr(name) for name in chosen[:limit])
    rest = f" and {len(chosen) - limit} more" if len(chosen) > limit else ""
    return f"column{'s' if len(chosen) > 1 else ''} {shown}{rest}"


def hold(mask: NDArray[np.bool_]) -> str:
    """Return the verb that goes with the masked names."""
    return "hold" if mask.sum() > 1 else "holds"
