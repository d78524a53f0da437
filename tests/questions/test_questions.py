"""Questions of a problem: every solver that takes one answers it like an oracle that tries everything."""

import re
import signal
from itertools import product

import pytest
import questions_oracle as oracle
from conformance import is_solution
from fuzzing.trials import Trial
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from running import PATIENCE, with_enough_time
from small_problems import EXAMPLE, asked, constrained_problems, problems

from pyfsel import InputError, Status, explore
from pyfsel.backends.simple_searches import BruteForce
from pyfsel.errors import FalseClaimError
from pyfsel.interface.solving import solve
from pyfsel.problem.dissimilarity import may_be_equal, shared_limit
from pyfsel.problem.instance import Instance
from pyfsel.questions import most_sets as module
from pyfsel.questions.methods import METHODS, ListingMethod, ListingTask
from pyfsel.questions.most_dissimilar import at_least_as_dissimilar, levels
from pyfsel.questions.most_sets_bounds import (
    MostSetsPacking,
    counting_bound,
    good_sets,
    pool_bound,
    quality_bound,
)
from pyfsel.questions.ties import _enumerate
from pyfsel.results.backend_answer import BackendAnswer, StopReason
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError
from pyfsel.solving import asking as asking_module
from pyfsel.solving.asking import Asking, climb
from pyfsel.solving.least_share import value_after_loss

IN_PROCESS = ("auto", "brute-force", "cpsat", "packing", "rc2")
BY_PROGRAMS = ("minizinc:gecode", "mip:cbc")
BACKENDS = [
    *(pytest.param(name, 15, id=name) for name in IN_PROCESS),
    *(pytest.param(name, 3, id=name, marks=pytest.mark.slow) for name in BY_PROGRAMS),
]
IMPOSSIBLE = Instance(quality=[3, 2, 1], n_sets=2, k=2, max_shared=0)
APART = Instance(quality=[12, 10, 10, 9, 6, 5, 0], n_sets=4, k=3, max_shared=1)
"""No sets are best by both aggregates."""
ANY_PROBLEM = st.one_of(
    problems(objectives=("univariate", "fcbf", "mrmr"), most_features=6),
    constrained_problems(most_features=6),
)
LOSSES = st.sampled_from((0, 0.1, 0.25, 0.5, 1))


def check_answers(question, solver, n_examples, problem=ANY_PROBLEM, **options):
    """Ask about random problems; the judge of the fuzz compares each answer with all families of sets."""

    @settings(max_examples=n_examples)
    @given(problem=problem, options=st.fixed_dictionaries({"random_state": st.just(0), **options}))
    def check(problem, options):
        outcome = Trial(question, problem, solver, options=options).outcome()
        assume(outcome != "refused")
        assert outcome == "proved"

    check()


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize(("solver", "n_examples"), BACKENDS)
def test_most_dissimilar_sets(solver, n_examples, search):
    by = st.sampled_from(("dice", "jaccard"))
    check_answers(
        "most_dissimilar", solver, n_examples, loss=LOSSES, dissimilarity=by, search=st.just(search)
    )


@pytest.mark.parametrize(("solver", "n_examples"), BACKENDS)
def test_most_sets(solver, n_examples):
    check_answers("most_sets", solver, n_examples, loss=LOSSES)


ANY_LISTED = st.one_of(ANY_PROBLEM, problems(objectives=("graph_score", "cfs"), most_features=6, most_sets=2))
LISTED = {  # by methods that list single sets of one size
    name: problems(objectives=objectives, most_features=6).map(lambda p: p.replace(n_sets=1, k_min=None))
    for name, objectives in {"ksubgraph": ("mrmr", "graph_score"), "best-subsets": ("r2",)}.items()
}


@pytest.mark.parametrize("method", METHODS)
def test_methods_list_every_optimal_family_once(method):
    @settings(max_examples=60)
    @given(problem=LISTED.get(method, ANY_LISTED), loss=st.sampled_from((0, 0, 0.1, 0.5, 1)))
    def check(problem, loss):
        assume(METHODS[method].refusal(problem) is None)
        best, expected = oracle.optimal_families(problem, loss)
        assume(best is not None)
        listed = []
        task = ListingTask(method, value_after_loss(best, loss), None)
        task.solve(problem, Control(report_sets=listed.append))
        assert len(listed) == len(expected)
        assert {tuple(sorted(tuple(sorted(s)) for s in family)) for family in listed} == expected

    check()


