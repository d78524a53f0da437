"""mRMR as heaviest k-subgraph: the search along heavy chains against brute force."""

from itertools import combinations

import numpy as np
import pytest
from random_instances import random_pairs

from pyfsel.algorithms.ksubgraph import chains, concave_bound
from pyfsel.algorithms.ksubgraph.all_heavy import best_set, enumerate_instance
from pyfsel.algorithms.ksubgraph.concave_bound import DoublyNonnegative, concave_above
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.algorithms.packing.pool import excluded_by_counting
from pyfsel.backends import get_backend
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import Status
from pyfsel.results.control import Control
from pyfsel.solving.solve import solve


def answer_of(problem, **options):
    return get_backend("ksubgraph").solve(problem, Control(**options))


def values_of(instance):
    """Return all feasible sets of an instance with their values: the oracle."""
    known = {}
    for members in combinations(range(instance.n_features), instance.k):
        inside = list(members)
        shared = instance.previous[:, inside].sum(axis=1)
        is_free = not instance.conflicts[np.ix_(inside, inside)].any() and {*instance.forced} <= {*members}
        if is_free and (shared <= instance.limits).all():
            pairs = sum(int(instance.pairwise[i, j]) for i, j in combinations(members, 2))
            known[members] = int(instance.linear[inside].sum()) - pairs
    return known


