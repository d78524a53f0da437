"""The MiniZinc backends: optima, limits, and what they cannot do."""

import pytest
from hypothesis import given, settings
from small_problems import assert_agrees, problems

from pyfsel import Problem, Status, StopReason, solve
from pyfsel.backends import get_backend
from pyfsel.model_files import models_dir

GECODE = get_backend("minizinc:gecode")
SUM_OF_QUALITIES = ("univariate", "fcbf")


def test_is_installed():
    assert GECODE.missing() is None
    assert GECODE.version()


@pytest.mark.parametrize("formulation", GECODE.formulations)
@settings(max_examples=20, deadline=None, derandomize=True)
@given(problem=problems(objectives=SUM_OF_QUALITIES))
def test_agrees_with_brute_force(formulation, problem):
    assert_agrees(GECODE, problem, formulation=formulation)


@pytest.mark.parametrize("formulation", GECODE.formulations)
@pytest.mark.parametrize(
    ("quality", "set_size", "n_sets", "search", "aggregate", "expected"),
    [
        ([9, 8, 7, 3, 2, 1], 2, 3, "simultaneous", "sum", 48),
        ([9, 8, 7, 3, 2, 1], 2, 3, "simultaneous", "min", 15),
        ([9, 8, 7, 3, 2, 1], 2, 3, "sequential", "sum", 48),
        ([9, 8, 7, 3, 2, 1], 3, 2, "simultaneous", "min", 19),
        ([9, 8, 7, 3, 2, 1], 3, 2, "simultaneous", "sum", 38),
        ([9, 8, 7, 3, 2, 1], 3, 2, "sequential", "sum", 38),
        ([9, 8, 7, 3, 2, 1], 3, 3, "sequential", "sum", 50),
        ([9, 8, 7, 3, 2, 1], 3, 3, "simultaneous", "sum", 54),
        ([11, 10, 6, 5, 4, 1], 3, 2, "simultaneous", "min", 22),
    ],
)
def test_worked_examples(formulation, quality, set_size, n_sets, search, aggregate, expected):
    problem = Problem(quality=quality, n_sets=n_sets, set_size=set_size, max_overlap=1, aggregate=aggregate)
    result = solve(problem, "minizinc:gecode", search, formulation=formulation)
    assert result.status is Status.OPTIMAL
    assert result.objective == expected


@pytest.mark.parametrize(
    ("n_sets", "max_overlap", "aggregate"),
    [(6, 1, "sum"), (6, 2, "sum"), (6, 3, "sum"), (3, 1, "min"), (4, 2, "min"), (4, 3, "min")],
)
def test_breast_cancer_is_proved(n_sets, max_overlap, aggregate):
    problem = Problem.load(models_dir() / "data" / "breast_cancer.json").replace(
        n_sets=n_sets, max_overlap=max_overlap, aggregate=aggregate
    )
    result = solve(problem, "minizinc:gecode", time_limit=60, fallback=False)
    other = solve(problem, "cpsat", time_limit=60, fallback=False)
    assert (result.status, other.status) == (Status.OPTIMAL, Status.OPTIMAL)
    assert result.integer_objective == other.integer_objective


def test_numbers_beyond_32_bits_are_refused():
    problem = Problem(quality=[10**9, 5, 3], n_sets=2, set_size=2, max_overlap=2)
    assert "4000000000" in GECODE.unsupported(problem, "strengthened")
    largest = Problem(quality=[(2**31 - 2) // 4, -((2**31 - 2) // 4), 0], n_sets=2, set_size=2, max_overlap=1)
    assert GECODE.unsupported(largest, "strengthened") is None
    for aggregate in ("sum", "min"):
        for formulation in GECODE.formulations:
            assert_agrees(GECODE, largest.replace(aggregate=aggregate), formulation=formulation)


def test_mrmr_is_refused():
    problem = Problem(
        quality=[1, 2], n_sets=1, set_size=1, max_overlap=1, objective="mrmr", redundancy=[[0, 1], [1, 0]]
    )
    assert "mrmr" in GECODE.unsupported(problem, "strengthened")


@pytest.mark.parametrize("seconds", [0.001, 0.15, 1.0])
def test_a_time_limit_is_truthful(seconds):
    quality = [60000 + 997 * ((7 * j) % 31) - 1500 * j for j in range(30)]
    problem = Problem(quality=quality, n_sets=6, set_size=5, max_overlap=2, aggregate="min")
    result = solve(problem, "minizinc:gecode", time_limit=seconds, formulation="literal", fallback=False)
    assert result.status is Status.FEASIBLE
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.bound is None
    assert result.runtime < seconds + 3
