"""Column generation with prices: the bound for any prices, the search, and what it says if it ends early."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import answer_of, assert_agrees, problems

from pyfsel.algorithms.heuristics.swap_sequence import swap_sequence
from pyfsel.algorithms.prices import column_generation
from pyfsel.backends.own_searches import ColumnGeneration, Packing
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import total
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.results.control import Limits


def pairwise(seed, n=14, **fields):
    """Return an mRMR problem whose redundancies spoil the best features."""
    rng = np.random.default_rng(seed)
    redundancy = np.triu(rng.integers(0, 600, (n, n)), 1)
    fields = {"n_sets": 3, "k": 4, "max_shared": 1} | fields
    return Instance(rng.integers(1, 1000, n), pairs=redundancy + redundancy.T, objective="mrmr", **fields)


@settings(max_examples=60)
@given(problems(objectives=("mrmr", "jmi", "graph_score")), st.booleans())
def test_agrees_with_brute_force(problem, with_forced):
    one_size = problem.replace(aggregate="sum", k_min=None)
    free = sorted(set(range(problem.n_features)) - set(np.ravel(problem.conflicts)))
    if with_forced and free:
        one_size = one_size.replace(forced=free[:1])
    assert_agrees(ColumnGeneration(), one_size)


@pytest.mark.parametrize(
    ("n_sets", "k", "max_shared"), [(3, 4, 0), (6, 4, 1), (3, 4, 2), (6, 2, 0), (4, 4, 0)]
)
@pytest.mark.parametrize("has_rules", [False, True])
def test_agrees_with_packing(n_sets, k, max_shared, has_rules):
    """Numbers near the largest allowed change nothing."""
    rules = {"previous": [tuple(range(k))], "conflicts": [(4, 5)]} if has_rules else {}
    problem = pairwise(1, 12, n_sets=n_sets, k=k, max_shared=max_shared, **rules)
    best, factor = answer_of(Packing(), problem).bound, 2**53 // problem.largest_total
    huge = problem.replace(quality=problem.quality * factor, pairs=problem.pairs * factor)
    for one, wanted in ((problem, best), (huge, None if best is None else factor * best)):
        answer = answer_of(ColumnGeneration(), one)
        assert answer.bound == wanted
        assert answer.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)


def test_too_many_sets_are_reported_with_a_bound(monkeypatch):
    problem = pairwise(0, max_shared=2)
    best = answer_of(Packing(), problem).bound
    monkeypatch.setattr(column_generation, "LARGEST_LIST", 3)
    answer = answer_of(ColumnGeneration(), problem, hint=tuple(swap_sequence(problem)))
    assert (answer.status, answer.stop_reason) == (Status.FEASIBLE, StopReason.MEMORY_LIMIT)
    assert total(problem, answer.sets) <= best <= answer.bound


def test_an_expired_deadline_is_a_time_limit_and_a_start_is_kept():
    problem = pairwise(1)
    best = answer_of(ColumnGeneration(), problem)
    expired = answer_of(ColumnGeneration(), problem, limits=Limits(deadline=0.0))
    assert (expired.status, expired.stop_reason) == (Status.NOT_SOLVED, StopReason.TIME_LIMIT)
    kept = answer_of(ColumnGeneration(), problem, hint=best.sets, limits=Limits(deadline=0.0))
    assert (kept.status, kept.sets) == (Status.FEASIBLE, best.sets)
    assert answer_of(ColumnGeneration(), problem, hint=best.sets).bound == best.bound


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (pairwise(0, aggregate="min"), "needs search='sum', not 'min'"),
        (Instance([3, 2, 1, 1], 2, 1, 0), "not univariate"),
    ],
)
def test_what_it_does_not_take(problem, said):
    assert said in ColumnGeneration().refusal(problem, "strengthened")
