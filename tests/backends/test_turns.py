"""Searches in turn: what goes from one to the next, and when they end."""

import pytest
from hypothesis import given, settings
from small_problems import assert_agrees, problems

from pyfsel import Problem, Result, solve
from pyfsel.backends import get_backend
from pyfsel.backends.turns.turns import GROWTH, Turn, solve_in_turns
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.results.drawing import question_facts

PROBLEM = Problem(quality=[5, 4, 3, 2], n_sets=1, set_size=2, max_overlap=2)
WORST, MIDDLE, BEST = ((2, 3),), ((0, 2),), ((0, 1),)


class Scripted:
    """Gives one answer after the other and keeps what it was given."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.given = []

    def __call__(self, problem, control):
        self.given.append(
            (control.limits.random_state, control.hint, control.known_bound, control.remaining())
        )
        control.compile_seconds += 1.0
        return self.answers.pop(0)


def late(sets=None, bound=None, why=StopReason.TIME_LIMIT):
    return Answer(Status.FEASIBLE if sets else Status.NOT_SOLVED, sets, bound, why)


def test_each_turn_gets_the_best_so_far_another_seed_and_more_time():
    one = Scripted(late(MIDDLE, 12), late(WORST, 11))
    two = Scripted(late(WORST, 10), Answer(Status.OPTIMAL, BEST, 9))
    control = Control(Limits(random_state=7))
    answer = solve_in_turns(PROBLEM, control, [Turn("one", one, 10.0), Turn("two", two, 20.0)])
    assert (answer.status, answer.sets, answer.bound) == (Status.OPTIMAL, BEST, 9)
    assert answer.statistics == {"proved_by": "two"}
    assert [given[:3] for given in one.given] == [(7, None, None), (8, MIDDLE, 10)]
    assert [given[:3] for given in two.given] == [(7, MIDDLE, 12), (8, MIDDLE, 10)]
    for asked, seconds in ((one, 10.0), (two, 20.0)):
        assert [given[3] for given in asked.given] == pytest.approx([seconds, seconds * GROWTH], abs=1.0)
    assert control.compile_seconds == 4.0


def test_the_last_turn_gets_the_rest_of_the_time_and_the_others_half():
    asked = [Scripted(late()), Scripted(late())]
    limit = Control(Limits.starting_now(20.0))
    asked[1].answers = [Answer(Status.INFEASIBLE)]
    assert solve_in_turns(PROBLEM, limit, [Turn("", one, 100.0) for one in asked]).status is Status.INFEASIBLE
    assert [one.given[0][3] for one in asked] == pytest.approx([10.0, 20.0], abs=1.0)


def test_a_turn_can_have_another_share_of_the_time():
    asked = [Scripted(late()), Scripted(Answer(Status.INFEASIBLE))]
    turns = [Turn("", asked[0], 100.0, share=0.75), Turn("", asked[1], 100.0, share=0.1)]
    solve_in_turns(PROBLEM, Control(Limits.starting_now(20.0)), turns)
    assert [one.given[0][3] for one in asked] == pytest.approx([15.0, 20.0], abs=1.0)


def test_a_search_without_memory_is_left_out():
    full = Scripted(late(WORST, 9, StopReason.MEMORY_LIMIT))
    other = Scripted(late(), late(), Answer(Status.OPTIMAL, BEST, 9))
    assert (
        solve_in_turns(PROBLEM, Control(), [Turn("", full, 1.0), Turn("", other, 1.0)]).status
        is Status.OPTIMAL
    )
    assert len(full.given) == 1
    alone = Scripted(late(WORST, 12, StopReason.MEMORY_LIMIT))
    answer = solve_in_turns(PROBLEM, Control(hint=MIDDLE), [Turn("", alone, 1.0)])
    assert (answer.status, answer.sets, answer.bound) == (Status.FEASIBLE, MIDDLE, 12)
    assert answer.stop_reason is StopReason.MEMORY_LIMIT


def test_without_any_time_nothing_is_claimed():
    turns = [Turn(name, get_backend(name).solve, 1.0) for name in ("packing", "cpsat")]
    answer = solve_in_turns(
        PROBLEM.replace(n_sets=3, aggregate="min", max_overlap=1), Control(Limits(deadline=0.0)), turns
    )
    assert (answer.status, answer.sets) == (Status.NOT_SOLVED, None)
    assert answer.stop_reason is StopReason.TIME_LIMIT


@settings(max_examples=50, deadline=None, derandomize=True)
@given(problems())
def test_partition_packing_and_cpsat_agree_with_brute_force(problem):
    disjoint = problem.replace(max_overlap=0, aggregate="min")
    if get_backend("partition-packing-cpsat").refusal(disjoint, "strengthened") is None:
        assert_agrees(get_backend("partition-packing-cpsat"), disjoint)


def test_packing_proves_what_number_partitioning_does_not():
    quality = [739294, 723522, 709333, 685025, 683121, 629270, 585075, 564089, 561385, 531990]
    quality += [496742, 432149, 388699, 353520, 337607, 197826, 185694, 178831, 156199, 148265]
    quality += [140543, 118502, 117384, 108134, 98310, 59536, 28309, 24079, 15472, 2095]
    problem = Problem(quality=quality, n_sets=6, set_size=5, max_overlap=0, aggregate="min")
    result = solve(problem, time_limit=60, search="simultaneous")
    assert (result.status, result.integer_objective) == (Status.OPTIMAL, 1666493)
    assert (result.backend, result.proved_by) == ("partition-packing-cpsat", "packing")


def test_cpsat_proves_what_choosing_parts_does_not():
    quality = [
        1587399,
        1191607,
        1137515,
        1070012,
        1057534,
        1048526,
        928343,
        738124,
        686814,
        554126,
        *[0] * 21,
    ]
    problem = Problem(quality=quality, n_sets=5, set_size=5, max_overlap=0, aggregate="min")
    result = solve(problem, time_limit=60, search="simultaneous")
    assert (result.status, result.integer_objective) == (Status.OPTIMAL, 1875639)
    assert result.proved_by == "cpsat"
    assert Result.from_dict(result.to_dict()).proved_by == "cpsat"
    facts = dict(question_facts(result, ""))
    assert facts["search"].endswith("; proved by cpsat")


def test_a_sequential_search_names_who_proved_its_steps():
    problem = Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1)
    result = solve(problem, "packing-cpsat", "sequential")
    assert set(result.proved_by.split(", ")) <= {"packing", "cpsat"}
    assert solve(problem, "packing", "sequential").proved_by == "packing"


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems())
def test_cpsat_given_a_proved_bound_still_finds_the_optimum(problem):
    problem = problem.replace(aggregate="min")
    best = get_backend("brute-force").solve(problem, Control())
    for slack in (0, 1, 5):
        bound = None if best.bound is None else best.bound + slack
        answer = get_backend("cpsat").solve(problem, Control(known_bound=bound))
        assert (answer.status, answer.bound) == (best.status, best.bound)
