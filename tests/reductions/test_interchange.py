"""Exchanges of features that some optimum does not need; `test_strengthening` checks all solutions."""

import pytest

from pyfsel.problem.instance import Instance
from pyfsel.reductions.interchange import dominated_pairs

CONFLICTS = [(0, 3), (1, 3), (1, 4), (2, 4), (3, 4)]


def test_pairs_follow_the_conflicts():
    problem = Instance(quality=[9, 8, 7, 6, 5], n_sets=2, k=2, max_shared=1, conflicts=CONFLICTS)
    assert dominated_pairs(problem) == [(0, 1), (1, 3), (1, 4), (2, 3), (2, 4)]


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, [(0, 1), (1, 2)]),
        ({"previous": [[1, 2]]}, [(0, 1), (1, 2)]),
        ({"previous": [[0, 2]]}, [(0, 2), (1, 2)]),
        ({"forced": [1]}, [(0, 2)]),
        ({"costs": [2, 1, 2], "budget": 4}, [(0, 2), (1, 2)]),
        ({"conflicts": [(0, 2)]}, [(0, 2), (1, 2)]),
        ({"aggregate": "difference"}, []),
        ({"objective": "mrmr", "pairs": [[0] * 3] * 3}, []),
    ],
)
def test_what_tells_features_apart(change, kept):
    problem = Instance(quality=[3, 2, 1], n_sets=2, k=2, max_shared=1).replace(**change)
    assert dominated_pairs(problem) == kept
