"""One matrix of everything that can be combined: each cell is answered as brute force says, or refused.

Objective × aggregate × search × dissimilarity × sizes × forced, previous sets and groups, for backends and
questions, on problems small enough to list all solutions; and, for the objectives, on problems of more than
20,000 possible sets, beyond which starts and enumerations take other ways.
"""

from functools import cache
from itertools import combinations
from random import Random

import numpy as np
import pytest
import questions_oracle as oracle
from conformance import are_dissimilar, is_solution
from fuzzing.trials import ContradictionError, Trial, random_options
from running import with_enough_time

from pyfsel import Group, InputError, Status
from pyfsel.backends import registry
from pyfsel.problem import values
from pyfsel.problem.dissimilarity import DISSIMILARITIES
from pyfsel.problem.known_objectives import OBJECTIVES
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints, Dissimilarity
from pyfsel.results.backend_answer import StopReason
from pyfsel.solving.solve import solve

CELLS = 25
SLOW = ("minizinc:", "maxsat:", "pb:", "sdp", "asdp", "turns")
QUESTIONS = ("most_dissimilar", "most_sets", "min_then_sum", "ties")
SIDES = {
    "nothing": Constraints(),
    "forced": Constraints(forced=[1]),
    "previous": Constraints(previous=[(0, 1, 2)]),
    "both": Constraints(forced=[1], previous=[(0, 1, 2), (0, 3, 4)]),
    "groups": Constraints(groups=[Group((0, 1, 2), at_most=2)], forbidden=[3]),
}


def numbers_of(objective, n, random):
    """Return qualities and redundancies as the objective takes them."""
    if objective == "r2":
        X = random.normal(size=(12, n))
        X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
        C = np.corrcoef(np.column_stack([X, X[:, 0] - X[:, 2] + random.normal(size=12)]), rowvar=False)
        return C[:n, n].round(3), C[:n, :n].round(3)
    R = np.triu(random.integers(0, 8, (n, n)) / 10, 1)
    return random.integers(0, 20, n) / 10, R + R.T


def problem_of(objective, n, k, random, n_sets=2, **more):
    q, R = numbers_of(objective, n, random)
    kind = OBJECTIVES[objective]
    pairs = {} if kind.is_sum else {"pairs": R}
    scale = {"r2": 1000, "cfs": 1000}.get(objective, 10)
    name = "univariate" if kind.has_conflicts else objective
    problem = make_instance(q, k=k, n_sets=n_sets, objective=name, scale=scale, **pairs, **more)
    return problem.replace(objective=objective, conflicts=[(0, 3)] if kind.has_conflicts else ())


def cell_of(objective, number):
    """Return a problem and a search; all values of each dimension come in any 20 numbers."""
    random, pick = np.random.default_rng(number), Random(number)
    more = {"constraints": SIDES[list(SIDES)[number % 5]]}
    more["aggregate"] = ("sum", "min")[number // 2 % 2]
    least, k = pick.choice((0.2, 0.4, 0.5, 0.7, 1)), 3
    more["dissimilarity"] = Dissimilarity(least, list(DISSIMILARITIES)[number % len(DISSIMILARITIES)])
    if number // 3 % 2 and not OBJECTIVES[objective].has_one_size:
        k = (pick.choice((1, 2)), 3)
    search = ("sequential", "simultaneous")[number % 2 if number < 20 else pick.randrange(2)]
    return problem_of(objective, 6, k, random, pick.choice((1, 2, 3)), **more), search


@pytest.mark.parametrize("number", range(CELLS))
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_cell_is_answered_or_refused(objective, number):
    try:
        problem, search = cell_of(objective, number)
    except InputError as error:
        pytest.skip(str(error))
    truth, random = oracle.Truth(problem), Random(number)
    quick = [name for name, b in registry().items() if b.missing() is None and not name.startswith(SLOW)]
    asked = [
        Trial("solve", problem, name, None, {"search": search, "random_state": 0})
        for name in ("auto", *random.sample(quick, 3))
    ]
    question = QUESTIONS[number % len(QUESTIONS)]
    options = random_options(random, question, problem)
    if options is not None:
        asked.append(Trial(question, problem, "auto", None, options))
    for trial in asked:
        try:
            assert trial.outcome(truth) in ("proved", "found", "refused", "unproved", "open")
        except ContradictionError as error:
            raise AssertionError(f"{trial}: {error}") from error


@cache
def large(objective, least):
    """Return a problem of more than 20,000 sets, all of them, best first, and their values."""
    k = (least, 4) if least else 4
    problem = problem_of(objective, 28, k, np.random.default_rng(5), dissimilarity=0.5)
    sets = [members for size in problem.sizes for members in combinations(range(28), size)]
    if problem.has_conflicts:
        sets = [members for members in sets if not {0, 3} <= {*members}]
    worth = values.values(problem, sets)
    order = np.argsort(-worth, kind="stable")
    return problem, [{*sets[place]} for place in order], worth[order].tolist()


def best_beside(problem, sets, worth, one):
    """Return the value of the best set that may stand beside one, None without any."""
    pairs = zip(sets, worth, strict=True)
    return next((value for other, value in pairs if are_dissimilar(problem, one, other)), None)


@pytest.mark.parametrize(("rule", "least"), [(0.5, None), (0.5, 3), ("hamming:0.2", 3)])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_more_than_20000_sets(objective, rule, least):
    """For sets of one size each dissimilarity is a number of shared features."""
    if least and OBJECTIVES[objective].has_one_size:
        pytest.skip("has sets of one size")
    base, sets, worth = large(objective, least)
    k = (least, 4) if least else 4
    problem = problem_of(objective, 28, k, np.random.default_rng(5), dissimilarity=rule)
    assert np.array_equal(problem.quality, base.quality)
    steps = solve(problem, search="sequential", time_limit=120)
    assert steps.status is Status.OPTIMAL
    beside = best_beside(problem, sets, worth, {*steps.sets[0]})
    assert values.values(problem, steps.sets).tolist() == [worth[0], beside]
    for aggregate, reached in (("sum", worth[0] + beside), ("min", beside)):
        asked = problem.replace(aggregate=aggregate)
        if not OBJECTIVES[objective].simultaneous:
            with pytest.raises(InputError, match="one set after another"):
                solve(asked, search="simultaneous")
            continue
        result = with_enough_time(
            lambda limit, asked=asked: solve(asked, search="simultaneous", time_limit=limit),
            lambda result: result.sets,
            *(1, 4, 16, 64),
        )
        assert is_solution(asked, result.sets)
        assert result.integer_bound is None or result.integer_bound >= reached
        assert result.status is not Status.OPTIMAL or result.integer_objective >= reached
        assert (
            result.status is Status.OPTIMAL or result.stop_reason is not StopReason.FINISHED or result.message
        )
