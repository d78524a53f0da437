"""The objective of one set as a weighted sum of literals, for every objective."""

from __future__ import annotations

from itertools import combinations
from math import comb

from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of, on_pairs, weighted
from pyfsel.solvers.sat.counters import Membership
from pyfsel.solvers.sat.formula import Formula

Terms = list[tuple[int, int]]


def set_terms(formula: Formula, problem: Problem, row: list[int], number: int, *, literal: bool) -> Terms:
    """Return (literal, amount) pairs whose sum is the integer objective of set `number`.

    Qualities that add up give one term per feature. Where pairs count, the literal formulation has terms for
    features and for pairs. The strengthened one uses that every feature of a set of k is in k−1 of its pairs:
    as far as the weights allow only pairs carry an amount, for mRMR (paper 000, Eq. 13, times k(k−1))
    ``q_i + q_j − 2·r_ij`` (the heaviest subgraph on k vertices).
    """
    if not _has_pairs(problem):
        per_feature, _ = objective_of(problem).weights(problem.set_size)
        return list(zip(row, (per_feature * problem.quality).tolist(), strict=True))
    features, pairs = on_pairs(problem)
    if literal:
        features, pairs = weighted(problem)
        pairs = -pairs
    terms = [
        (_product(formula, row, number, i, j), int(pairs[i, j])) for i, j in combinations(range(len(row)), 2)
    ]
    return list(zip(row, features.tolist(), strict=True)) * bool(features.any()) + terms


def _product(formula: Formula, row: list[int], number: int, i: int, j: int) -> int:
    y = formula.variable("y", number, i, j)
    formula.add(y, -row[i], -row[j])
    formula.add(-y, row[i])
    formula.add(-y, row[j])
    return y


def n_true_terms(problem: Problem) -> int:
    """Return how many of the terms of a strengthened set are true, which is the same for all sets."""
    if not _has_pairs(problem):
        return problem.set_size
    return comb(problem.set_size, 2) + problem.set_size * bool(on_pairs(problem)[0].any())


def _has_pairs(problem: Problem) -> bool:
    return not objective_of(problem).is_sum and problem.set_size > 1


def reward_terms(formula: Formula, problem: Problem, x: Membership, *, literal: bool) -> None:
    """Reward the terms of all sets.

    In the strengthened formulation the largest amount is subtracted from every term: the number of true terms
    is known, and only losses against the best conceivable set are left.
    """
    for s, row in enumerate(x):
        terms = set_terms(formula, problem, row, s, literal=literal)
        largest = 0 if literal else max(amount for _, amount in terms)
        formula.constant += largest * (0 if literal else n_true_terms(problem))
        for term, amount in terms:
            formula.reward(term, amount - largest)


def reward_graph_scores(formula: Formula, problem: Problem, x: Membership, *, literal: bool) -> None:
    """Reward the qualities of the features in each set and charge the redundancies of their pairs.

    The literal formulation defines each product of two memberships. The other one bounds it only on the side
    on which the soft clause pushes it, so that a model may cost more than its sets, but no optimal one does.
    """
    features, pairs = (numbers.tolist() for numbers in weighted(problem))
    for s, row in enumerate(x):
        for variable, quality in zip(row, features, strict=True):
            formula.reward(variable, quality)
        for i, j in combinations(range(len(row)), 2):
            amount = pairs[i][j]
            if amount == 0:
                continue
            both = formula.variable("y", s, i, j)
            if literal or amount > 0:
                formula.add(both, -row[i], -row[j])
            if literal or amount < 0:
                formula.add(-both, row[i])
                formula.add(-both, row[j])
            formula.reward(both, -amount)
