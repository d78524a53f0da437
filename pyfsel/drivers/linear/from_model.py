"""From a 0/1 model to the linear model that MIP solvers and files take, and to floats that suit solvers."""

from __future__ import annotations

from collections.abc import Iterable

from pyfsel.drivers.linear.model import LinearModel, Number, Row
from pyfsel.model.model import Model
from pyfsel.model.model import Row as ModelRow
from pyfsel.model.passes import in_digits, row_of, with_ends

LARGEST_COEFFICIENT = 2**20
"""Inequalities of integers with larger ones are written in digits."""


def linear_model(m: Model) -> LinearModel:
    """Return a model to minimise, with names: its cost is the constant of the model minus the objective.

    Variable v of the model is column v − 1. Clauses are rows, the minimum and the maximum of values are
    columns, and rows of integers have no coefficient above `LARGEST_COEFFICIENT`.

    Examples
    --------
    >>> m = Model()
    >>> x, y = m.new("x", 0), m.new("x", 1)
    >>> m.clause(x, -y)
    >>> m.reward([(3, y)])
    >>> linear = linear_model(m)
    >>> linear.weights, linear.rows
    ({1: -3}, [Row(terms={0: 1, 1: -1}, limit=0, sense='>=', name='clause_0')])
    """
    m = in_digits(with_ends(m), LARGEST_COEFFICIENT)
    ends = [m.bounds(v) for v in range(1, m.n + 1)]
    every = [*m.rows, *map(row_of, m.clauses)]
    linear = LinearModel(
        [low for low, _ in ends],
        [high for _, high in ends],
        [v not in m.reals for v in range(1, m.n + 1)],
        [row for i, each in enumerate(every) for row in _rows(each, f"{each.role}_{i}")],
        weights={v - 1: -c for v, c in m.weights.items()},
    )
    linear.names = list(m.names.values())
    return linear


def _rows(row: ModelRow, name: str) -> Iterable[Row]:
    terms: dict[int, Number] = {v - 1: c for v, c in row.terms.items()}
    if row.low is not None and row.low == row.high:
        yield Row(terms, row.low, "=", name)
        return
    if row.low is not None:
        yield Row(terms, row.low, ">=", name)
    if row.high is not None:
        yield Row(terms, row.high, "<=", name if row.low is None else f"{name}_high")


def in_floats(model: LinearModel) -> tuple[LinearModel, float]:
    """Return a model whose coefficients are at most `LARGEST_COEFFICIENT`, up to rounding the same.

    Tolerances are absolute: where coefficients are of the order of 10^13, a violation of 1e-9 is less than
    the rounding of a sum, and solvers have been seen to call solvable models infeasible. Rows with large
    coefficients, real variables in them, and the cost are divided by powers of two, which rounds nothing.

    Returns
    -------
    LinearModel
        With other real variables, and the same integers.
    float
        By which its cost is to be multiplied.

    Examples
    --------
    >>> model, unit = in_floats(LinearModel([0], [1], [True], weights={0: 2**23}))
    >>> model.weights, unit
    ({0: 1048576.0}, 8.0)
    """
    units = {j: 1.0 for j, whole in enumerate(model.integer) if not whole}
    for row in model.rows:
        unit = _unit(row.terms.values())
        for j in row.terms.keys() & units.keys():
            units[j] = max(units[j], unit)
    rows = []
    for row in model.rows:
        terms, unit = _scaled(row.terms, units)
        rows.append(row._replace(terms=terms, limit=row.limit / unit))
    low, high = (
        [None if end is None else end / units.get(j, 1) for j, end in enumerate(ends)]
        for ends in (model.low, model.high)
    )
    weights, unit = _scaled(model.weights, units)
    return LinearModel(low, high, model.integer, rows, weights), unit


def _scaled(terms: dict[int, Number], units: dict[int, float]) -> tuple[dict[int, Number], float]:
    counted = {j: coefficient * units.get(j, 1.0) for j, coefficient in terms.items()}
    unit = _unit(counted.values())
    return {j: coefficient / unit for j, coefficient in counted.items()}, unit


def _unit(coefficients: Iterable[Number]) -> float:
    """Return the power of two, at least 1, by which the largest coefficient becomes small enough."""
    unit = 1.0
    largest = max((max(c, -c) for c in coefficients), default=0)
    while largest > LARGEST_COEFFICIENT * unit:
        unit *= 2
    return unit
