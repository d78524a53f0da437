"""The literal 0/1 linear model of a problem, as data that any MIP format can be written from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations

import numpy as np

from pyfsel.errors import UnsupportedError
from pyfsel.problem.problem import Problem
from pyfsel.problem.rows import side_rows
from pyfsel.problem.values import objective_of

Terms = list[tuple[int, str]]


@dataclass(frozen=True)
class Row:
    """A linear constraint: terms, ``<=``, ``>=`` or ``=``, right-hand side."""

    name: str
    terms: Terms
    sense: str
    rhs: int


@dataclass
class LinearModel:
    """Minimise `cost` subject to `rows`; variables are 0/1, or real where listed in `free`."""

    cost: Terms = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    binary: list[str] = field(default_factory=list)
    free: list[str] = field(default_factory=list)

    def add(self, name: str, terms: Terms, sense: str, rhs: int) -> None:
        """Append a row, without the terms whose coefficient is zero."""
        self.rows.append(Row(name, [term for term in terms if term[0]], sense, rhs))

    def add_between(self, name: str, terms: Terms, low: int | None, high: int | None) -> None:
        """Append rows for the limits that are not None."""
        if low is not None and low == high:
            self.add(name, terms, "=", low)
            return
        if low is not None:
            self.add(f"{name}_low", terms, ">=", low)
        if high is not None:
            self.add(f"{name}_high", terms, "<=", high)


def member(number: int, feature: int) -> str:
    """Return the name of the variable that says whether a set contains a feature (both 0-based)."""
    return f"x_{number}_{feature}"


def literal_model(problem: Problem) -> LinearModel:
    """Return paper 000's linear model; its least cost is minus the largest integer objective.

    Sets and previous sets as in Eq. 21 and 22, products by Eq. 6, min-aggregation by Eq. 19, FCBF's
    conflicts by Eq. 12, mRMR by Eq. 14 (multiplied by k(k−1)) with the smallest big-M of each feature.

    Raises
    ------
    UnsupportedError
        If the objective has no linear model here.

    Examples
    --------
    >>> model = literal_model(Problem(quality=[3, 2, 1], n_sets=1, set_size=2, max_overlap=2))
    >>> model.rows
    [Row(name='size_0', terms=[(1, 'x_0_0'), (1, 'x_0_1'), (1, 'x_0_2')], sense='=', rhs=2)]
    """
    if problem.objective not in ("univariate", "fcbf", "mrmr"):
        raise UnsupportedError(f"objective={problem.objective!r}: has no linear model")
    model = LinearModel()
    for number in range(problem.n_sets):
        add_set(model, problem, number)
    for first, second in combinations(range(problem.n_sets), 2):
        _add_pair(model, problem, first, second)
    _add_aggregate(model, problem, [_quality(model, problem, i) for i in range(problem.n_sets)])
    return model


def add_set(model: LinearModel, problem: Problem, number: int) -> None:
    """Add the variables of a set and what it must satisfy beside the previous ones and by itself."""
    names = [member(number, j) for j in range(problem.n_features)]
    model.binary += names
    add_size(model, problem, number)
    for i, previous in enumerate(problem.previous_sets):
        shared: Terms = [(1, names[j]) for j in previous]
        add_overlap(model, problem, f"previous_{number}_{i}", shared, (number,), len(previous))
    for i, j in problem.conflicts:
        model.add(f"conflict_{number}_{i}_{j}", [(1, names[i]), (1, names[j])], "<=", 1)
    for i, row in enumerate(side_rows(problem)):
        terms = [(c, names[j]) for c, j in zip(row.coefficients, row.features, strict=True)]
        model.add_between(f"side_{number}_{i}", terms, row.low, row.high)


def add_size(model: LinearModel, problem: Problem, number: int) -> None:
    """Add the limits on the size of a set."""
    row: Terms = [(1, member(number, j)) for j in range(problem.n_features)]
    model.add_between(f"size_{number}", row, problem.sizes[0], problem.set_size)


def add_overlap(
    model: LinearModel, problem: Problem, name: str, shared: Terms, numbers: Sequence[int], more: int = 0
) -> None:
    """Bound what two sets share; `numbers` are those of unknown sets, `more` is the size of a known one."""
    model.add(name, shared, "<=", problem.max_overlap)
    if problem.overlap_factor is None or problem.size_factor is None:
        return
    sizes = [(-problem.size_factor, member(i, j)) for i in numbers for j in range(problem.n_features)]
    factored = [(problem.overlap_factor * c, variable) for c, variable in shared]
    model.add(f"sizes_{name}", add_terms(factored, sizes), "<=", problem.size_factor * more)


def add_terms(*parts: Terms) -> Terms:
    """Return the sum of linear terms, each variable once."""
    total: dict[str, int] = {}
    for coefficient, name in chain(*parts):
        total[name] = total.get(name, 0) + coefficient
    return [(coefficient, name) for name, coefficient in total.items()]


def _add_pair(model: LinearModel, problem: Problem, first: int, second: int) -> None:
    products = []
    for j in range(problem.n_features):
        both, one, other = f"t_{first}_{second}_{j}", member(first, j), member(second, j)
        model.add(f"and_a_{first}_{second}_{j}", [(1, both), (-1, one)], "<=", 0)
        model.add(f"and_b_{first}_{second}_{j}", [(1, both), (-1, other)], "<=", 0)
        model.add(f"and_c_{first}_{second}_{j}", [(1, one), (1, other), (-1, both)], "<=", 1)
        products.append(both)
    model.binary += products
    add_overlap(
        model, problem, f"overlap_{first}_{second}", [(1, both) for both in products], (first, second)
    )


def _quality(model: LinearModel, problem: Problem, number: int) -> Terms:
    if not objective_of(problem).needs_redundancy:
        return [(int(q), member(number, j)) for j, q in enumerate(problem.quality)]
    return _mrmr_quality(model, problem, number)


def _mrmr_quality(model: LinearModel, problem: Problem, number: int) -> Terms:
    """Return the terms of k(k−1) times the mRMR quality; z_j is the redundancy of a selected feature j."""
    assert problem.redundancy is not None
    k = problem.set_size
    terms = [(max(1, k - 1) * int(q), member(number, j)) for j, q in enumerate(problem.quality)]
    if k == 1:
        return terms
    for j in range(problem.n_features):
        to_others = np.delete(problem.redundancy[j], j)
        ascending = np.sort(to_others)
        least, big = min(0, int(ascending[: k - 1].sum())), int(ascending[-k:].sum())
        z, x = f"z_{number}_{j}", member(number, j)
        others = [(-int(r), member(number, i)) for i, r in enumerate(problem.redundancy[j]) if i != j]
        model.free.append(z)
        model.add(f"redundancy_{number}_{j}", [(1, z), *others, (-big, x)], ">=", -big)
        model.add(f"least_{number}_{j}", [(1, z), (-least, x)], ">=", 0)
        terms.append((-1, z))
    return terms


def add_least_quality(model: LinearModel, problem: Problem, qualities: list[Terms]) -> None:
    """Add the least value of each set, if the problem has one."""
    if problem.min_quality is not None:
        for number, terms in enumerate(qualities):
            model.add(f"quality_{number}", terms, ">=", problem.min_quality)


def _add_aggregate(model: LinearModel, problem: Problem, qualities: list[Terms]) -> None:
    add_least_quality(model, problem, qualities)
    if problem.aggregate == "sum":
        model.cost = [(-coefficient, name) for terms in qualities for coefficient, name in terms]
        return
    worst = "q_min"
    model.free.append(worst)
    for number, terms in enumerate(qualities):
        model.add(f"min_{number}", [*terms, (-1, worst)], ">=", 0)
    model.cost = [(-1, worst)]
