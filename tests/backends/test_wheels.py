"""Solvers of Python packages as programs, where the packages are installed."""

import pytest

from pyfsel.backends import get_backend
from pyfsel.backends.maxsat.program import WHEELS
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

NAMES = {f"maxsat:{name}-wheel": package for name, (package, _) in WHEELS.items()}


@pytest.mark.parametrize("name", NAMES)
def test_it_proves_what_is_best_or_impossible(name):
    pytest.importorskip(NAMES[name])
    assert get_backend(name).missing() is None
    problem = Instance([9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    best = solve(problem, "brute-force", search="simultaneous")
    result = solve(problem, name, search="simultaneous", time_limit=30)
    assert (str(result.status), result.objective) == ("OPTIMAL", best.objective), result.message
    none = solve(problem.replace(n_sets=4, max_shared=0), name, search="simultaneous", time_limit=30)
    assert str(none.status) == "INFEASIBLE"
