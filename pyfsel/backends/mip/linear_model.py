"""The literal 0/1 linear model of a problem, and what it has in common with the strengthened one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations

import numpy as np

from pyfsel.errors import UnsupportedError
from pyfsel.problem.objectives import Kind
from pyfsel.problem.problem import Problem
from pyfsel.problem.rows import side_rows
from pyfsel.problem.values import (
    halved,
    kinds_of,
    objective_of,
    overlap_price,
    similarity_of,
    weighted,
)
from pyfsel.reductions.strengthening import Clause, Sum
from pyfsel.solvers.linear.model import LinearModel, Number, Row

LARGEST_COEFFICIENT = 2**20
"""Inequalities of 0/1 variables with larger ones are written in digits."""

BASE = 2**8
LARGEST_DIGIT = 2**12
"""Of the first digit, as BASE is of the others. Times the tolerance of a solver for integers they are far
below 1; with first digits up to 2^20, CBC 2.10.8 called 8 of 600 solvable models with numbers beyond 10^12
infeasible, with these none."""

Terms = list[tuple[int, str]]
KINDS = (Kind.SUMS, Kind.PAIRS_OF_ONE_SIZE, Kind.MAXIMA)


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


def literal_model(problem: Problem, least: int | None = None) -> NamedModel:
    """Return paper 000's linear model; its least cost is minus the largest integer objective.

    Sets and previous sets as in Eq. 21 and 22, products by Eq. 6, min-aggregation by Eq. 19, FCBF's
    conflicts by Eq. 12, mRMR by Eq. 14 (multiplied by k(k−1)) with the smallest big-M of each feature.
    With a `least` objective, see `add_values`.

    Raises
    ------
    UnsupportedError
        If the objective has no linear model here.

    Examples
    --------
    >>> model = literal_model(Problem(quality=[3, 2, 1], n_sets=1, set_size=2, max_overlap=2))
    >>> model.linear.rows
    [Row(terms={0: 1, 1: 1, 2: 1}, limit=2, sense='=', name='size_0')]
    """
    inexact = problem.aggregate == "difference" and objective_of(problem).has_pairs and problem.set_size > 1
    if inexact or kinds_of(problem).isdisjoint(KINDS):
        raise UnsupportedError(
            f"objective={problem.objective!r}: has no linear model of {problem.sizes_text} features"
        )
    model = NamedModel()
    for number in range(problem.n_sets):
        add_set(model, problem, number)
    for first, second in combinations(range(problem.n_sets), 2):
        _add_pair(model, problem, first, second)
    add_values(model, problem, [_quality(model, problem, i) for i in range(problem.n_sets)], least)
    return model


def add_set(model: NamedModel, problem: Problem, number: int) -> None:
    """Add the variables of a set and what it must satisfy beside the previous ones and by itself."""
    names = [member(number, j) for j in range(problem.n_features)]
    model.add_binary(names)
    add_size(model, problem, number)
    for i, previous in enumerate(problem.previous_sets):
        shared: Terms = [(1, names[j]) for j in previous]
        add_overlap(model, problem, f"previous_{number}_{i}", shared, (number,), len(previous))
    for i, j in problem.conflicts:
        model.add(f"conflict_{number}_{i}_{j}", [(1, names[i]), (1, names[j])], "<=", 1)
    for i, row in enumerate(side_rows(problem)):
        terms = [(c, names[j]) for c, j in zip(row.coefficients, row.features, strict=True)]
        model.add_between(f"side_{number}_{i}", terms, row.low, row.high)


def add_size(model: NamedModel, problem: Problem, number: int) -> None:
    """Add the limits on the size of a set."""
    row: Terms = [(1, member(number, j)) for j in range(problem.n_features)]
    model.add_between(f"size_{number}", row, problem.sizes[0], problem.set_size)


def add_overlap(
    model: NamedModel, problem: Problem, name: str, shared: Terms, numbers: Sequence[int], more: int = 0
) -> None:
    """Bound what two sets share; `numbers` are those of unknown sets, `more` is the size of a known one."""
    model.add(name, shared, "<=", problem.max_overlap)
    if problem.overlap_cost:
        model.shared += shared
    if problem.overlap_factor is None or problem.size_factor is None:
        return
    factored = [(problem.overlap_factor * c, variable) for c, variable in shared]
    terms = [[(-problem.size_factor, member(i, j)) for j in range(problem.n_features)] for i in numbers]
    known = [problem.size_factor * more] * (more > 0)
    if problem.by_smaller:  # each size twice, in a row of its own
        sides = [(add_terms(size, size), 0) for size in terms] + [(Terms(), 2 * size) for size in known]
    else:
        sides = [(add_terms(*terms), sum(known))]
    for number, (sizes, size) in enumerate(sides):
        row = f"sizes_{name}" if len(sides) == 1 else f"sizes_{name}_{number}"
        model.add(row, add_terms(factored, sizes), "<=", size + problem.overlap_constant)


def add_terms(*parts: Terms) -> Terms:
    """Return the sum of linear terms, each variable once."""
    total: dict[str, int] = {}
    for coefficient, name in chain(*parts):
        total[name] = total.get(name, 0) + coefficient
    return [(coefficient, name) for name, coefficient in total.items()]


def _add_pair(model: NamedModel, problem: Problem, first: int, second: int) -> None:
    products = [f"t_{first}_{second}_{j}" for j in range(problem.n_features)]
    model.add_binary(products)
    for j, both in enumerate(products):
        one, other = member(first, j), member(second, j)
        model.add(f"and_a_{first}_{second}_{j}", [(1, both), (-1, one)], "<=", 0)
        model.add(f"and_b_{first}_{second}_{j}", [(1, both), (-1, other)], "<=", 0)
        model.add(f"and_c_{first}_{second}_{j}", [(1, one), (1, other), (-1, both)], "<=", 1)
    add_overlap(
        model, problem, f"overlap_{first}_{second}", [(1, both) for both in products], (first, second)
    )


def _quality(model: NamedModel, problem: Problem, number: int) -> Terms:
    """Return the terms of the value of a set; z_j is what the pairs of a selected feature j take, halved."""
    if Kind.MAXIMA in kinds_of(problem):
        return add_representatives(model, problem, number)
    k = problem.set_size
    per_feature, _ = objective_of(problem).weights(k)
    terms = [(per_feature * int(q), member(number, j)) for j, q in enumerate(problem.quality)]
    if objective_of(problem).is_sum or k == 1:
        return terms
    shares = halved(weighted(problem)[1])
    for j in range(problem.n_features):
        ascending = np.sort(np.delete(shares[j], j))
        least, big = min(0, int(ascending[: k - 1].sum())), int(ascending[-k:].sum())
        z, x = f"z_{number}_{j}", member(number, j)
        others = [(-int(r), member(number, i)) for i, r in enumerate(shares[j]) if i != j]
        model.add_real(z)
        model.add(f"redundancy_{number}_{j}", [(1, z), *others, (-big, x)], ">=", -big)
        model.add(f"least_{number}_{j}", [(1, z), (-least, x)], ">=", 0)
        terms.append((-1, z))
    return terms


def add_representatives(model: NamedModel, problem: Problem, number: int) -> Terms:
    """Add which feature of a set stands for each column, and return the terms of the set's value."""
    terms: Terms = []
    for column, similarities in enumerate(similarity_of(problem).tolist()):
        stands = [model.new("y", number, column, j) for j in range(problem.n_features)]
        model.add(f"one_{number}_{column}", [(1, name) for name in stands], "=", 1)
        for j, name in enumerate(stands):
            model.add(f"stands_{number}_{column}_{j}", [(1, name), (-1, member(number, j))], "<=", 0)
        terms += zip(similarities, stands, strict=True)
    return terms