@pytest.mark.parametrize(
    ("error", "why"),
    [(OutOfTimeError, StopReason.TIME_LIMIT), (TooManySetsError, StopReason.MEMORY_LIMIT)],
)
def test_a_method_that_cannot_go_on_says_why(monkeypatch, error, why):
    def one_only(problem, value, control, take, see):
        take(((0, 1), (0, 2), (1, 2)))
        raise error

    monkeypatch.setitem(METHODS, "packing", ListingMethod("packing", one_only))
    answer = ListingTask("packing", 48, None).solve(EXAMPLE, Control())
    assert (answer.status, answer.stop_reason) == (Status.FEASIBLE, why)
    assert answer.sets == ((0, 1), (0, 2), (1, 2))


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_ties_are_found_counted_and_limited(method):
    check_answers("ties", method, 20, LISTED.get(method, ANY_LISTED), limit=st.sampled_from((1, 2, 300)))


def test_what_cannot_be_asked():
    for question in (explore.most_dissimilar, explore.most_sets, explore.atlas):
        with pytest.raises(InputError, match=r"loss=-0\.1: must be"):
            question(asked(EXAMPLE), -0.1)


def test_at_most_ends_the_search_for_more():
    answer = explore.most_sets(asked(EXAMPLE), 0.3, at_most=2)
    assert (answer.low, answer.high, answer.status) == (2, 15, Status.FEASIBLE)
    assert (answer.stop_reason, answer.claim[:39]) == ("finished", "Not proved. More sets were not searched")


def test_ctrl_c_between_two_solvers_keeps_what_is_known(monkeypatch):
    def interrupt(*arguments):
        signal.raise_signal(signal.SIGINT)
        return quality_bound(*arguments)

    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)  # Spark leaves one of its own
    monkeypatch.setattr(module, "quality_bound", interrupt)
    problem = Instance(quality=[9, 8, 8, 7, 3, 2, 2, 1], n_sets=3, k=2, max_shared=0, min_quality=9)
    answer = explore.most_sets(asked(problem), solver="brute-force")
    assert answer.sets
    assert answer.stop_reason == "interrupted"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    monkeypatch.setattr(module, "quality_bound", lambda *_: (interrupt(*_), interrupt(*_)))
    with pytest.raises(KeyboardInterrupt):
        explore.most_sets(asked(problem), solver="brute-force")
    signal.signal(signal.SIGINT, earlier)


@pytest.mark.parametrize(
    ("question", "problem", "n_solved", "low", "high"),
    [
        (lambda p: explore.most_sets(p, 0.3, solver="brute-force"), asked(EXAMPLE), 3, 2, 15),
        (
            lambda p: explore.most_dissimilar(p, 0.2, solver="brute-force"),
            asked(Instance(quality=range(12), n_sets=1, k=6, max_shared=6), "sequential"),
            3,
            0.5,
            1,
        ),
        (lambda p: solve(p, "brute-force"), asked(EXAMPLE, "min_then_sum"), 1, 16, None),
    ],
)
def test_interrupted_questions_keep_what_is_proved(monkeypatch, question, problem, n_solved, low, high):
    done = []

    def solve_then_interrupt(problem, *arguments, **options):
        done.append(problem)
        if len(done) > n_solved:
            raise KeyboardInterrupt
        return found(problem, *arguments, **options)

    found = asking_module.solve
    monkeypatch.setattr(asking_module, "solve", solve_then_interrupt)
    answer = question(problem)
    assert (answer.status, answer.stop_reason) == (Status.FEASIBLE, "interrupted")
    assert (answer.high, low >= answer.low > 0) == (high, True)


def test_a_time_limit_leaves_an_interval():
    problem = Instance(quality=[(7 * j) % 31 for j in range(60)], n_sets=1, k=6, max_shared=2)

    answer = with_enough_time(
        lambda limit: explore.most_sets(asked(problem), 0.4, time_limit=limit),
        lambda answer: answer.low,
        2,
        8,
        32,
        patience=18,
    )
    assert answer.stop_reason == "time_limit"
    assert 0 < answer.low < answer.high


@settings(max_examples=100)
@given(problem=ANY_PROBLEM, least=st.integers(-5, 30))
@example(problem=Instance([3, 3, 3, 3], n_sets=1, k=1, max_shared=0), least=3)
def test_bounds_by_counting_and_packing_hold(problem, least):
    problem = problem.replace(min_quality=least)
    assume(not may_be_equal(problem))
    number = oracle.largest_number(problem)
    bound = counting_bound(problem)
    assert number <= bound
    better = quality_bound(problem, 1, bound + 3) if number else None
    assert better is None or better >= number
    pool = good_sets(problem)
    if pool is None:
        return
    assert number <= pool_bound(problem, pool)
    bounds, found = [], []
    answer = MostSetsPacking(pool).solve(
        problem, Control(report_bound=bounds.append, report_sets=found.append)
    )
    assert (answer.status, answer.bound, len(answer.sets)) == (Status.OPTIMAL, number, number)
    assert all(bound >= number for bound in bounds)
    for sets in [answer.sets, *found]:
        assert not sets or is_solution(problem.replace(n_sets=len(sets)), sets)


