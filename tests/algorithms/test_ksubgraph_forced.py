"""mRMR with forced features as a smaller heaviest k-subgraph, against brute force."""

import numpy as np
import pytest
from test_ksubgraph import answer_of, feasible_values, large_problem, random_problem

from pyfsel.algorithms.ksubgraph.forced import excluded_by_counting
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.algorithms.ksubgraph.search import best_set, enumerate_instance
from pyfsel.backends.choose import choose_backend
from pyfsel.problem import values
from pyfsel.results.answer import Status
from pyfsel.results.verify import violations
from pyfsel.solving.sequential import typical_step
from pyfsel.solving.solve import solve


def with_forced(seed, restricted):
    problem = random_problem(seed, restricted)
    rng = np.random.default_rng(1000 + seed)
    number = int(rng.integers(1, problem.set_size + 1))
    return problem.replace(forced=rng.choice(problem.n_features, number, replace=False).tolist())


@pytest.mark.parametrize("restricted", [False, True])
@pytest.mark.parametrize("seed", range(80))
def test_one_set_agrees_with_brute_force(seed, restricted):
    problem = with_forced(seed, restricted)
    known = feasible_values(problem)
    reported, bounds = [], []
    answer = answer_of(problem, report_sets=reported.extend, report_bound=bounds.append)
    if not known:
        assert answer.status is Status.INFEASIBLE
        return
    assert answer.status is Status.OPTIMAL
    assert known[answer.sets[0]] == max(known.values()) == answer.bound
    assert not [violation for members in reported for violation in violations(problem, [members])]
    assert all(bound >= answer.bound for bound in bounds)


@pytest.mark.parametrize("restricted", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_a_least_value_and_a_start(seed, restricted):
    problem = with_forced(seed, restricted)
    known, instance = feasible_values(problem), PairInstance.of_problem(problem)
    best = max(known.values(), default=0)
    above = best_set(instance, at_least=best + 1)
    assert (above.features, above.bound, above.finished) == (None, best, True)
    if known:
        worst = min(known, key=known.get)
        assert best_set(instance, Start(first=worst), at_least=best).value == best


@pytest.mark.parametrize("restricted", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_enumeration_is_complete_and_in_order(seed, restricted):
    problem = with_forced(seed, restricted)
    known = feasible_values(problem)
    ranking = sorted((-value, members) for members, value in known.items())
    for rank in {0, len(ranking) // 3, len(ranking) - 1} if ranking else {0}:
        threshold = -ranking[rank][0] if ranking else 0
        found = enumerate_instance(PairInstance.of_problem(problem), threshold, limit=1000)
        assert found.complete
        wanted = [(members, -value) for value, members in ranking if -value >= threshold]
        assert list(zip(map(tuple, found.sets.tolist()), found.values.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("search", ["simultaneous", "sequential"])
@pytest.mark.parametrize("seed", range(40))
def test_several_sets_agree_with_brute_force(seed, search):
    problem = with_forced(seed, seed % 2 == 0)
    k, rng = problem.set_size, np.random.default_rng(seed)
    problem = problem.replace(
        n_sets=int(rng.integers(2, 4)),
        max_overlap=int(rng.integers(0, k + 1)),
        aggregate=("sum", "min")[seed % 2],
    )
    found, expected = (solve(problem, name, search) for name in ("ksubgraph", "brute-force"))
    assert found.status is expected.status
    if search == "simultaneous":
        assert found.integer_objective == expected.integer_objective
    elif expected.sets:
        assert found.steps[0].bound == expected.steps[0].bound


@pytest.mark.parametrize("n_features", range(3, 12))
@pytest.mark.parametrize("max_overlap", [1, 2])
def test_what_counting_excludes_is_infeasible(n_features, max_overlap):
    problem = large_problem(n=n_features, k=3).replace(n_sets=3, max_overlap=max_overlap, forced=[1])
    if excluded_by_counting(problem):
        assert solve(problem, "cpsat", search="simultaneous").status is Status.INFEASIBLE
    else:
        assert solve(problem, "ksubgraph", search="simultaneous").status is Status.OPTIMAL


def test_a_large_problem_is_proved_and_auto_chooses_it():
    problem = large_problem(n=40, k=8).replace(forced=[3, 17])
    assert choose_backend(problem)[0].name == "ksubgraph"
    assert choose_backend(typical_step(problem.replace(n_sets=3, max_overlap=5)))[0].name == "ksubgraph"
    result = solve(problem, search="simultaneous")
    assert result.status is Status.OPTIMAL
    assert {3, 17} <= set(result.sets[0])
    assert result.integer_objective == values.value(problem, result.sets[0])
    assert (
        result.integer_objective <= solve(problem.replace(forced=()), search="simultaneous").integer_objective
    )
