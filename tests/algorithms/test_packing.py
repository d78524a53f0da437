"""Candidate packing: enumeration, search, and agreement with brute force and other algorithms."""

import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from small_problems import answer_of, assert_agrees, problems, random_problem

from pyfsel.algorithms.packing import cliques, families, smallest
from pyfsel.algorithms.packing import pool as pools
from pyfsel.backends.by_model import CpSat
from pyfsel.backends.own_searches import ColumnGeneration, Packing
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import value, values
from pyfsel.reductions.promising import highest_sum
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.results.verify import violations

# The best two sets are one better than the greedy ones, and the worse of them is as bad as it can be.
ONE_BETTER_THAN_GREEDY = Instance(
    quality=[9, 5, 5, 4, 3], n_sets=2, k=2, max_shared=0, objective="fcbf", conflicts=[(1, 2), (2, 3)]
)


def assert_proved_by_both(problem, other):
    answers = [answer_of(backend, problem) for backend in (Packing(), other)]
    assert {answer.status for answer in answers} == {Status.OPTIMAL}
    assert answers[0].bound == answers[1].bound


@pytest.mark.parametrize("work_at_once", [cliques.WORK_AT_ONCE, 1])
@settings(max_examples=150)
@given(problems())
@example(ONE_BETTER_THAN_GREEDY)
@example(Instance([3, 2, 1], n_sets=1, k=1, max_shared=0, forced=[0], previous=[(0,)]))
def test_agrees_with_brute_force(work_at_once, problem):
    """Also if the search pauses after every look."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (cliques, families, smallest):
            patch.setattr(module, "WORK_AT_ONCE", work_at_once)
        assert_agrees(Packing(), problem)


@pytest.mark.parametrize("short", [["LITTLE_WORK"], ["LITTLE_WORK", "HEURISTIC_WORK"]])
@settings(max_examples=100)
@given(problems(objectives=("univariate", "fcbf", "mrmr", "jmi"), most_sets=4))
def test_the_best_minimum_agrees_with_brute_force_if_searches_are_given_up(short, problem):
    """Then the linear program decides, its sets have solutions, or a later turn is long enough."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(families, "SHORT_WORK", 1)
        for name in short:
            patch.setattr(smallest, name, 1)
        for module in (families, smallest):
            patch.setattr(module, "WORK_AT_ONCE", 1)
        assert_agrees(Packing(), problem.replace(aggregate="min"))


def test_disjoint_pairwise_minima_of_all_features_are_proved(monkeypatch):
    """Sets that need every feature are found among those of the linear program, or by rare features."""
    monkeypatch.setattr(families, "SHORT_WORK", 0)
    monkeypatch.setattr(smallest, "LITTLE_WORK", 1)
    whole = random_problem(2, objective="mrmr")
    part = {"quality": whole.quality[:15], "pairs": whole.pairs[:15, :15], "objective": "mrmr"}
    assert_proved_by_both(Instance(n_sets=5, k=3, max_shared=0, aggregate="min", **part), CpSat())


@pytest.mark.parametrize(
    ("other", "objective", "aggregate"),
    [
        *((CpSat(), objective, word) for objective in ("univariate", "fcbf") for word in ("sum", "min")),
        (ColumnGeneration(), "mrmr", "sum"),
    ],
)
@pytest.mark.parametrize(
    "more", [{"max_shared": 1}, {"max_shared": 2}, {"previous": [(0, 1, 2, 3, 4), (1, 5, 6, 7, 8)]}]
)
def test_agrees_with_another_algorithm_on_thirty_features(other, objective, aggregate, more):
    assert_proved_by_both(random_problem(1, objective=objective, aggregate=aggregate, **more), other)


@settings(max_examples=80)
@given(problems())
def test_a_pool_holds_exactly_the_sets_above_its_threshold(problem):
    alone = problem.replace(n_sets=1)
    everything = combinations(range(problem.n_features), problem.k)
    expected = sorted((-value(problem, s), s) for s in everything if not violations(alone, [s]))
    pool = pools.pool_of(problem)
    for threshold in {*(-v for v, _ in expected), pool.lowest}:
        sets, found = pool.above(threshold)
        wanted = [(v, s) for v, s in expected if -v >= threshold]
        assert [(-int(v), tuple(s)) for v, s in zip(found, sets.tolist(), strict=True)] == wanted
    assert all(pool.lowest <= -v <= pool.highest for v, _ in expected)


def test_pair_bound_is_tight_where_counting_pairs_decides():
    problem = random_problem(7, n_sets=4, max_shared=1)
    best = answer_of(CpSat(), problem)
    assert best.status is Status.OPTIMAL
    assert best.bound <= highest_sum(problem, 4) <= 1.02 * best.bound


def test_sets_of_many_chunks_are_complete(monkeypatch):
    monkeypatch.setattr(pools, "CHUNK", 50)
    problem = random_problem(3, objective="mrmr", k=3)
    sets, found = pools.complete_pool(problem).above(-(10**9))
    assert sorted(map(tuple, sets.tolist())) == list(combinations(range(30), 3))
    assert (found == values(problem, sets)).all()


def test_what_cannot_be_enumerated_is_unsupported_and_says_why(monkeypatch):
    problem = random_problem(4, objective="mrmr")
    assert Packing().unsupported(problem, "strengthened") is None
    monkeypatch.setattr(pools, "LARGEST_POOL", 142_505)
    assert "142506 possible sets are more than 142505" in Packing().unsupported(problem, "strengthened")


def test_too_many_candidates_stop_the_search_with_what_is_known(monkeypatch):
    monkeypatch.setattr(pools.Pool, "most", 20)
    hint = tuple(tuple(range(first, first + 5)) for first in (0, 5, 10))
    answer = answer_of(Packing(), random_problem(5, max_shared=0), hint=hint)
    assert answer.status is Status.FEASIBLE
    assert answer.stop_reason is StopReason.MEMORY_LIMIT
    assert "memory" in answer.message


def test_sets_that_must_share_exactly_what_they_may_have_few_good_minima():
    """Five sets of ten of 20 features sum up to 50 uses, hence 40 pairs, all that an overlap of 4 allows."""
    quality = np.random.default_rng(0).integers(600_000, 700_000, 20)
    problem = Instance(quality, n_sets=5, k=10, max_shared=4, aggregate="min")
    answer = answer_of(Packing(), problem)
    assert answer.status is Status.OPTIMAL
    assert answer.bound > highest_sum(problem, 5) // 5 * 0.9999


def test_a_limit_is_kept_within_the_search_below_a_single_set():
    quality = np.round(3000 * 0.75 ** np.arange(22)).astype(int)
    problem = Instance(quality=quality, n_sets=6, k=5, max_shared=1, aggregate="min")
    Packing().solve(problem.replace(n_sets=2), Control())
    begin = time.process_time()
    answer = Packing().solve(problem, Control(Limits.starting_now(1.0)))
    assert answer.stop_reason is StopReason.TIME_LIMIT
    assert time.process_time() - begin < 10.0