@given(st.integers(-1, 5), st.integers(1, 60), st.data())
def test_the_staircase_finds_the_last_step_and_goes_on_at_both_sides_of_what_is_open(yes, length, data):
    no = yes + length
    last = data.draw(st.integers(yes, no - 1))
    unknown = data.draw(st.sets(st.integers(yes + 1, no), max_size=3)) - {no}
    numbers = []

    def ask(number):
        assert yes < number < no
        numbers.append(number)
        return None if number in unknown else number <= last

    known = [n for n in range(yes, no + 1) if n not in unknown]
    assert climb(yes, no, ask) == (max(n for n in known if n <= last), min(n for n in known if n > last))
    assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize("solver", ["greedy-replacement", "greedy-balancing"])
def test_what_stays_open_without_a_limit_is_said(solver):
    for question in (explore.most_dissimilar, explore.most_sets, explore.atlas):
        answer = question(asked(EXAMPLE), 0.05, solver=solver)
        assert (answer.status, answer.stop_reason) == (Status.NOT_SOLVED, "finished")
        assert re.search("is not known|were found", answer.headline)
        assert answer.cautions[0] == f"{solver} has proved nothing about: the best set."
    alone = Instance(quality=[1, 0], n_sets=2, k=2, max_shared=0)
    unproved = solve(asked(alone, "min_then_sum"), "greedy-replacement")
    assert "has proved nothing" in unproved.cautions[0]
    assert unproved.headline == "No 2 feature sets of 2 were found, from 2 features"
    pairs = [[0, 555226], [555226, 0]]
    fine = Instance([4503599627370494] * 2, 1, 1, 1, pairs=pairs, scale=50.0, objective="cfs")
    answer = explore.ties(asked(fine), solver="cpsat")
    assert (answer.status, answer.stop_reason) == (Status.FEASIBLE, "finished")
    assert answer.cautions[0] == "cpsat has proved nothing about: the optimum."
    assert answer.headline == "1 set of 1 was found and may not be the best, from 2 features"


def test_candidate_packing_proves_what_counting_and_steps_leave_open():
    quality = [40, 38, 37, 35, 33, 32, 30, 29, 28, 26, 25, 24]
    problem = Instance(quality=quality, n_sets=1, k=4, max_shared=2, min_quality=140)
    answer = explore.most_sets(asked(problem), time_limit=PATIENCE)
    assert (answer.status, answer.details["bound_from"]) == (Status.OPTIMAL, "candidate packing")


def test_answers_are_sentences():
    for answer, words in (
        (
            explore.most_dissimilar(asked(EXAMPLE, "sequential"), 0.1),
            "no such set differs more from the best set.",
        ),
        (
            explore.most_sets(asked(EXAMPLE), 0.3),
            "Proved: 8 such sets do not exist. Other 7 sets may be better.",
        ),
        (solve(asked(EXAMPLE, "min_then_sum")), "and with that minimum a larger sum than 50."),
        (
            explore.ties(asked(EXAMPLE)),
            "Proved: these are all, 2 families of 3 sets. In all of them: x0, x1, x2.",
        ),
        (explore.atlas(asked(EXAMPLE), 0.1), "Proved: these are all 4 sets of this quality."),
    ):
        assert (answer.status, answer.to_dict()["stop_reason"]) == (Status.OPTIMAL, "finished")
        assert words in " ".join(str(answer).split())
        assert answer.headline in answer._repr_html_()


LARGEST = 2**53


@pytest.mark.parametrize(
    ("problem", "loss", "solver", "found"),
    [
        (Instance([2**51] * 5, n_sets=1, k=1, max_shared=0), 0, "brute-force", (4, 5)),
        (Instance([-LARGEST], n_sets=1, k=1, max_shared=0), 1.0, "brute-force", (1, 1)),
        (
            Instance(
                quality=[2**52, 2**52],
                pairs=[[0, 16], [16, 0]],
                objective="graph_score",
                n_sets=2,
                k=1,
                max_shared=0,
            ),
            0.5,
            "rc2",
            (2, 2),
        ),
    ],
)
def test_numbers_at_the_end_of_their_range(problem, loss, solver, found):
    answer = explore.most_sets(asked(problem), loss, solver=solver, confirm="auto" if loss == 0.5 else None)
    assert (answer.low, answer.high) == found
    if found == (4, 5):
        assert "no more than 4 sets" in answer.cautions[0]
    if loss == 0.5:
        assert answer.details["confirmation"]["verdict"] == "not confirmed"
    largest = asked(Instance([LARGEST], n_sets=1, k=1, max_shared=0), "min_then_sum")
    assert solve(largest, "brute-force").high == LARGEST


