"""mRMR as heaviest k-subgraph: the branch and bound against brute force."""

import dataclasses
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfsel import InputError, Problem, solve
from pyfsel.algorithms.ksubgraph import Instance, best_set, enumerate_instance, enumerate_sets
from pyfsel.algorithms.ksubgraph.local_search import swap_search
from pyfsel.algorithms.ksubgraph.pool import KSubgraphPool, one_after_another
from pyfsel.algorithms.ksubgraph.selection import IMPOSSIBLE, choose_best, replaced_values
from pyfsel.backends import get_backend
from pyfsel.backends.choose import choose_backend
from pyfsel.problem import values as problem_values
from pyfsel.results.answer import Status
from pyfsel.results.control import Control, Limits
from pyfsel.results.verify import violations


def random_numbers(rng, n, spread):
    quality = rng.integers(-spread, spread + 1, n)
    upper = np.triu(rng.integers(-spread // 2, spread + 1, (n, n)), 1)
    return quality, upper + upper.T


def feasible_values(problem):
    """Return all feasible sets with their values: the oracle."""
    sets = combinations(range(problem.n_features), problem.set_size)
    return {s: problem_values.value(problem, s) for s in sets if not violations(problem, [s])}


def random_problem(seed, restricted):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 11))
    k = int(rng.integers(1, n + 1))
    quality, redundancy = random_numbers(rng, n, int(rng.choice([2, 20, 1_000_000])))
    conflicts, previous = [], []
    if restricted:
        pairs = list(combinations(range(n), 2))
        conflicts = [pairs[i] for i in rng.choice(len(pairs), min(len(pairs), 3), replace=False)]
        previous = [rng.choice(n, k, replace=False).tolist() for _ in range(rng.integers(0, 4))]
    return Problem(
        quality=quality,
        redundancy=redundancy,
        n_sets=1,
        set_size=k,
        max_overlap=int(rng.integers(0, k + 1)) if restricted else k,
        objective="mrmr",
        conflicts=conflicts,
        previous_sets=previous,
    )


def answer_of(problem, **options):
    return get_backend("ksubgraph").solve(problem, Control(**options))


@pytest.mark.parametrize("restricted", [False, True])
@pytest.mark.parametrize("seed", range(150))
def test_agrees_with_brute_force(seed, restricted):
    problem = random_problem(seed, restricted)
    known = feasible_values(problem)
    answer = answer_of(problem)
    if not known:
        assert answer.status is Status.INFEASIBLE
        return
    assert answer.status is Status.OPTIMAL
    assert known[answer.sets[0]] == max(known.values()) == answer.bound


@pytest.mark.parametrize("restricted", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_the_tree_finds_the_optimum_without_a_start(seed, restricted, monkeypatch):
    monkeypatch.setattr("pyfsel.algorithms.ksubgraph.search.swap_search", lambda *args, **kwargs: None)
    problem = random_problem(seed, restricted)
    known = feasible_values(problem)
    found = best_set(Instance.of_problem(problem))
    assert found.finished
    assert found.value == max(known.values(), default=None)


@pytest.mark.parametrize("restricted", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_enumeration_is_complete_and_in_order(seed, restricted):
    problem = random_problem(seed, restricted)
    known = feasible_values(problem)
    ranking = sorted((-v, s) for s, v in known.items())
    for rank in {0, len(ranking) // 3, len(ranking) - 1} if ranking else {0}:
        threshold = -ranking[rank][0] if ranking else 0
        found = enumerate_sets(
            problem.quality,
            problem.redundancy,
            problem.set_size,
            threshold,
            limit=1000,
            conflicts=problem.conflicts,
            previous_sets=problem.previous_sets,
            max_overlap=problem.max_overlap,
        )
        assert found.complete
        wanted = [(s, -v) for v, s in ranking if -v >= threshold]
        assert list(zip(map(tuple, found.sets.tolist()), found.values.tolist(), strict=True)) == wanted


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_any_integers(data):
    n = data.draw(st.integers(1, 8))
    k = data.draw(st.integers(1, n))
    numbers = st.integers(-(10**9), 10**9)
    quality = np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)))
    redundancy = np.zeros((n, n), np.int64)
    for i, j in combinations(range(n), 2):
        redundancy[i, j] = redundancy[j, i] = data.draw(numbers)
    problem = Problem(
        quality=quality, redundancy=redundancy, n_sets=1, set_size=k, max_overlap=k, objective="mrmr"
    )
    assert answer_of(problem).bound == max(feasible_values(problem).values())


