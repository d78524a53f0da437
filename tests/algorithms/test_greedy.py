"""Greedy heuristics and their backends: the paper's examples, guarantees, limits, bounds that prove them."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from running import with_enough_time
from small_problems import problems, without_rules

from pyfsel import Status
from pyfsel.algorithms.heuristics import (
    greedy_balancing,
    greedy_depth_search,
    greedy_replacement,
    start_solution,
)
from pyfsel.backends import get_backend
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import total
from pyfsel.problem.values import values as array_of_values
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.claims import claim_of
from pyfsel.results.control import Control
from pyfsel.results.verify import violations
from pyfsel.solving.solve import solve as solve_problem

Q = [9, 8, 7, 3, 2, 1]


def vector(text):
    return tuple(j for j, bit in enumerate(text) if bit == "1")


def values(problem, sets):
    return array_of_values(problem, sets).tolist()


TEN = range(10, 0, -1)
EXAMPLES = {
    "1": (greedy_replacement, TEN, (5, 5, 3), "1111100000 1110011000 1110000110", [40, 36, 32]),
    "2": (greedy_replacement, Q, (3, 2, 1), "110000 101000 100100", [17, 16, 12]),
    "3, unbalanced": (greedy_replacement, Q, (2, 3, 1), "111000 100110", [24, 14]),
    "4": (greedy_balancing, Q, (2, 4, 2), "111001 110110", [25, 22]),
    "5, replacement runs out": (greedy_replacement, Q, (3, 3, 1), "111000 100110", [24, 14]),
    "5, balancing has none": (greedy_balancing, Q, (3, 3, 1), "", []),
    "5, depth search goes on": (greedy_depth_search, Q, (3, 3, 1), "111000 100110 010101", [24, 14, 12]),
    "7": (greedy_depth_search, Q, (4, 4, 2), "111100 110011 001111", [27, 20, 13]),
    "8, not monotonic": (
        greedy_depth_search,
        [9, 8, 7, 1],
        (4, 2, 1),
        "1100 1010 1001 0110",
        [17, 16, 10, 15],
    ),
    "ties, replacement": (greedy_replacement, [1, 2, 2, 1], (2, 2, 1), "0110 1100", [4, 3]),
    "ties, balancing": (greedy_balancing, [1, 2, 2, 1], (2, 2, 1), "0110 1100", [4, 3]),
    "full overlap, replacement": (greedy_replacement, Q, (2, 2, 2), "110000 110000", [17, 17]),
    "full overlap, balancing": (greedy_balancing, Q, (2, 2, 2), "110000 110000", [17, 17]),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_of_the_paper(example):
    heuristic, quality, (n_sets, k, shared), vectors, worth = EXAMPLES[example]
    problem = Instance(quality, n_sets=n_sets, k=k, max_shared=shared)
    sets = list(heuristic(problem))
    assert sets == [vector(text) for text in vectors.split()]
    assert (values(problem, sets) if sets else []) == worth


def algorithm_4(problem):
    """Every set in lexicographic order of ranks, kept if it fits those kept before."""
    order = sorted(range(problem.n_features), key=lambda j: (-problem.quality[j], j))
    found = []
    for ranks in combinations(range(problem.n_features), problem.k):
        members = tuple(sorted(order[r] for r in ranks))
        step = problem.replace(n_sets=1, previous=(*problem.previous, *found))
        if len(found) < problem.n_sets and not violations(step, [members]):
            found.append(members)
    return found


constrained = problems(objectives=("univariate",), most_features=8, most_sets=6)
plain = constrained.map(without_rules)


@settings(max_examples=300)
@given(constrained)
def test_depth_search_is_algorithm_4(problem):
    assert list(greedy_depth_search(problem)) == algorithm_4(problem)


@settings(max_examples=60)
@given(plain)
def test_proposition_12(problem):
    problem = problem.replace(quality=np.abs(problem.quality), n_sets=min(3, problem.n_sets))
    k, kept = problem.k, problem.max_shared
    changing = k - kept
    if changing == 0 or k + (problem.n_sets - 1) * changing > problem.n_features:
        return
    sets = greedy_replacement(problem)
    assert len(sets) == problem.n_sets
    best = get_backend("brute-force").solve(problem, Control()).bound
    assert total(problem, sets) * k >= kept * best
    original = sum(sorted(problem.quality.tolist())[-k:])
    assert all(value * k >= kept * original for value in values(problem, sets))


@pytest.mark.parametrize(
    ("changes", "shares"),
    [
        ({}, (50, 96)),
        ({"aggregate": "min"}, (50, 86)),
        ({"max_shared": 4}, (100, 100)),
        ({"quality": [9, 8, 3, -1, -5, -6, -7, -8, -9, -10, -11]}, None),
        ({"quality": [0] * 11}, None),
    ],
)
def test_greedy_replacement_says_what_share_of_the_optimum_it_reaches(changes, shares):
    given = {
        "quality": [40, 39, 38, 37, 33, 30, 28, 20, 15, 11, 9],
        "n_sets": 3,
        "k": 4,
        "max_shared": 2,
    }
    problem = Instance(**given | changes)
    result = solve_problem(problem, "greedy-replacement", search="simultaneous")
    percents = tuple(int(word) for word in re.findall(r"(\d+) %", result.message))
    assert percents == (shares or ())
    best = solve_problem(problem, "cpsat", search="simultaneous").integer_objective
    assert result.integer_objective >= max(percents, default=0) / 100 * best or not shares


@settings(max_examples=150)
@given(constrained)
def test_every_complete_heuristic_solution_is_feasible(problem):
    for sets in (greedy_replacement(problem), greedy_balancing(problem), list(greedy_depth_search(problem))):
        if len(sets) == problem.n_sets:
            assert violations(problem, sets) == []
    balanced, replaced = greedy_balancing(problem), greedy_replacement(problem)
    if balanced:
        assert sum(values(problem, balanced)) == sum(values(problem, replaced))
    start = start_solution(problem)
    assert start is None or violations(problem, start) == []


def test_depth_search_is_no_enumeration_where_replacement_suffices():
    decisions = []
    problem = Instance(quality=range(2000, 0, -1), n_sets=50, k=40, max_shared=10)
    sets = list(greedy_depth_search(problem, should_stop=lambda: decisions.append(0) is not None))
    assert sets == greedy_replacement(problem)
    assert len(decisions) < 50 * 40 * 4


THREE = [24, 14, 12]


@pytest.mark.parametrize(
    ("name", "one_by_one", "together"),
    [
        ("greedy-depth-search", THREE, THREE),
        ("greedy-replacement", [24, 14], []),
        ("greedy-balancing", [19, 19], []),
    ],
)
def test_too_few_sets_are_a_solution_one_by_one_only(name, one_by_one, together):
    """Of Example 5; depth search finds all sets."""
    problem = Instance(quality=Q, n_sets=3, k=3, max_shared=1)
    for search, found in (("sequential", one_by_one), ("simultaneous", together)):
        result = solve_problem(problem, name, search=search)
        assert result.qualities == found
        assert result.status is (Status.FEASIBLE if found else Status.NOT_SOLVED)
        assert result.stop_reason is StopReason.FINISHED
        assert ("in addition to these 2 was not decided" in str(claim_of(result))) == (len(found) == 2)


def test_a_hopeless_depth_search_keeps_its_time_limit():
    # 80 features have 3160 pairs, each set of 10 uses 45 of them, none twice: 70 sets at most
    problem = Instance(quality=range(80, 0, -1), n_sets=71, k=10, max_shared=1)

    def run(limit):
        return solve_problem(problem, "greedy-depth-search", search="sequential", time_limit=limit)

    result = with_enough_time(run, lambda result: result.sets, 0.3, 3, patience=4.7)
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert 1 <= len(result.sets) < 71


def test_balancing_finds_as_many_sets_as_there_are_features_for():
    """The largest feasible a of Section 3.5: k + a(k − l) ≤ n; all at once there are none then."""
    problem = Instance(quality=Q, n_sets=9, k=3, max_shared=1)
    most = 1 + (len(Q) - 3) // 2
    found = solve_problem(problem, backend="greedy-balancing", search="sequential")
    assert found.sets == tuple(greedy_balancing(problem.replace(n_sets=most)))
    assert len(found.sets) == most
    more = solve_problem(problem, backend="greedy-balancing", search="simultaneous")
    assert more.sets == ()
