"""Every sentence about what is proved, read as a reader reads it, and held against all solutions."""

import random
import re
from itertools import combinations

import pytest
import questions_oracle as oracle
from random_instances import random_instance

from pyfsel import Constraints, Status, explore
from pyfsel.backends.base import Backend
from pyfsel.backends.simple_searches import BruteForce
from pyfsel.interface.answer import answer_of
from pyfsel.interface.problem import SEARCHES, Problem
from pyfsel.interface.solving import solve as solve_and_watch
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.reductions.cheapest_by_budget import exchanged
from pyfsel.results.backend_answer import BackendAnswer, StopReason
from pyfsel.results.claims import COST, Scope, claim_of, rounded
from pyfsel.solving.solve import solve

NUMBER = r"(-?\d[\d.]*(?:e[+-]\d+)?)"


class Halfway(Backend):
    """Finds some solution and proves some bound: what a search has when its time is up."""

    name = "halfway"
    exact = True
    isolated = False
    objectives = BruteForce.objectives
    side_constraints = BruteForce.side_constraints

    def __init__(self, seed):
        self.seed = seed

    def solve(self, problem, control):
        rng = random.Random(self.seed + 100 * len(problem.previous))
        every = oracle.families(problem)
        if not every or rng.random() < 0.3:
            return BackendAnswer(Status.NOT_SOLVED, stop_reason=StopReason.TIME_LIMIT)
        bound = max(values.total(problem, sets) for sets in every) + rng.randint(0, 3)
        return BackendAnswer.unproved(rng.choice(every), bound if rng.random() < 0.8 else None)


def problem_of(seed):
    rng = random.Random(seed)
    drawn = Instance.from_dict(random_instance(rng, "univariate"))
    price = rng.choice([0, 0, 2]) if drawn.aggregate == "sum" else 0
    costs = [rng.randint(1, 9) for _ in range(drawn.n_features)] if drawn.costs is None else drawn.costs
    return drawn.replace(search=None, shared_price=price, costs=costs)


def check_claim(result, claim, of=1):
    """Read the sentence of a result and hold it against all solutions; `of` is −1 for costs."""
    problem, said = result.problem, str(claim)
    steps = [problem.after(result.sets[:i]) for i in range(len(result.sets) + 1)]
    found = [values.total(steps[i], [members]) for i, members in enumerate(result.sets)]
    best = [max((values.total(step, s) for s in oracle.families(step)), default=None) for step in steps]
    together = [values.total(problem, family) for family in oracle.families(problem)]
    if claim.scope is Scope.EACH:
        assert re.search(r"no .*set .*(is better|costs less)", said)
        assert found == best[:-1]
    if claim.scope is Scope.JOINT:
        limit = float(re.search(rf"(?:larger|smaller) .*than {NUMBER}\.", said)[1])
        assert max(together) == result.integer_objective <= of * limit
    if claim.scope is Scope.COUNT:
        assert "exist" in said
        assert not (
            oracle.families(problem) if result.search == "simultaneous" else oracle.families(steps[0])
        )
    if "No further set exists" in said:
        assert best[-1] is None
    each = re.findall(rf"Set (\d+) has .*?(?:above|below) {NUMBER} is impossible, given the earlier", said)
    for number, limit in each:
        assert best[int(number)] <= of * float(limit)
    for limit in re.findall(rf"(?:above|below) {NUMBER} is impossible(?!, given)", said):
        assert result.search == "simultaneous" or problem.n_sets == 1
        assert max(together) <= of * float(limit)
    for number in re.findall(r"Proved for sets? ([\d, ]+):", said):
        assert all(found[int(i)] == best[int(i)] for i in number.split(","))
    assert (claim.scope is Scope.NONE) == (result.status in (Status.FEASIBLE, Status.NOT_SOLVED))


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("seed", range(40))
def test_every_sentence_is_true(seed, search):
    problem = problem_of(seed)
    for backend in (BruteForce(), Halfway(seed)):
        result = solve(problem, backend, search, cold_start=True)
        claim = claim_of(result)
        check_claim(result, claim)
        answer = answer_of(result, Problem.of_instance(problem, search if search == "sequential" else "sum"))
        assert (answer.claim, answer.scope) == (str(claim), claim.scope)
        assert answer.claim in " ".join(str(answer).split())
        assert all(one.high is None or one.high >= one.quality for one in answer)
        if result.is_stepwise:
            assert (answer.low, answer.high) == (None, None)
            assert (result.bound, result.gap, result.integer_bound) == (None, None, None)
            assert not re.search(r"\b(sum|gap|total)\b", str(claim))


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("seed", range(40, 60))
def test_every_sentence_about_costs_is_true(seed, search):
    problem = problem_of(seed).replace(min_quality=12, shared_price=0, budget=None)
    for backend in (BruteForce(), Halfway(seed)):
        swapped = exchanged(problem)
        found = solve(swapped, backend, search, cold_start=True)
        check_claim(found, claim_of(found, COST), of=-1)


