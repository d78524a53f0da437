"""Branching on how many sets hold each feature: ranges, prices, the search among few sets, and the whole."""

from itertools import combinations
from math import comb

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from small_problems import problems

from pyfsel import Problem
from pyfsel.algorithms.columns.by_uses import master as use_master
from pyfsel.algorithms.columns.by_uses import search as use_search
from pyfsel.algorithms.columns.by_uses.few_sets import FewSets
from pyfsel.algorithms.columns.by_uses.master import UseMaster
from pyfsel.algorithms.columns.by_uses.prices import FeaturePairs, violated_pairs
from pyfsel.algorithms.columns.by_uses.ranges import UseRanges
from pyfsel.algorithms.columns.by_uses.relaxation import relaxed
from pyfsel.algorithms.columns.by_uses.search import UseSearch
from pyfsel.backends.brute_force import BruteForce
from pyfsel.problem.values import total, values
from pyfsel.results.control import Control, OutOfTimeError
from pyfsel.results.verify import violations

SUMS = ("univariate", "fcbf")


def dense(seed, n=16, **fields):
    """Return a problem of which a quarter of the pairs of features conflict."""
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(n), 2))
    conflicts = [pair for pair, draw in zip(pairs, rng.random(len(pairs)), strict=True) if draw < 0.25]
    fields = {"n_sets": 4, "set_size": 5, "max_overlap": 2} | fields
    return Problem(quality=rng.integers(1, 1000, n), objective="fcbf", conflicts=conflicts, **fields)


def every_set(problem):
    """Return all sets that are allowed alone, shape (m, set_size)."""
    alone = problem.replace(n_sets=1)
    sets = combinations(range(problem.n_features), problem.set_size)
    return np.array([s for s in sets if not violations(alone, [s])], dtype=np.int32)


def uses_of(sets, n_features):
    return np.bincount(np.ravel(sets), minlength=n_features)


def spare_of(sets, max_overlap):
    return sum(max_overlap - len(set(one) & set(other)) for one, other in combinations(sets, 2))


def compatible(rng, problem):
    """Return random compatible sets, as many as are found up to `n_sets`."""
    found = []
    for one in rng.permutation(every_set(problem)).tolist():
        if len(found) < problem.n_sets and all(len(set(one) & set(s)) <= problem.max_overlap for s in found):
            found.append(tuple(one))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_the_sets_of_a_solution_are_allowed_within_its_uses(seed):
    problem = dense(seed)
    sets = compatible(np.random.default_rng(seed), problem)
    uses = uses_of(sets, 16)
    spare = spare_of(sets, 2)
    exact = UseRanges(len(sets), 2, uses, uses, spare)
    assert exact.is_possible(5)
    assert exact.allow(np.array(sets, dtype=np.int32)).all()
    everything = every_set(problem)
    allowed = exact.allow(everything)
    shared = np.array([(uses[s] - 1).sum() for s in everything])
    most = (len(sets) - 1) * 2
    held = np.array([(uses[s] > 0).all() for s in everything])
    assert (allowed == held & (shared <= most) & (shared >= most - spare)).all()
    narrowed, left = exact.narrowed(everything)
    assert {*map(tuple, left.tolist())} >= set(sets)
    assert (narrowed.most == uses).all()


def test_ranges_without_solution_are_found():
    members = np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32)
    ranges = UseRanges.open(4, 3, 1)
    assert ranges.narrowed(members)[0].most.tolist() == [2, 2, 2, 0]
    assert ranges._replace(most=np.array([1, 3, 3, 3])).narrowed(members) is None
    assert ranges._replace(least=np.array([0, 0, 0, 1])).narrowed(members) is None
    assert ranges._replace(least=np.array([3, 3, 0, 0])).narrowed(members) is None


@pytest.mark.parametrize("seed", range(10))
def test_feature_pairs_hold_for_compatible_sets(seed):
    rng = np.random.default_rng(seed)
    problem = dense(seed, max_overlap=1 + seed % 3, n_sets=6)
    sets = compatible(rng, problem)
    uses = uses_of(sets, 16)
    for feature in range(16):
        slopes = rng.integers(0, 4, 16)
        slopes[feature] = 0
        row = FeaturePairs(feature, tuple(slopes.tolist()))
        left = sum(row.coefficient(s) for s in sets if feature in s)
        assert left <= (problem.max_overlap - 1) * comb(int(uses[feature]), 2) + row.constant


