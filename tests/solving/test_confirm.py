"""Claims proved again by a backend of another kind: agreement, lies, limits, and who may confirm whom."""

from dataclasses import replace

import numpy as np
import pytest
from faulty_backends import Says, together
from small_problems import BEST, PROBLEM

from pyfsel import Status
from pyfsel.backends import get_backend, registry
from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem.fields import SIDE_CONSTRAINTS
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer, StopReason, no_answer
from pyfsel.results.confirmation import ConfirmationVerdict
from pyfsel.results.control import Limits
from pyfsel.results.result import Result
from pyfsel.solving import confirm as module
from pyfsel.solving.confirm import ClaimToConfirm, claims_of, confirmers
from pyfsel.solving.solve import solve

# the optimum is 48 with the sets 01, 02, 12; the greedy start has 45
WORSE = ((0, 1), (0, 2), (0, 3))
PAIRS = np.array([[0, 4, 1, 3], [4, 0, 2, 0], [1, 2, 0, 5], [3, 0, 5, 0]])
SMALL = Instance(quality=[9, 8, 7, 6], n_sets=2, k=2, max_shared=1)
CHEAP = Instance([9, 8, 7, 3], n_sets=1, k=2, max_shared=2, costs=[9, 9, 1, 1], budget=5)
OBJECTIVES = {
    "univariate": SMALL,
    "fcbf": SMALL.replace(objective="fcbf", conflicts=((0, 1),)),
    "mrmr": SMALL.replace(objective="mrmr", pairs=PAIRS),
    "graph_score": SMALL.replace(objective="graph_score", pairs=PAIRS, n_sets=1, max_shared=2),
    "cfs": SMALL.replace(objective="cfs", pairs=PAIRS, n_sets=1, max_shared=2, scale=10),
}


class Telling(Says):
    """Takes all problems here, and is done at once."""

    name = "telling"
    needs_start = False
    objectives = tuple(OBJECTIVES)
    side_constraints = SIDE_CONSTRAINTS


class Missing(Telling):
    """Cannot run here."""

    def missing(self):
        return "pip install it"


TRUE = BackendAnswer(Status.OPTIMAL, BEST, 48)
LATE = no_answer("time_limit")


def claimed(problem, answer=None):
    """Return what a backend claims that shares nothing with any other."""
    claimant = Telling(answer) if answer else get_backend("brute-force")
    return solve(problem, claimant, search="simultaneous"), claimant


def confirm(result, by="auto", claimant=None):
    return module.confirm(claims_of(result, claimant), by, Limits())


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_objective_is_confirmed_and_its_lies_are_not(objective):
    problem = OBJECTIVES[objective]
    result = solve(problem, "brute-force", search="simultaneous")
    confirmation = confirm(result, "cpsat")
    assert (confirmation.verdict, confirmation.confirmed_by) == (ConfirmationVerdict.CONFIRMED, ("cpsat",))
    lie = replace(result, status=Status.INFEASIBLE, sets=(), integer_bound=None, incumbents=())
    evidence = confirm(lie, "cpsat")
    assert (evidence.verdict, evidence.refuted) == (ConfirmationVerdict.CONTRADICTED, "brute-force")
    with pytest.raises(FalseClaimError, match="brute-force claimed INFEASIBLE, but cpsat found"):
        evidence.without_contradiction()


@pytest.mark.parametrize(
    "better",
    [TRUE, BackendAnswer(Status.FEASIBLE, BEST, stop_reason=StopReason.TIME_LIMIT)],
    ids=["proved", "unproved"],
)
def test_a_false_optimum_is_shown_with_the_better_sets(better):
    result, claimant = claimed(PROBLEM, BackendAnswer(Status.OPTIMAL, WORSE, 45))
    confirmation = confirm(result, Telling(better, name="judge"), claimant=claimant)
    assert (confirmation.verdict, confirmation.refuted) == (ConfirmationVerdict.CONTRADICTED, "telling")
    assert confirmation.message == (
        "telling claimed OPTIMAL for [(0, 1), (0, 2), (0, 3)] with 45, "
        f"but judge found [(0, 1), (0, 2), (1, 2)] with 48 ({better.status.name})"
    )


CONFIRMED, NOT_CONFIRMED, CONTRADICTED = ConfirmationVerdict


@pytest.mark.parametrize(
    ("answer", "verdict", "said"),
    [
        (BackendAnswer(Status.INFEASIBLE), CONTRADICTED, "telling claimed OPTIMAL"),
        (BackendAnswer(Status.NOT_SOLVED, None, 47), CONTRADICTED, "telling claimed OPTIMAL"),
        (BackendAnswer(Status.OPTIMAL, WORSE, 45), CONTRADICTED, "telling claimed OPTIMAL"),
        (LATE, NOT_CONFIRMED, "tried by judge (time_limit)"),
        (BackendAnswer(Status.FEASIBLE, BEST, 50), NOT_CONFIRMED, "tried by judge (ended without a proof)"),
        (
            BackendAnswer(Status.NOT_SOLVED, stop_reason=StopReason.MEMORY_LIMIT),
            NOT_CONFIRMED,
            "memory_limit",
        ),
        (no_answer("interrupted"), NOT_CONFIRMED, "interrupted"),
        ("nonsense", NOT_CONFIRMED, "judge: returned 'nonsense' instead of a BackendAnswer"),
        (BackendAnswer(Status.OPTIMAL, ((0, 1), (0, 2), (1, 2)), 48), CONFIRMED, ""),
    ],
)
def test_what_a_confirmer_says_of_a_true_optimum(answer, verdict, said):
    """One that lies is the one that is refuted; what ends without a proof confirms nothing."""
    result, claimant = claimed(PROBLEM, TRUE)
    confirmation = confirm(result, Telling(answer, name="judge"), claimant=claimant)
    assert confirmation.verdict is verdict
    assert confirmation.refuted == ("judge" if verdict is CONTRADICTED else "")
    assert confirmation.n_confirmed == (verdict is CONFIRMED)
    assert said in str(confirmation)


