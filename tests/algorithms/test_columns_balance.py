"""The best minimum of sets that share little: sums made even, sets of a narrow range, and their proofs."""

from itertools import combinations

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import answer_of, assert_agrees, problems

from pyfsel import Problem
from pyfsel.algorithms.columns.balance import balanced
from pyfsel.algorithms.columns.sets import value_window
from pyfsel.algorithms.columns.sets.allowed import LOW
from pyfsel.algorithms.columns.sets.single import single_sets
from pyfsel.algorithms.columns.sets.value_window import sets_between
from pyfsel.algorithms.columns.state import SearchState
from pyfsel.backends.brute_force import BruteForce
from pyfsel.backends.cpsat.backend import CpSat
from pyfsel.backends.turns import columns_cpsat
from pyfsel.backends.turns.columns_cpsat import ColumnsCpSat
from pyfsel.problem.values import total, values
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.results.verify import violations

SUMS = ("univariate", "fcbf")


def sparse(seed, n=16, density=0.15, **fields):
    """Return a problem of disjoint sets in which some pairs of features conflict."""
    rng = np.random.default_rng(seed)
    conflicts = [pair for pair in combinations(range(n), 2) if rng.random() < density]
    fields = {"n_sets": 3, "set_size": 5, "max_overlap": 0, "aggregate": "min"} | fields
    return Problem(quality=rng.integers(1, 10_000, n), objective="fcbf", conflicts=conflicts, **fields)


def best_sum(problem):
    return answer_of(CpSat(), problem.replace(aggregate="sum")).sets


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problems(objectives=SUMS, most_features=8), st.integers(0, 3))
def test_dealing_out_anew_keeps_sets_compatible_and_loses_nothing(problem, seed):
    problem = problem.replace(aggregate="min")
    start = BruteForce().solve(problem.replace(aggregate="sum"), Control()).sets
    if start is not None and problem.n_sets > 1:
        better = balanced(problem, start, 20, seed)
        assert violations(problem, better) == []
        best = BruteForce().solve(problem, Control()).bound
        assert total(problem, start) <= total(problem, better) <= best


@pytest.mark.parametrize(("seed", "max_overlap"), [(1, 0), (2, 0), (1, 1), (4, 2)])
def test_the_best_sum_made_even_has_nearly_the_best_minimum(seed, max_overlap):
    problem = sparse(seed, max_overlap=max_overlap)
    start = best_sum(problem)
    better = balanced(problem, start, 500)
    assert violations(problem, better) == []
    optimum = oracle.optimum(problem)
    assert total(problem, start) < 0.97 * optimum < total(problem, better) <= optimum


def test_a_feature_in_no_set_can_come_in():
    problem = Problem(quality=[6, 5, 4, 3, 1], n_sets=2, set_size=2, max_overlap=0, aggregate="min")
    assert total(problem, balanced(problem, [(0, 1), (2, 4)], 50)) == 9


def test_conflicts_and_previous_sets_hold_features_together():
    problem = sparse(4, n=20, previous_sets=((0, 1, 2, 3, 4),), max_overlap=1)
    start = best_sum(problem)
    better = balanced(problem, start, 200)
    assert violations(problem, better) == []
    assert total(problem, better) > total(problem, start)


def test_it_ends_at_the_bound_and_when_time_is_up():
    problem = sparse(1)
    start = best_sum(problem)
    assert balanced(problem, start, 500, bound=0) == list(start)
    assert balanced(problem, start, 500, expired=lambda: True) == list(start)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    problems(objectives=SUMS, most_features=8),
    st.integers(-20, 60),
    st.integers(0, 40),
    st.lists(st.integers(-30, 30), min_size=8, max_size=8),
)
def test_sets_of_a_range_of_values_are_found(problem, low, width, drawn):
    alone = problem.replace(n_sets=1)
    weight = np.array(drawn[: problem.n_features])
    everything = combinations(range(problem.n_features), problem.set_size)
    expected = {
        s
        for s in everything
        if not violations(alone, [s])
        and low <= values(problem, [s])[0] <= low + width
        and weight[list(s)].sum() >= 3
    }
    found = single_sets(problem).heavy(weight, 3, low, 1000, most_value=low + width).members
    assert len(found) == len(expected)
    assert {tuple(sorted(s)) for s in found.tolist()} == expected


@pytest.mark.parametrize("n", [30, 70, 140])
def test_halves_meet_across_words_and_conflicts(n):
    rng = np.random.default_rng(n)
    quality, weight = rng.integers(0, 1000, n), rng.integers(0, 10, n)
    together = rng.random((n, n)) < 0.6
    together = together & together.T | np.eye(n, dtype=bool)
    expected = {
        s
        for s in combinations(range(n), 3)
        if all(together[i, j] for i, j in combinations(s, 2))
        and 1500 <= quality[list(s)].sum() <= 1520
        and weight[list(s)].sum() >= 12
    }
    found = sets_between(quality, together, 3, 1500, 1520, 10_000, weight, 12)
    assert len(found) == len(expected)
    assert set(map(tuple, found.tolist())) == expected
    few = len(expected) // 2
    assert len(sets_between(quality, together, 3, 1500, 1520, few, weight, 12)) == few + 1


@pytest.mark.parametrize("limit", ["LARGEST_HALF", "MOST_PAIRS"])
def test_ranges_that_take_long_are_left_to_the_other_search(monkeypatch, limit):
    problem = sparse(2)
    sets, weight = single_sets(problem), problem.quality
    at_once = sets.heavy(weight, LOW, 20_000, 10_000, most_value=25_000).members
    monkeypatch.setattr(value_window, limit, 10)
    other = sets.heavy(weight, LOW, 20_000, 10_000, most_value=25_000).members
    assert len(at_once) == len(other) > 10
    assert {tuple(sorted(s)) for s in at_once.tolist()} == {tuple(sorted(s)) for s in other.tolist()}


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


def test_while_sets_are_made_even_the_bound_proves_them_best():
    problem = sparse(1)
    start, optimum = best_sum(problem), oracle.optimum(problem)
    search = SearchState(problem, Control(hint=start))
    search.relax()
    answer = columns_cpsat._evened_out(search, Control(Limits.starting_now(0.2)))
    assert (answer.status, answer.stop_reason) == (Status.FEASIBLE, StopReason.TIME_LIMIT)
    assert total(problem, start) < total(problem, answer.sets) <= optimum <= answer.bound
    search.learn(None, total(problem, answer.sets))
    assert columns_cpsat._evened_out(search, Control()).status is Status.OPTIMAL


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
