"""Forced and forbidden features, groups, costs, least quality, size ranges: solvers against an oracle."""

import pytest
from conformance import optimum

from pyfsel import Group
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.reductions.interchange import interchangeable_classes
from pyfsel.results.verify import violations
from pyfsel.solving.solve import solve

QUALITY = (31, 7, 22, 15, 3, 40)
COSTS = (9, 1, 4, 3, 2, 8)


def problem(**changes):
    return Instance(**{"quality": QUALITY, "n_sets": 1, "k": 3, "max_shared": 3, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"forced": [6]}, "forced=6: must be an integer from 0 to 5"),
        ({"forced": [1, 1]}, r"forced: \[1, 1\] must be different features"),
        ({"forced": [0, 1, 2, 3]}, "forced: 4 features are more than k=3"),
        ({"forced": [0], "forbidden": [0, 1]}, r"forbidden: 'x0' must not be forced as well"),
        ({"forbidden": [0, 1, 2, 3]}, "forbidden: leaves 2 features, sets have 3"),
        ({"groups": [(0, 1)]}, r"groups\[0\]=\(0, 1\): must be a pyfsel.Group"),
        ({"groups": [Group(())]}, r"groups\[0\]: is empty"),
        ({"groups": [Group((0, 1), at_least=3)]}, r"groups\[0\].at_least=3: must be an integer from 0 to 2"),
        ({"groups": [Group((0, 1), 2, 1)]}, r"groups\[0\].at_most=1: must be an integer from 2 to 2"),
        ({"groups": [Group((0, 1), all_or_none=1)]}, "all_or_none=1: must be True or False"),
        ({"costs": [1, 2]}, r"costs: has shape \(2,\). Expected 6"),
        ({"costs": [0.5] * 6}, "costs: must be integers"),
        ({"budget": 3}, "budget=3: needs costs"),
        ({"costs": COSTS, "budget": 2.5}, "budget=2.5: must be an integer"),
        ({"costs": COSTS, "cost_scale": 0}, "cost_scale=0: must be a positive number"),
        ({"min_quality": "high"}, "min_quality='high': must be an integer"),
        ({"aggregate": "weighted", "sum_weight": 0}, "sum_weight=0: must be"),
        ({"shared_weight": 2}, "shared_weight=2, size_weight=None: go together"),
        ({"shared_weight": 2, "size_weight": 1}, "shared_weight=2: is for sets that differ in size"),
    ],
)
def test_errors_name_the_argument_its_value_and_what_is_allowed(changes, message):
    with pytest.raises(InputError, match=message):
        problem(**changes)


@pytest.mark.parametrize(
    ("changes", "members", "message"),
    [
        ({"forced": [4]}, (0, 2, 5), "set 0 lacks the forced feature x4"),
        ({"forbidden": [5]}, (0, 2, 5), "set 0 holds the forbidden feature x5"),
        (
            {"groups": [Group((0, 5), at_most=1)]},
            (0, 2, 5),
            "set 0 holds 2 features of group 0, must hold 0 to 1",
        ),
        ({"groups": [Group((1, 3), at_least=1)]}, (0, 2, 5), "must hold 1 to 2"),
        ({"groups": [Group((1, 5), all_or_none=True)]}, (0, 2, 5), "must hold all 2 or none"),
        ({"costs": COSTS, "budget": 20}, (0, 2, 5), "set 0 costs 21, the budget is 20"),
        ({"min_quality": 94}, (0, 2, 5), "set 0 has the value 93, must have at least 94"),
        (
            {"k_min": 1, "shared_weight": 4, "size_weight": 1, "previous": [(0, 1, 2)]},
            (0, 1),
            r"share 2 features \(x0, x1\), at most 1 is allowed",
        ),
    ],
)
def test_verification_says_what_is_broken(changes, members, message):
    (found,) = violations(problem(**changes), [members])
    assert message.replace("\\", "") in found


def test_only_features_that_no_constraint_tells_apart_are_interchangeable():
    plain = problem(n_sets=2, max_shared=1)
    assert interchangeable_classes(plain) == [[5, 0, 2, 3, 1, 4]]
    assert interchangeable_classes(plain.replace(forced=[2], forbidden=[1])) == [[5, 0, 3, 4], [2], [1]]
    by_cost = interchangeable_classes(plain.replace(costs=[1, 2, 1, 2, 2, 1], budget=4))
    assert by_cost == [[5, 0, 2], [3, 1, 4]]
    assert all(len(members) == 1 for members in interchangeable_classes(plain.replace(min_quality=50)))


@pytest.mark.parametrize("aggregate", ["sum", "min"])
@pytest.mark.parametrize("most", [43, 60, 75])
def test_qualities_as_costs_with_a_budget_are_an_upper_limit_on_each_set(aggregate, most):
    """One of the ways of paper 000, A.1, to balance sets."""
    limited = problem(n_sets=3, max_shared=1, aggregate=aggregate, costs=QUALITY, budget=most)
    answer = solve(limited, search="simultaneous")
    assert answer.integer_objective == optimum(limited)
    assert all(sum(QUALITY[j] for j in s) <= most for s in answer.sets)
