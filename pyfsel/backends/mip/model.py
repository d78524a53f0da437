"""From a problem and the name of a formulation to a linear model, and from 0/1 values back to sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, combinations

import numpy as np

from pyfsel.backends.mip.named_model import NamedModel, Terms, member
from pyfsel.errors import UnsupportedError, VerificationError
from pyfsel.model.strengthening import (
    count_limits,
    counts_are_limited,
    counts_are_ordered,
    counts_in_unary,
    dominance,
    pair_products,
    set_order,
)
from pyfsel.problem.objectives import FeatureSet, Kind
from pyfsel.problem.problem import Problem
from pyfsel.problem.rows import side_rows
from pyfsel.problem.values import (
    by_quality,
    halved,
    kinds_of,
    objective_of,
    on_pairs,
    overlap_price,
    similarity_of,
    weighted,
)
from pyfsel.results.control import LITERAL

LARGEST_FRACTION = 1e-4  # solvers' tolerances for integers are 1e-5 and less
KINDS = (Kind.SUMS, Kind.PAIRS_OF_ONE_SIZE, Kind.PAIRS, Kind.MAXIMA)


def linear_model(problem: Problem, formulation: str, least: int | None = None) -> NamedModel:
    """Return a model whose least cost is minus the largest integer objective.

    Parameters
    ----------
    problem : Problem
    formulation : {"strengthened", "literal"}
        "literal" is paper 000's: sets and previous sets as in Eq. 21 and 22, products by Eq. 6,
        min-aggregation by Eq. 19, FCBF's conflicts by Eq. 12, mRMR by Eq. 14 (multiplied by k(k−1)) with the
        smallest big-M of each feature. "strengthened" bounds products from one side only, models mRMR by
        pairs, and adds counts, dominance and the order of the sets.
    least : int, optional
        Ask for any sets with such an objective instead, see `_add_values`.

    Raises
    ------
    UnsupportedError
        If the objective has no linear model here.

    Examples
    --------
    >>> problem = Problem(quality=[3, 2, 1], n_sets=1, set_size=2, max_overlap=2)
    >>> linear_model(problem, "strengthened").linear.weights
    {0: -3, 1: -2, 2: -1}
    >>> linear_model(problem, "literal").linear.rows
    [Row(terms={0: 1, 1: 1, 2: 1}, limit=2, sense='=', name='size_0')]
    """
    literal = formulation == LITERAL
    inexact = literal and problem.aggregate == "difference" and objective_of(problem).has_pairs
    if (inexact and problem.set_size > 1) or kinds_of(problem).isdisjoint(KINDS):
        raise UnsupportedError(
            f"objective={problem.objective!r}: has no linear model of {problem.sizes_text} features"
        )
    model = NamedModel()
    for number in range(problem.n_sets):
        _add_set(model, problem, number)
    sizes_matter = problem.overlap_factor is not None
    if literal or problem.max_overlap < problem.set_size or sizes_matter or problem.overlap_cost:
        for first, second in combinations(range(problem.n_sets), 2):
            _add_products(model, problem, first, second, literal=literal)
    if not literal and problem.n_sets > 1:
        _strengthen(model, problem)
    values = [_quality(model, problem, number, literal=literal) for number in range(problem.n_sets)]
    _add_values(model, problem, values, least)
    return model


def sets_of(problem: Problem, values: Mapping[str, float]) -> tuple[FeatureSet, ...]:
    """Return the sets of a solution by variable name, after rounding.

    Raises
    ------
    VerificationError
        If a value is not near 0 or 1.
    """
    sets = []
    for number in range(problem.n_sets):
        row = [values[member(number, j)] for j in range(problem.n_features)]
        for j, value in enumerate(row):
            if min(abs(value), abs(value - 1)) > LARGEST_FRACTION:
                raise VerificationError(f"{member(number, j)} is {value}, must be 0 or 1")
        sets.append(tuple(j for j, value in enumerate(row) if value > 0.5))
    return tuple(sets)


def start_values(problem: Problem, sets: tuple[FeatureSet, ...]) -> dict[str, float]:
    """Return the memberships of a known solution, in the order that the strengthened model asks for."""
    rank = {j: position for position, j in enumerate(by_quality(problem))}
    ordered = sorted(sets, key=lambda members: sorted(rank[j] for j in members))
    return {
        member(number, j): float(j in members)
        for number, members in enumerate(ordered)
        for j in range(problem.n_features)
    }


def _row(problem: Problem, number: int) -> list[str]:
    return [member(number, j) for j in range(problem.n_features)]


def _add_set(model: NamedModel, problem: Problem, number: int) -> None:
    """Add the variables of a set and what it must satisfy beside the previous ones and by itself."""
    names = _row(problem, number)
    model.add_binary(names)
    model.add_between(f"size_{number}", [(1, name) for name in names], problem.sizes[0], problem.set_size)
    for i, previous in enumerate(problem.previous_sets):
        shared: Terms = [(1, names[j]) for j in previous]
        _add_overlap(model, problem, f"previous_{number}_{i}", shared, (number,), len(previous))
    for i, j in problem.conflicts:
        model.add(f"conflict_{number}_{i}_{j}", [(1, names[i]), (1, names[j])], "<=", 1)
    for i, row in enumerate(side_rows(problem)):
        terms = [(c, names[j]) for c, j in zip(row.coefficients, row.features, strict=True)]
        model.add_between(f"side_{number}_{i}", terms, row.low, row.high)


def _add_products(model: NamedModel, problem: Problem, first: int, second: int, *, literal: bool) -> None:
    """Bound the shared features by products (paper 000, Eq. 6); large enough is enough unless `literal`."""
    rows = list(zip(_row(problem, first), _row(problem, second), strict=True))
    if problem.max_overlap == 0 and problem.overlap_factor is None and not literal:
        for j, (one, other) in enumerate(rows):
            model.add(f"apart_{first}_{second}_{j}", [(1, one), (1, other)], "<=", 1)
        return
    products = [f"t_{first}_{second}_{j}" for j in range(problem.n_features)]
    model.add_binary(products)
    for j, ((one, other), both) in enumerate(zip(rows, products, strict=True)):
        if literal:
            model.add(f"and_a_{first}_{second}_{j}", [(1, both), (-1, one)], "<=", 0)
            model.add(f"and_b_{first}_{second}_{j}", [(1, both), (-1, other)], "<=", 0)
        model.add(f"and_c_{first}_{second}_{j}", [(1, one), (1, other), (-1, both)], "<=", 1)
    shared: Terms = [(1, both) for both in products]
    _add_overlap(model, problem, f"overlap_{first}_{second}", shared, (first, second))


def _add_overlap(
    model: NamedModel, problem: Problem, name: str, shared: Terms, numbers: Sequence[int], more: int = 0
) -> None:
    """Bound what two sets share; `numbers` are those of unknown sets, `more` is the size of a known one."""
    model.add(name, shared, "<=", problem.max_overlap)
    if problem.overlap_cost:
        model.shared += shared
    if problem.overlap_factor is None or problem.size_factor is None:
        return
    factored = [(problem.overlap_factor * c, variable) for c, variable in shared]
    terms = [[(-problem.size_factor, x) for x in _row(problem, i)] for i in numbers]
    known = [problem.size_factor * more] * (more > 0)
    if problem.by_smaller:  # each size twice, in a row of its own
        sides = [(_added(size, size), 0) for size in terms] + [(Terms(), 2 * size) for size in known]
    else:
        sides = [(_added(*terms), sum(known))]
    for number, (sizes, size) in enumerate(sides):
        row = f"sizes_{name}" if len(sides) == 1 else f"sizes_{name}_{number}"
        model.add(row, _added(factored, sizes), "<=", size + problem.overlap_constant)


def _added(*parts: Terms) -> Terms:
    """Return the sum of linear terms, each variable once."""
    total: dict[str, int] = {}
    for coefficient, name in chain(*parts):
        total[name] = total.get(name, 0) + coefficient
    return [(coefficient, name) for name, coefficient in total.items()]


def _strengthen(model: NamedModel, problem: Problem) -> None:
    members = [_row(problem, number) for number in range(problem.n_sets)]
    if counts_are_limited(problem):
        n_values = range(1, problem.n_sets + 1)
        at_least = [[model.new("u", j, v) for v in n_values] for j in range(problem.n_features)]
        model.add_all("count", counts_in_unary(members, at_least))
        model.add_all("limit", count_limits(problem, at_least))
        if counts_are_ordered(problem):
            model.add_all("dominance", dominance(problem, at_least))
    model.add_all("order", set_order(members, by_quality(problem), model.new))


def _quality(model: NamedModel, problem: Problem, number: int, *, literal: bool) -> Terms:
    """Return the terms of the value of a set."""
    if Kind.MAXIMA in kinds_of(problem):
        return _representatives(model, problem, number)
    has_pairs = not objective_of(problem).is_sum and problem.set_size > 1
    if has_pairs and problem.has_size_range:
        return _pairs_of_any_size(model, problem, number)
    if has_pairs and not literal:
        return _weights_of_pairs(model, problem, number)
    per_feature, _ = objective_of(problem).weights(problem.set_size)
    row = _row(problem, number)
    terms = [(per_feature * int(q), name) for q, name in zip(problem.quality, row, strict=True)]
    return terms + _taken_by_pairs(model, problem, number) if has_pairs else terms


def _representatives(model: NamedModel, problem: Problem, number: int) -> Terms:
    """Add which feature of a set stands for each column, and return the terms of the set's value."""
    terms: Terms = []
    for column, similarities in enumerate(similarity_of(problem).tolist()):
        stands = [model.new("y", number, column, j) for j in range(problem.n_features)]
        model.add(f"one_{number}_{column}", [(1, name) for name in stands], "=", 1)
        for j, name in enumerate(stands):
            model.add(f"stands_{number}_{column}_{j}", [(1, name), (-1, member(number, j))], "<=", 0)
        terms += zip(similarities, stands, strict=True)
    return terms