def large_problem(n=60, k=10, seed=0):
    quality, redundancy = random_numbers(np.random.default_rng(seed), n, 1_000_000)
    return Problem(
        quality=quality, redundancy=redundancy, n_sets=1, set_size=k, max_overlap=k, objective="mrmr"
    )


def test_larger_instance_agrees_with_enumeration_of_all_sets():
    problem = large_problem(n=30, k=4, seed=3)
    sets = np.array(list(combinations(range(30), 4)))
    values = problem_values.values(problem, sets)
    assert answer_of(problem).bound == values.max()
    threshold = int(np.sort(values)[-200])
    found = enumerate_sets(problem.quality, problem.redundancy, 4, threshold, 10_000)
    assert len(found.sets) == (values >= threshold).sum()


def test_a_good_value_is_never_pruned_at_any_unit(monkeypatch):
    """A coarse split is weak but safe."""
    monkeypatch.setattr("pyfsel.algorithms.ksubgraph.instance.LARGEST_UNIT", 1)
    for seed in range(40):
        problem = random_problem(seed, restricted=False)
        assert answer_of(problem).bound == max(feasible_values(problem).values())


@pytest.mark.parametrize("seed", range(20))
def test_odd_pair_weights_at_unit_one(seed, monkeypatch):
    monkeypatch.setattr("pyfsel.algorithms.ksubgraph.instance.LARGEST_UNIT", 1)
    linear, pairwise = random_numbers(np.random.default_rng(seed), 9, 5)
    none = np.zeros((0, 9), bool)
    instance = Instance(linear, pairwise, 4, np.zeros((9, 9), bool), none, max_overlap=4)
    sets = np.array(list(combinations(range(9), 4)))
    expected = [linear[s].sum() - np.triu(pairwise[np.ix_(s, s)]).sum() for s in sets]
    found = enumerate_instance(instance, min(expected), 1000)
    assert sorted(found.values.tolist()) == sorted(expected)
    assert best_set(instance).bound == max(expected)


def test_all_sets_equal():
    problem = Problem(
        quality=[5] * 9, redundancy=np.ones((9, 9), int) - np.eye(9, dtype=int), n_sets=1, set_size=4,
        max_overlap=4, objective="mrmr",
    )  # fmt: skip
    answer = answer_of(problem)
    assert answer.status is Status.OPTIMAL
    assert answer.bound == 3 * 20 - 12
    found = enumerate_sets(problem.quality, problem.redundancy, 4, 48, 1000)
    assert len(found.sets) == 126
    assert len(enumerate_sets(problem.quality, problem.redundancy, 4, 49, 1000).sets) == 0


def test_enumeration_over_the_limit_is_not_complete():
    found = enumerate_sets(np.zeros(12, int), np.zeros((12, 12), int), 5, 0, 10)
    assert not found.complete
    assert len(found.sets) == 10


def test_expired_at_once():
    problem = large_problem()
    answer = answer_of(problem, limits=Limits(deadline=0.0))
    assert answer.status is Status.NOT_SOLVED
    assert answer.sets is None
    assert answer.bound is None or answer.bound >= solve(problem, "ksubgraph").integer_objective


