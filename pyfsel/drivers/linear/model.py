"""A linear model: columns with bounds, rows, and what to minimise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import eq, ge, le
from typing import Any, NamedTuple

Number = int | float

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {"<=": le, ">=": ge, "=": eq}


class Row(NamedTuple):
    """Σ coefficient · column ``<=``, ``>=`` or ``=`` limit; the coefficients by the number of the column."""

    terms: dict[int, Number]
    limit: Number
    sense: str = "<="
    name: str = ""

    @property
    def low(self) -> Number | None:
        """The least value that the row allows, or None."""
        return None if self.sense == "<=" else self.limit

    @property
    def high(self) -> Number | None:
        """The largest value that the row allows, or None."""
        return None if self.sense == ">=" else self.limit

    @property
    def is_false(self) -> bool:
        """Whether the row has no terms and does not hold."""
        return not self.terms and not COMPARISONS[self.sense](0, self.limit)


class LinearModel:
    """A linear model to minimise.

    Parameters
    ----------
    low, high : list of number or None
        Bounds of the columns; None is unbounded.
    integer : list of bool
        Which columns are integers.
    rows : list of Row
    weights : dict of int to number
        Coefficients of the cost by column.

    Attributes
    ----------
    names : list of str
        Of the columns, where these have names.

    Examples
    --------
    >>> model = LinearModel([0, 0], [1, 1], [True, True], [Row({0: 2, 1: 3}, 4)], weights={0: -5, 1: -6})
    >>> model.n_columns, model.is_binary(0)
    (2, True)
    """

    def __init__(
        self,
        low: Iterable[Number | None],
        high: Iterable[Number | None],
        integer: Iterable[bool],
        rows: Iterable[Row] = (),
        weights: dict[int, Number] | None = None,
    ) -> None:
        self.low = list(low)
        self.high = list(high)
        self.integer = list(integer)
        self.rows = list(rows)
        self.weights = weights or {}
        self.names: list[str] = []

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.low)

    def is_binary(self, column: int) -> bool:
        """Return whether a column takes the values 0 and 1."""
        return self.integer[column] and self.low[column] == 0 and self.high[column] == 1

    def largest_number(self) -> Number:
        """Return the largest absolute value of all coefficients, limits and bounds."""
        numbers: list[Number] = [number for number in (*self.low, *self.high) if number is not None]
        numbers += self.weights.values()
        for row in self.rows:
            numbers += [row.limit, *row.terms.values()]
        largest: Number = 0
        for number in numbers:
            largest = max(largest, number, -number)
        return largest


def as_floats(numbers: Iterable[Number | None], missing: float) -> list[float]:
    """Return numbers as floats, with this for None."""
    return [missing if number is None else float(number) for number in numbers]
