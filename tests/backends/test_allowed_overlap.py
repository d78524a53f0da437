"""One rule of allowed overlap, asked by all: sets of several sizes, by four measures, for every backend."""

from itertools import product
from random import Random

import numpy as np
import pytest
from conformance import is_solution, optimum, total_of

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.backends.base import refusal
from pyfsel.problem.dissimilarity import DISSIMILARITIES, overlap_rule
from pyfsel.problem.instance import Instance
from pyfsel.problem.overlap import may_be_equal, may_stand_together, previous_limits, shared_limit
from pyfsel.results.answer import check_claim
from pyfsel.results.control import Control, Limits

OBJECTIVES = ("univariate", "graph_score", "mifs", "cfs", "r2")
SETS = ("one", "one after another", "two", "two, minimum")
MUST_TAKE_SOME = ("best-subsets", "brute-force", "cpsat", "ksubgraph", "mip:cbc", "mip:highs", "mip:scip")
CASES = list(product(OBJECTIVES, DISSIMILARITIES, (0.3, 0.5, 0.8, 1.0), SETS))


def problem_of(objective, measure, tau, sets, random):
    n, upper = 6, 20 if objective == "r2" else 60
    matrix = np.triu([[random.randint(0, upper) for _ in range(n)] for _ in range(n)], 1)
    fields = {
        "quality": [random.randint(10, 60) for _ in range(n)],
        "redundancy": None if objective == "univariate" else matrix + matrix.T,
        "scale": 100,
        "objective": objective,
        "n_sets": 1 if sets.startswith("one") or objective in ("cfs", "r2") else 2,
        "aggregate": "min" if sets.endswith("minimum") else "sum",
        "k_min": random.choice((1, 2)),
        "k": 3,
        "max_shared": random.choice((0, 3)),
        "forced": [random.randrange(n)] if random.random() < 0.4 else (),
    }
    if sets == "one after another":
        sizes = [random.randint(fields["k_min"], 3) for _ in range(2)]
        fields["previous"] = [random.sample(range(n), size) for size in sizes]
    return Instance(**fields | overlap_rule(tau, measure, n).fields())


@pytest.mark.parametrize("name", [name for name in registry() if not name.startswith(("minizinc", "anneal"))])
def test_every_backend_asks_the_rule(name):
    backend, random, solved = registry()[name], Random(name), 0
    if backend.missing():
        pytest.skip(backend.missing())
    for case in CASES[::3] if name == "mip:cbc" else CASES:  # it starts a process each
        problem = problem_of(*case, random)
        if refusal(backend, problem, backend.formulations[0]):
            continue
        solved += 1
        best = optimum(problem)
        control = Control(Limits.starting_now(20), formulation=backend.formulations[0])
        answer = backend.solve(problem, control)
        check_claim(name, problem, answer.status, answer.sets or (), answer.bound, answer.stated)
        assert answer.sets is None or is_solution(problem, answer.sets), problem
        if backend.exact:
            expected = Status.INFEASIBLE if best is None else Status.OPTIMAL
            assert answer.status is expected, (problem.to_json(), answer)
        if answer.status is Status.OPTIMAL:
            assert total_of(problem, answer.sets) == best, problem.to_json()
    assert solved or name not in MUST_TAKE_SOME


@pytest.mark.parametrize("measure", DISSIMILARITIES)
def test_the_limit_is_the_largest_overlap_that_is_dissimilar_enough(measure):
    kind, n = DISSIMILARITIES[measure], 8
    for tau, size, other in product((0.1, 0.25, 0.5, 0.75, 1.0), range(1, 5), range(1, 5)):
        rule = overlap_rule(tau, measure, n).fields()
        problem = Instance([1] * n, n_sets=2, k=4, k_min=1, max_shared=4, **rule)
        allowed = [m for m in range(min(size, other) + 1) if kind.value(m, size, other, n) >= tau]
        limit = shared_limit(problem, size, other)
        assert (None if limit is None else min(limit, size, other)) == max(allowed, default=None)
        for m in range(min(size, other) + 1):
            sets = range(size), range(size - m, size - m + other)
            assert may_stand_together(problem, *sets) == (m in allowed)


def test_sets_that_no_overlap_allows():
    rule = {"shared_weight": 2, "size_weight": 1, "shared_constant": -3}
    problem = Instance([3, 2, 1], n_sets=1, k=2, k_min=1, max_shared=2, **rule)
    assert previous_limits(problem.replace(previous=[(0,), (1, 2)]), 1) is None
    assert previous_limits(problem.replace(previous=[(0,), (1, 2)]), 2) == [0, 0]
    assert not may_be_equal(problem)
    assert may_be_equal(Instance([3, 2, 1], n_sets=1, k=2, max_shared=2))