def add_values(model: NamedModel, problem: Problem, values: list[Terms], least: int | None = None) -> None:
    """Add what is asked of the values of the sets: the least value, and the objective.

    With a `least` objective any sets will do that reach it: it is a constraint, without the real variable
    that stands for the worst value, and the cost is the sum of the values.
    """
    model.set_values = values
    if problem.min_quality is not None:
        for number, terms in enumerate(values):
            model.add(f"quality_{number}", terms, ">=", problem.min_quality)
    of_sum, of_min, of_max = problem.aggregate_weights
    is_sum = not of_min
    cost: Terms = [(overlap_price(problem) * times, name) for times, name in model.shared]
    if least is not None:
        total = add_terms(*values, [(-price, name) for price, name in cost])
        for number, terms in enumerate([total] if is_sum else values):
            model.add(f"objective_{number}", terms, ">=", least)
    if of_sum or least is not None:
        times = of_sum or 1
        cost += [(-times * coefficient, name) for terms in values for coefficient, name in terms]
    for count, sense, name in ((of_min, ">=", "min"), (-of_max, "<=", "max")) if least is None else ():
        if not count:
            continue
        end = f"q_{name}"
        model.add_real(end)
        for number, terms in enumerate(values):
            model.add(f"{name}_{number}", [*terms, (-1, end)], sense, 0)
        cost.append((-count, end))
    model.minimise(cost)
