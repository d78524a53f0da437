"""Balanced number partitioning: local search, parts of a narrow range, models, and the backend."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import with_enough_time
from small_problems import answer_of, assert_agrees

from pyfsel import Problem, Status, StopReason, solve
from pyfsel.algorithms.partitioning import search
from pyfsel.algorithms.partitioning.local_search import exchange_search
from pyfsel.algorithms.partitioning.models import assigned
from pyfsel.algorithms.partitioning.search import PartitionSearch, parts_between, set_aside
from pyfsel.backends.partition import Partition
from pyfsel.bench.instances.hardness import PartitioningProblem, planted
from pyfsel.reductions.number_partitioning import NumberPartitioning
from pyfsel.results.control import Control, Limits


def least_largest_sum(numbers, n_parts):
    """Return the optimum by trying all partitions."""
    size = len(numbers) // n_parts

    def best(items):
        if not items:
            return -(10**9)
        return min(
            max(
                sum(numbers[i] for i in (items[0], *others)),
                best(tuple(i for i in items[1:] if i not in others)),
            )
            for others in combinations(items[1:], size - 1)
        )

    return best(tuple(range(len(numbers))))


@st.composite
def instances(draw):
    n_parts, size = draw(st.sampled_from([(1, 3), (2, 1), (2, 2), (2, 4), (3, 2), (3, 3), (4, 2)]))
    n = n_parts * size
    numbers = draw(st.lists(st.integers(-20, 60), min_size=n, max_size=n))
    return NumberPartitioning(tuple(numbers), n_parts)


@settings(max_examples=60)
@given(instance=instances())
def test_search_finds_and_proves_the_optimum(instance):
    bounds, found = [], []
    run = PartitionSearch(instance, on_parts=found.append, on_bound=bounds.append)
    run.run()
    best = least_largest_sum(instance.numbers, instance.n_parts)
    assert run.finished
    assert instance.value(run.best) == run.value == run.bound == best
    assert all(bound <= best for bound in bounds)
    assert found[-1] == run.best


@settings(max_examples=100)
@given(instance=instances())
def test_the_least_value_is_a_bound_and_at_least_the_mean(instance):
    best = least_largest_sum(instance.numbers, instance.n_parts)
    assert -(-sum(instance.numbers) // instance.n_parts) <= instance.least_value <= best


@settings(max_examples=200)
@given(instance=instances(), extreme=st.lists(st.integers(-400, 0), max_size=3))
def test_the_best_partition_of_what_is_not_set_aside_completes_to_an_optimum(instance, extreme):
    numbers = (*extreme, *instance.numbers)[: len(instance.numbers)]
    instance = NumberPartitioning(numbers, instance.n_parts)
    aside = set_aside(instance)
    run = PartitionSearch(aside.rest)
    run.run()
    best = least_largest_sum(instance.numbers, instance.n_parts)
    assert instance.value(aside.complete(run.best)) == best == max(run.bound, instance.least_value)


def test_few_extreme_numbers_do_not_loosen_the_bound():
    problem = Problem(
        quality=[2875, 1565, 1429, 577, 532, 449, 286, 281, 280, *range(229, 9, -20)],
        n_sets=4,
        set_size=5,
        max_overlap=0,
        aggregate="min",
    )
    result = solve(problem, "partition", time_limit=20, search="simultaneous")
    assert (result.status, result.integer_objective) == (Status.OPTIMAL, 577 + 532 + 449 + 286 + 281)
    assert result.statistics["method"] == "mean"
    assert result.statistics["fixed_sets"] == 1


@settings(max_examples=40)
@given(instance=instances())
def test_assignment_model_agrees(instance):
    """Also where the choice among parts is never used, and the local search is weak."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "parts_between", lambda *arguments: None)
        patch.setattr(search, "MORE_STARTS", 1)
        run = PartitionSearch(instance)
        run.run()
    assert run.method in ("mean", "assignment")
    assert run.value == run.bound == least_largest_sum(instance.numbers, instance.n_parts)
    first = tuple(np.arange(len(instance.numbers)).reshape(instance.n_parts, -1).tolist())
    outcome = assigned(instance, tuple(map(tuple, first)), None, 0, lambda bound: None)
    assert outcome.finished
    assert instance.value(outcome.parts) == run.value