def test_violated_pairs_are_those_of_sets_that_share_too_much():
    sets = np.array([[0, 1, 2], [0, 1, 2], [0, 3, 4]])
    inside = np.zeros((3, 5))
    inside[np.arange(3)[:, np.newaxis], sets] = 1.0
    uses = inside.sum(axis=0)
    rows = violated_pairs(inside.T @ inside, uses * (uses - 1) / 2, max_overlap=1)
    assert {row.feature for row in rows} == {0, 1, 2}
    assert all(row.slopes[row.feature] == 0 for row in rows)
    assert violated_pairs(inside.T @ inside, uses * (uses - 1) / 2, max_overlap=4) == []


@pytest.mark.parametrize("max_overlap", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_keeps_the_best_solution(seed, max_overlap):
    problem = dense(seed, max_overlap=max_overlap, n_sets=3)
    optimum = oracle.optimum(problem)
    answer = BruteForce().solve(problem, Control())
    assert (answer.sets is None) == (optimum is None)
    goal = 0 if optimum is None else optimum
    master = UseMaster(problem.quality, 5, 3, max_overlap)
    everything = every_set(problem)
    result = relaxed(master, everything, UseRanges.open(16, 3, max_overlap), goal, lambda: None)
    if optimum is None:
        return
    members, bound = result
    assert bound.value >= optimum
    assert {*map(tuple, members.tolist())} >= {tuple(sorted(s)) for s in answer.sets}
    ranges = bound.narrowed(UseRanges.open(16, 3, max_overlap), goal)
    uses = uses_of(answer.sets, 16)
    assert (ranges.least <= uses).all()
    assert (uses <= ranges.most).all()
    assert spare_of(answer.sets, max_overlap) <= ranges.spare


@pytest.mark.parametrize("seed", range(4))
def test_any_prices_bound_compatible_sets(seed, monkeypatch):
    monkeypatch.setattr(use_master, "PENALTY", 1.0 + seed)
    problem = dense(seed, n_sets=4)
    rng = np.random.default_rng(seed)
    everything = every_set(problem)
    master = UseMaster(problem.quality, 5, 4, 2)
    solutions = [s for s in (compatible(rng, problem) for _ in range(30)) if len(s) == 4]
    assert solutions
    for _ in range(12):
        master.add_sets(rng.permutation(everything)[:6])
        prices = master.solve()
        master.separate()
        bound = prices.bounded(UseRanges.open(16, 4, 2), prices.weights(everything))
        for sets in solutions:
            uses = uses_of(sets, 16)
            weights = prices.weights(np.array(sets, dtype=np.int32))
            lost = 4 * bound.heaviest - weights.sum() + prices.overlap * spare_of(sets, 2)
            lost += (bound.gains.max(axis=1) - bound.gains[np.arange(16), uses]).sum()
            assert total(problem, sets) <= bound.value - lost


@pytest.mark.parametrize("smallest", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_few_sets_are_searched_completely(seed, smallest):
    problem = dense(seed, n=11, n_sets=3, set_size=4, max_overlap=1)
    sets = compatible(np.random.default_rng(seed), problem)
    assert len(sets) == 3
    uses = uses_of(sets, 11)
    ranges = UseRanges(3, 1, np.maximum(0, uses - 1), np.minimum(3, uses + 1), 3)
    members = every_set(problem)
    worth = values(problem, members.astype(np.intp))

    def fits(chosen):
        counts = uses_of(chosen, 11)
        apart = all(len(set(a) & set(b)) <= 1 for a, b in combinations(chosen, 2))
        return apart and (counts >= ranges.least).all() and (counts <= ranges.most).all()

    losses = worth.max() - worth
    few = FewSets.of(members, worth, losses, 3 * int(worth.max()), ranges)
    expected = max(
        worth[list(c)].sum() for c in combinations(range(len(members)), 3) if fits(members[list(c)].tolist())
    )
    found, done = few.best(int(expected), smallest, 10**9)
    assert done
    assert values(problem, found.astype(np.intp)).sum() == expected
    assert few.best(int(expected) + 1, smallest, 10**9) == (None, True)
    assert few.best(0, False, 1)[1] is False


@pytest.mark.parametrize("few", [0, use_search.FEW])
@settings(max_examples=60, deadline=None, derandomize=True)
@given(problem=problems(objectives=SUMS, most_features=8, most_sets=4))
def test_agrees_with_brute_force(few, problem):
    if problem.n_sets == 1 or problem.max_overlap == problem.set_size:
        return
    expected = BruteForce().solve(problem, Control())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(use_search, "FEW", few)
        search = UseSearch(problem, Control())
        search.relax()
        if not search.infeasible:
            search.branch_on_uses()
    assert search.value == expected.bound
    assert (search.best is None) == (expected.sets is None)


@pytest.mark.parametrize("aggregate", ["sum", "min"])
@pytest.mark.parametrize(("n_sets", "max_overlap"), [(3, 0), (4, 1), (4, 2), (5, 2), (4, 3)])
def test_branches_to_the_optimum_of_larger_problems(monkeypatch, n_sets, max_overlap, aggregate):
    monkeypatch.setattr(use_search, "FEW", 20)
    monkeypatch.setattr(use_master, "MOST_COLUMNS", 60)
    monkeypatch.setattr(use_master, "KEPT_COLUMNS", 20)
    problem = dense(n_sets, n_sets=n_sets, max_overlap=max_overlap, aggregate=aggregate)
    bounds = []
    search = UseSearch(problem, Control(report_bound=bounds.append))
    search.relax()
    search.branch_on_uses()
    assert search.value == oracle.optimum(problem) == search.bound
    assert not violations(problem, search.best)
    assert all(bound >= search.value for bound in bounds)


def test_a_paused_search_goes_on():
    problem = dense(3, n_sets=4, max_overlap=1, set_size=4)
    search = UseSearch(problem, Control())
    search.relax()
    checks = iter(range(10**6))
    pauses = 0
    while True:
        try:
            search.branch_on_uses(lambda: next(checks) % 5 == 4)
            break
        except OutOfTimeError:
            pauses += 1
    assert pauses > 0
    assert search.value == oracle.optimum(problem)


@pytest.mark.parametrize(
    ("changes", "worth"),
    [
        ({}, True),
        ({"n_sets": 1}, False),
        ({"max_overlap": 0}, False),
        ({"max_overlap": 4}, False),
        ({"hint": False}, False),
    ],
)
def test_is_worth_branching_where_pairs_must_share_what_they_may(changes, worth):
    hint = changes.pop("hint", True)
    problem = dense(8, n_sets=5, max_overlap=1, set_size=4).replace(**changes)
    search = UseSearch(problem, Control())
    search.relax()
    if hint and problem.n_sets > 1:
        search.exchange_sets()
    assert search.is_worth_branching() == worth


def test_a_goal_without_solution_is_proved_from_a_hint():
    problem = dense(5)
    best = BruteForce().solve(problem.replace(n_sets=2), Control())
    assert best.sets is not None
    search = UseSearch(problem.replace(n_sets=2), Control(hint=best.sets))
    search.relax()
    search.branch_on_uses()
    assert search.value == best.bound
    assert search.bound == best.bound


def test_no_set_is_better_than_the_hint():
    problem = Problem(
        quality=[4, 2, 1, 4], n_sets=3, set_size=2, max_overlap=1, objective="fcbf", aggregate="min"
    )
    search = UseSearch(problem, Control(hint=((0, 3), (1, 3), (0, 1))))
    search.relax()
    search.branch_on_uses()
    assert search.value == search.bound == oracle.optimum(problem)


@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_a_linear_solver_that_fails_costs_no_proof(monkeypatch, aggregate):
    problem = dense(6, n=11, n_sets=3, set_size=4, max_overlap=1, aggregate=aggregate)
    monkeypatch.setattr(use_master, "LARGEST_TOTAL", 0.0)
    monkeypatch.setattr(use_search, "FEW", 20)
    search = UseSearch(problem, Control())
    search.relax()
    search.branch_on_uses()
    assert search.value == search.bound == oracle.optimum(problem)