def test_stopped_search_keeps_incumbent_and_a_true_bound(monkeypatch):
    problem = large_problem(n=40, k=8)
    optimum = solve(problem, "ksubgraph").integer_objective
    monkeypatch.setattr("pyfsel.algorithms.ksubgraph.search.WORK_PER_CALL", 20_000)
    instance = Instance.of_problem(problem)
    bounds = []
    for patience in (1, 3, 45, 60, 100):
        calls = iter(range(10**6))
        first = swap_search(instance, starts=1)[1]
        stopped = best_set(instance, first=first, expired=lambda c=calls, p=patience: next(c) >= p)
        assert stopped.value <= optimum
        assert stopped.value == problem_values.value(problem, stopped.features)
        assert stopped.bound is None or stopped.bound >= optimum
        assert not stopped.finished or stopped.value == optimum
        bounds.append(stopped.bound)
    assert bounds[-1] is not None


def test_bounds_and_sets_are_reported(monkeypatch):
    monkeypatch.setattr("pyfsel.algorithms.ksubgraph.search.WORK_PER_CALL", 1)
    problem = large_problem(n=40, k=8, seed=1)
    bounds, sets = [], []
    answer = answer_of(problem, report_sets=sets.append, report_bound=bounds.append)
    assert sets[-1] == [answer.sets[0]]
    assert bounds == sorted(set(bounds), reverse=True)
    assert min(bounds) >= answer.bound


def test_the_hint_is_a_start():
    problem = large_problem(n=40, k=8, seed=1)
    optimum = answer_of(problem).sets
    sets = []
    answer_of(problem, hint=optimum, report_sets=sets.append)
    assert sets == [[optimum[0]]]


def test_same_seed_same_answer():
    problem = large_problem(n=40, k=6, seed=2)
    first, second = (answer_of(problem, limits=Limits(random_state=7)) for _ in range(2))
    assert (first.sets, dict(first.statistics)) == (second.sets, dict(second.statistics))


def test_sequential_search_agrees_with_brute_force():
    quality, redundancy = random_numbers(np.random.default_rng(5), 10, 100)
    problem = Problem(
        quality=quality, redundancy=redundancy, n_sets=1, set_size=4, max_overlap=2, objective="mrmr"
    )
    for _ in range(4):
        result = solve(problem, "ksubgraph", search="sequential")
        assert result.status is Status.OPTIMAL
        assert result.integer_objective == solve(problem, "brute-force").integer_objective
        problem = problem.replace(previous_sets=(*problem.previous_sets, result.sets[0]))


@pytest.mark.parametrize("aggregate", ["sum", "min"])
@pytest.mark.parametrize("seed", range(25))
def test_several_sets_agree_with_brute_force(seed, aggregate):
    rng = np.random.default_rng(seed)
    one = random_problem(seed, restricted=bool(seed % 2))
    problem = one.replace(
        n_sets=int(rng.integers(2, 4)),
        max_overlap=int(rng.integers(0, one.set_size + 1)),
        aggregate=aggregate,
    )
    expected = get_backend("brute-force").solve(problem, Control())
    answer = answer_of(problem)
    assert answer.status is expected.status
    if expected.sets is not None:
        assert answer.bound == problem_values.total(problem, answer.sets) == expected.bound
        assert violations(problem, answer.sets) == []


@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_several_sets_by_enumeration_agree_with_packing_all_sets(aggregate):
    problem = large_problem(n=18, k=5, seed=4).replace(n_sets=4, max_overlap=2, aggregate=aggregate)
    packed = get_backend("packing").solve(problem, Control())
    assert answer_of(problem).bound == packed.bound


@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_later_sets_of_the_start_need_not_be_proved(aggregate, monkeypatch):
    problem = large_problem(n=12, k=4, seed=3).replace(n_sets=3, max_overlap=2, aggregate=aggregate)
    calls = []

    def unproved(instance, **options):
        found = best_set(instance, **options)
        calls.append(found)
        return found if len(calls) == 1 else dataclasses.replace(found, finished=False)

    expected = get_backend("packing").solve(problem, Control()).bound
    bounds = []
    with monkeypatch.context() as patch:
        patch.setattr("pyfsel.algorithms.ksubgraph.pool.best_set", unproved)
        start, bound, finished = one_after_another(problem, Control(report_bound=bounds.append))
    assert finished
    assert len(start) == problem.n_sets
    assert violations(problem, start) == []
    assert bound == max(feasible_values(problem.after([])).values())
    assert bounds == [bound if aggregate == "min" else bound * problem.n_sets]
    monkeypatch.setattr("pyfsel.algorithms.ksubgraph.pool.SHARE_OF_TIME", 0)
    result = solve(problem, "ksubgraph", time_limit=60)
    assert (result.integer_objective, result.status) == (expected, Status.OPTIMAL)


