"""Linear models in floats of a size that suits the tolerances of solvers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from pyfsel.backends.mip.linear_model import LARGEST_COEFFICIENT, LinearModel, Terms

FloatTerms = list[tuple[float, str]]


@dataclass(frozen=True)
class FloatRow:
    """``low ≤ terms ≤ high``."""

    name: str
    terms: FloatTerms
    low: float
    high: float


@dataclass(frozen=True)
class FloatModel:
    """A `LinearModel` with scaled rows and real variables; its cost is to be multiplied by `unit`."""

    binary: list[str]
    carries: dict[str, tuple[int, int]]
    free: list[str]
    rows: list[FloatRow]
    cost: FloatTerms
    unit: float


def in_floats(model: LinearModel) -> FloatModel:
    """Return a model whose coefficients are at most `LARGEST_COEFFICIENT`, up to rounding the same.

    Tolerances are absolute: where coefficients are of the order of 10^13, a violation of 1e-9 is less than
    the rounding of a sum, and solvers have been seen to call solvable models infeasible. Rows with large
    coefficients, real variables in them, and the cost are divided by powers of two, which rounds nothing.

    Examples
    --------
    >>> model = LinearModel(cost=[(2**23, "x")], binary=["x"])
    >>> in_floats(model).cost, in_floats(model).unit
    ([(1048576.0, 'x')], 8.0)
    """
    units = dict.fromkeys(model.free, 1.0)
    for row in model.rows:
        unit = _unit(coefficient for coefficient, _ in row.terms)
        for _, name in row.terms:
            if name in units:
                units[name] = max(units[name], unit)
    rows = []
    for row in model.rows:
        terms, unit = _scaled(row.terms, units)
        least = -inf if row.sense == "<=" else row.rhs / unit
        most = inf if row.sense == ">=" else row.rhs / unit
        rows.append(FloatRow(row.name, terms, least, most))
    cost, unit = _scaled(model.cost, units)
    return FloatModel(model.binary, model.carries, model.free, rows, cost, unit)


def _scaled(terms: Terms, units: dict[str, float]) -> tuple[FloatTerms, float]:
    counted = [(coefficient * units.get(name, 1.0), name) for coefficient, name in terms]
    unit = _unit(coefficient for coefficient, _ in counted)
    return [(coefficient / unit, name) for coefficient, name in counted], unit


def _unit(coefficients: Iterable[float]) -> float:
    """Return the power of two, at least 1, by which the largest coefficient becomes small enough."""
    unit = 1.0
    largest = max(map(abs, coefficients), default=0)
    while largest > LARGEST_COEFFICIENT * unit:
        unit *= 2
    return unit
