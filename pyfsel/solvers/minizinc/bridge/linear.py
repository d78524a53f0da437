"""FlatZinc constraints to linear rows over integers and floats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from pyfsel.solvers.minizinc.bridge.errors import FlatZincError, UnsupportedFlatZincError
from pyfsel.solvers.minizinc.bridge.model import Constraint, Domain, Model, Number, Variable, is_number

GOALS = {"satisfy": 0, "minimize": -1, "maximize": 1}


class Row(NamedTuple):
    """Σ coefficient · column ≤ (or =) limit."""

    terms: dict[int, Number]
    limit: Number
    equal: bool = False


class LinearModel:
    """A linear model; every variable of the FlatZinc is a column, auxiliary columns come after them.

    Parameters
    ----------
    low, high : list of number or None
        Bounds of the columns; None is unbounded.
    integer : list of bool
        Which columns are integers.
    rows : list of Row
    goal : int
        1 to maximise, -1 to minimise, 0 to satisfy.
    objective : int, Number or None
        Column of the objective; None where it is a constant or there is none.

    Attributes
    ----------
    names : list of str
        Of the variables that are the first columns, where the model was read.
    """

    def __init__(
        self,
        low: Iterable[Number | None] = (),
        high: Iterable[Number | None] = (),
        integer: Iterable[bool] = (),
        rows: Iterable[Row] = (),
        goal: int = 0,
        objective: int | None = None,
    ) -> None:
        self.low = list(low)
        self.high = list(high)
        self.integer = list(integer)
        self.rows = list(rows)
        self.goal = goal
        self.objective = objective
        self.names: list[str] = []

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.low)

    def name_of(self, column: int) -> str:
        """Return the name of the variable that a column stands for."""
        return self.names[column] if column < len(self.names) else f"column {column}"

    @property
    def n_entries(self) -> int:
        """Number of coefficients."""
        return sum(len(row.terms) for row in self.rows)

    def trivially_infeasible(self) -> bool:
        """Return whether some domain is empty or some row without columns is false."""
        empty = any(
            a is not None and b is not None and a > b for a, b in zip(self.low, self.high, strict=True)
        )
        return empty or any(
            not row.terms and (row.limit < 0 or (row.equal and row.limit > 0)) for row in self.rows
        )

    def cost(self) -> tuple[dict[int, Number], Number]:
        """Return the objective as terms and a constant, in the columns that define it where one row does.

        A solver then sees the coefficients, and not a column whose value it may be off by a little.
        """
        if self.objective is None:
            return {}, 0
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
        for row in self.rows:
            numbers += [row.limit, *row.terms.values()]
        largest: Number = 0
        for number in numbers:
            largest = max(largest, number, -number)
        return largest


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
    >>> from pyfsel.solvers.minizinc.bridge.parser import parse
    >>> text = "var 0..9: x; var bool: b; constraint int_lin_le([2, 3], [x, b], 7); solve maximize x;"
    >>> linearise(parse(text)).rows
    [Row(terms={0: 2, 1: 3}, limit=7, equal=False)]
    """
    return _Builder(model).linear


class _Builder:
    def __init__(self, model: Model) -> None:
        self.linear = LinearModel(goal=GOALS[model.goal])
        for variable in model.variables:
            self._column(variable.domain.low, variable.domain.high, variable.kind != "float")
            self.linear.names.append(variable.name)
        for variable in model.variables:
            self.restrict(variable, variable.domain)
        if isinstance(model.objective, Variable):
            self.linear.objective = model.objective.number
        for variable, value, _ in model.equalities:
            self.add((1, -1), (variable, value), 0, equal=True)
        for constraint in model.constraints:
            self._constraint(constraint, model)

    def _column(self, low: Number | None, high: Number | None, integer: bool) -> int:
        self.linear.low.append(low)
        self.linear.high.append(high)
        self.linear.integer.append(integer)
        return self.linear.n_columns - 1

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

    def add(self, factors: Any, values: Any, limit: Any, equal: bool = False) -> None:
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
        self.linear.rows.append(Row(terms, limit, equal))

    def restrict(self, value: Any, domain: Any) -> None:
        """Require that a variable or number lies in a domain."""
        if not isinstance(domain, Domain):
            raise FlatZincError("expected a set")
        if domain.values is None:
            for sign, limit in ((-1, domain.low), (1, domain.high)):
                if limit is not None:
                    self._bound(value, sign, limit)
            return
        chosen = [Variable("", "int", Domain(0, 1), self._column(0, 1, True)) for _ in domain.values]
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
        builder.add((first, second), (a, b), limit, equal)

    return build


def _at_most(builder: _Builder, factors: Any, values: Any, limit: Any) -> None:
    builder.add(factors, values, limit)


def _exactly(builder: _Builder, factors: Any, values: Any, limit: Any) -> None:
    builder.add(factors, values, limit, equal=True)


def _clause(builder: _Builder, true: Any, false: Any) -> None:
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


def _element_of(builder: _Builder, value: Any, domain: Any) -> None:
    builder.restrict(value, domain)


CONSTRAINTS: dict[str, Callable[..., None]] = {
    **dict.fromkeys(("int_lin_le", "float_lin_le", "bool_lin_le"), _at_most),
    **dict.fromkeys(("int_lin_eq", "float_lin_eq", "bool_lin_eq"), _exactly),
    **dict.fromkeys(("int_le", "float_le", "bool_le"), _compare(1, -1, 0)),
    **dict.fromkeys(("int_lt", "bool_lt"), _compare(1, -1, -1)),
    **dict.fromkeys(
        ("int_eq", "float_eq", "bool_eq", "bool2int", "int2float"), _compare(1, -1, 0, equal=True)
    ),
    "bool_not": _compare(1, 1, 1, equal=True),
    "bool_clause": _clause,
    "array_bool_and": _all_true,
    "array_bool_or": _any_true,
    "set_in": _element_of,
}


def as_floats(numbers: Iterable[Number | None], missing: float) -> list[float]:
    """Return numbers as floats, with this for None."""
    return [missing if number is None else float(number) for number in numbers]


def value_of(terms: dict[int, Number], values: Sequence[Number]) -> Number:
    """Return Σ coefficient · value."""
    return sum(c * values[j] for j, c in terms.items())
