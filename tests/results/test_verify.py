"""The independent check: what it says about sets, good and bad, and of any type."""

import numpy as np
import pytest
from conformance import is_solution
from hypothesis import given
from hypothesis import strategies as st

from pyfsel import Constraints, Problem, check
from pyfsel.problem.instance import Instance
from pyfsel.results.verify import violations

PROBLEM = Instance(
    quality=[5, 4, 3, 2, 1], n_sets=2, k=2, max_shared=1, conflicts=[(0, 4)], previous=[(2, 3)]
)


@pytest.mark.parametrize(
    "sets", [[(0, 1), (1, 2)], [[1, 0], {2, 1}], np.array([[0, 1], [1, 2]]), ((0, 1), (np.int8(1), 2))]
)
def test_valid_sets_in_any_container(sets):
    assert violations(PROBLEM, sets) == []


@pytest.mark.parametrize(
    ("sets", "sentences"),
    [
        ([(0, 1)], ["1 set given, the problem asks for 2"]),
        ([], ["0 sets given, the problem asks for 2"]),
        ([(0, 1), (1, 0)], ["sets 0 and 1 share 2 features (x0, x1), at most 1 is allowed"]),
        ([(0, 1), (3, 2)], ["set 1 and previous set 0 share 2 features (x2, x3), at most 1 is allowed"]),
        ([(0, 4), (1, 2)], ["set 0 holds the conflicting features x0 and x4"]),
        ([(0, 5), (1, 2)], ["set 0 holds [5], features are numbered 0 to 4"]),
        ([(0, 1.0), (1, 2)], ["set 0 holds [1.0], features are numbered 0 to 4"]),
        ([(0, True), (1, 2)], ["set 0 holds [True], features are numbered 0 to 4"]),
        ([(0, [1]), (1, 2)], ["set 0 holds [[1]], features are numbered 0 to 4"]),
        ([(1, 1), (1, 2)], ["set 0 holds a feature twice: x1, x1"]),
        (
            [(0, 1, 2), (1, 2)],
            ["set 0 has 3 features, must have 2", "sets 0 and 1 share 2 features (x1, x2)"],
        ),
        (
            [(0, 4, 4), (9,)],
            ["conflicting features x0 and x4", "twice", "has 3 features", "holds [9]", "has 1 feature,"],
        ),
    ],
)
def test_each_violation_is_one_sentence(sets, sentences):
    found = violations(PROBLEM, sets)
    assert len(found) == len(sentences)
    for sentence in sentences:
        assert sum(sentence in line for line in found) == 1


@pytest.mark.parametrize("sets", [5, [5, 6], None, [None, (0, 1)]])
def test_what_is_no_list_of_sets(sets):
    assert violations(PROBLEM, sets) == [f"{sets!r} is not a sequence of feature sets"]


@given(
    sets=st.lists(st.lists(st.integers(-1, 5), min_size=1, max_size=3), min_size=1, max_size=3),
    overlap=st.integers(0, 2),
)
def test_agrees_with_the_definition(sets, overlap):
    problem = PROBLEM.replace(max_shared=overlap)
    assert (violations(problem, sets) == []) == is_solution(problem, sets)


def test_violations_are_in_the_names_and_units_of_the_user():
    rules = Constraints(costs=[1.5, 2, 3, 0.5, 1, 1], budget=5.5, min_quality=20.75)
    problem = Problem(
        [9.5, 8, 7, 3, 2, 1], k=3, n_sets=2, dissimilarity=0.5, names=list("abcdef"), constraints=rules
    )
    assert check(problem, [["a", "b", "c"], ["a", "b", "d"]]) == [
        "set 0 costs 6.5, the budget is 5.5",
        "set 1 has the value 20.5, must have at least 20.75",
        "sets 0 and 1 share 2 features (a, b), at most 1 is allowed",
    ]
