"""From a problem and the name of a formulation to a linear model, and from 0/1 values back to sets."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from pyfsel.backends.mip.linear_model import (
    NamedModel,
    Terms,
    add_overlap,
    add_representatives,
    add_set,
    add_values,
    literal_model,
    member,
)
from pyfsel.errors import VerificationError
from pyfsel.problem.objectives import FeatureSet, Kind
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality, kinds_of, objective_of, on_pairs
from pyfsel.reductions.strengthening import (
    count_limits,
    counts_are_limited,
    counts_are_ordered,
    counts_in_unary,
    dominance,
    pair_products,
    set_order,
)
from pyfsel.results.control import LITERAL

LARGEST_FRACTION = 1e-4  # solvers' tolerances for integers are 1e-5 and less


def linear_model(problem: Problem, formulation: str, least: int | None = None) -> NamedModel:
    """Return a model whose least cost is minus the largest integer objective.

    Parameters
    ----------
    problem : Problem
    formulation : {"strengthened", "literal"}
        "literal" is `pyfsel.backends.mip.linear_model.literal_model`. "strengthened" bounds products from one
        side only, models mRMR by pairs, and adds counts, dominance and the order of the sets.
    least : int, optional
        Ask for any sets with such an objective instead, see `pyfsel.backends.mip.linear_model.add_values`.

    Examples
    --------
    >>> problem = Problem(quality=[3, 2, 1], n_sets=1, set_size=2, max_overlap=2)
    >>> linear_model(problem, "strengthened").linear.weights
    {0: -3, 1: -2, 2: -1}
    """
    if formulation == LITERAL:
        return literal_model(problem, least)
    model = NamedModel()
    for number in range(problem.n_sets):
        add_set(model, problem, number)
    sizes_matter = problem.overlap_factor is not None
    if problem.max_overlap < problem.set_size or sizes_matter or problem.overlap_cost:
        for first, second in combinations(range(problem.n_sets), 2):
            _add_overlap(model, problem, first, second)
    if problem.n_sets > 1:
        members = [_row(problem, number) for number in range(problem.n_sets)]
        if counts_are_limited(problem):
            n_values = range(1, problem.n_sets + 1)
            at_least = [[model.new("u", j, v) for v in n_values] for j in range(problem.n_features)]
            model.add_all("count", counts_in_unary(members, at_least))
            model.add_all("limit", count_limits(problem, at_least))
            if counts_are_ordered(problem):
                model.add_all("dominance", dominance(problem, at_least))
        model.add_all("order", set_order(members, by_quality(problem), model.new))
    add_values(model, problem, [_quality(model, problem, i) for i in range(problem.n_sets)], least)
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


def _add_overlap(model: NamedModel, problem: Problem, first: int, second: int) -> None:
    """Bound the shared features; products need to be large enough only (paper 000, Eq. 6, third part)."""
    rows = list(zip(_row(problem, first), _row(problem, second), strict=True))
    if problem.max_overlap == 0:
        for j, (one, other) in enumerate(rows):
            model.add(f"apart_{first}_{second}_{j}", [(1, one), (1, other)], "<=", 1)
        return
    products = [f"t_{first}_{second}_{j}" for j in range(problem.n_features)]
    model.add_binary(products)
    for j, ((one, other), both) in enumerate(zip(rows, products, strict=True)):
        model.add(f"and_{first}_{second}_{j}", [(1, one), (1, other), (-1, both)], "<=", 1)
    add_overlap(
        model, problem, f"overlap_{first}_{second}", [(1, both) for both in products], (first, second)
    )


def _quality(model: NamedModel, problem: Problem, number: int) -> Terms:
    if Kind.MAXIMA in kinds_of(problem):
        return add_representatives(model, problem, number)
    if objective_of(problem).is_sum or problem.set_size == 1:
        per_feature, _ = objective_of(problem).weights(problem.set_size)
        row = _row(problem, number)
        return [(per_feature * int(q), name) for q, name in zip(problem.quality, row, strict=True)]
    return _weights_of_pairs(model, problem, number)


def _weights_of_pairs(model: NamedModel, problem: Problem, number: int) -> Terms:
    """Return the value of a set as the weight of a subgraph on k vertices, as far as its weights allow."""
    features, weights = on_pairs(problem)
    row = _row(problem, number)
    pairs = {ends: model.new("y", number, *ends) for ends in combinations(range(problem.n_features), 2)}
    model.add_all(f"pairs_{number}", pair_products(row, pairs, problem.set_size))
    alone = [(int(q), name) for q, name in zip(features, row, strict=True) if q]
    return alone + [(int(weights[ends]), pair) for ends, pair in pairs.items()]
