"""The cheapest sets that have a quality, against brute force over all tuples of sets."""

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from conformance import is_solution
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfsel import Group, Status
from pyfsel.errors import InputError, NoSetsError
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.questions.cheapest import cheapest_sets
from pyfsel.questions.least_share import with_least_share
from pyfsel.reductions.cheapest import Cheapest
from pyfsel.results.answer import StopReason
from pyfsel.results.result import Result


def least_cost(problem):
    """Return the least cost, in integers, by looking at everything."""
    alone = problem.replace(n_sets=1, previous_sets=())
    pool = [
        s
        for size in problem.sizes
        for s in combinations(range(problem.n_features), size)
        if is_solution(alone, [s])
    ]
    together = sum if problem.aggregate == "sum" else max
    found = [
        together(sum(int(problem.costs[j]) for j in s) for s in sets)
        for sets in combinations_with_replacement(pool, problem.n_sets)
        if is_solution(problem, sets)
    ]
    return min(found, default=None)


@st.composite
def questions(draw):
    n = draw(st.integers(2, 6))
    k = draw(st.integers(1, min(3, n)))
    numbers = st.lists(st.integers(-4, 9), min_size=n, max_size=n)
    changes = {}
    if draw(st.booleans()):
        changes = {"min_set_size": draw(st.integers(1, k))}
    if draw(st.booleans()):
        changes["budget"] = draw(st.integers(0, 20))
    if draw(st.booleans()):
        changes["groups"] = [Group((0, n - 1), at_most=1)]
    return Instance(
        quality=draw(numbers),
        costs=draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)),
        min_quality=draw(st.integers(-5, 20)),
        n_sets=draw(st.integers(1, 2)),
        set_size=k,
        max_overlap=draw(st.integers(0, k)),
        aggregate=draw(st.sampled_from(["sum", "min"])),
        objective=draw(st.sampled_from(["univariate", "fcbf"])),
        conflicts=draw(st.sampled_from([(), ((0, 1),)])),
        scale=10.0,
        cost_scale=100.0,
        **changes,
    )


@settings(max_examples=25, deadline=None)
@given(questions(), st.sampled_from(["brute-force", "packing"]))
def test_the_cost_is_least(problem, backend):
    expected = least_cost(problem)
    found = cheapest_sets(problem, backend, search="simultaneous")
    if expected is None:
        assert found.status is Status.INFEASIBLE
        return
    assert found.status is Status.OPTIMAL
    assert found.cost == found.cost_bound == pytest.approx(expected / 100)
    assert is_solution(problem, found.sets)
    together = sum if problem.aggregate == "sum" else max
    assert found.cost == pytest.approx(together(found.costs))


@pytest.mark.parametrize("backend", ["cpsat", "mip:highs", "rc2", "minizinc:gecode"])
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_every_kind_of_backend_that_takes_a_budget(backend, search):
    problem = make_instance(
        [0.5, 0.45, 0.4, 0.3, 0.25, 0.2],
        k=3,
        n_alternatives=1,
        tau=0.6,
        costs=[9, 2.5, 2, 1, 1, 0.25],
        min_quality=0.9,
    )
    found = cheapest_sets(problem, backend, search=search)
    reference = cheapest_sets(problem, "brute-force", search=search)
    assert found.status is Status.OPTIMAL
    assert found.cost == reference.cost
    assert all(quality >= 0.9 - 1e-5 for quality in found.qualities)
    assert found.to_frame()["status"].tolist() == ["OPTIMAL", "OPTIMAL"]


def test_sequential_search_finds_the_cheapest_set_first():
    problem = make_instance([5, 4, 3, 2], k=2, n_alternatives=2, tau=0.5, costs=[5, 1, 1, 1], min_quality=5)
    found = cheapest_sets(problem, search="sequential")
    assert found.costs == sorted(found.costs)
    assert found.costs[0] == least_cost(problem.replace(n_sets=1))
    assert (found.cost_bound, found.claim.scope) == (None, "each")


