"""Forbidden features are left out before a backend sees the problem."""

import numpy as np

from pyfsel.backends.choose import choose_backend
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.reductions import reduce
from pyfsel.solving.solve import solve


def test_forbidden_features_do_not_change_the_backend():
    rng = np.random.default_rng(0)
    q, r = rng.random(20), rng.random((20, 20))
    free = make_instance(q, r, k=4, n_sets=3, dissimilarity=0.5, objective="mrmr")
    for problem in (free, free.replace(n_sets=1)):
        assert choose_backend(problem.replace(forbidden=[0, 3]))[0].name == choose_backend(problem)[0].name


def test_nothing_is_left_out_where_too_few_features_would_remain():
    problem = Instance(quality=[3, 2, 1], n_sets=1, k=3, k_min=1, max_shared=3, forbidden=[0])
    assert solve(problem, "cpsat", search="simultaneous").sets == ((1, 2),)
    assert reduce(problem, "literal").problem is problem
