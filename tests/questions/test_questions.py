"""Other ways to ask: every backend that takes a question answers it like an oracle that tries everything."""

import json
import signal
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import questions_oracle as oracle
from conformance import is_solution
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from small_problems import constrained_problems, problems

from pyfsel import Status
from pyfsel.backends import get_backend
from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.overlap import may_be_equal, shared_limit
from pyfsel.questions.asking import Asking, climb, value_after_loss
from pyfsel.questions.enumeration import METHODS, Enumeration
from pyfsel.questions.min_then_sum import min_then_sum
from pyfsel.questions.most_dissimilar import levels, most_dissimilar
from pyfsel.questions.most_sets import most_sets
from pyfsel.questions.most_sets_bounds import MostSetsPacking, first_bounds, quality_bound
from pyfsel.questions.ties import ties
from pyfsel.reductions.interchange import most_by_counting
from pyfsel.results.answer import StopReason
from pyfsel.results.confirmation import Verdict
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError

IN_PROCESS = ("auto", "brute-force", "cpsat", "packing", "rc2")
BY_PROGRAMS = ("minizinc:gecode", "mip:cbc")
BACKENDS = [
    *(pytest.param(name, 15, id=name) for name in IN_PROCESS),
    *(pytest.param(name, 3, id=name, marks=pytest.mark.slow) for name in BY_PROGRAMS),
]
EXAMPLE = Instance(quality=[9, 8, 8, 7, 3, 1], n_sets=3, set_size=2, max_overlap=1)
ANY_PROBLEM = st.one_of(
    problems(objectives=("univariate", "fcbf", "mrmr"), most_features=6),
    constrained_problems(most_features=6),
)
LOSSES = st.sampled_from((0, 0.1, 0.25, 0.5, 1))


def ask(question, problem, *arguments, **options):
    """Ask a question; examples that the backend does not take are skipped."""
    try:
        return question(problem, *arguments, **options)
    except InputError:
        assume(False)


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize(("backend", "n_examples"), BACKENDS)
def test_most_dissimilar_sets(backend, n_examples, search):
    @settings(max_examples=n_examples, deadline=None, derandomize=True)
    @given(problem=ANY_PROBLEM, loss=LOSSES, name=st.sampled_from(("dice", "jaccard")))
    def check(problem, loss, name):
        assume(search == "sequential" or problem.n_sets > 1 or problem.previous_sets)
        answer = ask(
            most_dissimilar,
            problem,
            loss,
            search=search,
            dissimilarity=name,
            backend=backend,
        )
        best = oracle.best_single_value(problem)
        if best is None:
            assert answer.status is Status.INFEASIBLE
            return
        assert answer.best_quality == best
        asked = answer.problem
        assert asked.min_quality == max(best - int(Fraction(loss) * abs(best)), problem.min_quality or -1000)
        if search == "sequential" and not problem.previous_sets:
            (original,) = asked.previous_sets
            assert oracle.values(problem, [original]) == [best]
        assert asked.n_sets == (1 if search == "sequential" else problem.n_sets)
        largest = oracle.largest_dissimilarity(asked, name)
        assert answer.largest == answer.bound == largest
        if largest is not None:
            assert answer.status is Status.OPTIMAL
            assert is_solution(oracle.without_overlap_limits(asked), answer.sets)
            assert oracle.least_dissimilarity(answer.sets, asked.previous_sets, name) == largest

    check()


@pytest.mark.parametrize(("backend", "n_examples"), BACKENDS)
def test_most_sets(backend, n_examples):
    @settings(max_examples=n_examples, deadline=None, derandomize=True)
    @given(problem=ANY_PROBLEM, loss=LOSSES)
    def check(problem, loss):
        if may_be_equal(problem):
            with pytest.raises(InputError, match="allows equal sets"):
                most_sets(problem, loss, backend=backend)
            return
        answer = ask(most_sets, problem, loss, backend=backend)
        best = oracle.best_single_value(problem)
        if best is None:
            assert answer.status is Status.INFEASIBLE
            return
        number = oracle.largest_number(answer.problem)
        assert (answer.n_sets, answer.bound) == (number, number)
        assert answer.status is (Status.OPTIMAL if number else Status.INFEASIBLE)
        if number:
            assert is_solution(answer.problem.replace(n_sets=number), answer.sets)

    check()


