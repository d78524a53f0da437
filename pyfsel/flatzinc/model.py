"""What a FlatZinc file says, with all names resolved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

Number: TypeAlias = int | Fraction


@dataclass(frozen=True)
class Domain:
    """The values that a number can take; None is no limit, `values` a set with holes."""

    low: Number | None = None
    high: Number | None = None
    values: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Call:
    """A name with arguments: a constraint or an annotation."""

    name: str
    arguments: tuple[Any, ...] = ()


@dataclass(eq=False)
class Variable:
    """A variable; `kind` is bool, int or float, `number` its place among the variables."""

    name: str
    kind: str
    domain: Domain
    number: int


@dataclass(frozen=True)
class Constraint:
    """A constraint, and the token at which it stands."""

    call: Call
    token: int


@dataclass(frozen=True)
class Output:
    """A variable or an array to print; `dimensions` are index ranges, None for a single value."""

    name: str
    content: Any
    dimensions: tuple[tuple[int, int], ...] | None = None


@dataclass
class Model:
    """A FlatZinc model.

    Parameters
    ----------
    variables : list of Variable
    constraints : list of Constraint
    outputs : list of Output
    equalities : list of (Variable, Variable or number, int)
        Right-hand sides of declarations, and where they stand.
    goal : str
        ``satisfy``, ``minimize`` or ``maximize``.
    objective : Variable, number or None
    """

    variables: list[Variable] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    equalities: list[tuple[Variable, Variable | Number, int]] = field(default_factory=list)
    goal: str = "satisfy"
    objective: Variable | Number | None = None
    line_of: Any = None


def is_number(value: Any) -> bool:
    """Return whether a value is a number or a truth value."""
    return isinstance(value, int | Fraction)


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
