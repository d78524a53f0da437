"""Overlap that no two sets may have, or that equal sets may."""

from pyfsel.problem.dissimilarity import may_be_equal, previous_limits
from pyfsel.problem.instance import Instance


def test_sets_that_no_overlap_allows():
    rule = {"shared_weight": 2, "size_weight": 1, "shared_constant": -3}
    problem = Instance([3, 2, 1], n_sets=1, k=2, k_min=1, max_shared=2, **rule)
    assert previous_limits(problem.replace(previous=[(0,), (1, 2)]), 1) is None
    assert previous_limits(problem.replace(previous=[(0,), (1, 2)]), 2) == [0, 0]
    assert not may_be_equal(problem)
    assert may_be_equal(Instance([3, 2, 1], n_sets=1, k=2, max_shared=2))
