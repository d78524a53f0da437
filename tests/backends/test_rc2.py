"""The RC2 backend: optima, bounds on the way, limits."""

import numpy as np
import pytest
from small_problems import PROBLEM

from pyfsel.backends import get_backend
from pyfsel.errors import InputError
from pyfsel.model import dual_values
from pyfsel.problem.instance import Instance
from pyfsel.results.control import Control
from pyfsel.solving.solve import solve


def test_few_features_need_no_linear_program(monkeypatch):
    monkeypatch.delattr(dual_values, "_duals")
    assert get_backend("rc2").solve(PROBLEM, Control()).bound == 48


def test_a_problem_with_too_many_products_is_refused():
    n = 1100
    problem = Instance([1] * n, 1, 2, 2, "mrmr", pairs=np.zeros((n, n), dtype=int))
    with pytest.raises(InputError, match="products of features"):
        solve(problem, "rc2", search="simultaneous")
