"""Side constraints as users give them: from names and floats to the sets that are found."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_problems import with_rules

from pyfsel import Group, InputError
from pyfsel.interface.said import question_facts
from pyfsel.problem import values as problem_values
from pyfsel.problem.dissimilarity import DISSIMILARITIES, max_overlap_for, may_stand_together, overlap_rule
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import least_value, make_instance
from pyfsel.problem.names import feature_numbers
from pyfsel.problem.quantise import quantise_costs
from pyfsel.problem.rules import Constraints
from pyfsel.solving.solve import solve

NAMES = ("age", "lab_iron", "lab_sodium", "weight, kg", "pulse")
QUALITY = [5, 4, 3, 2, 1]


def best(**asked):
    problem = make_instance(QUALITY, feature_names=NAMES, **with_rules(**{"k": 2} | asked))
    sets = solve(problem, "brute-force", search="simultaneous").sets
    return [set(problem.names_of(one)) for one in sets]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"forced": [4]}, {"age", "pulse"}),
        ({"forbidden": ["age", 1]}, {"lab_sodium", "weight, kg"}),
        ({"groups": [Group(["age", "pulse"], all_or_none=True)]}, {"lab_iron", "lab_sodium"}),
        ({"groups": [Group(["lab_*"], all_or_none=True)], "k": 3}, {"age", "lab_iron", "lab_sodium"}),
        ({"groups": [Group(["lab_*"], all_or_none=True)], "k": 1}, {"age"}),
        ({"costs": {"age": 0.7, "lab_*": 0.2, 3: 0, "pulse": 0}, "budget": 0.7}, {"age", "weight, kg"}),
    ],
)
def test_from_names_to_sets(asked, expected):
    assert best(**asked) == [expected]


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"forbidden": ["Lab_iron"]}, "Did you mean 'lab_iron'"),
        ({"forced": ["zzz"]}, "'zzz' is not a feature[.]$"),
        ({"forced": "age"}, "forced='age': must be a list"),
        ({"forced": [5]}, "forced=5: must be an integer from 0 to 4"),
        ({"groups": [Group(("agee",))]}, "groups\\[0\\]: 'agee' is not a feature"),
        ({"groups": [Group(("age",), at_most=2)]}, "at_most=2"),
        ({"costs": {"age": 1, "pulse": 1}}, "costs: lack 'lab_iron', 'lab_sodium', 'weight, kg'$"),
        ({"costs": {"age": 1, "*": 1}}, "'age' has more than one"),
        ({"costs": {"age": "much"}}, "costs\\['age'\\]='much': must be a finite number"),
        ({"costs": [1, 1, 1, 1, np.nan], "budget": 1}, "costs: is nan"),
        ({"costs": [1, 1, 1, 1, 1 / 3], "budget": 1}, "at most|more than 6 decimals"),
        ({"costs": [1, 1, 1, 1, 1e17], "budget": 1}, "too large"),
        ({"costs": [1] * 4}, "costs: has shape"),
        ({"costs": [1] * 5, "budget": "ten"}, "budget='ten'"),
        ({"min_quality": float("inf")}, "min_quality=inf"),
        ({"k": (3, 2)}, r"k=\(3, 2\): is not a range. Expected \(minimum, maximum\)"),
    ],
)
def test_what_is_wrong_is_named(asked, named):
    with pytest.raises(InputError, match=named):
        best(**asked)


def test_a_minimum_quality_beyond_all_integers_is_one_as_others():
    assert best(min_quality=-1e300) == best()
    assert not best(min_quality=1e300)


def test_a_name_with_a_star_is_itself():
    assert feature_numbers("forced", ["a*"], ["ab", "a*", "ac"]) == (1,)
    assert feature_numbers("forced", ["a*", "ab"], ["ab", "c", "ac"]) == (0, 2)


@given(st.fractions(0, 1, max_denominator=50), st.integers(1, 12), st.integers(1, 12), st.data())
def test_factors_say_what_the_definitions_say(tau, size, other, data):
    shared = data.draw(st.integers(0, min(size, other)))
    n = size + other - shared + data.draw(st.integers(0, 9))
    defined = {
        "dice": 1 - Fraction(2 * shared, size + other),
        "jaccard": 1 - Fraction(shared, size + other - shared),
        "overlap": 1 - Fraction(shared, min(size, other)),
        "hamming": Fraction(size + other - 2 * shared, n),
    }
    assert defined.keys() == DISSIMILARITIES.keys()
    for kind, dissimilarity in defined.items():
        assert DISSIMILARITIES[kind].value(shared, size, other, n) == dissimilarity
        rule = overlap_rule(float(tau), kind, n)
        asked = {"n_sets": 2, "k": 12, "k_min": 1, "max_shared": 12, **rule.fields()}
        sets = range(size), range(size - shared, size - shared + other)
        assert may_stand_together(Instance([1] * max(n, 12), **asked), *sets) == (dissimilarity >= tau)
        assert (shared <= rule.most_shared(size, other)) == (dissimilarity >= tau)
        if size == other and rule.most_shared(size, size) >= 0:
            assert (shared <= max_overlap_for(size, float(tau), kind, n)) == (dissimilarity >= tau)


@given(st.lists(st.decimals(-1000, 1000, places=6), min_size=1, max_size=5))
def test_costs_are_exact(costs):
    integers, scale = quantise_costs(np.array([float(cost) for cost in costs]))
    assert [Fraction(int(cost)) / Fraction(scale) for cost in integers] == [Fraction(c) for c in costs]
    if scale > 1:
        assert any(int(cost) % 10 for cost in integers)


@pytest.mark.parametrize("objective", ["univariate", "mrmr"])
@pytest.mark.parametrize("scale", [None, 10.0, 1000.0])
def test_no_set_that_has_the_least_quality_is_excluded(objective, scale):
    rng = np.random.default_rng(0)
    for n, k in ((2, 1), (4, 2), (6, 3)) * 4:
        upper = np.triu(rng.random((n, n)), 1)
        problem = make_instance(rng.uniform(-1, 1, n), upper + upper.T, k=k, objective=objective, scale=scale)
        sets = list(combinations(range(n), k))
        qualities = np.array(problem_values.qualities(problem, sets))
        values = problem_values.values(problem, sets)
        loss = problem_values.set_rounding_loss(problem)
        for wanted in qualities:
            least = least_value(problem, wanted)
            assert values[qualities >= wanted].min() >= least
            assert (values[qualities < wanted - 2 * loss - 1e-6] < least).all()


@pytest.mark.parametrize("budget", [12, 12.5, 12.999_999_999])
def test_a_budget_counts_in_the_decimals_of_the_costs(budget):
    problem = make_instance([3, 2, 1], k=2, constraints=Constraints(costs=[5, 7, 8], budget=budget))
    assert (problem.budget, problem.cost_scale, problem.costs.tolist()) == (12, 1, [5, 7, 8])
    assert "costs at most 12" in str(question_facts(solve(problem, "brute-force", search="simultaneous")))
