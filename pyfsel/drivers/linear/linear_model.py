"""The linear model of a 0/1 model, to minimise: in integers for files, in floats that suit solvers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pyfsel.model.model import ZeroOneModel
from pyfsel.model.passes import all_rows, in_digits, with_ends

Number = int | float

LARGEST_COEFFICIENT = 2**20
"""Rows of integers with larger ones are written in digits, all else is scaled for solvers."""


class Column(NamedTuple):
    """A variable between two numbers."""

    name: str
    low: Number
    high: Number
    integer: bool

    @property
    def is_binary(self) -> bool:
        """Whether its values are 0 and 1."""
        return self.integer and (self.low, self.high) == (0, 1)


class NamedRow(NamedTuple):
    """``low <= Σ coefficient · column <= high``, the coefficients by number of column; None: unlimited."""

    name: str
    terms: Mapping[int, Number]
    low: Number | None
    high: Number | None


class LinearModel(NamedTuple):
    """Minimise ``unit · Σ cost · column``, the costs by number of column."""

    columns: list[Column]
    rows: list[NamedRow]
    cost: Mapping[int, Number]
    unit: float = 1.0


def linear_model(m: ZeroOneModel) -> LinearModel:
    """Return a model in integers: its cost is the constant of the 0/1 model minus the objective.

    Variable v of the 0/1 model is column v − 1. Clauses are rows, the minimum and the maximum of values are
    columns, and rows of integers have no coefficient above `LARGEST_COEFFICIENT`.

    Examples
    --------
    >>> m = ZeroOneModel()
    >>> x, y = m.new("x", 0), m.new("x", 1)
    >>> m.clause(x, -y)
    >>> m.reward([(3, y)])
    >>> linear = linear_model(m)
    >>> linear.cost, linear.rows
    ({1: -3}, [NamedRow(name='clause_0', terms={0: 1, 1: -1}, low=0, high=None)])
    """
    m = in_digits(with_ends(m), LARGEST_COEFFICIENT)
    return LinearModel(
        [Column(name, *m.bounds(v), v not in m.reals) for v, name in m.names.items()],
        [
            NamedRow(f"{row.role}_{i}", _by_column(row.terms), row.low, row.high)
            for i, row in enumerate(all_rows(m))
        ],
        _by_column(m.weights, -1),
    )


def _by_column(terms: Mapping[int, int], sign: int = 1) -> dict[int, int]:
    return {v - 1: sign * c for v, c in terms.items()}


def in_floats(model: LinearModel) -> LinearModel:
    """Return a model whose coefficients are at most `LARGEST_COEFFICIENT`, up to rounding the same.

    Tolerances are absolute: where coefficients are of the order of 10^13, a violation of 1e-9 is less than
    the rounding of a sum, and solvers have been seen to call solvable models infeasible. Rows with large
    coefficients, real variables in them, and the cost are divided by powers of two, which rounds nothing.

    Examples
    --------
    >>> model = in_floats(LinearModel([Column("x", 0, 1, True)], [], {0: 2**23}))
    >>> model.cost, model.unit
    ({0: 1048576.0}, 8.0)
    """
    units = {j: 1.0 for j, column in enumerate(model.columns) if not column.integer}
    for row in model.rows:
        for j in row.terms.keys() & units.keys():
            units[j] = max(units[j], _unit(row.terms.values()))

    def scaled(terms: Mapping[int, Number]) -> tuple[dict[int, Number], float]:
        counted = {j: c * units.get(j, 1.0) for j, c in terms.items()}
        unit = _unit(counted.values())
        return {j: c / unit for j, c in counted.items()}, unit

    columns = list(model.columns)
    for j, unit in units.items():
        columns[j] = columns[j]._replace(low=columns[j].low / unit, high=columns[j].high / unit)
    rows = []
    for row in model.rows:
        terms, unit = scaled(row.terms)
        low, high = (None if end is None else end / unit for end in (row.low, row.high))
        rows.append(NamedRow(row.name, terms, low, high))
    return LinearModel(columns, rows, *scaled(model.cost))


def _unit(coefficients: Iterable[Number]) -> float:
    """Return the power of two, at least 1, by which the largest coefficient becomes small enough."""
    largest, unit = max(map(abs, coefficients), default=0), 1.0
    while largest > LARGEST_COEFFICIENT * unit:
        unit *= 2
    return unit