@pytest.mark.parametrize(("backend", "n_examples"), BACKENDS)
def test_min_then_sum(backend, n_examples):
    @settings(max_examples=n_examples, deadline=None, derandomize=True)
    @given(problem=ANY_PROBLEM)
    def check(problem):
        answer = ask(min_then_sum, problem, backend=backend)
        expected = oracle.min_then_sum(problem)
        if expected is None:
            assert answer.status is Status.INFEASIBLE
            return
        assert answer.status is Status.OPTIMAL
        assert is_solution(problem, answer.sets)
        found = oracle.values(problem, answer.sets)
        assert (min(found), sum(found)) == (answer.minimum, answer.total) == expected
        best_sum, _ = oracle.optimal_families(problem.replace(aggregate="sum"))
        assert answer.costs_nothing == (answer.total == best_sum)

    check()


def test_no_sets_need_be_best_by_both_aggregates():
    """Paper 000 leaves open whether a solution that is best by sum and by min always exists: no."""
    problem = Instance(quality=[12, 10, 10, 9, 6, 5, 0], n_sets=4, set_size=3, max_overlap=1)
    solutions = [oracle.values(problem, family) for family in oracle.families(problem)]
    best_min, best_sum = max(map(min, solutions)), max(map(sum, solutions))
    assert (best_min, best_sum) == (25, 105)
    assert max(sum(numbers) for numbers in solutions if min(numbers) == best_min) == 104
    answer = min_then_sum(problem)
    assert (answer.minimum, answer.total, answer.costs_nothing) == (25, 104, False)


ANY_LISTED = st.one_of(ANY_PROBLEM, problems(objectives=("graph_score",), most_features=6, most_sets=2))
LISTED = {  # by methods that list single sets of one size
    name: problems(objectives=objectives, most_features=6).map(
        lambda p: p.replace(n_sets=1, min_set_size=None)
    )
    for name, objectives in {"ksubgraph": ("mrmr", "graph_score"), "best-subsets": ("r2",)}.items()
}


@pytest.mark.parametrize(
    ("method", "n_examples"),
    [
        *((name, 60) for name in METHODS if not name.startswith("minizinc")),
        pytest.param("minizinc:gecode", 8, marks=pytest.mark.slow),
    ],
)
def test_methods_list_every_optimal_family_once(method, n_examples):
    @settings(max_examples=n_examples, deadline=None, derandomize=True)
    @given(problem=LISTED.get(method, ANY_LISTED), loss=st.sampled_from((0, 0, 0.1, 0.5, 1)))
    def check(problem, loss):
        assume(METHODS[method].refusal(problem) is None)
        best, expected = oracle.optimal_families(problem, loss)
        assume(best is not None)
        listed = []
        METHODS[method].list_families(problem, value_after_loss(best, loss), Control(), listed.append)
        assert len(listed) == len(expected)
        assert {tuple(sorted(tuple(sorted(s)) for s in family)) for family in listed} == expected

    check()


def test_methods_list_optimal_sets_of_cfs():
    redundancy = [[0, 40, 10, 10], [40, 0, 10, 10], [10, 10, 0, 40], [10, 10, 40, 0]]
    problem = Instance(
        quality=[50, 50, 50, 50],
        redundancy=redundancy,
        scale=100,
        n_sets=1,
        set_size=3,
        min_set_size=1,
        max_overlap=3,
        objective="cfs",
    )
    best, expected = oracle.optimal_families(problem)
    assert len(expected) == 4
    for method in ("cpsat", "brute-force"):
        listed = []
        METHODS[method].list_families(problem, best, Control(), listed.append)
        assert {tuple(map(tuple, family)) for family in listed} == expected
    assert METHODS["rc2"].refusal(problem) is not None
    assert METHODS["minizinc:gecode"].refusal(problem) is not None


@pytest.mark.parametrize(
    ("error", "why"),
    [(OutOfTimeError, StopReason.TIME_LIMIT), (TooManySetsError, StopReason.MEMORY_LIMIT)],
)
def test_a_method_that_cannot_go_on_says_why(monkeypatch, error, why):
    def one_only(problem, value, control, take):
        take(((0, 1), (0, 2), (1, 2)))
        raise error

    monkeypatch.setitem(METHODS, "packing", replace(METHODS["packing"], list_families=one_only))
    answer = Enumeration("packing", 48, None).solve(EXAMPLE, Control())
    assert (answer.status, answer.stop_reason) == (Status.FEASIBLE, why)
    assert answer.sets == ((0, 1), (0, 2), (1, 2))


