"""The start of exact simultaneous searches: a sequential search in this process, valid whatever is asked."""

import numpy as np
import pytest
from faulty_backends import Says
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import constrained_problems, problems

from pyfsel import Status
from pyfsel.algorithms.heuristics import start_solution
from pyfsel.algorithms.heuristics.swap_sequence import moves_of, swap_sequence
from pyfsel.backends import get_backend
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import total, values
from pyfsel.results.backend_answer import BackendAnswer
from pyfsel.results.verify import violations
from pyfsel.solving.solve import solve

OBJECTIVES = ("univariate", "fcbf", "mrmr", "graph_score")
anything = st.one_of(problems(OBJECTIVES), constrained_problems(OBJECTIVES))


@settings(max_examples=60)
@given(anything)
def test_every_set_is_valid_beside_those_before_it(problem):
    sets = list(swap_sequence(problem))
    assert len(sets) <= problem.n_sets
    for number in range(len(sets)):
        assert violations(problem.replace(n_sets=number + 1), sets[: number + 1]) == []


@settings(max_examples=60)
@given(anything)
def test_local_search_keeps_count_of_the_value_and_of_what_is_broken(problem):
    moves, empty = moves_of(problem), problem.n_features
    for known in ((), *problem.previous):
        start = {*problem.forced, *known} - {*problem.forbidden}
        sets = np.array([(*start, *[empty] * problem.k)[: problem.k]])
        [broken], [value] = moves.climb(sets)
        assert (broken, value) == tuple(np.ravel(moves.judged(sets)))
        members = tuple(sorted({*sets[0].tolist()} - {empty}))
        if len(members) in problem.sizes:
            assert value == values(problem, [members])[0]
            wrong = violations(problem.replace(n_sets=1, min_quality=None), [members])
            assert (broken == 0) == (wrong == [])


def test_a_sequence_repeats_itself_and_ends_in_time():
    problem = Instance(quality=range(60), n_sets=20, k=6, max_shared=3)
    assert list(swap_sequence(problem)) == list(swap_sequence(problem))
    assert list(swap_sequence(problem, expired=lambda: True)) == []


@settings(max_examples=40)
@given(problems(most_sets=3).filter(lambda problem: problem.n_sets > 1))
def test_time_out_is_never_worse_than_a_sequential_search(problem):
    sides = get_backend("cpsat").side_constraints
    backend = Says(BackendAnswer.unproved(None), side_constraints=sides)
    result = solve(problem, backend, "simultaneous", 60)
    starts = (tuple(swap_sequence(problem)), start_solution(problem) or ())
    known = [total(problem, sets) for sets in starts if len(sets) == problem.n_sets]
    assert result.integer_objective == max(known, default=None)
    assert bool(backend.given.hint) == bool(known)
    assert not known or "start" in result.message


def test_backends_that_are_done_at_once_get_no_start(monkeypatch):
    def fail(*_):
        raise AssertionError

    monkeypatch.setattr("pyfsel.algorithms.heuristics.swap_sequence.swap_sequence", fail)
    problem = Instance(quality=range(12), n_sets=3, k=2, max_shared=0)
    assert solve(problem, "sorting", search="simultaneous").status is Status.OPTIMAL
    with pytest.raises(AssertionError):
        solve(problem, "brute-force", search="simultaneous")
    assert solve(problem, "cpsat", "sequential").status is Status.OPTIMAL
