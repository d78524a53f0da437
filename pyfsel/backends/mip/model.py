"""From a problem and the name of a formulation to a linear model, and from 0/1 values back to sets."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, pairwise
from math import comb

from pyfsel.backends.mip.linear_model import (
    LinearModel,
    Terms,
    add_overlap,
    add_set,
    add_values,
    literal_model,
    member,
)
from pyfsel.errors import VerificationError
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality, objective_of
from pyfsel.reductions.interchange import interchangeable_classes, prefix_limits
from pyfsel.results.control import LITERAL

LARGEST_FRACTION = 1e-4


def linear_model(problem: Problem, formulation: str) -> LinearModel:
    """Return a model whose least cost is minus the largest integer objective.

    Parameters
    ----------
    problem : Problem
    formulation : {"strengthened", "literal"}
        "literal" is `pyfsel.backends.mip.linear_model.literal_model`. "strengthened" bounds products from one
        side only, models mRMR by pairs, and adds counts, dominance and the order of the sets.

    Examples
    --------
    >>> problem = Problem(quality=[3, 2, 1], n_sets=1, set_size=2, max_overlap=2)
    >>> linear_model(problem, "strengthened").cost
    [(-3, 'x_0_0'), (-2, 'x_0_1'), (-1, 'x_0_2')]
    """
    if formulation == LITERAL:
        return literal_model(problem)
    model = LinearModel()
    for number in range(problem.n_sets):
        add_set(model, problem, number)
    if problem.max_overlap < problem.set_size or problem.overlap_factor is not None:
        for first, second in combinations(range(problem.n_sets), 2):
            _add_overlap(model, problem, first, second)
    if problem.n_sets > 1:
        if not problem.has_size_range:
            _add_counts(model, problem)
        _add_order(model, problem)
    add_values(model, problem, [_quality(model, problem, i) for i in range(problem.n_sets)])
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


def _add_overlap(model: LinearModel, problem: Problem, first: int, second: int) -> None:
    """Bound the shared features; products need to be large enough only (paper 000, Eq. 6, third part)."""
    rows = list(zip(_row(problem, first), _row(problem, second), strict=True))
    if problem.max_overlap == 0:
        for j, (one, other) in enumerate(rows):
            model.add(f"apart_{first}_{second}_{j}", [(1, one), (1, other)], "<=", 1)
        return
    products = [f"t_{first}_{second}_{j}" for j in range(problem.n_features)]
    model.binary += products
    for j, ((one, other), both) in enumerate(zip(rows, products, strict=True)):
        model.add(f"and_{first}_{second}_{j}", [(1, one), (1, other), (-1, both)], "<=", 1)
    add_overlap(
        model, problem, f"overlap_{first}_{second}", [(1, both) for both in products], (first, second)
    )


def _add_counts(model: LinearModel, problem: Problem) -> None:
    """Count in unary how often each feature is used, and bound the uses by what overlaps allow.

    ``u_j_v`` says that feature j is in at least v sets. The pairs of sets that share a feature are counted,
    the uses of the best features are limited, and for sum-aggregation a better feature is used at least as
    often as a worse one that is interchangeable with it.
    """
    n_sets, uses = problem.n_sets, problem.n_sets * problem.set_size
    unary = [[f"u_{j}_{v}" for v in range(1, n_sets + 1)] for j in range(problem.n_features)]
    for j, counts in enumerate(unary):
        model.binary += counts
        members: Terms = [(1, member(number, j)) for number in range(n_sets)]
        model.add(f"count_{j}", [*members, *((-1, name) for name in counts)], "=", 0)
        for v, (lower, higher) in enumerate(pairwise(counts)):
            model.add(f"unary_{j}_{v}", [(1, higher), (-1, lower)], "<=", 0)
    pairs = [(v, name) for counts in unary for v, name in enumerate(counts)]
    model.add("pairs", pairs, "<=", comb(n_sets, 2) * problem.max_overlap)
    order = by_quality(problem)
    limits = prefix_limits(problem.n_features, n_sets, problem.set_size, problem.max_overlap)
    for t, limit in enumerate(limits, start=1):
        if limit < uses:
            model.add(f"prefix_{t}", [(1, name) for j in order[:t] for name in unary[j]], "<=", limit)
    if problem.aggregate == "sum":
        _add_dominance(model, problem, unary)


def _add_dominance(model: LinearModel, problem: Problem, unary: list[list[str]]) -> None:
    for members in interchangeable_classes(problem):
        for better, worse in pairwise(members):
            for v, (more, less) in enumerate(zip(unary[better], unary[worse], strict=True)):
                model.add(f"dominance_{better}_{worse}_{v}", [(1, less), (-1, more)], "<=", 0)


def _add_order(model: LinearModel, problem: Problem) -> None:
    """Order consecutive sets lexicographically over the features in order of quality.

    ``e_s_p`` must be 1 if sets s and s + 1 agree on the p + 1 best features.
    """
    order = by_quality(problem)
    for number in range(problem.n_sets - 1):
        so_far: Terms = []
        missing = 0
        for position, j in enumerate(order):
            first, second = member(number, j), member(number + 1, j)
            equal = f"e_{number}_{position}"
            name = f"{number}_{position}"
            model.binary.append(equal)
            model.add(f"order_{name}", [(1, second), (-1, first), *so_far], "<=", missing)
            model.add(f"both_0_{name}", [(-1, first), (-1, equal), *so_far], "<=", missing - 1)
            model.add(f"both_1_{name}", [(1, second), (-1, equal), *so_far], "<=", missing)
            so_far, missing = [(1, equal)], 1


def _quality(model: LinearModel, problem: Problem, number: int) -> Terms:
    if objective_of(problem).is_sum or problem.set_size == 1:
        return [(int(q), name) for q, name in zip(problem.quality, _row(problem, number), strict=True)]
    return _weights_of_pairs(model, problem, number)


def _weights_of_pairs(model: LinearModel, problem: Problem, number: int) -> Terms:
    """Return mRMR times k(k−1) as the weight of a subgraph on k vertices.

    ``Σ_{j≠i} y_ij = (k−1)·x_i`` for every feature i makes the relaxation strong.
    """
    assert problem.redundancy is not None
    names = _row(problem, number)
    partners: list[Terms] = [[] for _ in names]
    terms: Terms = []
    for i, j in combinations(range(len(names)), 2):
        pair = f"y_{number}_{i}_{j}"
        model.binary.append(pair)
        for end in (i, j):
            model.add(f"end_{number}_{i}_{j}_{end}", [(1, pair), (-1, names[end])], "<=", 0)
            partners[end].append((1, pair))
        weight = int(problem.quality[i]) + int(problem.quality[j]) - 2 * int(problem.redundancy[i, j])
        terms.append((weight, pair))
    for i, (pairs, name) in enumerate(zip(partners, names, strict=True)):
        model.add(f"partners_{number}_{i}", [*pairs, (1 - problem.set_size, name)], "=", 0)
    return terms
