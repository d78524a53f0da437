"""`solve` and its searches: arguments, what the limits and the statuses mean, whose sets are returned."""

from fractions import Fraction

import numpy as np
import pytest
from faulty_backends import Says, together
from small_problems import PROBLEM

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.results.backend_answer import BackendAnswer, StopReason
from pyfsel.solving.solve import solve


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"backend": "gurobi"}, "solver='gurobi': must be one of .* such as auto"),
        ({"backend": 3}, "solver=3: must be a name or a Backend"),
        ({"backend": type(registry()["packing"])}, "must be a name or a Backend"),
        ({"search": "both"}, "search='both': must be one of sequential, simultaneous"),
        ({"time_limit": 0}, "time_limit=0"),
        ({"formulation": "best"}, "formulation='best': brute-force has strengthened"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(InputError, match=message) as caught:
        solve(**({"problem": PROBLEM, "backend": "brute-force"} | arguments))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"random_state": np.int64(3), "n_threads": np.int32(1)},
        {"time_limit": np.float32(20)},
        {"time_limit": Fraction(41, 2)},
        {"time_limit": 10**9},
        {"backend": registry()["packing"]},
    ],
)
@pytest.mark.parametrize("search", ["simultaneous", "sequential"])
def test_good_arguments_of_any_type(arguments, search):
    result = solve(**({"problem": PROBLEM, "backend": "brute-force", "search": search} | arguments))
    assert (result.status, result.objective) == (Status.OPTIMAL, 48)
    assert result.stop_reason is StopReason.FINISHED


def test_negative_zero_is_zero():
    result = solve(make_instance([-0.0, 0.0, -0.0], k=2), "brute-force", search="simultaneous")
    assert str(result.objective) == "0.0"
    assert result.gap == 0


def test_auto_says_what_it_chose():
    for search in ("simultaneous", "sequential"):
        result = solve(PROBLEM, search=search)
        assert f"auto chose {result.backend}: " in result.message


def found(sets=None, bound=None, **more):
    """Return a backend that says this at the end of a run that was cut short."""
    return Says(BackendAnswer.unproved(sets, bound), name="found", **more)


WORST = ((0, 3), (0, 4), (0, 5))


@pytest.mark.parametrize(
    ("backend", "objective", "status", "said"),
    [
        (found(), 48, Status.FEASIBLE, "sequential start"),
        (found(WORST), 48, Status.FEASIBLE, "sequential start"),
        (found(None, 48), 48, Status.OPTIMAL, "sequential start"),
        (found(needs_start=False), None, Status.NOT_SOLVED, ""),
        (found(WORST, exact=False), 33, Status.FEASIBLE, ""),
        (found(exact=False), None, Status.NOT_SOLVED, ""),
    ],
)
def test_after_a_time_out_the_best_known_sets_are_returned(backend, objective, status, said):
    """Starts help exact backends that can take long; heuristics and what is done at once get no help."""
    result = together(backend, time_limit=30)
    assert (result.objective, result.status, result.backend) == (objective, status, "found")
    assert status is not Status.OPTIMAL or result.bound == objective
    assert said in result.message
    assert result.message.count("The sets come from") == bool(said)
    assert 0 <= result.runtime < 15


def test_a_time_out_without_any_sets_is_not_solved():
    unsolvable = Instance(quality=[3, 2, 1], n_sets=2, k=2, max_shared=0)
    result = solve(unsolvable, found(), time_limit=5, search="simultaneous")
    assert (result.status, result.sets, result.objective) == (Status.NOT_SOLVED, (), None)
    assert result.stop_reason is StopReason.TIME_LIMIT


class OneSetOnly(Says):
    def unsupported(self, problem, formulation):
        return "takes no previous sets" if problem.previous else None


def test_sequential_search_asks_about_its_later_steps():
    with pytest.raises(InputError, match="takes no previous sets"):
        solve(PROBLEM, OneSetOnly(), "sequential")
    one = OneSetOnly(BackendAnswer.unproved(((0, 1),), 17))
    assert solve(PROBLEM.replace(n_sets=1), one, "sequential").status is Status.OPTIMAL


def test_dead_end_of_sequential_search_is_not_infeasible():
    """Features 2 and 3 are needed by any second set, but the first set is best with feature 2."""
    problem = Instance(quality=[9, 1, 8, 7], n_sets=2, k=2, max_shared=0, conflicts=[(0, 1), (1, 3)])
    assert solve(problem, "brute-force", "sequential").status is Status.FEWER
    assert solve(problem, "brute-force", "simultaneous").sets == ((0, 3), (1, 2))


def test_sets_are_listed_by_decreasing_quality_ties_lexicographic():
    q = [5, 5, 5, 5, 1, 1, 1, 1]
    result = solve(Instance(quality=q, n_sets=4, k=2, max_shared=0), "brute-force", search="simultaneous")
    assert result.sets == ((0, 1), (2, 3), (4, 5), (6, 7))


def test_a_step_without_a_set_may_use_all_the_time():
    class Slow(Says):
        """Needs more than its share for a first set."""

        formulations = ("literal",)

        def solve(self, problem, control):
            sets = ((len(problem.previous),),)
            return BackendAnswer.unproved(sets if control.limits.remaining() > 250 else None)

    problem = Instance(quality=[3, 2, 1, 1], n_sets=4, k=1, max_shared=0)
    result = solve(problem, Slow(), "sequential", time_limit=400, cold_start=True)
    assert result.steps[0].features == (0,)
