"""The backend that sorts, against brute force; and that `auto` prefers it where it applies."""

from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pyfsel.backends import get_backend
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.results.control import Control
from pyfsel.results.solution_file import verify
from pyfsel.solving.solve import solve


@st.composite
def sortable_problems(draw):
    n = draw(st.integers(1, 7))
    k = draw(st.integers(1, min(n, 3)))
    problem = Instance(
        quality=draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n)),
        n_sets=draw(st.integers(1, 3)),
        set_size=k,
        max_overlap=draw(st.integers(0, k)),
        aggregate=draw(st.sampled_from(["sum", "min"])),
        previous_sets=draw(st.lists(st.sampled_from(list(combinations(range(n), k))), max_size=1)),
    )
    assume(get_backend("sorting").unsupported(problem, "strengthened") is None)
    return problem


@settings(max_examples=200, deadline=None)
@given(sortable_problems())
def test_sorting_is_exact(problem):
    found, best = (get_backend(name).solve(problem, Control()) for name in ("sorting", "brute-force"))
    assert (found.status, found.bound) == (best.status, best.bound)
    assert found.sets is None or verify(problem, found.sets) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"max_overlap": 1},
        {"aggregate": "min"},
        {"conflicts": [(0, 1)]},
        {"objective": "mrmr", "redundancy": [[0] * 4] * 4},
        {"n_sets": 1, "max_overlap": 1, "previous_sets": [(0, 1)]},
    ],
)
def test_what_sorting_cannot_decide_is_refused(changes):
    problem = Instance(quality=[4, 3, 2, 1], n_sets=2, set_size=2, max_overlap=0).replace(**changes)
    with pytest.raises(InputError):
        solve(problem, "sorting", search="simultaneous")
