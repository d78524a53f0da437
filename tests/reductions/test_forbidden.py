"""Forbidden features are left out before a backend sees the problem."""

import numpy as np

from pyfsel import Group, Status
from pyfsel.backends.choose import choose_backend
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.reductions import reduce
from pyfsel.reductions.restriction import WithoutForbidden
from pyfsel.solving.solve import solve


def test_forbidden_features_do_not_change_the_backend():
    rng = np.random.default_rng(0)
    q, r = rng.random(20), rng.random((20, 20))
    free = make_instance(q, r, k=4, n_sets=3, dissimilarity=0.5, objective="mrmr")
    for problem in (free, free.replace(n_sets=1)):
        assert choose_backend(problem.replace(forbidden=[0, 3]))[0].name == choose_backend(problem)[0].name
    several = solve(free.replace(forbidden=[0, 3]), search="sequential")
    assert several.backend == "ksubgraph"
    assert several.status is Status.OPTIMAL
    assert not {0, 3} & {j for members in several.sets for j in members}


def test_what_else_there_is_keeps_its_meaning():
    problem = Instance(
        quality=[9, 8, 7, 6, 5, 4, 3],
        n_sets=1,
        k=2,
        max_shared=1,
        forbidden=[0, 2, 5],
        previous=[(0, 1)],
        forced=[6],
        groups=[Group((2, 3), at_most=1), Group((4, 6), all_or_none=True)],
        costs=[1, 2, 3, 4, 5, 6, 7],
        budget=20,
    )
    reduction = reduce(problem, "strengthened")
    reduced = reduction.problem
    assert reduction.kept == (0, 1, 3, 4, 6)
    assert (reduced.forbidden, reduced.forced, reduced.previous) == ((0,), (4,), ((0, 1),))
    assert [group.features for group in reduced.groups] == [(2,), (3, 4)]
    assert reduced.costs.tolist() == [1, 2, 4, 5, 7]
    assert reduced.names_of((4,)) == ["x6"]
    assert reduction.invert([(3, 4)]) == [(4, 6)]
    assert solve(problem, search="simultaneous").sets == ((4, 6),)


def test_nothing_is_left_out_where_too_few_features_would_remain():
    problem = Instance(quality=[3, 2, 1], n_sets=1, k=3, k_min=1, max_shared=3, forbidden=[0])
    assert "leaves 2 features" in WithoutForbidden.applies(problem)
    assert solve(problem, "cpsat", search="simultaneous").sets == ((1, 2),)
    assert reduce(problem, "literal").problem is problem
