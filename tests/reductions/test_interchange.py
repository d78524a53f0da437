"""Exchanges of features that some optimum does not need, checked on all solutions of small problems."""

from itertools import combinations, combinations_with_replacement, pairwise

import pytest
from hypothesis import given, settings
from small_problems import constrained_problems, problems

from pyfsel import Problem
from pyfsel.problem.values import total
from pyfsel.reductions.interchange import dominated_pairs, interchangeable_classes
from pyfsel.results.verify import violations

CONFLICTS = [(0, 3), (1, 3), (1, 4), (2, 4), (3, 4)]


def optimal_solutions(problem):
    """Return all solutions of the largest objective; none if there is no solution."""
    alone = problem.replace(n_sets=1)
    everything = (s for size in problem.sizes for s in combinations(range(problem.n_features), size))
    allowed = [s for s in everything if not violations(alone, [s])]
    solutions = [
        sets
        for sets in combinations_with_replacement(allowed, problem.n_sets)
        if not violations(problem, sets)
    ]
    best = max((total(problem, sets) for sets in solutions), default=None)
    return [sets for sets in solutions if total(problem, sets) == best]


def respects_pairs(problem, sets, pairs):
    for better, worse in pairs:
        only_better = any(better in s and worse not in s for s in sets)
        only_worse = any(worse in s and better not in s for s in sets)
        if only_worse and not only_better:
            return False
    return True


def respects_counts(problem, sets):
    count = [sum(j in s for s in sets) for j in range(problem.n_features)]
    return all(
        count[better] >= count[worse]
        for members in interchangeable_classes(problem)
        for better, worse in pairwise(members)
    )


SUMS = ("univariate", "fcbf")
SMALL = problems(SUMS, most_features=6) | constrained_problems(SUMS, most_features=6)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(SMALL)
def test_some_optimum_respects_all_dominated_pairs_and_ordered_counts(problem):
    solutions = optimal_solutions(problem)
    pairs = dominated_pairs(problem)
    by_sum = problem.aggregate == "sum" or problem.n_sets == 1
    assert not solutions or any(
        respects_pairs(problem, sets, pairs) and (not by_sum or respects_counts(problem, sets))
        for sets in solutions
    )


def test_pairs_follow_the_conflicts():
    problem = Problem(quality=[9, 8, 7, 6, 5], n_sets=2, set_size=2, max_overlap=1, conflicts=CONFLICTS)
    assert dominated_pairs(problem) == [(0, 1), (1, 3), (1, 4), (2, 3), (2, 4)]


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, [(0, 1), (1, 2)]),
        ({"previous_sets": [[1, 2]]}, [(0, 1), (1, 2)]),
        ({"previous_sets": [[0, 2]]}, [(0, 2), (1, 2)]),
        ({"forced": [1]}, [(0, 2)]),
        ({"costs": [2, 1, 2], "budget": 4}, [(0, 2), (1, 2)]),
        ({"conflicts": [(0, 2)]}, [(0, 2), (1, 2)]),
        ({"objective": "mrmr", "redundancy": [[0] * 3] * 3}, []),
    ],
)
def test_what_tells_features_apart(change, kept):
    problem = Problem(quality=[3, 2, 1], n_sets=2, set_size=2, max_overlap=1).replace(**change)
    assert dominated_pairs(problem) == kept