@pytest.mark.parametrize("method", ["auto", *(name for name in METHODS if name not in LISTED)])
def test_ties_are_found_counted_and_limited(method):
    answer = ties(EXAMPLE, backend=method)
    assert answer.is_complete
    assert set(answer.families) == {((0, 1), (0, 2), (0, 3)), ((0, 1), (0, 2), (1, 2))}
    assert answer.always == (0, 1, 2)
    limited = ties(EXAMPLE, limit=1, backend=method)
    assert (limited.n_families, limited.is_complete) == (1, False)
    exactly = ties(EXAMPLE, limit=2, backend=method)
    assert (exactly.n_families, exactly.is_complete) == (2, True)


@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_families_that_lose_a_share_are_listed(aggregate):
    problem = EXAMPLE.replace(aggregate=aggregate)
    best, expected = oracle.optimal_families(problem, 0.1)
    answer = ties(problem, loss=0.1, confirm="auto")
    listed = {tuple(sorted(family)) for family in answer.families}
    assert (answer.optimum, answer.is_complete, listed) == (best, True, expected)
    assert len(ties(problem).families) < len(expected)
    assert f"these are all {len(expected)} families of" in str(answer)
    assert answer.confirmation.verdict is Verdict.CONFIRMED
    with pytest.raises(FalseClaimError, match=f"not {answer.wanted[0]} to {best}"):
        replace(answer, families=(*answer.families, ((0, 5), (1, 5), (2, 5))))
    with pytest.raises(InputError, match="loss=2"):
        ties(problem, loss=2)


def test_questions_without_an_answer():
    impossible = Instance(quality=[3, 2, 1], n_sets=2, set_size=2, max_overlap=0)
    assert ties(impossible).is_complete
    assert ties(impossible).status is Status.INFEASIBLE
    assert min_then_sum(impossible).status is Status.INFEASIBLE
    demanding = EXAMPLE.replace(min_quality=18)
    assert most_dissimilar(demanding).status is Status.INFEASIBLE
    assert most_sets(demanding).status is Status.INFEASIBLE
    assert most_sets(demanding).bound == 0


def test_a_least_quality_or_a_loss_is_needed():
    for question in (most_dissimilar, most_sets):
        with pytest.raises(InputError, match="loss: is missing"):
            question(EXAMPLE)
        with pytest.raises(InputError, match=r"loss=-0\.1: must be"):
            question(EXAMPLE, -0.1)
    with pytest.raises(InputError, match="n_sets=1"):
        most_dissimilar(EXAMPLE.replace(n_sets=1), 0.1, search="simultaneous")


def test_backends_that_cannot_say_so():
    with pytest.raises(InputError, match="cannot list solutions"):
        ties(EXAMPLE, backend="mip:cbc")
    with pytest.raises(InputError, match="ksubgraph"):
        most_sets(EXAMPLE, 0.1, backend="ksubgraph")


def test_backends_without_least_qualities_decide_by_the_best_set():
    assert "min_quality" not in get_backend("ranking").side_constraints
    with Asking("ranking") as asking:
        possible = asking.decide(EXAMPLE.replace(min_quality=16), "16")
        impossible = asking.decide(EXAMPLE.replace(min_quality=17), "17")
    assert possible.sets == ((0, 1), (0, 2), (0, 3))
    assert possible.problem.min_quality == 16
    assert impossible.status is Status.INFEASIBLE


def test_at_most_ends_the_search_for_more():
    answer = most_sets(EXAMPLE, 0.3, at_most=2)
    assert (answer.n_sets, answer.bound, answer.status) == (2, 7, Status.FEASIBLE)


def test_ctrl_c_between_two_solvers_keeps_what_is_known(monkeypatch):
    from pyfsel.questions import most_sets as module

    def interrupt(*arguments):
        signal.raise_signal(signal.SIGINT)
        return quality_bound(*arguments)

    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)  # Spark leaves one of its own
    monkeypatch.setattr(module, "quality_bound", interrupt)
    problem = Instance(quality=[9, 8, 8, 7, 3, 2, 2, 1], n_sets=3, set_size=2, max_overlap=0, min_quality=9)
    answer = most_sets(problem, backend="brute-force")
    assert answer.sets
    assert str(answer.stop_reason) == "interrupted"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    monkeypatch.setattr(module, "quality_bound", lambda *_: (interrupt(*_), interrupt(*_)))
    with pytest.raises(KeyboardInterrupt):
        most_sets(problem, backend="brute-force")
    signal.signal(signal.SIGINT, earlier)


