"""The backend that sorts, against brute force; and what it refuses."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_problems import assert_agrees, problems

from pyfsel.backends import get_backend
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve


@settings(max_examples=150, deadline=None)
@given(problem=problems(("univariate",)), data=st.data())
def test_sorting_is_exact(problem, data):
    backend, overlap = get_backend("sorting"), data.draw(st.sampled_from((0, problem.k)))
    problem = problem.replace(conflicts=(), max_shared=overlap)
    assume(backend.refusal(problem, "strengthened") is None)
    assert_agrees(backend, problem)


@pytest.mark.parametrize(
    "changes",
    [
        {"max_shared": 1},
        {"aggregate": "min"},
        {"conflicts": [(0, 1)]},
        {"objective": "mrmr", "redundancy": [[0] * 4] * 4},
        {"n_sets": 1, "max_shared": 1, "previous": [(0, 1)]},
    ],
)
def test_what_sorting_cannot_decide_is_refused(changes):
    problem = Instance(quality=[4, 3, 2, 1], n_sets=2, k=2, max_shared=0).replace(**changes)
    with pytest.raises(InputError):
        solve(problem, "sorting", search="simultaneous")
