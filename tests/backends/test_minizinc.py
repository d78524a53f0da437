"""The MiniZinc backends: optima, limits, and what they cannot do."""

import pytest
from small_problems import assert_agrees

from pyfsel import Status
from pyfsel.backends import get_backend
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

GECODE = get_backend("minizinc:gecode")


def test_numbers_beyond_32_bits_are_refused():
    problem = Instance(quality=[10**9, 5, 3], n_sets=2, k=2, max_shared=2)
    assert "4000000000" in GECODE.unsupported(problem, "strengthened")
    largest = Instance(quality=[(2**31 - 2) // 4, -((2**31 - 2) // 4), 0], n_sets=2, k=2, max_shared=1)
    assert GECODE.unsupported(largest, "strengthened") is None
    for aggregate in ("sum", "min"):
        taking = [
            f for f in GECODE.formulations if GECODE.refusal(largest.replace(aggregate=aggregate), f) is None
        ]
        assert {"strengthened", "literal", "sets"} <= set(taking)
        for formulation in taking:
            assert_agrees(GECODE, largest.replace(aggregate=aggregate), formulation=formulation)


@pytest.mark.parametrize(
    ("formulation", "changes", "reason"),
    [
        ("pairs", {}, "no pairs model for objective univariate"),
        ("counts", {"aggregate": "min"}, "no counts model for objective univariate, aggregate min"),
        ("counts", {"n_sets": 1}, "several sets"),
        ("partition", {}, "disjoint sets"),
        ("patterns", {"conflicts": ((0, 1),)}, "differ in quality only"),
        ("patterns-alone", {"n_sets": 11}, "not 11"),
    ],
)
def test_formulations_say_what_they_do_not_take(formulation, changes, reason):
    problem = Instance(quality=range(8), n_sets=2, k=3, max_shared=1).replace(**changes)
    assert reason in GECODE.refusal(problem, formulation)


def test_partition_counts_the_load_of_features_that_no_set_holds():
    q = [2**30] * 8
    problem = Instance(quality=q, n_sets=1, k=1, max_shared=0, conflicts=[(0, j) for j in range(1, 8)])
    assert GECODE.refusal(problem, "literal") is None
    assert str(2**33) in GECODE.refusal(problem, "partition")


def test_limits_beyond_the_integers_of_a_solver_are_cut_to_what_matters():
    problem = Instance(quality=[3, 2], n_sets=1, k=1, max_shared=1, costs=[5, 1], min_quality=-(2**50))
    assert solve(problem.replace(budget=2**50), "minizinc:gecode", search="simultaneous").sets == ((0,),)
    assert (
        solve(problem.replace(budget=-(2**50)), "minizinc:gecode", search="simultaneous").status
        is Status.INFEASIBLE
    )
    dear = problem.replace(costs=[2**40, 1], budget=5)
    assert "a cost can reach" in get_backend("minizinc:gecode").refusal(dear, "strengthened")
    large = Instance([9 * 10**8, 7 * 10**8, 3 * 10**8], n_sets=1, k=1, max_shared=1, min_quality=-(10**9))
    assert "can reach" in get_backend("minizinc:gecode").refusal(large, "strengthened")