def test_equally_good_sets_confirm():
    other = ((0, 1), (0, 2), (0, 4))
    problem = PROBLEM.replace(quality=[9, 8, 7, 3, 3, 1], previous=((1, 2),))
    result, claimant = claimed(problem, BackendAnswer(Status.OPTIMAL, WORSE, 45))
    judge = Telling(BackendAnswer(Status.OPTIMAL, other, 45), name="judge")
    assert str(confirm(result, judge, claimant=claimant)) == "confirmed by judge"


def test_each_step_is_confirmed_given_the_sets_before_it():
    steps = [
        BackendAnswer(Status.OPTIMAL, (members,), value)
        for members, value in zip(BEST, (17, 16, 15), strict=True)
    ]
    result = solve(PROBLEM, Telling(*steps), search="sequential")
    judge = Telling(*steps, name="judge")
    assert confirm(result, judge, claimant=Telling()).n_confirmed == 3
    lie = replace(result.steps[1], features=(0, 3), objective=12, bound=12)
    sets = ((0, 1), (0, 3), (1, 2))
    result = replace(result, sets=sets, steps=(result.steps[0], lie, result.steps[2]), incumbents=())
    confirmation = confirm(result, Telling(*steps, name="judge"), claimant=Telling())
    assert (confirmation.verdict, confirmation.refuted) == (ConfirmationVerdict.CONTRADICTED, "telling")
    assert "OPTIMAL in step 1 for [(0, 3)] with 12, but judge found [(0, 2)] with 16" in confirmation.message


def test_the_next_backend_tries_what_a_slow_one_has_not_confirmed(monkeypatch):
    slow, quick = Telling(LATE, name="slow"), Telling(TRUE, name="quick")
    monkeypatch.setattr("pyfsel.solving.confirm.by_strength", lambda problem: [slow, quick])
    result, claimant = claimed(PROBLEM, TRUE)
    assert str(confirm(result, claimant=claimant)) == "confirmed by quick"
    monkeypatch.setattr("pyfsel.solving.confirm.by_strength", lambda problem: [])
    assert "no installed backend of another kind takes this problem" in str(
        confirm(result, claimant=claimant)
    )


@pytest.mark.parametrize(
    ("claimant", "by", "said"),
    [
        ("cpsat", "cpsat", "rests on cpsat as cpsat does"),
        ("packing-cpsat", "packing", "rests on packing as packing-cpsat does"),
        ("packing-cpsat", "cpsat", "rests on cpsat as packing-cpsat does"),
        ("cpsat", "greedy-balancing", "is a heuristic"),
        ("cpsat", "sorting", "needs sets that are disjoint or may be equal"),
        ("cpsat", "brute", "Did you mean 'brute-force'"),
        ("cpsat", Missing(), "confirm='telling': pip install it"),
        ("cpsat", 3, "confirm=3: must be auto, a name or a Backend"),
    ],
)
def test_who_cannot_confirm_whom(claimant, by, said):
    with pytest.raises(InputError, match=said):
        confirmers(ClaimToConfirm(PROBLEM, BEST, (get_backend(claimant),)), by)


@pytest.mark.parametrize("name", [name for name, backend in registry().items() if backend.exact])
def test_every_exact_backend_says_what_its_proofs_rest_on(name):
    backend = get_backend(name)
    assert backend.basis
    assert not any(
        backend.rests_on(PROBLEM, backend.formulations[0]) & other.rests_on(PROBLEM, formulation)
        for other, formulation in confirmers(ClaimToConfirm(PROBLEM, BEST, (backend,)))
    )


@pytest.mark.parametrize("name", ["cpsat", "ksubgraph", "minizinc:gecode"])
def test_the_steps_of_cfs_do_not_confirm_each_other(name):
    problem = OBJECTIVES["cfs"]
    assert "steps of CFS" in get_backend(name).rests_on(problem, get_backend(name).formulations[0])
    assert "steps of CFS" not in get_backend(name).rests_on(SMALL, get_backend(name).formulations[0])


def test_solve_says_who_proved_and_who_confirmed():
    result = together("brute-force", confirm="cpsat")
    assert str(result.confirmation) == "confirmed by cpsat"
    assert Result.from_dict(result.to_dict()).confirmation == result.confirmation


def test_solve_raises_the_contradiction():
    truth = Telling(BackendAnswer(Status.OPTIMAL, ((2, 3),), 10), name="judge")
    with pytest.raises(FalseClaimError, match=r"claimed INFEASIBLE, but judge found \[\(2, 3\)\] with 10"):
        solve(CHEAP, Telling(BackendAnswer(Status.INFEASIBLE)), confirm=truth, search="simultaneous")


def test_solve_refuses_a_confirmer_before_it_solves():
    with pytest.raises(InputError, match="confirm='telling': rests on telling as telling does"):
        together(Telling(), confirm=Telling())
    with pytest.raises(InputError, match="confirm='sorting'"):
        solve(PROBLEM, Telling(), "sequential", confirm="sorting")
