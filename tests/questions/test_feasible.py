"""What is proposed instead of the impossible, against brute force."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_problems import with_rules

from pyfsel import Group, Status
from pyfsel.backends import get_backend
from pyfsel.problem.dissimilarity import largest_tau_for, max_overlap_for
from pyfsel.problem.instance import Instance
from pyfsel.problem.linear_rows import resized
from pyfsel.problem.make import make_instance
from pyfsel.questions.feasible import feasible_choices
from pyfsel.results.control import Control


def is_feasible(problem):
    return get_backend("brute-force").solve(problem, Control()).status is Status.OPTIMAL


@pytest.mark.parametrize("dissimilarity", ["dice", "jaccard"])
def test_the_largest_threshold_gives_its_overlap_back(dissimilarity):
    for size in range(1, 31):
        for shared in range(size + 1):
            tau = float(largest_tau_for(size, shared, dissimilarity))
            assert max_overlap_for(size, tau, dissimilarity) == shared
            if tau < 1:
                assert max_overlap_for(size, tau + 1e-5, dissimilarity) < shared or shared == 0


@settings(max_examples=25)
@given(st.data())
def test_choices_are_the_largest(data):
    n = data.draw(st.integers(2, 6))
    k = data.draw(st.integers(1, min(n, 3)))
    tau = data.draw(st.sampled_from([0.2, 0.5, 1.0]))
    pairs = list(combinations(range(n), 2))
    problem = Instance(
        quality=np.arange(n),
        n_sets=data.draw(st.integers(1, 4)),
        k=k,
        max_shared=max_overlap_for(k, tau),
        conflicts=data.draw(st.lists(st.sampled_from(pairs), max_size=5)),
    )
    assume(not is_feasible(problem))
    choices = feasible_choices(problem, tau)
    numbers = [m for m in range(1, problem.n_sets) if is_feasible(problem.replace(n_sets=m))]
    assert choices.n_sets == max(numbers, default=None)
    overlaps = [m for m in range(k + 1) if is_feasible(problem.replace(max_shared=m))]
    assert (choices.tau is None) == (not overlaps)
    if choices.tau is not None:
        assert max_overlap_for(k, choices.tau) == min(overlaps)
    sizes = [s for s in range(1, k) if is_feasible(problem.replace(k=s, max_shared=max_overlap_for(s, tau)))]
    assert choices.k == max(sizes, default=None)


@pytest.mark.parametrize(
    ("asked", "size", "without"),
    [
        ({"forced": [0, 1], "n_sets": 2}, None, ("forced",)),
        ({"forced": [0], "costs": [3] * 5, "budget": 5}, 1, ("budget",)),
        ({"forbidden": [0, 1, 2], "groups": [Group((3, 4), at_most=1)]}, 1, ("forbidden", "groups")),
        ({"groups": [Group((0, 1, 2, 3, 4), at_most=1)]}, 1, ("groups",)),
        ({"k": (3, 3), "n_sets": 2}, 2, ()),
        ({"min_quality": 10}, None, ("min_quality",)),
        ({"k": (1, 2), "forced": [4], "min_quality": 10}, None, ("min_quality",)),
    ],
)
def test_side_constraints_that_stand_in_the_way(asked, size, without):
    problem = make_instance([5, 4, 3, 2, 1], **with_rules(**{"k": 2, "dissimilarity": 1} | asked))
    assert not is_feasible(problem)
    choices = feasible_choices(problem, tau=1)
    assert choices.k == size
    assert choices.without == without


@settings(max_examples=30)
@given(st.data())
def test_a_least_quality_keeps_its_meaning_at_another_size(data):
    k, other = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    least = data.draw(st.integers(-30, 30))
    redundancy = np.zeros((5, 5), dtype=int)
    problem = Instance(np.arange(5), 1, k, k, "mrmr", pairs=redundancy, min_quality=least)
    changed = resized(problem, other, max_shared=other)
    factor, new = max(1, k * (k - 1)), max(1, other * (other - 1))
    for value in range(-400, 400):
        reaches = value * factor >= least * new
        assert value >= changed.min_quality or not reaches
        if k == other:
            assert (value >= changed.min_quality) == reaches
