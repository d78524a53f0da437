"""FlatZinc constraints to linear rows; every variable is a column, auxiliary columns come after them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pyfsel.drivers.linear.model import LinearModel, Number, Row
from pyfsel.drivers.minizinc.bridge.model import (
    GOALS,
    Constraint,
    Domain,
    FlatZincError,
    Model,
    UnsupportedFlatZincError,
    Variable,
    is_number,
)


def linearise(model: Model) -> LinearModel:
    """Return the rows of a FlatZinc model.

    Raises
    ------
    UnsupportedFlatZincError
        If a constraint is not linear: its name and line.
    FlatZincError
        If the arguments of a constraint do not fit it.

    Examples
    --------
    >>> from pyfsel.drivers.minizinc.bridge.parser import parse
    >>> text = "var 0..9: x; var bool: b; constraint int_lin_le([2, 3], [x, b], 7); solve maximize x;"
    >>> linearise(parse(text)).rows
    [Row(terms={0: 2, 1: 3}, limit=7, sense='<=', name='')]
    """
    return _Builder(model).linear


class _Builder:
    def __init__(self, model: Model) -> None:
        self.linear = LinearModel(goal=GOALS[model.goal])
        for variable in model.variables:
            self.linear.add_column(variable.domain.low, variable.domain.high, variable.kind != "float")
            self.linear.names.append(variable.name)
        for variable in model.variables:
            self.restrict(variable, variable.domain)
        if isinstance(model.objective, Variable):
            self.linear.objective = model.objective.number
        for variable, value, _ in model.equalities:
            self.add((1, -1), (variable, value), 0, equal=True)
        for constraint in model.constraints:
            self._constraint(constraint, model)

    def _constraint(self, constraint: Constraint, model: Model) -> None:
        name = constraint.call.name
        build = CONSTRAINTS.get(name)
        if build is None:
            raise UnsupportedFlatZincError(
                f"constraint {name} is not linear", model.line_of(constraint.token)
            )
        try:
            build(self, *constraint.call.arguments)
        except (TypeError, ValueError) as error:
            reason = str(error) if isinstance(error, FlatZincError) else "wrong arguments"
            raise FlatZincError(f"constraint {name}: {reason}", model.line_of(constraint.token)) from None

    def add(self, factors: Any, values: Any, limit: Any, *, equal: bool = False) -> None:
        """Add a row; the values are variables or numbers, and so is the limit."""
        if not (isinstance(factors, list | tuple) and all(map(is_number, factors))):
            raise FlatZincError("coefficients must be numbers")
        if not isinstance(values, list | tuple) or len(values) != len(factors):
            raise FlatZincError("there must be as many values as coefficients")
        if isinstance(limit, Variable):
            factors, values, limit = (*factors, -1), (*values, limit), 0
        if not is_number(limit):
            raise FlatZincError("the limit must be a number")
        terms: dict[int, Number] = {}
        for factor, value in zip(factors, values, strict=True):
            if isinstance(value, Variable):
                terms[value.number] = terms.get(value.number, 0) + factor
            elif is_number(value):
                limit -= factor * value
            else:
                raise FlatZincError("values must be variables or numbers")
        if not all(terms.values()):
            terms = {j: c for j, c in terms.items() if c}
        self.linear.rows.append(Row(terms, limit, "=" if equal else "<="))

    def restrict(self, value: Any, domain: Any) -> None:
        """Require that a variable or number lies in a domain."""
        if not isinstance(domain, Domain):
            raise FlatZincError("expected a set")
        if domain.values is None:
            for sign, limit in ((-1, domain.low), (1, domain.high)):
                if limit is not None:
                    self._bound(value, sign, limit)
            return
        # value = Σ v · chosen_v with exactly one chosen
        chosen = [
            Variable("", "int", Domain(0, 1), self.linear.add_column(0, 1, True)) for _ in domain.values
        ]
        self.add([1] * len(chosen), chosen, 1, equal=True)
        self.add([-1, *domain.values], [value, *chosen], 0, equal=True)

    def _bound(self, value: Any, sign: int, limit: Number) -> None:
        if not isinstance(value, Variable):
            self.add((sign,), (value,), sign * limit)
            return
        bounds = self.linear.high if sign > 0 else self.linear.low
        known = bounds[value.number]
        if known is None or sign * limit < sign * known:
            bounds[value.number] = limit


def _compare(
    first: int, second: int, limit: int, equal: bool = False
) -> Callable[[_Builder, Any, Any], None]:
    """Return what builds first · a + second · b ≤ (or =) limit."""

    def build(builder: _Builder, a: Any, b: Any) -> None:
        builder.add((first, second), (a, b), limit, equal=equal)

    return build


def _clause(builder: _Builder, true: Any, false: Any) -> None:
    # one is true: Σ true + Σ (1 − false) ≥ 1
    factors = [-1] * len(true) + [1] * len(false)
    builder.add(factors, [*true, *false], len(false) - 1)


def _all_true(builder: _Builder, values: Any, result: Any) -> None:
    for value in values:
        builder.add((1, -1), (result, value), 0)
    builder.add([*[1] * len(values), -1], [*values, result], len(values) - 1)


def _any_true(builder: _Builder, values: Any, result: Any) -> None:
    for value in values:
        builder.add((1, -1), (value, result), 0)
    builder.add([*[-1] * len(values), 1], [*values, result], 0)


CONSTRAINTS: dict[str, Callable[..., None]] = {
    **dict.fromkeys(("int_lin_le", "float_lin_le", "bool_lin_le"), _Builder.add),
    **dict.fromkeys(("int_lin_eq", "float_lin_eq", "bool_lin_eq"), partial(_Builder.add, equal=True)),
    **dict.fromkeys(("int_le", "float_le", "bool_le"), _compare(1, -1, 0)),
    **dict.fromkeys(("int_lt", "bool_lt"), _compare(1, -1, -1)),
    **dict.fromkeys(
        ("int_eq", "float_eq", "bool_eq", "bool2int", "int2float"), _compare(1, -1, 0, equal=True)
    ),
    "bool_not": _compare(1, 1, 1, equal=True),
    "bool_clause": _clause,
    "array_bool_and": _all_true,
    "array_bool_or": _any_true,
    "set_in": _Builder.restrict,
}
