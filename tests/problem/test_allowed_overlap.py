"""One rule of allowed overlap, for sets of several sizes and by four measures."""

from itertools import product

import pytest

from pyfsel.problem.dissimilarity import DISSIMILARITIES, overlap_rule
from pyfsel.problem.instance import Instance
from pyfsel.problem.overlap import may_be_equal, may_stand_together, previous_limits, shared_limit


@pytest.mark.parametrize("measure", DISSIMILARITIES)
def test_the_limit_is_the_largest_overlap_that_is_dissimilar_enough(measure):
    kind, n = DISSIMILARITIES[measure], 8
    for tau, size, other in product((0.1, 0.25, 0.5, 0.75, 1.0), range(1, 5), range(1, 5)):
        rule = overlap_rule(tau, measure, n).fields()
        problem = Instance([1] * n, n_sets=2, k=4, k_min=1, max_shared=4, **rule)
        allowed = [m for m in range(min(size, other) + 1) if kind.value(m, size, other, n) >= tau]
        limit = shared_limit(problem, size, other)
        assert (None if limit is None else min(limit, size, other)) == max(allowed, default=None)
        for m in range(min(size, other) + 1):
            sets = range(size), range(size - m, size - m + other)
            assert may_stand_together(problem, *sets) == (m in allowed)


def test_sets_that_no_overlap_allows():
    rule = {"shared_weight": 2, "size_weight": 1, "shared_constant": -3}
    problem = Instance([3, 2, 1], n_sets=1, k=2, k_min=1, max_shared=2, **rule)
    assert previous_limits(problem.replace(previous=[(0,), (1, 2)]), 1) is None
    assert previous_limits(problem.replace(previous=[(0,), (1, 2)]), 2) == [0, 0]
    assert not may_be_equal(problem)
    assert may_be_equal(Instance([3, 2, 1], n_sets=1, k=2, max_shared=2))
