"""The RC2 backend: optima, bounds on the way, limits."""

import numpy as np
import pytest

from pyfsel import Status
from pyfsel.backends import get_backend
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.results.control import Control
from pyfsel.solving.solve import solve

RC2 = get_backend("rc2")
BREAST_CANCER_LIKE = [
    60000 + 997 * ((7 * j) % 31) - 1500 * j for j in range(30)
]  # distinct, falling on the whole


def test_bounds_fall_and_stay_valid():
    problem = Instance(quality=BREAST_CANCER_LIKE[:10], n_sets=2, k=3, max_shared=1)
    bounds = []
    answer = RC2.solve(problem, Control(report_bound=bounds.append, formulation="literal"))
    assert answer.status is Status.OPTIMAL
    assert len(bounds) > 2
    assert bounds[0] == 2 * sum(BREAST_CANCER_LIKE[:10])
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] >= answer.bound


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