def test_interrupted_questions_keep_what_is_proved(monkeypatch):
    from pyfsel.questions import asking

    asked = []

    def solve_then_interrupt(problem, *arguments, **options):
        asked.append(problem)
        if len(asked) > 3:
            raise KeyboardInterrupt
        return solve(problem, *arguments, **options)

    solve = asking.solve
    monkeypatch.setattr(asking, "solve", solve_then_interrupt)
    answer = most_sets(EXAMPLE, 0.3, backend="brute-force")
    assert (answer.n_sets, answer.bound, str(answer.stop_reason)) == (2, 7, "interrupted")
    asked.clear()
    problem = Instance(quality=range(12), n_sets=1, set_size=6, max_overlap=6)
    answer = most_dissimilar(problem, 0.2, backend="brute-force")
    assert str(answer.stop_reason) == "interrupted"
    assert answer.status is Status.FEASIBLE
    assert answer.largest < answer.bound
    asked.clear()
    asked += [None, None]
    answer = min_then_sum(EXAMPLE, backend="brute-force")
    assert answer.status is Status.FEASIBLE
    assert (answer.minimum, answer.minimum_bound, str(answer.stop_reason)) == (16, None, "interrupted")


def test_a_time_limit_leaves_an_interval():
    problem = Instance(quality=[(7 * j) % 31 for j in range(60)], n_sets=1, set_size=6, max_overlap=2)
    answer = most_sets(problem, 0.4, time_limit=2)
    assert str(answer.stop_reason) == "time_limit"
    assert 0 < answer.n_sets < answer.bound
    assert answer.runtime < 20


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problem=ANY_PROBLEM, least=st.integers(-5, 30))
@example(problem=Instance([3, 3, 3, 3], n_sets=1, set_size=1, max_overlap=0), least=3)
def test_bounds_by_counting_hold(problem, least):
    problem = problem.replace(min_quality=least)
    assume(not may_be_equal(problem))
    number = oracle.largest_number(problem)
    bound, _ = first_bounds(problem)
    assert number <= bound
    better = quality_bound(problem, 1, bound + 3) if number else None
    assert better is None or better >= number


def test_counting_is_exact_for_known_designs():
    assert most_by_counting(7, 3, 1) == 7
    assert most_by_counting(8, 4, 2) == 14
    assert most_by_counting(11, 5, 3) == 66
    assert most_by_counting(4, 5, 1) == 0


@given(st.integers(-1, 5), st.integers(1, 60), st.data())
def test_the_staircase_finds_the_last_step_and_goes_on_at_both_sides_of_what_is_open(yes, length, data):
    no = yes + length
    last = data.draw(st.integers(yes, no - 1))
    unknown = data.draw(st.sets(st.integers(yes + 1, no), max_size=3)) - {no}
    asked = []

    def ask(number):
        assert yes < number < no
        asked.append(number)
        return None if number in unknown else number <= last

    found = climb(yes, no, ask)
    known = [n for n in range(yes, no + 1) if n not in unknown]
    assert found == (max(n for n in known if n <= last), min(n for n in known if n > last))
    assert len(asked) == len(set(asked))


def test_losses_are_exact_shares():
    assert value_after_loss(100, 0.1) == 90
    assert value_after_loss(100, 0.07) == 93
    assert value_after_loss(-100, 0.07) == -107
    assert value_after_loss(10, 0.29) == 8


def test_what_stays_open_without_a_limit_is_said():
    problem = Instance([5, 4, 3, 2, 1], n_sets=2, set_size=1, max_overlap=0)
    for question in (most_dissimilar, most_sets):
        answer = question(problem, 0.05, backend="greedy-replacement")
        assert (answer.status, answer.stop_reason) == (Status.NOT_SOLVED, StopReason.FINISHED)
        assert answer.message == "greedy-replacement has proved nothing about: the best set."


@pytest.mark.parametrize(("tau", "least"), [(0.5, 1), (0.3, 1), (1.0, 1), (0.5, 2)])
@pytest.mark.parametrize("dissimilarity", ["dice", "jaccard"])
def test_most_sets_of_several_sizes(tau, least, dissimilarity):
    quality = [5, 4, 3, 2] if least == 2 else [3, 2, 1]
    problem = make_instance(
        quality, k=3 if least == 2 else 2, min_k=least, tau=tau, n_alternatives=1, dissimilarity=dissimilarity
    )
    answer = most_sets(problem, 0.9, backend="cpsat")
    assert answer.status is Status.OPTIMAL
    assert answer.n_sets == oracle.largest_number(answer.problem)


