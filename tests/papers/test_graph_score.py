"""The graph score (paper 004, Eq. 11): its problem, and the exact backends against all sets."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from conformance import optimum
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from small_problems import answer_of, problem_from_table, problems

from pyfsel import Status
from pyfsel.algorithms.ksubgraph import sizes
from pyfsel.backends import get_backend
from pyfsel.errors import InputError
from pyfsel.papers.graph_score import graph_score_problem, shift_grid
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.results.control import Control
from pyfsel.solving.solve import solve

EXACT = [
    ("ksubgraph", "strengthened"),
    *((name, how) for name in ("cpsat", "rc2") for how in ("strengthened", "literal")),
]


def problem_of(quality, redundancy):
    n = len(quality)
    return Instance(quality, 1, n, n, pairs=redundancy, k_min=1, objective="graph_score")


@pytest.mark.parametrize(("name", "formulation"), EXACT)
def test_exact_backends_agree_with_all_sets(name, formulation):
    backend = get_backend(name)

    @settings(max_examples=60)
    @given(problems(("graph_score",), 9 if name == "ksubgraph" else 7), st.sampled_from([1, 10**7]))
    def check(drawn, unit):
        problem = problem_of(unit * drawn.quality, unit * drawn.pairs)
        answer = answer_of(backend, problem, formulation=formulation)
        assert answer.status is Status.OPTIMAL
        assert answer.bound == problem_values.total(problem, answer.sets) == optimum(problem)

    check()


def test_a_size_whose_bound_is_one_better_is_searched():
    redundancy = np.zeros((3, 3), dtype=int)
    problem = Instance([5, 1, -3], 1, 2, 2, k_min=1, objective="graph_score", pairs=redundancy)
    answer = sizes.best_of_sizes(problem, Control(hint=((0,),)))
    assert (answer.status, answer.sets, answer.bound) == (Status.OPTIMAL, ((0, 1),), 6)


@dataclass
class Patience(Control):
    """A control whose time is up when that was asked so many times."""

    times: int = 0

    def expired(self):
        self.times -= 1
        return self.times < 0


def test_stopped_search_has_a_true_bound():
    problem = problem_from_table(*load_breast_cancer(return_X_y=True), objective="graph_score", k=(1, 30))
    best = solve(problem, "ksubgraph", search="simultaneous").integer_objective
    for times in (0, 5, 60, 200):
        answer = sizes.best_of_sizes(problem, Patience(times=times))
        found = best if answer.sets is None else problem_values.total(problem, answer.sets)
        assert answer.bound >= best >= found
        assert answer.status is not Status.OPTIMAL or found == best


@pytest.mark.parametrize("name", ["asdp", "sdp-1"])
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"n_sets": 2}, "one set, not 2"),
        ({"conflicts": [(0, 1)]}, "no conflicts"),
        ({"k": 5, "max_shared": 5}, "any size only, not of 1 to 5 of 6"),
        ({"k_min": 2}, "not of 2 to 6"),
        ({"pairs": 2**53 // 21 * (1 - np.eye(6, dtype=np.int64))}, r"can exceed 2\*\*53; use a smaller"),
    ],
)
def test_refusals_are_reasons(name, changes, reason):
    problem = problem_of([1] * 6, np.zeros((6, 6), int)).replace(**changes)
    with pytest.raises(InputError, match=reason):
        solve(problem, name, search="simultaneous")


def test_problem_is_equation_11():
    rng = np.random.default_rng(0)
    delta, similarity = rng.random(6), rng.random((6, 6))
    problem = graph_score_problem(delta, similarity, weight=0.3, shift_delta=0.4, shift_p=0.2)
    pairs = (similarity + similarity.T) / 2
    for s in [(0,), (1, 4), (0, 2, 3, 5)]:
        score = 0.3 * sum(delta[i] - 0.4 for i in s) + 0.7 * sum(pairs[p] - 0.2 for p in combinations(s, 2))
        assert problem_values.qualities(problem, [s])[0] == pytest.approx(-score)
        assert -problem_values.value(problem, s) / problem.scale == pytest.approx(score, abs=1e-5)
    delta, similarity = [0.1, 0.2, 0.9], np.array([[0, 0.3, 0.5], [0.3, 0, 0.8], [0.5, 0.8, 0]])
    by_medians = graph_score_problem(delta, similarity, shift_delta=0.2, shift_p=0.5)
    assert graph_score_problem(delta, similarity) == by_medians


def test_shift_grid():
    assert shift_grid([3, 1, 2, 4]) == (0, 1.5, 2.5, 3.5, 1)
    assert shift_grid([3, 1, 2]) == (0, 1, 2, 3, 1)
    assert shift_grid([0.7]) == (0, 0.7, 0.7, 0.7, 1)
    with pytest.raises(InputError, match="at least one"):
        shift_grid([])
