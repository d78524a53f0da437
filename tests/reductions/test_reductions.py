"""Reductions: when they apply, that they keep the optimum, and the way back."""

from itertools import combinations, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from questions_oracle import families
from small_problems import assert_agrees, constrained_problems, problems

from pyfsel import Group, InputError
from pyfsel.backends.choose import choose_backend
from pyfsel.backends.simple_searches import BruteForce, Ranking, subsets_by_value
from pyfsel.bench.instances.hardness import NumberPartitioning, PartitioningProblem, planted, unbalanced
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.reductions import reduce
from pyfsel.reductions.preselection import preselect
from pyfsel.reductions.promising import promising
from pyfsel.results.control import Control
from pyfsel.results.verify import violations

SUMS = ("univariate", "fcbf")


def optimum(problem):
    return BruteForce().solve(problem, Control())


def all_partitions(n, n_parts):
    """Yield the partitions of 0..n−1 into parts of equal size, each once."""
    if n_parts == 0:
        yield ()
        return
    yield from _partitions(tuple(range(n)), n // n_parts)


def _partitions(items, size):
    if not items:
        yield ()
        return
    for others in combinations(items[1:], size - 1):
        part = (items[0], *others)
        rest = tuple(i for i in items if i not in part)
        for following in _partitions(rest, size):
            yield (part, *following)


def least_largest_sum(instance):
    listed = all_partitions(len(instance.numbers), instance.n_parts)
    return min(max(sum(instance.numbers[i] for i in part) for part in parts) for parts in listed)


def clustered(problem, group):
    """Return the problem with conflicts within groups of features, and with few others."""
    pairs, odd = combinations(range(problem.n_features), 2), {*map(tuple, problem.conflicts.tolist())}
    apart = [pair for pair in pairs if (group[pair[0]] == group[pair[1]]) != (pair in odd)]
    return problem.replace(conflicts=apart)


def clustered_problems():
    groups = st.lists(st.integers(0, 2), min_size=8, max_size=8)
    return st.builds(clustered, problems(objectives=("fcbf",), most_features=8), groups)


def keeps_the_optimum(problem, reduced):
    before, after = optimum(problem), optimum(reduced.problem)
    assert (before.status, before.bound) == (after.status, after.bound)
    if after.sets is not None:
        sets = reduced.invert(after.sets)
        assert violations(problem, sets) == []
        assert problem_values.total(problem, sets) == before.bound


@settings(max_examples=300)
@given(
    problem=st.one_of(
        problems(objectives=("univariate", "fcbf", "mrmr")), clustered_problems(), constrained_problems()
    )
)
def test_preselection_keeps_the_optimum_where_it_applies(problem):
    reduced = preselect(problem)
    assert reduced.problem is problem or problem.objective != "mrmr"
    keeps_the_optimum(problem, reduced)


@settings(max_examples=150)
@given(problem=st.one_of(problems(SUMS, most_features=6), constrained_problems(SUMS, 6)), data=st.data())
def test_a_known_solution_leaves_all_that_are_as_good(problem, data):
    solutions = [tuple(family) for family in islice(families(problem), 2000)]
    if not solutions:
        return
    known = data.draw(st.sampled_from(solutions))
    kept = set(promising(problem, known).kept)
    worth = problem_values.total(problem, known)
    for sets in solutions:
        assert kept.issuperset(set().union(*sets)) or problem_values.total(problem, sets) < worth


@st.composite
def disjoint_problems(draw):
    n_sets, k = draw(st.sampled_from([(2, 1), (2, 2), (2, 3), (3, 2), (3, 1), (2, 4)]))
    n = n_sets * k + draw(st.integers(0, 2))
    previous = [tuple(range(n, n + k))] if draw(st.booleans()) and n + k <= 10 else []
    n += k * len(previous)
    quality = draw(st.lists(st.integers(-9, 30), min_size=n, max_size=n))
    return Instance(quality=quality, n_sets=n_sets, k=k, max_shared=0, aggregate="min", previous=previous)


@settings(max_examples=60)
@given(problem=disjoint_problems())
def test_disjoint_minimum_is_number_partitioning(problem):
    free = [j for j in problem_values.by_quality(problem) if not any(j in s for s in problem.previous)]
    kept = free[: problem.n_sets * problem.k]
    numbers = tuple(int(problem.quality[kept[0]] - problem.quality[j]) for j in kept)
    instance, most = NumberPartitioning(numbers, problem.n_sets), problem.k * int(problem.quality[kept[0]])
    assert most - least_largest_sum(instance) == optimum(problem).bound
    for parts in islice(all_partitions(len(numbers), problem.n_sets), 20):
        sets = [tuple(sorted(kept[i] for i in part)) for part in parts]
        assert violations(problem, sets) == []
        assert problem_values.total(problem, sets) == most - instance.value(parts)


small_numbers = st.lists(st.integers(-5, 12), min_size=6, max_size=6)


def transformations(instance):
    return [
        PartitioningProblem.of(instance),
        PartitioningProblem.of(instance, n_more=1),
        PartitioningProblem.of(instance, overlap=1),
    ]


@settings(max_examples=25)
@given(numbers=small_numbers, n_parts=st.sampled_from([2, 3]))
def test_hardness_yes_instances_are_those_whose_optimum_reaches_the_target(numbers, n_parts):
    instance = NumberPartitioning(numbers, n_parts)
    best = least_largest_sum(instance)
    for hard in transformations(instance):
        answer = optimum(hard.problem)
        for value in (best - 1, best, best + 1):
            assert (answer.bound >= hard.target(value)) == (best <= value)
        assert instance.value(hard.invert(answer.sets)) == best


@pytest.mark.parametrize("overlap", [2, 3])
def test_hardness_with_more_overlap_and_more_features(overlap):
    instance = NumberPartitioning((7, 5, 4, 4, 2, 1), 2)
    best = least_largest_sum(instance)
    hard = PartitioningProblem.of(instance, overlap=overlap)
    assert hard.problem.max_shared == overlap
    assert optimum(hard.problem).bound == hard.target(best)
    loose = PartitioningProblem.of(instance, n_more=overlap)
    assert optimum(loose.problem).bound == loose.target(best)


def test_hardness_solution_with_a_superfluous_feature_leads_back():
    """Feature 6 may stand in for a number of the part that does not decide."""
    instance = NumberPartitioning((9, 1, 1, 1, 1, 1), 2)
    hard = PartitioningProblem.of(instance, n_more=1)
    sets = [(0, 1, 2), (3, 4, 6)]
    assert violations(hard.problem, sets) == []
    parts = hard.invert(sets)
    assert parts == ((0, 1, 2), (3, 4, 5))
    assert hard.target(instance.value(parts)) >= problem_values.total(hard.problem, sets)


@settings(max_examples=20)
@given(numbers=st.lists(st.integers(1, 9), min_size=2, max_size=5))
def test_unbalanced_parts_of_any_size(numbers):
    """Multiprocessor scheduling: every assignment of the numbers to two parts, against padding by zeros."""
    n = len(numbers)
    best = min(
        max(sum(q for q, p in zip(numbers, where, strict=True) if p == part) for part in (0, 1))
        for where in {tuple((code >> i) & 1 for i in range(n)) for code in range(2**n)}
    )
    instance = unbalanced(numbers, 2)
    assert least_largest_sum(instance) == best
    hard = PartitioningProblem.of(instance)
    assert optimum(hard.problem).bound == hard.target(best)


def test_planted_instances_have_a_perfect_partition():
    for seed in range(5):
        instance = planted(3, 3, 40, seed)
        assert min(instance.numbers) >= 1
        assert least_largest_sum(instance) == 40
    assert planted(3, 3, 40, 1) == planted(3, 3, 40, 1) != planted(3, 3, 40, 2)
    with pytest.raises(InputError, match="part_sum"):
        planted(2, 5, 4)


@settings(max_examples=40)
@given(
    values=st.lists(st.integers(-9, 20), min_size=1, max_size=8).map(lambda v: sorted(v, reverse=True)),
    data=st.data(),
)
def test_subsets_come_in_order_and_are_complete(values, data):
    size = data.draw(st.integers(1, len(values)))
    listed = list(subsets_by_value(values, size))
    assert sorted(listed) == list(combinations(range(len(values)), size))
    sums = [sum(values[j] for j in members) for members in listed]
    assert sums == sorted(sums, reverse=True)


SMALL = {"quality": [9, 8, 7, 2, 1], "n_sets": 2, "k": 2, "max_shared": 1}


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({"conflicts": [(0, 1), (0, 2), (1, 2)]}, (0, 1, 3, 4)),  # enough better ones in the place of 2
        ({"conflicts": [(0, 1), (0, 2)]}, (0, 1, 2, 3, 4)),
        ({"conflicts": [(0, 1), (0, 2), (1, 2), (1, 3)]}, (0, 1, 2, 3, 4)),
        ({"conflicts": list(combinations(range(5), 2)), "k": 3}, (0, 1, 2)),  # no set is possible
        ({"n_sets": 1, "k": 1, "costs": [1, 2, 3, 4, 5]}, (0,)),
        ({"n_sets": 1, "k": 3, "groups": [Group((0, 1, 2), at_most=1)]}, (0, 3, 4)),
    ],
)
def test_which_features_are_kept(changes, kept):
    problem = Instance(**SMALL | {"objective": "fcbf"} | changes)
    reduced = preselect(problem)
    assert tuple(reduced.kept) == kept
    keeps_the_optimum(problem, reduced)


@settings(max_examples=60)
@given(problem=problems(objectives=("univariate",)))
def test_ranking_is_optimal_for_sum_and_minimum(problem):
    distinct = problem.replace(max_shared=problem.k - 1, conflicts=())
    for aggregate in ("sum", "min"):
        assert_agrees(Ranking(), distinct.replace(aggregate=aggregate))


def test_forbidden_features_change_no_choice_and_stay_where_too_few_would_remain():
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 9, (20, 20))
    np.fill_diagonal(pairs := pairs + pairs.T, 0)
    free = Instance(rng.integers(0, 9, 20), 3, 4, 2, "mrmr", pairs=pairs)
    for problem in (free, free.replace(n_sets=1)):
        assert choose_backend(problem.replace(forbidden=[0, 3]))[0].name == choose_backend(problem)[0].name
    few = Instance(quality=[3, 2, 1], n_sets=1, k=3, k_min=1, max_shared=3, forbidden=[0])
    assert optimum(reduce(few, "strengthened").problem).sets == ((1, 2),)
    assert reduce(few, "literal").problem is few