def test_several_sets_without_time():
    problem = large_problem().replace(n_sets=3, max_overlap=4)
    answer = answer_of(problem, limits=Limits(deadline=0.0))
    assert answer.status is Status.NOT_SOLVED


def test_pool_serves_higher_thresholds_from_what_it_has():
    problem = large_problem(n=20, k=4, seed=6)
    known = sorted(feasible_values(problem).values(), reverse=True)
    pool = KSubgraphPool(problem, Control(), known[0])
    for rank in (0, 50, 10, 400):
        sets, values = pool.above(known[rank])
        assert values.tolist() == [v for v in known if v >= known[rank]]
        assert problem_values.values(problem, sets.astype(int)).tolist() == values.tolist()


def test_swap_search_respects_the_constraints():
    for seed in range(60):
        problem = random_problem(seed, restricted=True)
        start = swap_search(Instance.of_problem(problem), starts=5)
        if start is not None:
            assert violations(problem, [start[1]]) == []
            assert start[0] == problem_values.value(problem, start[1])


def test_numbers_out_of_range_are_refused():
    with pytest.raises(InputError, match="beyond"):
        Instance.of_mrmr(np.array([2**55, 1, 1]), np.zeros((3, 3), int), 3)


def test_univariate_is_unsupported():
    problem = Problem(quality=[3, 2, 1], n_sets=1, set_size=1, max_overlap=1)
    assert "mrmr" in get_backend("ksubgraph").refusal(problem, "strengthened")


@pytest.mark.parametrize("n_sets", [1, 3])
def test_auto_takes_it_for_mrmr(n_sets):
    problem = large_problem().replace(n_sets=n_sets)
    assert choose_backend(problem)[0].name == "ksubgraph"


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_limits_on_parts_choose_the_best_selection(data):
    """The greedy choice, and what it costs to insist on a feature, against all selections."""
    m = data.draw(st.integers(1, 7))
    r = data.draw(st.integers(1, m))
    value = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=m, max_size=m)))
    value[data.draw(st.lists(st.integers(0, m - 1), max_size=2))] = IMPOSSIBLE
    part = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=m, max_size=m)))
    room = np.array(data.draw(st.lists(st.integers(0, 3), min_size=3, max_size=3)))
    ids, best = np.array(data.draw(st.permutations(range(m)))), np.zeros(r + 1, np.int64)

    def total(chosen):
        fits = all(sum(part[ids[i]] == p for i in chosen) <= room[p] for p in range(3))
        possible = all(value[i] != IMPOSSIBLE for i in chosen)
        return int(value[list(chosen)].sum()) if fits and possible else IMPOSSIBLE

    everything = {chosen: total(chosen) for chosen in combinations(range(m), r)}
    bound = choose_best(value, m, r, best, ids, part, room)
    assert bound == max(everything.values())
    if bound == IMPOSSIBLE:
        return
    assert total(best[:r].tolist()) == bound
    replaced = replaced_values(value, m, r, best, ids, part, room)
    for i in range(m):
        with_i = max((t for chosen, t in everything.items() if i in chosen), default=IMPOSSIBLE)
        if with_i != IMPOSSIBLE:
            assert bound - replaced[i] + value[i] == with_i


@pytest.mark.parametrize("seed", range(3))
def test_previous_sets_tighten_the_bound(seed):
    """Beside the best set the bound is lower than without previous sets."""
    problem = large_problem(n=30, k=6, seed=seed)
    first = best_set(Instance.of_problem(problem))
    beside = problem.replace(previous_sets=[first.features], max_overlap=1)
    second = best_set(Instance.of_problem(beside))
    assert second.finished
    assert second.root_bound < first.root_bound