UNPROVED = re.compile(
    "not known|were found|found and may not|2 have a Dice|best known"
    "|^At least|^Between| or more|^3 cheap | a large|0 of"
)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("search", ["sum", "min_then_sum"])
def test_a_headline_claims_nothing_that_is_not_proved(search, seed):
    dear = Constraints(costs=[3, 1, 2, 2, 1, 1], min_quality=9)
    problem = Problem([9, 8, 8, 7, 3, 1], k=2, n_sets=3, dissimilarity="shared:1", search=search)
    one_goal = problem.replace(search="min") if search == "min_then_sum" else problem
    listing = Halfway(seed)
    listing.name = "brute-force"  # one that lists solutions
    for answer in (
        solve_and_watch(problem, Halfway(seed)),
        explore.atlas(problem, solver=Halfway(seed)),
        explore.most_sets(problem, solver=Halfway(seed)),
        explore.most_dissimilar(problem, solver=Halfway(seed)),
        explore.ties(one_goal, solver=listing),
        explore.sweep(one_goal, k=[2], solver=Halfway(seed)),
        explore.cheapest(one_goal.replace(constraints=dear), solver=Halfway(seed)),
    ):
        assert answer.proved or UNPROVED.search(answer.headline)
        assert answer.proved or not re.search(r"\b0 sets|cheapest|the largest", answer.headline)


@pytest.mark.parametrize("number", [0.9859612, -3.14159265, 123456.789, 1.2345678e-7, 48.0, 1e12 / 7])
def test_numbers_are_rounded_outward(number):
    assert float(rounded(number, "ROUND_FLOOR")) <= number <= float(rounded(number, "ROUND_CEILING"))


@pytest.mark.parametrize("dissimilarity", ["shared:1", "shared:2,price=0.25"])
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("seed", range(4))
def test_numbers_of_the_user_are_within_the_bounds(search, dissimilarity, seed):
    """A small scale rounds much: reached is what the user's numbers say, and bounds contain the rounding."""
    rng = random.Random(seed)
    quality = [rng.random() for _ in range(6)]
    if "price" in dissimilarity and search.startswith("min"):
        pytest.skip("a price is taken from a sum")
    problem = Problem(quality, k=3, n_sets=2, dissimilarity=dissimilarity, search=search, scale=4)
    price, most = problem.dissimilarity.price, problem.dissimilarity.max_shared
    worth = {one: sum(quality[j] for j in one) for one in combinations(range(6), 3)}
    total = min if search.startswith("min") else sum

    def value(*family):
        shared = sum(len({*a} & {*b}) for a, b in combinations(family, 2))
        return None if shared > most else total(worth[one] for one in family) - price * shared

    told = []
    answer = solve_and_watch(problem, on_progress=told.append)
    first, second = (one.indices for one in answer)
    best = max(v for family in combinations(worth, 2) if (v := value(*family)) is not None)
    if search == "sequential":
        alone = [worth[first], value(first, second) - worth[first]]
        others = [v - worth[first] for one in worth if (v := value(first, one)) is not None]
        tops, lows = [max(worth.values()), max(others)], [step.low for step in told if step.sets]
        assert all(top <= one.high for top, one in zip(tops, answer, strict=True))
        assert lows[0] <= tops[0] + 1e-9
        assert lows[-1] == pytest.approx(alone[1])
        best = max(tops)
    else:
        assert answer.low == pytest.approx(value(first, second))
        assert answer.low <= best + 1e-9 <= answer.high + 2e-9
        assert answer.low <= answer.high
    assert all(step.low is None or step.low <= best + 1e-9 for step in told)
    assert all(step.low is None or step.high is None or step.low <= step.high for step in told)
    assert all(step.high is None or search == "sequential" or best <= step.high + 1e-9 for step in told)
