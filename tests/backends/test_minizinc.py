"""The MiniZinc backends: optima, limits, and what they cannot do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import assert_agrees, problems, without_rules

from pyfsel import Status
from pyfsel.backends import get_backend
from pyfsel.backends.minizinc.catalogue import CATALOGUE, POOL, POOL_PACKING
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import OBJECTIVES, taken_by
from pyfsel.results.answer import StopReason
from pyfsel.results.control import TIGHT_BIG_M
from pyfsel.solving.solve import solve

GECODE = get_backend("minizinc:gecode")


def test_is_installed():
    assert GECODE.missing() is None
    assert GECODE.version()


@st.composite
def problems_for(draw, formulation):
    of_model = "strengthened" if formulation == "propagation" else formulation  # the same models
    objectives = taken_by({o for m in CATALOGUE if m.formulation == of_model for o in m.objectives})
    problem = draw(problems(objectives=objectives))
    if formulation == "partition":
        problem = problem.replace(max_overlap=0)
    if formulation.startswith("patterns"):
        problem = without_rules(problem)
    if formulation == "counts" or formulation.startswith("patterns"):
        problem = problem.replace(aggregate="sum", n_sets=max(2, problem.n_sets))
    if OBJECTIVES[problem.objective].has_pairs and problem.min_set_size is not None:
        one_size = formulation in (TIGHT_BIG_M, "pairs", POOL, POOL_PACKING)
        problem = problem.replace(**({"min_set_size": None} if one_size else {"n_sets": 1}))
    assert GECODE.refusal(problem, formulation) is None
    return problem


@pytest.mark.slow
@pytest.mark.parametrize("formulation", GECODE.formulations)
@settings(max_examples=2)
@given(data=st.data())
def test_every_formulation_agrees_with_brute_force(formulation, data):
    assert_agrees(GECODE, data.draw(problems_for(formulation)), formulation=formulation)


@pytest.mark.parametrize(
    ("n_sets", "max_overlap", "aggregate"),
    [(6, 1, "sum"), (6, 2, "sum"), (6, 3, "sum"), (3, 1, "min"), (4, 2, "min"), (4, 3, "min")],
)
def test_breast_cancer_is_proved(n_sets, max_overlap, aggregate):
    problem = Instance.load(models_dir() / "data" / "breast_cancer.json").replace(
        n_sets=n_sets, max_overlap=max_overlap, aggregate=aggregate
    )
    result = solve(problem, "minizinc:gecode", time_limit=60, fallback=False, search="simultaneous")
    other = solve(problem, "cpsat", time_limit=60, fallback=False, search="simultaneous")
    assert (result.status, other.status) == (Status.OPTIMAL, Status.OPTIMAL)
    assert result.integer_objective == other.integer_objective


def test_numbers_beyond_32_bits_are_refused():
    problem = Instance(quality=[10**9, 5, 3], n_sets=2, set_size=2, max_overlap=2)
    assert "4000000000" in GECODE.unsupported(problem, "strengthened")
    largest = Instance(
        quality=[(2**31 - 2) // 4, -((2**31 - 2) // 4), 0], n_sets=2, set_size=2, max_overlap=1
    )
    assert GECODE.unsupported(largest, "strengthened") is None
    for aggregate in ("sum", "min"):
        taking = [
            f for f in GECODE.formulations if GECODE.refusal(largest.replace(aggregate=aggregate), f) is None
        ]
        assert {"strengthened", "literal", "sets", "pool"} <= set(taking)
        for formulation in taking:
            assert_agrees(GECODE, largest.replace(aggregate=aggregate), formulation=formulation)


@pytest.mark.parametrize(
    ("formulation", "changes", "reason"),
    [
        ("pairs", {}, "no pairs model for objective univariate"),
        ("counts", {"aggregate": "min"}, "no counts model for objective univariate, aggregate min"),
        ("counts", {"n_sets": 1}, "several sets"),
        ("partition", {}, "disjoint sets"),
        ("pool", {"quality": range(80), "set_size": 40, "feature_names": ()}, "possible sets"),
    ],
)
def test_formulations_say_what_they_do_not_take(formulation, changes, reason):
    problem = Instance(quality=range(8), n_sets=2, set_size=3, max_overlap=1).replace(**changes)
    assert reason in GECODE.refusal(problem, formulation)


def test_partition_counts_the_load_of_features_that_no_set_holds():
    q = [2**30] * 8
    problem = Instance(
        quality=q, n_sets=1, set_size=1, max_overlap=0, conflicts=[(0, j) for j in range(1, 8)]
    )
    assert GECODE.refusal(problem, "literal") is None
    assert str(2**33) in GECODE.refusal(problem, "partition")


@pytest.mark.parametrize("seconds", [0.001, 0.15, 0.5])
def test_a_time_limit_is_truthful(seconds):
    quality = [60000 + 997 * ((7 * j) % 31) - 1500 * j for j in range(30)]
    problem = Instance(quality=quality, n_sets=6, set_size=5, max_overlap=2, aggregate="min")
    result = solve(
        problem,
        "minizinc:gecode",
        time_limit=seconds,
        formulation="literal",
        fallback=False,
        search="simultaneous",
    )
    assert result.status is Status.FEASIBLE
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.bound is None
    assert result.runtime < seconds + 3


def test_limits_beyond_the_integers_of_a_solver_are_cut_to_what_matters():
    problem = Instance(
        quality=[3, 2], n_sets=1, set_size=1, max_overlap=1, costs=[5, 1], min_quality=-(2**50)
    )
    assert solve(problem.replace(budget=2**50), "minizinc:gecode", search="simultaneous").sets == ((0,),)
    assert (
        solve(problem.replace(budget=-(2**50)), "minizinc:gecode", search="simultaneous").status
        is Status.INFEASIBLE
    )
    dear = problem.replace(costs=[2**40, 1], budget=5)
    assert "a cost can reach" in get_backend("minizinc:gecode").refusal(dear, "strengthened")
    large = Instance(
        [9 * 10**8, 7 * 10**8, 3 * 10**8], n_sets=1, set_size=1, max_overlap=1, min_quality=-(10**9)
    )
    assert "can reach" in get_backend("minizinc:gecode").refusal(large, "strengthened")


def test_sums_beyond_the_integers_of_gecode_are_refused():
    problem = Instance(quality=[10**9 + j for j in range(10)], n_sets=1, set_size=1, max_overlap=1)
    with pytest.raises(InputError, match="beyond the integers of Gecode; use smaller scales"):
        solve(problem, GECODE, formulation="literal", search="simultaneous")