def _taken_by_pairs(model: NamedModel, problem: Problem, number: int) -> Terms:
    """Add z_j, what the pairs of a selected feature j take, halved, by big-M; return minus their sum."""
    k, shares = problem.set_size, halved(weighted(problem)[1])
    terms: Terms = []
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


def _pairs_of_any_size(model: NamedModel, problem: Problem, number: int) -> Terms:
    """Return the value of a set of any size, with products (paper 000, Eq. 6) for the pairs that count."""
    features, pairs = weighted(problem)
    row = _row(problem, number)
    terms = [(int(q), name) for q, name in zip(features, row, strict=True)]
    for i, j in zip(*np.nonzero(np.triu(pairs)), strict=True):
        both, ends = model.new("y", number, int(i), int(j)), (row[i], row[j])
        for end in ends:
            model.add(f"below_{both}_{end}", [(1, both), (-1, end)], "<=", 0)
        model.add(f"above_{both}", [*((1, end) for end in ends), (-1, both)], "<=", 1)
        terms.append((-int(pairs[i, j]), both))
    return terms


def _weights_of_pairs(model: NamedModel, problem: Problem, number: int) -> Terms:
    """Return the value of a set as the weight of a subgraph on k vertices, as far as its weights allow."""
    features, weights = on_pairs(problem)
    row = _row(problem, number)
    pairs = {ends: model.new("y", number, *ends) for ends in combinations(range(problem.n_features), 2)}
    model.add_all(f"pairs_{number}", pair_products(row, pairs, problem.set_size))
    alone = [(int(q), name) for q, name in zip(features, row, strict=True) if q]
    return alone + [(int(weights[ends]), pair) for ends, pair in pairs.items()]


def _add_values(model: NamedModel, problem: Problem, values: list[Terms], least: int | None) -> None:
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
        total = _added(*values, [(-price, name) for price, name in cost])
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
