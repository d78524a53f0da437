"""Values of sets of features and of solutions, in integers and as floats, and what they are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, groupby, product
from typing import TypeVar

import numpy as np

from pyfsel.core.arrays import Array, Bools, Indices, Ints
from pyfsel.problem.fractions import R2
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import OBJECTIVES
from pyfsel.problem.objectives import SUM_AND_MIN, FeatureSet, Numbers, Objective, ObjectiveKind

Number = TypeVar("Number", int, float)


def is_interchangeable(problem: Instance) -> bool:
    """Return whether features differ in nothing but their quality and their membership in previous sets."""
    return objective_of(problem).is_sum and not problem.has_conflicts and not problem.side_constraints


def by_quality(problem: Instance) -> list[int]:
    """Return the features by decreasing quality, ties by number.

    Examples
    --------
    >>> by_quality(Instance(quality=[3, 5, 1, 5], n_sets=1, k=1, max_shared=1))
    [1, 3, 0, 2]
    """
    order: list[int] = np.argsort(-problem.quality, kind="stable").tolist()
    return order


def objective_of(problem: Instance) -> Objective:
    """Return the objective that the problem names."""
    if problem.objective_criterion is not None:
        return R2.of(problem)
    return OBJECTIVES[problem.objective]


def kinds_of(problem: Instance) -> frozenset[str]:
    """Return by what a backend or model can say that it takes the objective: its name, and its kinds."""
    return frozenset({problem.objective, *objective_of(problem).kinds(one_size=not problem.has_size_range)})


def weighted(problem: Instance) -> tuple[Ints, Ints]:
    """Return what a feature adds to the value of a set, and what a pair of features takes from it."""
    per_feature, per_pair = objective_of(problem).weights(problem.k)
    return per_feature * problem.quality, per_pair * problem.pairs


def takes_steps(problem: Instance) -> bool:
    """Return whether the value of a set is a fraction, whose optimum searches approach in steps."""
    return ObjectiveKind.FRACTIONS in kinds_of(problem)


def similarity_of(problem: Instance) -> Ints:
    """Return the similarities of facility location: redundancies, and qualities on the diagonal."""
    similarity: Ints = problem.pairs.copy()
    np.fill_diagonal(similarity, problem.quality)
    return similarity


def on_pairs(problem: Instance) -> tuple[Ints, Ints]:
    """Return what features and pairs add to the value of a set of `k`, on pairs as much as possible.

    Each feature of such a set is in k − 1 pairs. Where its weight is a multiple of that, as in mRMR, nothing
    is left for features: the value is the weight of a subgraph.

    Examples
    --------
    >>> apart = {"n_sets": 1, "k": 2, "max_shared": 2, "objective": "mrmr"}
    >>> features, pairs = on_pairs(Instance([5, 3], pairs=[[0, 1], [1, 0]], **apart))
    >>> features.tolist(), int(pairs[0, 1])
    ([0, 0], 6)
    """
    features, pairs = weighted(problem)
    if problem.k == 1:
        return features, -pairs
    share, rest = divmod(objective_of(problem).weights(problem.k)[0], problem.k - 1)
    quality = problem.quality
    return rest * quality, share * (quality[:, None] + quality) - pairs


def values(problem: Instance, sets: Sequence[FeatureSet] | Indices) -> Ints:
    """Return the integer value of each set, shape (m,)."""
    return _evaluated(objective_of(problem), _integers(problem), sets).astype(np.int64)


def _integers(problem: Instance) -> Numbers:
    pairs = problem.pairs if problem.lazy_pairs is None else problem.lazy_pairs
    return Numbers(problem.quality, pairs, problem.scale)


def _evaluated(objective: Objective, numbers: Numbers, sets: Sequence[FeatureSet] | Indices) -> Array:
    """Evaluate sets; neighbours of one size at once."""
    alike = [sets] if isinstance(sets, np.ndarray) else [[*some] for _, some in groupby(sets, len)]
    return np.concatenate([objective.evaluate(numbers, np.asarray(some, np.intp)) for some in alike])


def value(problem: Instance, feature_set: FeatureSet) -> int:
    """Return the integer value of one set: quantised quality × `Objective.factor`."""
    return int(values(problem, [feature_set])[0])


def aggregate_values(problem: Instance, set_values: Sequence[Number]) -> Number:
    """Aggregate the values of the sets by sum (000 Eq. 17), min (Eq. 18), or both; overlap is not priced."""
    if problem.aggregate in SUM_AND_MIN:
        return sum(set_values) if problem.aggregate == "sum" else min(set_values)
    of_sum, of_min, of_max = problem.aggregate_weights
    return of_sum * sum(set_values) + of_min * min(set_values) - of_max * max(set_values)


def total(problem: Instance, sets: Sequence[FeatureSet]) -> int:
    """Return the integer objective of a solution: its sets' values, aggregated, minus the price."""
    found = aggregate_values(problem, [int(v) for v in values(problem, sets)])
    return found - overlap_price(problem) * n_priced(problem, sets) if problem.shared_price else found


