"""The best minimum of sets that share little, bounded by the best sum."""

from itertools import combinations

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from small_problems import answer_of, assert_agrees, problems

from pyfsel import Problem
from pyfsel.backends.turns.columns_cpsat import ColumnsCpSat
from pyfsel.results.answer import Status

SUMS = ("univariate", "fcbf")


def sparse(seed, n=16, density=0.15, **fields):
    """Return a problem of disjoint sets in which some pairs of features conflict."""
    rng = np.random.default_rng(seed)
    conflicts = [pair for pair in combinations(range(n), 2) if rng.random() < density]
    fields = {"n_sets": 3, "set_size": 5, "max_overlap": 0, "aggregate": "min"} | fields
    return Problem(quality=rng.integers(1, 10_000, n), objective="fcbf", conflicts=conflicts, **fields)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problems(objectives=SUMS, most_features=8))
def test_the_best_minimum_of_disjoint_sets_agrees_with_brute_force(problem):
    assert_agrees(ColumnsCpSat(), problem.replace(max_overlap=0, aggregate="min"))


@pytest.mark.parametrize("max_overlap", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_minimum_is_proved_where_it_is_close_to_the_best_sum(seed, max_overlap):
    problem = sparse(seed, max_overlap=max_overlap)
    answer = answer_of(ColumnsCpSat(), problem)
    assert (answer.status, answer.bound) == (Status.OPTIMAL, oracle.optimum(problem))


def test_no_solution_is_proved_by_the_sum():
    """Six features of which three conflict with each other are not enough for two disjoint sets of three."""
    problem = Problem(
        quality=range(6),
        n_sets=2,
        set_size=3,
        max_overlap=0,
        aggregate="min",
        objective="fcbf",
        conflicts=[(0, 1), (0, 2), (1, 2)],
    )
    assert answer_of(ColumnsCpSat(), problem).status is Status.INFEASIBLE
