"""CP-SAT: every formulation against brute force, hard instances, limits, statuses."""

import pytest
from ortools.sat.python import cp_model
from small_problems import answer_of

from pyfsel.backends.by_model import CpSat
from pyfsel.errors import SolverError
from pyfsel.problem.instance import Instance
from pyfsel.reductions.interchange import prefix_limits
from pyfsel.results.backend_answer import Status
from pyfsel.results.control import Control, Limits


def test_unknown_native_status_raises(monkeypatch):
    monkeypatch.setattr(cp_model.CpSolver, "solve", lambda self, model, listener: cp_model.MODEL_INVALID)
    with pytest.raises(SolverError, match="MODEL_INVALID"):
        CpSat().solve(Instance(quality=[1, 2], n_sets=1, k=1, max_shared=1), Control())


def test_prefix_limits_count_pairs_exactly_where_they_are_tight():
    # the Fano plane: seven triples on seven points, any two share one point
    assert prefix_limits(7, n_sets=7, k=3, max_shared=1)[-1] == 21
    assert prefix_limits(7, n_sets=8, k=3, max_shared=1)[-1] < 24


def test_bounds_of_huge_numbers_are_safe():
    """CP-SAT says -100000000000.00008 here."""
    quality = [-(10**10), -(10**11), -(10**4), -(10**12), 10**10, 10**4]
    problem = Instance(quality=quality, n_sets=1, k=5, max_shared=4)
    bounds = []
    assert CpSat().solve(problem, Control(report_bound=bounds.append)).bound == -(10**11)
    assert min(bounds) >= -(10**11)


@pytest.mark.parametrize("formulation", CpSat.formulations)
def test_a_budget_that_is_just_kept_loses_no_solution(formulation):
    for unit in (2**30, 2**50 - 3):
        costs = [unit, 1, unit, unit - 3, 1]
        problem = Instance(
            quality=[1, 0, 0, 0, 0], n_sets=2, k=2, max_shared=1, costs=costs, budget=2 * unit - 3
        )
        for seed in range(4):
            answer = answer_of(
                CpSat(), problem, formulation=formulation, limits=Limits.starting_now(None, seed)
            )
            assert (answer.status, answer.bound) == (Status.OPTIMAL, 2)