def test_most_sets_by_candidate_packing():
    @settings(max_examples=15, deadline=None, derandomize=True)
    @given(problem=ANY_PROBLEM, least=st.integers(-5, 20))
    def check(problem, least):
        problem = problem.replace(min_quality=least)
        assume(not may_be_equal(problem))
        packing = MostSetsPacking()
        assume(packing.refusal(problem) is None)
        bounds, found = [], []
        answer = packing.solve(problem, Control(report_bound=bounds.append, report_sets=found.append))
        number = oracle.largest_number(problem)
        assert answer.status is Status.OPTIMAL
        assert answer.bound == len(answer.sets) == number
        assert all(bound >= number for bound in bounds)
        for sets in [answer.sets, *found]:
            assert not sets or is_solution(problem.replace(n_sets=len(sets)), sets)

    check()


def test_candidate_packing_proves_what_counting_and_steps_leave_open():
    quality = [40, 38, 37, 35, 33, 32, 30, 29, 28, 26, 25, 24]
    problem = Instance(quality=quality, n_sets=1, set_size=4, max_overlap=2, min_quality=140)
    answer = most_sets(problem, time_limit=60)
    assert answer.status is Status.OPTIMAL
    assert answer.bound_from == "candidate packing"
    stepwise = most_sets(problem, backend="cpsat", at_most=answer.n_sets, time_limit=60)
    assert stepwise.n_sets <= answer.n_sets <= stepwise.bound


@pytest.mark.parametrize(
    ("changes", "evidence"),
    [
        ({"families": (((0, 1), (0, 1), (0, 2)),)}, "share 2 features"),
        ({"families": (((0, 1), (0, 2), (2, 3)),)}, "has the objective 49, not 50"),
        ({"families": (((0, 1), (0, 2), (0, 3)), ((0, 2), (0, 1), (0, 3)))}, "a family is listed twice"),
    ],
)
def test_false_ties_are_refused(changes, evidence):
    answer = ties(EXAMPLE, backend="brute-force")
    with pytest.raises(FalseClaimError, match=evidence):
        replace(answer, **changes)


def test_false_answers_are_refused():
    dissimilar = most_dissimilar(EXAMPLE, 0.1, backend="brute-force")
    with pytest.raises(FalseClaimError, match="dissimilarity 1 was claimed, the sets have 1/2"):
        replace(dissimilar, largest=Fraction(1), bound=Fraction(1))
    with pytest.raises(FalseClaimError, match="bound 0 was claimed, 1/2 is reached"):
        replace(dissimilar, bound=Fraction(0))
    with pytest.raises(FalseClaimError, match="bound 6 was claimed, 7 sets are known"):
        replace(most_sets(EXAMPLE, 0.3, backend="brute-force"), bound=6)
    both = min_then_sum(EXAMPLE, backend="brute-force")
    with pytest.raises(FalseClaimError, match="bound 15 was claimed, 16 is reached"):
        replace(both, minimum_bound=15)
    with pytest.raises(FalseClaimError, match="INFEASIBLE was claimed with sets"):
        replace(both, is_infeasible=True)


def test_answers_are_plain_data_and_readable_text():
    for answer, words in (
        (most_dissimilar(EXAMPLE, 0.1), "no such set is more dissimilar than 1/2."),
        (most_sets(EXAMPLE, 0.3), "Proved: 8 such sets do not exist ("),
        (min_then_sum(EXAMPLE), "and with that minimum a larger sum than 50."),
        (ties(EXAMPLE), "Proved: these are all 2 optimal families of 3 sets."),
    ):
        data = json.loads(json.dumps(answer.to_dict()))
        assert data["status"] == "OPTIMAL"
        assert data["stop_reason"] == "finished"
        assert data["trials"]
        assert words in " ".join(str(answer).split())


def test_as_many_sets_of_huge_quality_as_a_problem_can_hold():
    problem = Instance(quality=[2**51, 2**51, 2**51, 2**51, 2**51], n_sets=1, set_size=1, max_overlap=0)
    answer = most_sets(problem, 0, backend="brute-force")
    assert (answer.n_sets, answer.bound, answer.status) == (4, 5, Status.FEASIBLE)
    assert "no more than 4 sets" in answer.message


