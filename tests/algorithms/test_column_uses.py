"""How many compatible sets can hold a feature, and what the search over enumerated sets makes of it."""

from itertools import combinations

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import answer_of, assert_agrees, problems

from pyfsel import Problem
from pyfsel.algorithms.columns import relaxation
from pyfsel.algorithms.columns.allowed import ListedSets
from pyfsel.algorithms.columns.relaxation import limits_by_others, relaxed_prices, use_limits
from pyfsel.algorithms.columns.state import SearchState
from pyfsel.backends.columns import Columns
from pyfsel.backends.cpsat import CpSat
from pyfsel.results.control import Control


def listed(members, n_features, max_overlap):
    return ListedSets(
        max_overlap=max_overlap,
        quality=np.zeros(n_features, dtype=np.int64),
        unit=1,
        lowest=0,
        members=np.array(members, dtype=np.int32),
        rests=np.ones(len(members), dtype=np.int64),
    )


def around_one_feature(seed, **fields):
    """Return an mRMR problem in which sets without the first feature are poor."""
    rng = np.random.default_rng(seed)
    redundancy = np.triu(rng.integers(0, 300, (13, 13)), 1)
    redundancy[0] = 0
    quality = rng.integers(1, 400, 13)
    quality[0] = 2000
    return Problem(quality=quality, redundancy=redundancy + redundancy.T, objective="mrmr", **fields)


def most_compatible(members, max_overlap, limit):
    """Return the size of a largest compatible family, at most the limit, by trying all."""
    for size in range(min(limit, len(members)), 0, -1):
        for family in combinations(members, size):
            if all(len(set(a) & set(b)) <= max_overlap for a, b in combinations(family, 2)):
                return size
    return 0


@pytest.mark.parametrize(("set_size", "max_overlap"), [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (4, 1)])
def test_no_more_compatible_sets_hold_a_feature_than_the_limit(set_size, max_overlap):
    limits = limits_by_others(7, 4, set_size, max_overlap)
    for others in range(7):
        beside = combinations(range(1, others + 1), set_size - 1)
        members = [(0, *rest) for rest in beside]
        assert most_compatible(members, max_overlap, 4) <= limits[others]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.sets(st.sampled_from(list(combinations(range(8), 3))), min_size=1, max_size=14), st.integers(0, 1))
def test_limits_of_listed_sets_hold_for_every_compatible_family(members, max_overlap):
    limits = use_limits(listed(sorted(members), 8, max_overlap), 4)
    for j in range(8):
        holders = [s for s in members if j in s]
        assert most_compatible(holders, max_overlap, 4) <= limits[j]
        assert limits[j] == 0 or holders


def test_features_beside_a_feature_limit_its_uses():
    members = [(0, 1, 2), (0, 1, 3), (0, 3, 4), (0, 2, 4), (5, 6, 7), (5, 7, 1)]
    assert use_limits(listed(members, 9, 1), 4).tolist() == [2, 2, 1, 1, 1, 1, 1, 1, 0]


@settings(max_examples=80, deadline=None, derandomize=True)
@given(problems(objectives=("univariate", "fcbf", "mrmr"), most_features=8), st.integers(3, 5))
def test_many_sets_agree_with_brute_force(problem, n_sets):
    assert_agrees(Columns(), problem.replace(n_sets=min(n_sets, 3 if problem.n_features > 6 else n_sets)))


@pytest.mark.parametrize("aggregate", ["sum", "min"])
@pytest.mark.parametrize("seed", range(4))
def test_sets_around_one_feature_agree_with_the_packing_model(seed, aggregate):
    problem = around_one_feature(seed, n_sets=5, set_size=4, max_overlap=1, aggregate=aggregate)
    assert answer_of(Columns(), problem).bound == oracle.optimum(problem)


def test_limits_sharpen_the_relaxation(monkeypatch):
    problem = around_one_feature(1, n_sets=5, set_size=4, max_overlap=1, forbidden=[12])
    members = np.array(list(combinations(range(12), 4)))
    worth = oracle.values_of(problem, members)
    sets = listed(members, 13, 1)._replace(unit=1000, rests=worth, lowest=int(worth.min()))
    limited = relaxed_prices(sets, 5).bound
    monkeypatch.setattr(relaxation, "use_limits", lambda sets, n_sets: np.full(13, n_sets))
    optimum = CpSat().solve(problem, Control()).bound
    assert optimum <= limited < relaxed_prices(sets, 5).bound


def test_sets_that_are_too_many_for_their_features_have_no_solution():
    problem = around_one_feature(0, n_sets=3, set_size=4, max_overlap=0)
    assert answer_of(Columns(), problem).bound == oracle.optimum(problem)
    assert answer_of(Columns(), problem.replace(n_sets=4)).sets is None


def test_a_short_last_step_is_taken_with_the_step_before():
    state = SearchState(around_one_feature(0, n_sets=2, set_size=3, max_overlap=1), Control())
    assert state.next_goal(highest=100, distance=10, floor=70) == 91
    assert state.next_goal(highest=100, distance=20, floor=70) == 81
    assert state.next_goal(highest=100, distance=20, floor=71) == 71
    assert state.next_goal(highest=100, distance=50, floor=70) == 70