def quality_total(problem: Instance, sets: Sequence[FeatureSet]) -> float:
    """Return the objective of a solution in the user's own floats."""
    found = aggregate_values(problem, qualities(problem, sets))
    price = problem.shared_price / problem.scale
    return found - price * n_priced(problem, sets) if price else found


def overlap_price(problem: Instance) -> int:
    """Return what a feature that two sets share takes from the integer objective."""
    return problem.shared_price * objective_of(problem).factor(problem.k)


def n_priced(problem: Instance, sets: Sequence[FeatureSet]) -> int:
    """Return how many features two sets share, over all pairs of these, and of these with previous ones.

    Examples
    --------
    >>> problem = Instance([3, 2, 1], 2, 2, 2, previous=[(0, 1)], shared_price=1)
    >>> n_priced(problem, [(0, 1), (0, 2)])
    4
    """
    pairs = (*combinations(sets, 2), *product(sets, problem.previous))
    return sum(len({*first} & {*second}) for first, second in pairs)


def qualities(problem: Instance, sets: Sequence[FeatureSet] | Indices) -> list[float]:
    """Return the quality of each set in the user's own floats."""
    if not len(sets):
        return []
    objective, integers = objective_of(problem), _integers(problem)
    result = _evaluated(objective, Numbers(problem.quality_floats, problem.pairs_floats), sets)
    for place, members in enumerate(sets):
        if not objective.counts(integers, members):
            result[place] = to_float(problem, value(problem, members))
    return [float(v) / objective.factor(problem.k) for v in result]


def to_float(problem: Instance, integer_objective: int) -> float:
    """Return an integer objective or bound on the user's scale (without the rounding loss)."""
    return integer_objective / (problem.scale * objective_of(problem).factor(problem.k))


def proved_limit(problem: Instance, integer_bound: int) -> float:
    """Return a bound on the integer objective on the user's scale.

    The most by which quantising can change the objective of a solution is included.
    """
    of_sum, of_min, of_max = problem.aggregate_weights
    loss = set_rounding_loss(problem) * (of_sum * problem.n_sets + of_min + of_max)
    return to_float(problem, integer_bound) + loss


def set_rounding_loss(problem: Instance) -> float:
    """Return the most by which quantising can change the quality of one set."""
    return objective_of(problem).rounding_loss(problem)


def largest_graph_score(problem: Instance) -> int:
    """Return an upper bound on the absolute value of all sets, whatever their size."""
    features, pairs = weighted(problem)
    return int(np.abs(features).sum() + np.abs(pairs).sum())


def conflict_matrix(problem: Instance) -> Bools:
    """Return which features conflict, symmetric, shape (n, n).

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance(
    ...     quality=[3, 2], n_sets=1, k=1, max_shared=0, objective="fcbf", conflicts=[(0, 1)]
    ... )
    >>> conflict_matrix(problem).tolist()
    [[False, True], [True, False]]
    """
    conflict = np.zeros((problem.n_features, problem.n_features), dtype=bool)
    first, second = problem.conflicts.T
    conflict[first, second] = conflict[second, first] = True
    return conflict