@pytest.mark.parametrize("dissimilarity", ["dice", "jaccard"])
def test_levels_allow_sets_of_several_sizes_to_share_what_their_dissimilarity_does(dissimilarity):
    problem = Instance(quality=range(6), n_sets=2, k=4, k_min=2, max_shared=4)
    for level in levels(problem, dissimilarity):
        limited = at_least_as_dissimilar(problem, level, dissimilarity)
        for size, other in product(problem.sizes, repeat=2):
            most = range(min(size, other) + 1)
            shares = [
                oracle.dissimilarity(range(size), range(size - m, size - m + other), dissimilarity)
                for m in most
            ]
            allowed = [m for m, share in enumerate(shares) if share >= level]
            limit = shared_limit(limited, size, other)
            assert (-1 if limit is None else min(limit, size, other)) == max(allowed, default=-1)


class Blind(BruteForce):
    """Denies that the smallest of several values can be as large as asked for, or that any two can."""

    needs_start = False
    name = "blind"
    basis = ("blind",)
    isolated = False

    def solve(self, problem, control):
        denied = problem.min_quality is not None and (problem.aggregate == "min" or problem.n_sets == 2)
        return BackendAnswer(Status.INFEASIBLE) if denied else super().solve(problem, control)


PAIR = EXAMPLE.replace(n_sets=2)
CONFIRMED = {
    "most_dissimilar": (explore.most_dissimilar, (asked(PAIR, "sequential"), 0.1), 2),
    "most_sets": (explore.most_sets, (asked(PAIR), 0.3), 2),
    "min_then_sum": (solve, (asked(APART, "min_then_sum"),), 2),
    "none good enough": (explore.most_sets, (asked(PAIR.replace(min_quality=99)),), 1),
    "none as dissimilar": (explore.most_dissimilar, (asked(PAIR.replace(forced=(0,))), 0.2), 2),
    "no sets": (solve, (asked(IMPOSSIBLE, "min_then_sum"),), 1),
    "no ties": (explore.ties, (asked(IMPOSSIBLE),), 1),
}


@pytest.mark.parametrize("name", CONFIRMED)
def test_answers_are_confirmed_with_all_they_rest_on(name):
    question, arguments, n_claims = CONFIRMED[name]
    answer = question(*arguments, solver="brute-force", confirm="rc2")
    assert answer.proved
    confirmation = answer.details["confirmation"]
    assert (confirmation["verdict"], confirmation["n_claims"]) == ("confirmed", n_claims)
    assert ("proof", "confirmed by rc2") in answer.details["facts"]


@pytest.mark.parametrize(
    ("question", "arguments"),
    [(explore.most_dissimilar, (asked(PAIR), 0.2)), (solve, (asked(APART, "min_then_sum"),))],
)
def test_false_proofs_behind_an_answer_are_found(question, arguments, monkeypatch):
    from pyfsel.interface import solving
    from pyfsel.questions import asked as asked_module

    for each in (solving, asked_module):
        monkeypatch.setattr(each, "as_solver", lambda solver: {"backend": Blind()})
    assert question(*arguments).proved
    with pytest.raises(FalseClaimError, match="blind claimed INFEASIBLE, but rc2 found"):
        question(*arguments, confirm="rc2")


def test_what_is_counted_once_is_said_and_the_unproved_is_not_confirmed():
    alone = asked(EXAMPLE.replace(n_sets=1))
    for question in (explore.ties, explore.atlas):
        answer = question(alone, solver="brute-force", confirm="rc2")
        assert (answer.details["confirmation"]["n_claims"], answer.proved) == (2, True)
        assert "by one method" in answer.details["confirmation"]["message"]


def test_false_lists_are_refused(monkeypatch):
    best = ((0, 1), (0, 2), (1, 2))
    monkeypatch.setattr(ListingTask, "isolated", False)

    def lists(*families):
        def listed(problem, value, control, take, see):
            for family in families:
                take(family)

        monkeypatch.setitem(METHODS, "brute-force", ListingMethod("brute-force", listed))

    for families, evidence in (
        ([((0, 1), (0, 1), (0, 2))], "share 2 features"),
        ([((0, 1), (0, 2), (2, 3))], "has the objective 49, not 50"),
        ([((0, 1), (0, 2), (0, 3))], "are missing"),
        ([], "found no solution"),
    ):
        lists(*families)
        with Asking("brute-force") as asking, pytest.raises(FalseClaimError, match=evidence):
            _enumerate(asking, EXAMPLE, "brute-force", best, range(50, 51), None, set())
