"""Backends that lie: each kind of lie ends in a FalseClaimError that shows the evidence."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from faulty_backends import Says, together
from small_problems import BEST, PROBLEM

from pyfsel import Status
from pyfsel.errors import FalseClaimError, SolverError
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer, Stated, StopReason
from pyfsel.solving.sequential import sequential_search
from pyfsel.solving.solve import solve

# the optimum is 48 with the sets 01, 02, 12; the greedy start has 45 for the sum and 15 for the minimum
WORSE = ((0, 1), (0, 2), (0, 5))
DISJOINT = PROBLEM.replace(max_shared=0)
ONE_AFTER = Instance(quality=[9, 8, 7, 3], n_sets=1, k=2, max_shared=0, previous=[(0, 1)])
CONFLICT = PROBLEM.replace(n_sets=1, conflicts=[(0, 1)])
UNSOLVABLE = Instance(quality=[3, 2, 1], n_sets=2, k=2, max_shared=0)

claim = BackendAnswer
lying = partial(Says, name="lying")


def asked(problem, answer, bounds=(), **kind):
    return solve(problem, lying(answer, bounds=bounds, **kind), search="simultaneous")


LATE = {"stop_reason": StopReason.TIME_LIMIT}
MINIMUM = PROBLEM.replace(aggregate="min")
WORDS = claim("OPTIMAL", tuple(np.array(BEST)), np.int64(48))
FOUND = "The sets come from the sequential start."
NEITHER = "has finished, but has proved nothing about better solutions"


@pytest.mark.parametrize(
    ("problem", "answer", "bounds", "exact", "status", "bound", "message"),
    [
        (PROBLEM, WORDS, [np.int64(50)], True, "OPTIMAL", 48, FOUND),
        (PROBLEM, claim(Status.FEASIBLE, BEST), [48], True, "OPTIMAL", 48, FOUND),
        (PROBLEM, claim(Status.FEASIBLE, BEST), [], False, "FEASIBLE", None, ""),
        (PROBLEM, BackendAnswer(Status.NOT_SOLVED, **LATE), [60, 50, 52], True, "FEASIBLE", 50, FOUND),
        (PROBLEM, BackendAnswer(Status.NOT_SOLVED, None, 55, **LATE), [60, 50], True, "FEASIBLE", 50, FOUND),
        (PROBLEM, claim(Status.FEASIBLE, WORSE, 50), [], True, "FEASIBLE", 50, "no solution is above 50"),
        (PROBLEM, claim(Status.FEASIBLE, WORSE), [60, 49], True, "FEASIBLE", 49, "no solution is above 49"),
        (PROBLEM, claim(Status.FEASIBLE, WORSE), [], True, "FEASIBLE", None, "nothing about better"),
        (PROBLEM, claim(Status.NOT_SOLVED), [], True, "FEASIBLE", None, "nothing about better"),
        (PROBLEM, BackendAnswer(Status.FEASIBLE, WORSE, message="late"), [], True, "FEASIBLE", None, "late"),
        (MINIMUM, claim(Status.OPTIMAL, BEST, 15), [], True, "OPTIMAL", 15, FOUND),
        (UNSOLVABLE, claim(Status.INFEASIBLE), [], True, "INFEASIBLE", None, ""),
        (UNSOLVABLE, claim(Status.NOT_SOLVED), [], True, "NOT_SOLVED", None, NEITHER),
    ],
)
def test_what_is_believed_and_what_is_missing(problem, answer, bounds, exact, status, bound, message):
    result = asked(problem, answer, bounds, exact=exact)
    assert (str(result.status), result.integer_bound) == (status, bound)
    assert all(type(j) is int for s in result.sets for j in s)
    assert message in result.message
    assert bool(message) == bool(result.message)


@pytest.mark.parametrize(
    ("status", "stated", "margin", "is_true"),
    [
        ("OPTIMAL", 49, 0, False),
        ("OPTIMAL", 47, 0, False),
        ("OPTIMAL", 47.4, 0.5, False),
        ("OPTIMAL", 48.6, 0.5, False),
        ("OPTIMAL", 48.4, 0.5, True),
        ("FEASIBLE", 40, 0, True),
        ("FEASIBLE", 49, 0, False),
    ],
)
def test_what_the_solver_states_is_compared_with_what_the_sets_are_worth(status, stated, margin, is_true):
    answer = replace(claim(Status(status), BEST), stated=Stated(stated, margin))
    if is_true:
        assert asked(PROBLEM, answer).status is Status(status)
        return
    with pytest.raises(FalseClaimError, match=f"states the objective {stated} for sets that have 48"):
        asked(PROBLEM, answer)


@pytest.mark.parametrize(
    "backend",
    [
        lying(claim(Status.OPTIMAL, BEST)),
        lying(claim(Status.OPTIMAL, BEST, 48), states_objective=False),
        lying(claim(Status.FEASIBLE, BEST), bounds=[48], states_objective=False),
    ],
)
def test_what_no_solver_states_is_not_proved_alone(backend):
    result = together(backend)
    assert (result.status, result.sets) == (Status.FEASIBLE, BEST)
    assert "without the objective or bound of its solver: that alone proves nothing" in result.message
    sequence = solve(ONE_AFTER, lying(claim(Status.OPTIMAL, ((2, 3),))), "sequential")
    assert sequence.steps[0].status is Status.FEASIBLE


@pytest.mark.parametrize(
    ("problem", "sets", "evidence"),
    [
        (PROBLEM, BEST[:2], "2 sets given, the problem asks for 3"),
        (PROBLEM, (*BEST, (3, 4)), "4 sets given, the problem asks for 3"),
        (PROBLEM, ((0, 1), (0, 2), (1,)), "set 2 has 1 feature, must have 2"),
        (PROBLEM, ((0, 1), (0, 2), ()), "has 0 features, must have 2"),
        (PROBLEM, ((0, 1), (0, 2), (1, 6)), "features are numbered 0 to 5"),
        (PROBLEM, ((0, 1), (0, 2), (-1, 1)), "features are numbered 0 to 5"),
        (PROBLEM, ((0, 1), (0, 2), (True, 2)), "not sets of feature numbers"),
        (PROBLEM, ((0, 1), (0, 2), None), "not sets of feature numbers"),
        (PROBLEM, 17, "not sets of feature numbers"),
        (PROBLEM, ((0, 1), (0, 2), (3, 3)), "holds a feature twice"),
        (PROBLEM, ((0, 1), (0, 2), (2, 0)), "share 2 features (x0, x2), at most 1 is allowed"),
        (DISJOINT, ((0, 1), (1, 2), (3, 4)), "share 1 feature (x1), at most 0 are allowed"),
        (ONE_AFTER, ((1, 2),), "set 0 and previous set 0 share 1 feature (x1)"),
        (CONFLICT, ((0, 1),), "set 0 holds the conflicting features x0 and x1"),
    ],
)
@pytest.mark.parametrize("where", ["optimal", "feasible", "reported", "heuristic"])
def test_false_sets(problem, sets, evidence, where):
    if where == "reported":
        liar = lying(claim(Status.NOT_SOLVED), reported=[sets])
    else:
        status = Status.OPTIMAL if where == "optimal" else Status.FEASIBLE
        liar = lying(claim(status, sets), exact=where != "heuristic")
    with pytest.raises(FalseClaimError) as caught:
        solve(problem, liar, search="simultaneous")
    assert evidence in str(caught.value)
    assert str(caught.value).startswith("lying: ")


@pytest.mark.parametrize(
    ("answer", "reported", "bounds", "evidence"),
    [
        (claim(Status.FEASIBLE, BEST, 47), [], [], "bound 47 is below the objective 48"),
        (claim(Status.FEASIBLE, BEST), [], [47], "bound 47 was claimed, but"),
        (claim(Status.NOT_SOLVED, None, 47), [BEST], [], "bound 47 was claimed, but"),
        (claim(Status.NOT_SOLVED), [BEST], [60, 47, 50], "bound 47 was claimed, but"),
        (claim(Status.OPTIMAL, BEST, 48), [], [47], "bound 47 was claimed, but"),
        (claim(Status.OPTIMAL, BEST, 49), [], [], "OPTIMAL was claimed with bound 49"),
        (claim(Status.OPTIMAL, ((3, 4), (0, 1), (0, 2)), None), [], [], "OPTIMAL was claimed with 38"),
        (claim(Status.OPTIMAL, WORSE, None), [BEST], [], "OPTIMAL was claimed with 43"),
        (claim(Status.INFEASIBLE), [], [], "INFEASIBLE was claimed, but"),
        (claim(Status.INFEASIBLE), [BEST], [], "INFEASIBLE was claimed, but"),
        (claim(Status.NOT_SOLVED, BEST), [], [], "NOT_SOLVED was claimed"),
        (claim(Status.OPTIMAL), [], [], "OPTIMAL was claimed without sets"),
        (claim(Status.FEASIBLE), [], [], "FEASIBLE was claimed without sets"),
        (claim("MAYBE", BEST), [], [], "MAYBE"),
        (BackendAnswer(Status.FEASIBLE, BEST, stop_reason="tired"), [], [], "tired"),
        (claim(Status.FEASIBLE, BEST, 48.5), [], [], "bound 48.5 is not an integer"),
        (claim(Status.FEASIBLE, BEST), [], [float("nan")], "bound nan is not an integer"),
        ("OPTIMAL", [], [], "returned 'OPTIMAL' instead of a BackendAnswer"),
    ],
)
def test_false_status_and_bounds(answer, reported, bounds, evidence):
    with pytest.raises(SolverError) as caught:
        together(lying(answer, reported=reported, bounds=bounds))
    assert evidence in str(caught.value)
    assert isinstance(caught.value, FalseClaimError) == isinstance(answer, BackendAnswer)


@pytest.mark.parametrize(
    ("answer", "bounds"),
    [
        (claim(Status.OPTIMAL, BEST), []),
        (claim(Status.INFEASIBLE), []),
        (claim(Status.FEASIBLE, BEST, 48), []),
        (claim(Status.FEASIBLE, BEST), [60]),
        (claim(Status.NOT_SOLVED, None, 60), []),
    ],
)
def test_heuristics_may_not_claim_proofs(answer, bounds):
    with pytest.raises(FalseClaimError, match="is a heuristic and may not claim"):
        asked(PROBLEM, answer, bounds, exact=False)


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        (claim(Status.OPTIMAL, ((0, 1),), 17), "set 0 and previous set 0 share 2 features"),
        (claim(Status.INFEASIBLE), "INFEASIBLE was claimed, but"),
        (claim(Status.OPTIMAL, ((1, 2),), None), "OPTIMAL was claimed with 15"),
    ],
)
def test_lies_in_a_later_step_of_sequential_search(answer, evidence):
    with pytest.raises(FalseClaimError, match=evidence):
        sequential_search(PROBLEM, lying(claim(Status.OPTIMAL, ((0, 1),), 17), answer))


def test_a_sequence_keeps_what_is_missing_from_an_earlier_step():
    unproved, proved = claim(Status.FEASIBLE, ((0, 1),), 18), claim(Status.OPTIMAL, ((0, 2),), 16)
    result = solve(PROBLEM.replace(n_sets=2), lying(unproved, proved), search="sequential")
    assert [step.status for step in result.steps] == [Status.FEASIBLE, Status.OPTIMAL]
    assert "no solution is above 18" in result.message
