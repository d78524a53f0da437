"""Questions whose answers are proved again: on what they rest, and lies that this finds."""

import sys
from dataclasses import replace
from functools import partial

import pytest

from pyfsel import InputError, Status
from pyfsel.backends.brute_force import BruteForce
from pyfsel.errors import FalseClaimError
from pyfsel.problem.instance import Instance
from pyfsel.questions.asking import Asking
from pyfsel.questions.min_then_sum import min_then_sum
from pyfsel.questions.most_dissimilar import most_dissimilar
from pyfsel.questions.most_sets import most_sets
from pyfsel.questions.ties import ties
from pyfsel.results.answer import Answer
from pyfsel.results.confirmation import Verdict
from pyfsel.solving.confirm import PROVED

most_sets_module, ties_module = (sys.modules[f"pyfsel.questions.{name}"] for name in ("most_sets", "ties"))
EXAMPLE = Instance(quality=[9, 8, 8, 7, 3, 1], n_sets=2, set_size=2, max_overlap=1)
# no sets are best by both aggregates
APART = Instance(quality=[12, 10, 10, 9, 6, 5, 0], n_sets=4, set_size=3, max_overlap=1)
IMPOSSIBLE = Instance(quality=[3, 2, 1], n_sets=2, set_size=2, max_overlap=0)
QUESTIONS = {
    "most_dissimilar": partial(most_dissimilar, EXAMPLE, 0.1),
    "most_sets": partial(most_sets, EXAMPLE, 0.3),
    "min_then_sum": partial(min_then_sum, APART),
    "ties": partial(ties, EXAMPLE.replace(n_sets=1)),
    "none good enough": partial(most_sets, EXAMPLE.replace(min_quality=99)),
    "none as dissimilar": partial(most_dissimilar, EXAMPLE.replace(forced=(0,)), 0.2, search="simultaneous"),
    "no sets": partial(min_then_sum, IMPOSSIBLE),
    "no ties": partial(ties, IMPOSSIBLE),
}
CLAIMS = {"most_dissimilar": 2, "most_sets": 2, "min_then_sum": 3, "ties": 2, "none as dissimilar": 2}


class Blind(BruteForce):
    """Denies that the smallest of several values can be as large as asked for, or that any two can."""

    needs_start = False
    name = "blind"
    basis = ("blind",)
    isolated = False

    def solve(self, problem, control):
        denied = problem.min_quality is not None and (problem.aggregate == "min" or problem.n_sets == 2)
        return Answer(Status.INFEASIBLE) if denied else super().solve(problem, control)


@pytest.mark.parametrize("name", QUESTIONS)
def test_answers_are_confirmed_with_all_they_rest_on(name):
    answer = QUESTIONS[name](backend="brute-force", confirm="rc2")
    assert answer.status in (Status.OPTIMAL, Status.INFEASIBLE)
    confirmation = answer.confirmation
    assert (confirmation.verdict, confirmation.confirmed_by) == (Verdict.CONFIRMED, ("rc2",))
    assert confirmation.n_claims == CLAIMS.get(name, 1)
    assert answer.to_dict()["confirmation"]["verdict"] == "confirmed"
    assert "proof" in str(answer)
    assert "confirmed by rc2" in str(answer)


@pytest.mark.parametrize(
    "question",
    [
        partial(most_dissimilar, EXAMPLE, 0.2, search="simultaneous"),
        partial(min_then_sum, APART),
    ],
)
def test_false_proofs_behind_an_answer_are_found(question):
    assert question(backend=Blind()).status in PROVED
    with pytest.raises(FalseClaimError, match="blind claimed INFEASIBLE, but rc2 found"):
        question(backend=Blind(), confirm="rc2")


def test_further_good_sets_are_found():
    answer = most_sets(EXAMPLE, 0.3, backend="brute-force")
    sets = answer.sets[:-1]
    result = replace(answer.result, problem=answer.problem.replace(n_sets=len(sets)), sets=sets)
    few = replace(answer, result=result, bound=len(sets))
    with (
        pytest.raises(FalseClaimError, match="packing claimed INFEASIBLE, but rc2 found"),
        Asking(confirm="rc2") as asking,
    ):
        most_sets_module._confirmed(asking, few, None)


def test_further_ties_are_found():
    answer = ties(EXAMPLE.replace(n_sets=1), backend="brute-force")
    assert answer.n_families == 2
    few = replace(answer, families=answer.families[:1])
    with (
        pytest.raises(FalseClaimError, match=r"claimed to list all solutions, but rc2 found \(\(0, 2\),\)"),
        Asking(confirm="rc2") as asking,
    ):
        ties_module._confirmed(asking, few)


def test_what_cannot_list_solutions_confirms_the_optimum_only():
    answer = ties(EXAMPLE.replace(n_sets=1), backend="brute-force", confirm="sorting")
    assert str(answer.confirmation) == (
        "1 of 2 claims confirmed by sorting; "
        "not confirmed: nothing of another kind than brute-force lists the sets"
    )


def test_unproved_answers_are_not_confirmed():
    answer = most_sets(EXAMPLE, 0.3, at_most=2, backend="brute-force", confirm="rc2")
    assert (answer.status, answer.confirmation) == (Status.FEASIBLE, None)


def test_a_wrong_name_is_told_before_anything_is_solved():
    with pytest.raises(InputError, match="confirm='rc3': did you mean rc2"):
        ties(EXAMPLE, confirm="rc3")
