"""Correlation-based feature selection (paper 000, Eq. 20): its value, its steps, and the exact backends."""

from fractions import Fraction
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from conformance import both_ways, optimum, quality_of
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import answer_of, assert_agrees, problems

from pyfsel import Status
from pyfsel.algorithms.cfs.step import CFSStep, too_coarse
from pyfsel.algorithms.cfs.steps import TOO_COARSE, forward_selection, solve_by_steps
from pyfsel.backends import get_backend
from pyfsel.backends.simple_searches import BruteForce
from pyfsel.errors import InputError
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.results.control import Control, Limits
from pyfsel.results.verify import violations
from pyfsel.solving.solve import solve

SCALE = 10**6


def table_like(n, seed=0, *, k=None, scale=SCALE, copies=0):
    """Return a problem like those of tables, of free size unless k is given; some features can be copies."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4)) @ rng.normal(size=(4, n)) + 1.5 * rng.normal(size=(200, n))
    X[:, n - copies :] = X[:, :copies]
    y = X[:, : n // 2].sum(axis=1) + 3 * rng.normal(size=200)
    correlation = np.abs(np.corrcoef(np.column_stack([X, y]).T))
    redundancy = np.rint(scale * correlation[:n, :n]).astype(int)
    np.fill_diagonal(redundancy, 0)
    sizes = {"k": n, "k_min": 1} if k is None else {"k": k}
    fields = {"n_sets": 1, "max_shared": sizes["k"], "objective": "cfs", "scale": scale}
    quality = np.rint(scale * correlation[n, :n]).astype(int)
    return Instance(quality=quality, pairs=redundancy, **fields, **sizes)


def all_sets(problem):
    return [s for k in problem.sizes for s in combinations(range(problem.n_features), k)]


@settings(max_examples=100)
@given(problems(objectives=("cfs",)))
def test_values_are_equation_20_rounded_down(problem):
    for members in all_sets(problem):
        relevance, scale = int(problem.quality[list(members)].sum()), int(problem.scale)
        pairs = both_ways(problem, members)
        square = Fraction(relevance**2 * scale, scale * len(members) + pairs)
        value = problem_values.value(problem, members)
        assert value**2 <= square < (value + 1) ** 2
        assert problem_values.qualities(problem, [members])[0] == pytest.approx(sqrt(square) / scale)
        assert value == quality_of(problem, members)


def test_the_bound_covers_the_rounding():
    """Of quantised numbers, too: no set is truly better than the bound in floats."""
    rng = np.random.default_rng(2)
    for scale in (10, 100, 1000):
        quality, upper = rng.random(6), np.triu(rng.random((6, 6)), 1)
        fields = {"n_sets": 1, "k": 6, "k_min": 1, "max_shared": 6, "objective": "cfs"}
        problem = Instance(
            quality=np.rint(quality * scale).astype(int),
            pairs=np.rint((upper + upper.T) * scale).astype(int),
            scale=scale,
            exact_quality=quality,
            exact_pairs=upper + upper.T,
            **fields,
        )
        result = solve(problem, "brute-force", search="simultaneous")
        assert max(problem_values.qualities(problem, all_sets(problem))) <= result.bound
        assert result.gap == 0


@pytest.mark.parametrize("wrong", [{"quality": [3, -1]}, {"pairs": [[0, -2], [-2, 0]]}, {"scale": 2.5}])
def test_numbers_that_are_no_correlations_are_refused(wrong):
    given = {"quality": [3, 1], "pairs": [[0, 0], [0, 0]], "scale": 10} | wrong
    with pytest.raises(InputError, match=f"^{next(iter(wrong))}.*objective='cfs'"):
        Instance(**given, objective="cfs", n_sets=1, k=2, max_shared=2)


@pytest.mark.parametrize(
    ("name", "formulation"), [("ksubgraph", None), ("cpsat", None), ("cpsat", "literal")]
)
def test_exact_backends_agree_with_brute_force(name, formulation):
    backend = get_backend(name)
    more = {} if formulation is None else {"formulation": formulation}

    @settings(max_examples=60 if name == "ksubgraph" else 25)
    @given(problems(objectives=("cfs",)))
    def check(problem):
        assert_agrees(backend, problem, **more)
        found, n = forward_selection(problem), problem.n_features
        assert found is None or violations(problem, [found]) == []
        free = problem.replace(k=n, k_min=1, max_shared=n, conflicts=(), previous=())
        assert_agrees(backend, free, **more)

    check()
    fine = table_like(11, seed=4, k=5, copies=4)  # many sets of equal value
    assert answer_of(backend, fine, **more).bound == optimum(fine)


@settings(max_examples=60)
@given(problems(objectives=("cfs",)), st.integers(0, 80), st.sampled_from([2**50, 2**20, 2**10, 300]))
def test_steps_lose_no_set(problem, target, limit):
    """A set of at least the target's value has a score that is not negative, whatever the rounding."""
    step = CFSStep.of(problem, target, limit)
    sets = all_sets(problem)
    scores = problem_values.values(step.problem, sets)
    values = problem_values.values(problem, sets)
    assert (scores[values >= target] >= 0).all()
    if step.divisor == 1:
        assert (scores[values < target] < 0).all()
    assert step.bound(int(scores.max())) >= values.max()
    weights = np.abs(step.problem.quality).sum() + np.abs(np.triu(step.problem.pairs)).sum()
    assert step.divisor == 1 or weights <= limit


@settings(max_examples=40)
@given(problems(objectives=("cfs",)), st.sampled_from([2**40, 2**12, 2**8, 100]))
def test_coarse_weights_never_lead_to_a_false_claim(problem, limit):
    brute = BruteForce()
    expected = brute.solve(problem, Control())
    answer = solve_by_steps(problem, Control(), brute.solve, limit=limit)
    if answer.status is Status.FEASIBLE:
        assert answer.message == TOO_COARSE
        assert problem_values.total(problem, answer.sets) <= expected.bound < answer.bound + 1
    else:
        assert answer.status is expected.status
        assert answer.bound == expected.bound


def test_coarse_weights_are_refused_beforehand():
    problem = table_like(30, k=5, scale=10**7)
    assert "smaller scale than 1e+07" in get_backend("minizinc:gecode").refusal(problem, "strengthened")
    assert too_coarse(problem, 2**50) is None
    assert "integers end at" in get_backend("minizinc:gecode").refusal(problem, "literal")


def test_forward_selection_takes_the_best_next_feature_and_is_what_an_expired_search_has():
    problem = table_like(12, seed=6)
    chosen, path = (), {}
    while len(chosen) < 12:
        candidates = [(*chosen, j) for j in range(12) if j not in chosen]
        chosen = max(candidates, key=lambda s: problem_values.qualities(problem, [s])[0])
        path[tuple(sorted(chosen))] = problem_values.qualities(problem, [chosen])[0]
    answer = solve_by_steps(problem, Control(Limits.starting_now(None).within(0.0)), BruteForce().solve)
    assert (answer.status, answer.sets) == (Status.FEASIBLE, (forward_selection(problem),))
    assert answer.sets[0] == max(path, key=path.get)
