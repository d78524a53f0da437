"""A linear model: columns with bounds, rows, and what to minimise or maximise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import eq, ge, le
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from fractions import Fraction

Number: TypeAlias = "int | float | Fraction"

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {"<=": le, ">=": ge, "=": eq}
SIGNS = {"<=": (1,), ">=": (-1,), "=": (1, -1)}
"""A row holds if for each of these signs, sign · total ≤ sign · limit."""


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
    def equal(self) -> bool:
        """Whether the row is an equation."""
        return self.sense == "="

    @property
    def is_false(self) -> bool:
        """Whether the row has no terms and does not hold."""
        return not self.terms and not COMPARISONS[self.sense](0, self.limit)

    @property
    def signs(self) -> tuple[int, ...]:
        """The `SIGNS` of the row."""
        return SIGNS[self.sense]


class LinearModel:
    """A linear model.

    Parameters
    ----------
    low, high : list of number or None
        Bounds of the columns; None is unbounded.
    integer : list of bool
        Which columns are integers.
    rows : list of Row
    goal : int
        1 to maximise, -1 to minimise, 0 to satisfy.
    objective : int or None
        Column of the objective; None where it is a constant or a sum, or there is none.
    weights : dict of int to number
        Coefficients of the objective by column, where it is a sum.

    Attributes
    ----------
    names : list of str
        Of the first columns, where these have names.

    Examples
    --------
    >>> rows = [Row({0: 2, 1: 3}, 4)]
    >>> model = LinearModel([0, 0], [1, 1], [True, True], rows, goal=1, weights={0: 5, 1: 6})
    >>> model.n_columns, model.cost()
    (2, ({0: 5, 1: 6}, 0))
    """

    def __init__(
        self,
        low: Iterable[Number | None] = (),
        high: Iterable[Number | None] = (),
        integer: Iterable[bool] = (),
        rows: Iterable[Row] = (),
        goal: int = 0,
        objective: int | None = None,
        weights: dict[int, Number] | None = None,
    ) -> None:
        self.low = list(low)
        self.high = list(high)
        self.integer = list(integer)
        self.rows = list(rows)
        self.goal = goal
        self.objective = objective
        self.weights = weights or {}
        self.names: list[str] = []

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.low)

    def add_column(self, low: Number | None, high: Number | None, integer: bool) -> int:
        """Add a column and return its number."""
        self.low.append(low)
        self.high.append(high)
        self.integer.append(integer)
        return self.n_columns - 1

    def is_binary(self, column: int) -> bool:
        """Return whether a column takes the values 0 and 1."""
        return self.integer[column] and self.low[column] == 0 and self.high[column] == 1

    def name_of(self, column: int) -> str:
        """Return the name of a column."""
        return self.names[column] if column < len(self.names) else f"column {column}"

    def trivially_infeasible(self) -> bool:
        """Return whether some domain is empty or some row without columns is false."""
        empty = any(
            a is not None and b is not None and a > b for a, b in zip(self.low, self.high, strict=True)
        )
        return empty or any(row.is_false for row in self.rows)

    def cost(self) -> tuple[dict[int, Number], Number]:
        """Return the objective as terms and a constant, in the columns that define it where one row does.

        A solver then sees the coefficients, and not a column whose value it may be off by a little.
        """
        if self.objective is None:
            return self.weights, 0
        for row in self.rows:
            own = row.terms.get(self.objective)
            if row.equal and own in (1, -1) and len(row.terms) > 1:
                others = {j: -c * own for j, c in row.terms.items() if j != self.objective}
                return others, row.limit * own
        return {self.objective: 1}, 0

    def has_bounded_cost(self) -> bool:
        """Return whether the bounds of the columns alone keep the objective finite."""
        return all(self.low[j] is not None and self.high[j] is not None for j in self.cost()[0])

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


def value_of(terms: dict[int, Number], values: Sequence[Number]) -> Number:
    """Return Σ coefficient · value."""
    return sum(c * values[j] for j, c in terms.items())