def check(instance, starts):
    """Hold the best set, bounds and sets on the way, a least value, and enumerations against the oracle."""
    known, bounds, sets = values_of(instance), [], []
    highest = max(known.values(), default=0)
    found = best_set(instance, Start(n_random=starts), on_bound=bounds.append, on_set=sets.append)
    assert {*sets} <= known.keys()
    none = best_set(instance, at_least=highest + 1)
    assert (none.features, none.bound, none.finished) == (None, highest, True)
    if known:
        worst = min(known, key=known.get)
        assert best_set(instance, Start(first=worst), at_least=found.value).value == found.value
        some = enumerate_instance(instance, known[worst], limit=len(known) - 1)
        assert (some.complete, len(some.sets)) == (False, len(known) - 1)
    assert found.finished
    assert found.value == max(known.values(), default=None) == found.bound
    assert found.value is None or known[found.features] == found.value
    assert bounds == sorted({*bounds}, reverse=True)
    assert not known or min(bounds, default=found.value) >= found.value
    ranking = sorted((-value, members) for members, value in known.items())
    for rank in {0, len(ranking) // 3, len(ranking) - 1} if ranking else ():
        threshold = -ranking[rank][0]
        listed = enumerate_instance(instance, threshold, limit=1000)
        assert listed.complete
        wanted = [(members, -value) for value, members in ranking if -value >= threshold]
        assert list(zip(map(tuple, listed.sets.tolist()), listed.values.tolist(), strict=True)) == wanted
    assert len(enumerate_instance(instance, highest + 1, 1).sets) == 0
    checks = iter([False] * (len(known) % 9))
    stopped = best_set(instance, Start(n_random=starts), expired=lambda: next(checks, True))
    assert stopped.features is None or known[stopped.features] == stopped.value
    assert not known or stopped.bound is None or stopped.bound >= found.value


def begin_with_relaxation(monkeypatch, after=0):
    monkeypatch.setattr(chains, "ENTRIES_BEFORE_RELAXATION", after)
    monkeypatch.setattr(chains, "ENTRIES_PER_CUBE_BEFORE_RELAXATION", 0)


@pytest.mark.parametrize("starts", [0, 2])
def test_agrees_with_brute_force(starts, monkeypatch):
    """Chains alone, and with the relaxation in turns from the start."""
    rng = np.random.default_rng(starts)
    for _ in range(300):
        begin_with_relaxation(monkeypatch, after=int(rng.choice([0, 10**9])))
        monkeypatch.setattr(chains, "ENTRIES_AT_ONCE", 2 ** int(rng.integers(0, 10)))
        monkeypatch.setattr(chains, "WORK_ON_RELAXATION", 2 ** int(rng.integers(0, 12)))
        monkeypatch.setattr(chains, "WORK_ON_CHAINS", 2 ** int(rng.integers(0, 8)))
        monkeypatch.setattr(chains, "SETS_AT_ONCE", int(rng.integers(1, 4)))
        check(random_pairs(rng), starts)


def test_the_relaxation_alone_finds_the_best_set(monkeypatch):
    """No chain is extended beside it. Its bounds are above all sets that it has not met.

    It begins with the first function, or a good one; some trees go on with better functions on the way.
    """
    begin_with_relaxation(monkeypatch)
    monkeypatch.setattr(chains, "WORK_ON_RELAXATION", 20)
    monkeypatch.setattr(chains, "WORK_ON_RELAXATION_PER_ENTRY", 10**9)
    rng = np.random.default_rng(6)
    for _ in range(200):
        instance, bounds = random_pairs(rng), []
        monkeypatch.setattr(concave_bound, "WORK_ON_STEP", rng.choice([0.01, 1]))
        monkeypatch.setattr(concave_bound, "PROGRESS_TO_BEGIN", rng.choice([0.1, 0.99]))
        found = best_set(instance, Start(n_random=0), on_bound=bounds.append)
        best = max(values_of(instance).values(), default=None)
        assert found.finished
        assert found.value == best
        assert best is None or min(bounds, default=best) >= best


@pytest.mark.parametrize("steps", [1, 30])
def test_the_concave_function_is_above_all_sets(steps):
    """Also where N is below zero, for pairs that no set holds, and where weights are all alike or zero."""
    rng = np.random.default_rng(steps)
    for scale in (0, 1, 1, 9, 10**6, 10**15):
        upper = np.triu(rng.integers(-scale, scale + 1, (8, 8)), 1)
        weights, apart = upper + upper.T, np.triu(rng.random((8, 8)) < 0.2, 1)
        apart |= apart.T
        above = DoublyNonnegative(weights, apart, 4)
        for _ in range(steps):
            above.improve(-1e18)
        centre = np.eye(8) - 1 / 8
        for diagonal in (np.zeros(8), above.diagonal):
            function = concave_above(weights + above.raised, diagonal, 4)
            assert np.linalg.eigvalsh(centre @ function.curvature @ centre).max() <= function.margin
        values = []
        for members in combinations(range(8), 4):
            x = np.isin(np.arange(8), members).astype(float)
            if not apart[np.ix_(members, members)].any():
                value = (x @ function.curvature @ x + function.diagonal @ x) / 2
                assert value + function.margin >= x @ weights @ x / 2
                values.append(x @ weights @ x / 2)
        assert above.bound + function.margin >= max(values, default=-np.inf)


def test_weights_that_are_divided_and_rounded_lose_no_set(monkeypatch):
    monkeypatch.setattr("pyfsel.algorithms.ksubgraph.instance.LARGEST_WEIGHT", 100)
    rng = np.random.default_rng(0)
    instances = [random_pairs(rng) for _ in range(100)]
    assert not all(instance.edges.exact for instance in instances if instance.k > 1)
    for instance in instances:
        check(instance, starts=0)


def large_problem(n, k, seed=0):
    rng, spread = np.random.default_rng(seed), 10**6
    quality = rng.integers(-spread, spread + 1, n)
    upper = np.triu(rng.integers(-spread // 2, spread + 1, (n, n)), 1)
    return Instance(quality, 1, k, k, objective="mrmr", pairs=upper + upper.T)


@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_the_best_set_bounds_several_ones(aggregate):
    problem = large_problem(n=12, k=4, seed=3).replace(n_sets=3, max_shared=2, aggregate=aggregate)
    bounds, best = [], max(values_of(PairInstance.of_problem(problem)).values())
    answer = answer_of(problem, report_bound=bounds.append)
    assert bounds[0] == (best if aggregate == "min" else best * problem.n_sets)
    assert answer.bound == get_backend("packing").solve(problem, Control()).bound


def test_previous_sets_tighten_the_bound(monkeypatch):
    """Beside the best sets the bound knows how many of their features can be taken."""
    problem = large_problem(n=30, k=6)
    first = best_set(PairInstance.of_problem(problem)).features
    beside = problem.replace(previous=[first], max_shared=1)
    bounds = [], []
    with_limits = best_set(PairInstance.of_problem(beside), on_bound=bounds[0].append)
    monkeypatch.setattr(PairInstance, "parts", np.full(30, -1))
    without = best_set(PairInstance.of_problem(beside), on_bound=bounds[1].append)
    assert with_limits.value == without.value
    assert bounds[0][0] < bounds[1][0]


@pytest.mark.parametrize("n_features", range(3, 12))
@pytest.mark.parametrize("max_shared", [1, 2])
def test_what_counting_excludes_is_infeasible(n_features, max_shared):
    problem = large_problem(n=n_features, k=3).replace(n_sets=3, max_shared=max_shared, forced=[1])
    expected = Status.INFEASIBLE if excluded_by_counting(problem) else Status.OPTIMAL
    assert solve(problem, "cpsat", search="simultaneous").status is expected
    assert answer_of(problem).status is expected