def test_questions_say_what_a_heuristic_does_not_prove():
    answer = most_dissimilar(EXAMPLE, 0.1, backend="greedy-balancing", search="simultaneous")
    assert answer.status is Status.NOT_SOLVED
    assert "greedy-balancing has proved nothing" in answer.message
    alone = Instance(quality=[1, 0], n_sets=2, set_size=2, max_overlap=0)
    assert "has proved nothing" in min_then_sum(alone, backend="greedy-replacement").message


def test_ties_say_that_the_optimum_is_not_proved():
    qualities, redundancy = [4503599627370494] * 2, [[0, 555226], [555226, 0]]
    problem = Instance(
        quality=qualities,
        redundancy=redundancy,
        objective="cfs",
        n_sets=1,
        set_size=1,
        max_overlap=1,
        scale=50.0,
    )
    answer = ties(problem, backend="cpsat")
    assert answer.status is Status.FEASIBLE
    assert answer.stop_reason is StopReason.FINISHED
    assert answer.message == "cpsat has proved nothing about: the optimum."


@pytest.mark.parametrize("confirm", [None, "auto"])
def test_one_set_more_than_the_range_of_integers_allows(confirm):
    problem = Instance(
        quality=[2**52, 2**52],
        redundancy=[[0, 16], [16, 0]],
        n_sets=2,
        set_size=1,
        max_overlap=0,
        objective="graph_score",
    )
    answer = most_sets(problem, 0.5, backend="rc2", confirm=confirm)
    assert (answer.n_sets, answer.bound) == (2, 2)
    assert (answer.confirmation is None) == (confirm is None)
    assert confirm is None or answer.confirmation.verdict is Verdict.NOT_CONFIRMED


def test_a_threshold_below_all_numbers_is_the_least_one():
    problem = Instance(quality=[-(2**53)], n_sets=1, set_size=1, max_overlap=0)
    answer = most_sets(problem, 1.0, backend="brute-force")
    assert (answer.n_sets, answer.problem.min_quality) == (1, -(2**53))


@pytest.mark.parametrize("dissimilarity", ["dice", "jaccard"])
def test_levels_allow_sets_of_several_sizes_to_share_what_their_dissimilarity_does(dissimilarity):
    problem = Instance(quality=range(6), n_sets=2, set_size=4, min_set_size=2, max_overlap=4)
    for level in levels(problem, dissimilarity):
        asked = problem.replace(**level.changes)
        for size, other in product(problem.sizes, repeat=2):
            shares = [
                1
                - (
                    Fraction(2 * m, size + other)
                    if dissimilarity == "dice"
                    else Fraction(m, size + other - m)
                )
                for m in range(min(size, other) + 1)
            ]
            allowed = [m for m, share in enumerate(shares) if share >= level.dissimilarity]
            limit = shared_limit(asked, size, other)
            assert (-1 if limit is None else min(limit, size, other)) == max(allowed, default=-1)


def test_no_smallest_quality_is_better_than_the_largest_number():
    problem = Instance(quality=[2**53], n_sets=1, set_size=1, max_overlap=0)
    answer = min_then_sum(problem, backend="brute-force")
    assert (answer.status, answer.minimum, answer.minimum_bound) == (Status.OPTIMAL, 2**53, 2**53)


def test_best_subsets_are_asked_for_in_other_ways():
    """A least quality for several sets at once, and sizes that a criterion compares."""
    table = np.random.default_rng(0).normal(size=(40, 8))
    r = np.corrcoef(table @ np.random.default_rng(1).normal(size=(8, 8)), rowvar=False)
    alone = make_instance(r[-1, :-1], r[:-1, :-1], objective="r2", k=3, max_overlap=1)
    answer = most_sets(alone, 0.3, confirm="brute-force")
    assert answer.n_sets == answer.bound == oracle.largest_number(answer.problem) > 1
    for search, n_sets in (("sequential", 1), ("simultaneous", 2)):
        asked = alone.replace(n_sets=n_sets, max_overlap=3)
        answer = most_dissimilar(asked, 0.1, search=search, backend="best-subsets")
        assert answer.largest == answer.bound == oracle.largest_dissimilarity(answer.problem, "dice")
    several = alone.replace(min_set_size=1, criterion="bic", n_rows=40)
    found = ties(several, backend="best-subsets")
    ((best,),) = found.families
    assert oracle.values(several, [best]) == [oracle.best_single_value(several)]
