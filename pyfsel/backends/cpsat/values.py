"""The value of each set as a linear expression, per objective and formulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.backends.cpsat.membership import SetModel
from pyfsel.model.strengthening import pair_products
from pyfsel.problem.values import halved, objective_of, similarity_of, weighted


def univariate_values(sets: SetModel) -> list[Any]:
    """Return the sum of the qualities of each set's features (paper 000, Eq. 11)."""
    per_feature, _ = objective_of(sets.problem).weights(sets.problem.set_size)
    return [weighted_sum(per_feature * sets.problem.quality, row) for row in sets.member]


def values_by_big_m(sets: SetModel, *, tight: bool) -> list[Any]:
    """Return the values of the sets by one redundancy variable per feature and set (paper 000, Eq. 14).

    Parameters
    ----------
    tight : bool
        Whether each feature has its own big-M, or all share the largest one.

    Notes
    -----
    What a pair takes is halved between its two features (for mRMR the halves are the redundancies). With P_j
    the halves of feature j with its mates in the set, the variable of j is at least
    ``P_j − M_j·(1 − x_j)`` and at least ``L_j·x_j``. Whatever the signs, it can then be the product
    ``P_j·x_j`` and cannot be less, if these numbers are right:

    - A selected feature has k − 1 mates, so that P_j lies between the sums of its k − 1 smallest and k − 1
      largest halves: these, and the 0 of a feature that is not selected, bound the variable.
    - Beside a feature that is not selected there are k others, so that P_j is at most the sum of the k
      largest halves, which is M_j, and the variable may be 0. Among negative numbers that sum is less
      than the one of the k − 1 largest, so that M_j cannot bound the variable.
    - L_j is the sum of the k − 1 smallest halves where that is negative, and 0 otherwise: it keeps the
      variable of a feature that is not selected from going below 0.
    """
    problem = sets.problem
    if problem.set_size == 1:
        return univariate_values(sets)
    features, pairs = weighted(problem)
    shares = halved(pairs)
    n_mates = problem.set_size - 1
    off_diagonal = shares[~np.eye(problem.n_features, dtype=bool)]
    partners = np.sort(off_diagonal.reshape(problem.n_features, -1), axis=1)
    least = np.minimum(0, partners[:, :n_mates].sum(axis=1)).tolist()
    most = np.maximum(0, partners[:, -n_mates:].sum(axis=1)).tolist()
    big_m = np.maximum(0, partners[:, -problem.set_size :].sum(axis=1)).tolist()
    if not tight:
        big_m = [max(big_m)] * problem.n_features
    limits = list(zip(least, most, strict=True))
    return [
        weighted_sum(features, row) - sum(_redundancies(sets, row, shares, big_m, limits))
        for row in sets.member
    ]


def _redundancies(
    sets: SetModel,
    row: Sequence[Any],
    shares: NDArray[np.int64],
    big_m: list[int],
    limits: list[tuple[int, int]],
) -> Iterator[Any]:
    for j, (var, (least, most)) in enumerate(zip(row, limits, strict=True)):
        redundancy = sets.model.new_int_var(least, most, f"redundancy[{j}]")
        sets.model.add(redundancy >= weighted_sum(shares[j], row) - big_m[j] * (1 - var))
        if least < 0:
            sets.model.add(redundancy >= least * var)
        yield redundancy


def values_by_pairs(sets: SetModel) -> list[Any]:
    """Return the values of the sets as weights of subgraphs, one variable per set and pair of features."""
    if sets.problem.set_size == 1:
        return univariate_values(sets)
    (features, pairs), values = weighted(sets.problem), []
    for row in sets.member:
        both = {ends: sets.new() for ends in combinations(range(len(features)), 2)}
        sets.add(pair_products(row, both, sets.problem.set_size))
        taken = sum(int(pairs[ends]) * product for ends, product in both.items())
        values.append(weighted_sum(features, row) - taken)
    return values


def values_by_representatives(sets: SetModel) -> list[Any]:
    """Return how well sets represent all columns: each by one of their features, the best if maximised."""
    return [_represented(sets, row) for row in sets.member]


def _represented(sets: SetModel, row: Sequence[Any]) -> Any:
    value = 0
    for similarities in similarity_of(sets.problem):
        stands = [sets.model.new_bool_var("") for _ in row]
        sets.model.add_exactly_one(stands)
        for one, member in zip(stands, row, strict=True):
            sets.model.add_implication(one, member)
        value += weighted_sum(similarities, stands)
    return value


def weighted_sum(numbers: NDArray[np.int64], row: Sequence[Any]) -> Any:
    """Return a linear expression over the features of a set."""
    return sum(number * var for number, var in zip(numbers.tolist(), row, strict=True) if number)


def graph_score_values(sets: SetModel, *, one_sided: bool) -> list[Any]:
    """Return the values of the sets, over features and pairs of features.

    Parameters
    ----------
    one_sided : bool
        Whether the product of two memberships is bounded on the side only on which the objective pushes it:
        from below where the pair costs, from above where it helps.
    """
    return [_value(sets, row, one_sided) for row in sets.member]


def _value(sets: SetModel, row: Sequence[Any], one_sided: bool) -> Any:
    problem, model = sets.problem, sets.model
    features, pairs = weighted(problem)
    value = weighted_sum(features, row)
    for i, j in combinations(range(problem.n_features), 2):
        redundancy = int(pairs[i, j])
        if redundancy == 0:
            continue
        both = model.new_bool_var("")
        if redundancy > 0 or not one_sided:
            model.add_bool_or(both, ~row[i], ~row[j])
        if redundancy < 0 or not one_sided:
            model.add_implication(both, row[i])
            model.add_implication(both, row[j])
        value -= redundancy * both
    return value
