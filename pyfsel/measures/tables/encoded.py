"""Columns as encoding leaves them, and how messages name columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pyfsel.core.arrays import Array, Bools, Reals
from pyfsel.errors import InputError, warn

FEW_VALUES = 20
LARGEST_EXACT = 2**53
LEAVE_OUT = "an identifier is better left out (--ignore on the command line)"


@dataclass(frozen=True, eq=False)
class EncodedColumns:
    """Features as numbers, some of which may be missing.

    Parameters
    ----------
    X : array of float or scipy.sparse.csc_array of float, shape (n_rows, n_features)
        Text and categorical columns hold integer codes, missing values are NaN. Single precision if the
        user's numbers are.
    feature_names : tuple of str
    is_category : array of bool, shape (n_features,)
        Columns whose numbers are codes of text or categories.
    is_unordered : array of bool, shape (n_features,)
        Columns of more than two categories without an order, whose codes number the sorted names.
    source : (DataFrame, names), optional
        The user's table, with all its rows and columns, for estimators that look at types of columns.
    given : DataFrame or AnnData, optional
        The user's table if its rows have labels, which values of rows are matched with.
    """

    X: Any
    feature_names: tuple[str, ...]
    is_category: Bools
    is_unordered: Bools
    source: tuple[Any, tuple[str, ...]] | None = field(default=None, kw_only=True)
    given: Any = field(default=None, kw_only=True)


def exact_floats(values: Array, where: str) -> Reals:
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
        return rounded[order]
    warn(
        f"{where} holds whole numbers that are too far apart for floats of 53 digits; they are taken in "
        f"their order, as 0, 1, 2 …; {LEAVE_OUT}"
    )
    return order.astype(np.float64)


def warn_of_no_order(names: Sequence[str], unordered: Bools, argument: str) -> None:
    """Warn of categories without an order that a measure takes in the order of their codes."""
    if unordered.any():
        warn(
            f"X: {listed(names, unordered)} {hold(unordered)} categories without an order; {argument} takes "
            "them in the order of their names, which means nothing. measure='information' needs no order; or "
            "declare one (--order on the command line, ordered categories of pandas)"
        )


def check_distinct(names: Sequence[str]) -> None:
    """Raise `InputError` if a name stands more than once."""
    seen = set()
    for name in names:
        if name in seen:
            raise InputError(f"X: column name {name!r} stands more than once; names must be different")
        seen.add(name)


def listed(names: Sequence[str], mask: Bools, limit: int = 5) -> str:
    """Return the masked names for a message: "column 'a'" or "columns 'a', 'b' and 3 more" … ."""
    chosen = [name for name, wanted in zip(names, mask, strict=True) if wanted]
    shown = ", ".join(repr(name) for name in chosen[:limit])
    rest = f" and {len(chosen) - limit} more" if len(chosen) > limit else ""
    return f"column{'s' if len(chosen) > 1 else ''} {shown}{rest}"


def hold(mask: Bools) -> str:
    """Return the verb that goes with the masked names."""
    return "hold" if mask.sum() > 1 else "holds"
