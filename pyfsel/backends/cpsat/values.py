"""The value of each set as a linear expression, per objective and formulation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from pyfsel.backends.cpsat.membership import SetModel
from pyfsel.reductions.strengthening import pair_products


def univariate_values(sets: SetModel) -> list[Any]:
    """Return the sum of the qualities of each set's features (paper 000, Eq. 11)."""
    return [_relevance(sets, row, 1) for row in sets.member]


def mrmr_values_big_m(sets: SetModel, *, tight: bool) -> list[Any]:
    """Return the values of the sets by one redundancy variable per feature and set (paper 000, Eq. 14).

    Parameters
    ----------
    tight : bool
        Whether each feature has its own big-M, or all share the largest one.

    Notes
    -----
    With P_j the redundancies of feature j with its mates in the set, the variable of j is at least
    ``P_j − M_j·(1 − x_j)`` and at least ``L_j·x_j``. Whatever the signs, it can then be the product
    ``P_j·x_j`` and cannot be less, if these numbers are right:

    - A selected feature has k − 1 mates, so that P_j lies between the sums of its k − 1 smallest and k − 1
      largest redundancies: these, and the 0 of a feature that is not selected, bound the variable.
    - Beside a feature that is not selected there are k others, so that P_j is at most the sum of the k
      largest redundancies, which is M_j, and the variable may be 0. Among negative numbers that sum is less
      than the one of the k − 1 largest, so that M_j cannot bound the variable.
    - L_j is the sum of the k − 1 smallest redundancies where that is negative, and 0 otherwise: it keeps the
      variable of a feature that is not selected from going below 0.
    """
    problem = sets.problem
    assert problem.redundancy is not None
    if problem.set_size == 1:
        return univariate_values(sets)
    n_mates = problem.set_size - 1
    off_diagonal = problem.redundancy[~np.eye(problem.n_features, dtype=bool)]
    partners = np.sort(off_diagonal.reshape(problem.n_features, -1), axis=1)
    least = np.minimum(0, partners[:, :n_mates].sum(axis=1)).tolist()
    most = np.maximum(0, partners[:, -n_mates:].sum(axis=1)).tolist()
    big_m = np.maximum(0, partners[:, -problem.set_size :].sum(axis=1)).tolist()
    if not tight:
        big_m = [max(big_m)] * problem.n_features
    return [_value_big_m(sets, row, big_m, list(zip(least, most, strict=True))) for row in sets.member]


def _value_big_m(sets: SetModel, row: Sequence[Any], big_m: list[int], limits: list[tuple[int, int]]) -> Any:
    problem = sets.problem
    assert problem.redundancy is not None
    redundancies = []
    for j, (var, (least, most)) in enumerate(zip(row, limits, strict=True)):
        redundancy = sets.model.new_int_var(least, most, f"redundancy[{j}]")
        partners = sum(int(r) * row[i] for i, r in enumerate(problem.redundancy[j]) if i != j and r)
        sets.model.add(redundancy >= partners - big_m[j] * (1 - var))
        if least < 0:
            sets.model.add(redundancy >= least * var)
        redundancies.append(redundancy)
    return _relevance(sets, row, problem.set_size - 1) - sum(redundancies)


def mrmr_values_pairs(sets: SetModel) -> list[Any]:
    """Return the values of the sets as weights of subgraphs, one variable per set and pair of features."""
    if sets.problem.set_size == 1:
        return univariate_values(sets)
    return [_value_pairs(sets, row) for row in sets.member]


def _value_pairs(sets: SetModel, row: Sequence[Any]) -> Any:
    problem = sets.problem
    assert problem.redundancy is not None
    pairs = {ends: sets.new() for ends in combinations(range(problem.n_features), 2)}
    sets.add(pair_products(row, pairs, problem.set_size))
    redundancies = [2 * int(problem.redundancy[ends]) * pair for ends, pair in pairs.items()]
    return _relevance(sets, row, problem.set_size - 1) - sum(redundancies)


def _relevance(sets: SetModel, row: Sequence[Any], factor: int) -> Any:
    return sum(factor * int(q) * var for q, var in zip(sets.problem.quality, row, strict=True))
