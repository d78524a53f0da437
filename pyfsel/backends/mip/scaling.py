"""Linear models in floats of a size that suits the tolerances of solvers."""

from __future__ import annotations

from collections.abc import Iterable

from pyfsel.backends.mip.linear_model import LARGEST_COEFFICIENT
from pyfsel.solvers.linear.model import LinearModel, Number


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
    >>> model, unit = in_floats(LinearModel([0], [1], [True], goal=-1, weights={0: 2**23}))
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
    return LinearModel(low, high, model.integer, rows, model.goal, weights=weights), unit


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
