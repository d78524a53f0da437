"""The graph score (paper 004, Eq. 11) as soft clauses over features and pairs of features."""

from __future__ import annotations

from itertools import combinations

from pyfsel.problem.problem import Problem
from pyfsel.problem.values import weighted
from pyfsel.solvers.sat.counters import Membership
from pyfsel.solvers.sat.formula import Formula


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