@settings(max_examples=60)
@given(
    numbers=st.lists(st.integers(-9, 30), min_size=2, max_size=9),
    low=st.integers(-10, 60),
    width=st.integers(0, 40),
    data=st.data(),
)
def test_parts_between_are_all_that_lie_there(numbers, low, width, data):
    size = data.draw(st.integers(1, len(numbers)))
    found = parts_between(np.array(numbers), size, low, low + width)
    expected = [
        members
        for members in combinations(range(len(numbers)), size)
        if low <= sum(numbers[i] for i in members) <= low + width
    ]
    assert sorted(map(tuple, found.tolist())) == expected


def test_too_many_parts_are_not_listed(monkeypatch):
    numbers = np.arange(10)
    monkeypatch.setattr(search, "LARGEST_NUMBER_OF_PARTS", 5)
    assert parts_between(numbers, 5, 0, 100) is None
    assert len(parts_between(numbers, 5, 10, 11)) == 2
    monkeypatch.setattr(search, "LARGEST_HALF", 5)
    assert parts_between(numbers, 5, 10, 11) is None


def test_exchange_search_leaves_no_better_exchange_with_the_largest_part():
    instance = planted(4, 5, 3000, random_state=1)
    parts = exchange_search(instance, np.random.default_rng(0), starts=1)
    worst = instance.value(parts)
    sums = instance.sums(parts)
    largest = sums.index(worst)
    for other in (p for p in range(4) if p != largest):
        for i in parts[largest]:
            for j in parts[other]:
                moved = instance.numbers[i] - instance.numbers[j]
                assert max(sums[largest] - moved, sums[other] + moved) >= worst


@settings(max_examples=40)
@given(data=st.data())
def test_backend_agrees_with_brute_force(data):
    n_sets, k = data.draw(st.sampled_from([(2, 2), (2, 3), (3, 2), (2, 4), (1, 3)]))
    n = n_sets * k + data.draw(st.integers(0, 2))
    quality = data.draw(st.lists(st.integers(-9, 40), min_size=n, max_size=n))
    problem = Problem(quality=quality, n_sets=n_sets, set_size=k, max_overlap=0, aggregate="min")
    assert_agrees(Partition(), problem)


@pytest.mark.parametrize(("n_parts", "size"), [(2, 10), (3, 6), (4, 5), (6, 4)])
def test_hard_instances_with_a_known_optimum(n_parts, size):
    """Planted partitions, 10^5 per part: the optimum of the problem is known without solving it."""
    instance = planted(n_parts, size, 100_000, random_state=3)
    hard = PartitioningProblem.complete(instance)
    answer = answer_of(Partition(), hard.problem, limits=Limits.starting_now(100))
    assert answer.status is Status.OPTIMAL
    assert answer.bound == hard.target(100_000)
    assert instance.value(hard.invert(answer.sets)) == 100_000


def test_a_limit_is_kept_and_leaves_a_bound():
    q = np.random.default_rng(7).integers(1, 10**9, 60)
    problem = Problem(quality=q, n_sets=6, set_size=10, max_overlap=0, aggregate="min")
    result = with_enough_time(
        lambda limit: solve(problem, "partition", time_limit=limit, fallback=False, search="simultaneous"),
        lambda result: result.gap is not None and result.gap < 1e-4,
        1.5,
        6,
    )
    assert result.status is Status.FEASIBLE
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.gap < 1e-4
    assert result.integer_bound <= sum(q) // 6


def test_one_part_is_everything():
    run = PartitionSearch(NumberPartitioning((3, 1), 1))
    assert run.finished
    assert run.best == ((0, 1),)
    assert Partition().unsupported(Problem(quality=[1], n_sets=1, set_size=1, max_overlap=0), "") is not None
    assert Control().remaining() is None