def test_without_costs_the_smallest_sets():
    problem = make_instance([5, 4, 3, 2], k=4, min_k=1, min_quality=8)
    assert cheapest_sets(problem, search="simultaneous").feature_sets == [["x0", "x1"]]


def test_exchanged_twice_is_the_same_problem():
    problem = Instance(
        [5, 4, 3], n_sets=1, set_size=2, max_overlap=2, costs=[9, 2, 1], budget=10, min_quality=7
    )
    assert Cheapest.apply(Cheapest.apply(problem).problem).problem == problem


def test_numbers_that_are_too_large_only_when_exchanged():
    """The costs of one set may reach 2**53, as its quality may, and those of all sets are the objective."""
    largest = 2**53
    problem = Instance([1, 1], n_sets=2, set_size=1, max_overlap=0, costs=[largest, 1], min_quality=1)
    with pytest.raises(InputError, match="costs: those of all sets together can go beyond"):
        cheapest_sets(problem)
    assert cheapest_sets(problem.replace(costs=[largest // 2, 1])).cost == largest // 2 + 1
    many = Instance([largest] * 513, n_sets=1, set_size=1, max_overlap=0, min_quality=1)
    with pytest.raises(InputError, match="quality: that of all features together can go beyond"):
        cheapest_sets(many)
    assert cheapest_sets(many.replace(quality=[largest // 2] * 513)).cost == 1


def test_what_is_shown():
    problem = make_instance([5, 4, 3, 2], k=2, costs=[5, 1, 1.5, 1], min_quality=7)
    found = cheapest_sets(problem, search="simultaneous")
    text = str(found)
    assert "has a smaller cost than 2.5." in " ".join(text.split())
    assert "has a quality of at least 7" in text
    data = found.to_dict()
    assert (data["status"], data["cost"], data["feature_sets"][0]["cost"]) == ("OPTIMAL", 2.5, 2.5)
    assert Result.from_dict(data["solved"]).objective == -2.5
    assert Instance.from_dict(data["problem"]) == problem
    impossible = cheapest_sets(problem.replace(min_quality=10), search="simultaneous")
    assert "INFEASIBLE" in str(impossible)
    assert impossible.cost is None


def test_refusals():
    with pytest.raises(InputError, match="min_quality: is missing"):
        cheapest_sets(make_instance([1, 2], k=1), search="simultaneous")
    problem = make_instance([1, 2, 3], np.zeros((3, 3)), objective="mrmr", k=2, min_quality=1)
    with pytest.raises(InputError, match="univariate and fcbf, not 'mrmr'"):
        cheapest_sets(problem, search="simultaneous")
    with pytest.raises(InputError, match="budget"):
        cheapest_sets(make_instance([1, 2], k=1, min_quality=1), "greedy-replacement", search="simultaneous")


@pytest.mark.parametrize("backend", ["cpsat", "rc2"])
def test_qualities_that_reach_the_range_only_together_change_places_with_costs(backend):
    quality = [2**52, -(10**14), -(10**15), 16 * 10**6, -16 * 10**11]
    problem = Instance(quality, n_sets=2, set_size=1, max_overlap=1, costs=[3, 1, 4, 1, 5], min_quality=-1)
    answer = cheapest_sets(problem, backend=backend, search="simultaneous")
    assert answer.sets == ((3,), (3,))


def test_a_proportion_of_an_unknown_quality_is_refused_in_words(monkeypatch):
    problem = make_instance([5, 4, 3, 2], k=2)
    late = Result(problem, (), Status.NOT_SOLVED, None, "x", "sequential", 0.1, StopReason.TIME_LIMIT)
    monkeypatch.setattr("pyfsel.questions.least_share.solve", lambda *_, **__: late)
    with pytest.raises(NoSetsError, match="min_quality=80%: the best set was not found in time"):
        with_least_share(problem, 0.8)
    monkeypatch.undo()
    impossible = with_least_share(problem.replace(forced=[0], conflicts=[(0, j) for j in (1, 2, 3)]), 0.8)[0]
    assert cheapest_sets(impossible).status is Status.INFEASIBLE
