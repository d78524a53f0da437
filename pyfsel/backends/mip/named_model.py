"""Linear models whose columns and rows have names, without coefficients too large for solvers."""

from __future__ import annotations

from collections.abc import Iterable

from pyfsel.model.strengthening import Clause, Sum
from pyfsel.solvers.linear.model import LinearModel, Number, Row

LARGEST_COEFFICIENT = 2**20
"""Inequalities of 0/1 variables with larger ones are written in digits."""

BASE = 2**8
LARGEST_DIGIT = 2**12
"""Of the first digit, as BASE is of the others. Times the tolerance of a solver for integers they are far
below 1; with first digits up to 2^20, CBC 2.10.8 called 8 of 600 solvable models with numbers beyond 10^12
infeasible, with these none."""

Terms = list[tuple[int, str]]


class NamedModel:
    """A linear model under construction, to be minimised, whose columns and rows have names.

    Attributes
    ----------
    linear : LinearModel
        What has been added so far.
    columns : dict of str to int
        The number of each column by its name.
    set_values : list of terms
        The value of each set.
    shared : terms
        What two sets share, one of them new, over all such pairs; where overlap costs nothing it is empty.

    Examples
    --------
    >>> model = NamedModel()
    >>> model.add_binary(["x", "y"])
    >>> model.add("one", [(1, "x"), (1, "y")], "<=", 1)
    >>> model.linear.rows
    [Row(terms={0: 1, 1: 1}, limit=1, sense='<=', name='one')]
    """

    def __init__(self) -> None:
        self.linear = LinearModel(goal=-1)
        self.columns: dict[str, int] = {}
        self.set_values: list[Terms] = []
        self.shared: Terms = []

    def add_binary(self, names: Iterable[str]) -> None:
        """Add 0/1 variables."""
        for name in names:
            self._add_column(name, 0, 1)

    def add_real(self, name: str) -> None:
        """Add a real variable without bounds."""
        self._add_column(name, None, None, integer=False)

    def _add_column(self, name: str, low: int | None, high: int | None, integer: bool = True) -> None:
        self.columns[name] = self.linear.add_column(low, high, integer)
        self.linear.names.append(name)

    def minimise(self, terms: Terms) -> None:
        """Set the cost."""
        self.linear.weights = self._by_column(terms)

    def _by_column(self, terms: Terms) -> dict[int, Number]:
        total: dict[int, Number] = {}
        for coefficient, name in terms:
            total[self.columns[name]] = total.get(self.columns[name], 0) + coefficient
        return total

    def add(self, name: str, terms: Terms, sense: str, rhs: int) -> None:
        """Append a row, without the terms whose coefficient is zero.

        An inequality of 0/1 variables with large coefficients becomes several rows, see `_add_digits`.
        """
        kept = [term for term in terms if term[0]]
        if sense == "=" or not is_large(kept) or self.has_reals(kept):
            self._add_row(name, kept, sense, rhs)
        elif sense == ">=":
            self._add_digits(name, kept, rhs)
        else:
            self._add_digits(name, [(-c, variable) for c, variable in kept], -rhs)

    def _add_digits(self, name: str, terms: Terms, least: int) -> None:
        """Append ``terms ≥ least``, for terms of 0/1 variables and one carry, with small coefficients.

        Solvers compute in floats, with tolerances that large coefficients make larger than 1. With the base
        b, coefficients b·h_i + l_i and the right-hand side b·h + l, the row holds if and only if there is an
        integer c with ``Σ h_i·x_i − c ≥ h`` and ``Σ l_i·x_i + b·c ≥ l``: the largest c that the first row
        allows makes the second one ``Σ (b·h_i + l_i)·x_i ≥ b·h + l``. c need not be larger than what makes
        the second row true for all x, and cannot be less than what makes it false for all.
        """
        if not is_large(terms, LARGEST_DIGIT):
            self._add_row(name, terms, ">=", least)
            return
        high = [((c + BASE // 2) // BASE, variable) for c, variable in terms]
        low = [(c - BASE * h, variable) for (c, variable), (h, _) in zip(terms, high, strict=True)]
        high_least, low_least = divmod(least, BASE)
        limits = [sorted(c * end for end in self._bounds(variable)) for c, variable in low]
        lowest, highest = (sum(ends) for ends in zip(*limits, strict=True))
        carry = f"{name}_carry"
        self._add_column(carry, -((highest - low_least) // BASE), -((lowest - low_least) // BASE))
        low_terms = [*(term for term in low if term[0]), (BASE, carry)]
        self._add_row(f"{name}_low", low_terms, ">=", low_least)
        self._add_digits(f"{name}_high", [term for term in [*high, (-1, carry)] if term[0]], high_least)

    def has_reals(self, terms: Terms) -> bool:
        """Return whether one of the variables is real."""
        return not all(self.linear.integer[self.columns[name]] for _, name in terms)

    def _add_row(self, name: str, terms: Terms, sense: str, rhs: int) -> None:
        self.linear.rows.append(Row(self._by_column(terms), rhs, sense, name))

    def _bounds(self, name: str) -> tuple[Number, Number]:
        """Return the bounds of an integer."""
        low, high = self.linear.low[self.columns[name]], self.linear.high[self.columns[name]]
        assert low is not None
        assert high is not None
        return low, high

    def new(self, *name: str | int) -> str:
        """Add a 0/1 variable and return its name."""
        whole = "_".join(map(str, name))
        self.add_binary([whole])
        return whole

    def add_all(self, name: str, rows: Iterable[Clause[str] | Sum[str]]) -> None:
        """Append rows that are stated for all solvers; a clause is a row of one minus what is false."""
        for number, row in enumerate(rows):
            if isinstance(row, Sum):
                self.add_between(f"{name}_{number}", list(row.terms), row.low, row.high)
            else:
                terms = [(-1 if value else 1, variable) for variable, value in row]
                self.add(f"{name}_{number}", terms, "<=", sum(not value for _, value in row) - 1)

    def add_between(self, name: str, terms: Terms, low: int | None, high: int | None) -> None:
        """Append rows for the limits that are not None."""
        if low is not None and low == high:
            self.add(name, terms, "=", low)
            return
        if low is not None:
            self.add(f"{name}_low", terms, ">=", low)
        if high is not None:
            self.add(f"{name}_high", terms, "<=", high)


def is_large(terms: Terms, largest: int = LARGEST_COEFFICIENT) -> bool:
    """Return whether a coefficient is larger than floats with the tolerances of solvers allow."""
    return any(abs(coefficient) > largest for coefficient, _ in terms)


def member(number: int, feature: int) -> str:
    """Return the name of the variable that says whether a set contains a feature (both 0-based)."""
    return f"x_{number}_{feature}"
