"""The RC2 backend: optima, bounds on the way, limits."""

import numpy as np
import pytest

from pyfsel.backends import get_backend
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

RC2 = get_backend("rc2")


def test_a_problem_with_too_many_products_is_refused():
    n = 1100
    problem = Instance(
        quality=[1] * n,
        pairs=np.zeros((n, n), dtype=int),
        objective="mrmr",
        n_sets=1,
        k=2,
        max_shared=2,
    )
    with pytest.raises(InputError, match="products of features"):
        solve(problem, "rc2", search="simultaneous")
