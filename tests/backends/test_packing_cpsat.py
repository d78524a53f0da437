"""Packing and CP-SAT in turn: each alone gives the answer that the other would."""

from hypothesis import given, settings
from small_problems import assert_agrees, problems, random_problem

from pyfsel.backends.turns.packing_cpsat import CPSAT_SECONDS, PackingCpSat
from pyfsel.results.answer import Status
from pyfsel.results.control import Control


@settings(max_examples=50, deadline=None, derandomize=True)
@given(problems())
def test_packing_alone_agrees_with_brute_force(problem):
    assert_agrees(PackingCpSat(), problem)


def test_cpsat_goes_on_where_packing_ran_out_of_time(monkeypatch):
    problem = random_problem(3, n_sets=4, max_overlap=1, aggregate="min")
    monkeypatch.setattr(PackingCpSat, "seconds", (1e9, CPSAT_SECONDS))
    whole = PackingCpSat().solve(problem, Control())
    monkeypatch.setattr(PackingCpSat, "seconds", (-1.0, CPSAT_SECONDS))
    control = Control()
    rest = PackingCpSat().solve(problem, control)
    assert whole.status is rest.status is Status.OPTIMAL
    assert whole.bound == rest.bound
    assert "conflicts" in rest.statistics
    assert "conflicts" not in whole.statistics
    assert control.compile_seconds > 0
