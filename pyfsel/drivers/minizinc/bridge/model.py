"""What a FlatZinc file says, with all names resolved, and what can be wrong with it.

Named tuples and plain classes: the program is started for every solve, and `dataclasses` and `fractions`
take longer to load than a small model to read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Rational
from typing import Any, NamedTuple

from pyfsel.drivers.linear.model import Number
from pyfsel.errors import PyfselError

GOALS = {"satisfy": 0, "minimize": -1, "maximize": 1}
UNSUPPORTED = "cannot take "
"""What the bridge says before the file, where the solver lacks something that the model has."""


class FlatZincError(PyfselError, ValueError):
    """The text is not FlatZinc, or not of the linear kind; the message carries the line number."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class UnsupportedFlatZincError(FlatZincError):
    """The FlatZinc is correct, but holds something that is not linear."""


class Domain(NamedTuple):
    """The values that a number can take; None is no limit, `values` a set with holes."""

    low: Number | None = None
    high: Number | None = None
    values: tuple[int, ...] | None = None


class Call(NamedTuple):
    """A name with arguments: a constraint or an annotation."""

    name: str
    arguments: tuple[Any, ...] = ()


class Variable:
    """A variable; `kind` is bool, int or float, `number` its place among the variables."""

    __slots__ = ("domain", "kind", "name", "number")

    def __init__(self, name: str, kind: str, domain: Domain, number: int) -> None:
        self.name = name
        self.kind = kind
        self.domain = domain
        self.number = number


class Constraint(NamedTuple):
    """A constraint, and the token at which it stands."""

    call: Call
    token: int


class Output(NamedTuple):
    """A variable or an array to print; `dimensions` are index ranges, None for a single value."""

    name: str
    content: Any
    dimensions: tuple[tuple[int, int], ...] | None = None


class Model:
    """A FlatZinc model, empty at first.

    Attributes
    ----------
    variables : list of Variable
    constraints : list of Constraint
    outputs : list of Output
    equalities : list of (Variable, Variable or number, int)
        Right-hand sides of declarations, and where they stand.
    goal : str
        A key of `GOALS`.
    objective : Variable, number or None
    line_of : callable
        Takes the number of a token, returns the line on which it stands.
    """

    def __init__(self, line_of: Callable[[int], int]) -> None:
        self.variables: list[Variable] = []
        self.constraints: list[Constraint] = []
        self.outputs: list[Output] = []
        self.equalities: list[tuple[Variable, Variable | Number, int]] = []
        self.goal = "satisfy"
        self.objective: Variable | Number | None = None
        self.line_of = line_of


def is_number(value: Any) -> bool:
    """Return whether a value is a number or a truth value."""
    return isinstance(value, (int, Rational))


def domain_of(values: Sequence[int]) -> Domain:
    """Return the domain that holds exactly these values; with none of them it is empty.

    Examples
    --------
    >>> domain_of([3, 1, 2])
    Domain(low=1, high=3, values=None)
    """
    ordered = tuple(sorted(set(values)))
    if not ordered:
        return Domain(1, 0)
    whole = ordered[-1] - ordered[0] + 1 == len(ordered)
    return Domain(ordered[0], ordered[-1], None if whole else ordered)
