"""Many problems, one process per backend."""

import psutil
import pytest

from pyfsel import Problem, Status, solve
from pyfsel.solving.sessions import SessionPool

PROBLEM = Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1)


def offspring():
    return {process.pid for process in psutil.Process().children(recursive=True)}


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_processes_stay_until_the_pool_is_closed(search):
    before = offspring()
    with SessionPool() as pool:
        first = solve(PROBLEM, "cpsat", search, sessions=pool)
        started = offspring() - before
        second = solve(PROBLEM.replace(max_overlap=0), "cpsat", search, sessions=pool)
        assert started
        assert offspring() - before == started
    assert not offspring() & started
    assert (first.status, first.objective) == (Status.OPTIMAL, 48)
    assert (second.status, second.objective) == (Status.OPTIMAL, 30)
