"""The best subset for least squares: that of brute force in rationals, whatever the columns are like."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import pyfsel
from pyfsel.algorithms.best_subsets import BestSubsets, sets_above
from pyfsel.algorithms.best_subsets import search as search_module
from pyfsel.measures.from_table import problem_from_table
from pyfsel.problem import values
from pyfsel.problem.least_squares import LARGEST_COEFFICIENTS, explained
from pyfsel.results.answer import Status
from pyfsel.results.control import Control


def problem_of(X, y, k, **more):
    Z = np.column_stack([X, y])
    Z = Z - Z.mean(axis=0)
    length = np.linalg.norm(Z, axis=0)
    R = (Z / np.where(length > 0, length, 1)).T @ (Z / np.where(length > 0, length, 1))
    return pyfsel.make_problem(R[-1, :-1], R[:-1, :-1], objective="r2", k=k, **more)


def design(kind, n, rng):
    X = rng.normal(size=(n + 12, n))
    if kind == "near copies":
        X[:, 1::2] = X[:, : n - 1 : 2][:, : len(range(1, n, 2))] + 10.0 ** rng.integers(-9, -1) * X[:, 1::2]
    if kind == "copies and constants":
        X[:, 1] = -X[:, 0]
        X[:, 2] = 5
    if kind == "Hilbert":
        X = np.linspace(0.1, 1, n + 12)[:, None] ** np.arange(1, n + 1)
    if kind == "ties":
        X = np.kron(rng.permutation(np.eye(n)), np.ones((3, 1)))
    if kind == "correlated":
        X += 2 * rng.normal(size=(n + 12, 1)) * rng.choice([-1, 1], n)
    return X, X @ rng.integers(-2, 3, n) + rng.normal(size=len(X)) * (kind != "ties")


@pytest.mark.parametrize(
    "kind", ["plain", "near copies", "copies and constants", "Hilbert", "ties", "correlated"]
)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("tried", [30.0, 0.0])
def test_it_is_the_best_of_all_sets_also_beside_others(kind, k, tried, monkeypatch):
    """With sets that are only tried, and with a bound wherever there can be one, D being made anew."""
    monkeypatch.setattr(search_module, "TRIED", tried)
    monkeypatch.setattr(search_module, "RENEWED", tried)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        problem = problem_of(*design(kind, 9, rng), k, max_overlap=k - 1)
        sets = list(combinations(range(9), k))
        worth = dict(zip(sets, values.values(problem, sets).tolist(), strict=True))
        for _ in range(3):
            search = BestSubsets(problem, Control())
            assert search.run()
            assert search.value == max(worth.values())
            assert worth[search.best] == search.value
            assert (search.tree.state[2] > 0) == (tried == 0 and k > 3)
            problem = problem.after([search.best])
            worth = {s: w for s, w in worth.items() if len(set(s) & set(search.best)) < k}


LIMITS = (
    {"forced": [2]},
    {"forced": [1, 4], "groups": [pyfsel.Group([0, 1, 2], at_most=1)]},
    {"groups": [pyfsel.Group([3, 5, 6], at_least=1), pyfsel.Group([0, 1], all_or_nothing=True)]},
    {"costs": [3, 1, 4, 1, 5, 9, 2], "budget": 7},
    {"min_quality": 10**12},
    {"min_quality": 2 * 10**14},
    {"min_set_size": 1},
    {"min_set_size": 2, "costs": [3, 1, 4, 1, 5, 9, 2], "budget": 4},
    {"conflicts": [(0, 1), (2, 3), (4, 5)]},
    {"n_sets": 2, "max_overlap": 1},
    {"n_sets": 3, "max_overlap": 1, "aggregate": "min"},
    {"n_sets": 2, "max_overlap": 2, "groups": [pyfsel.Group([0, 2, 4], at_most=1)]},
    {"n_sets": 3, "max_overlap": 0},
)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("kind", ["near copies", "copies and constants", "correlated"])
def test_constraints_and_several_sets_as_by_brute_force(kind, limits):
    problem = problem_of(*design(kind, 7, np.random.default_rng(5)), 3, max_overlap=3).replace(**limits)
    told = [
        pyfsel.solve(problem, name, search="simultaneous", fallback=False)
        for name in ("best-subsets", "brute-force")
    ]
    assert told[0].status == told[1].status
    assert told[0].integer_objective == told[1].integer_objective


@pytest.mark.parametrize("kind", ["plain", "near copies", "copies and constants", "Hilbert", "ties"])
def test_all_sets_from_a_value_on(kind):
    problem = problem_of(*design(kind, 8, np.random.default_rng(3)), 3)
    sets = list(combinations(range(8), 3))
    worth = dict(zip(sets, values.values(problem, sets).tolist(), strict=True))
    for least in (0, *np.quantile(sorted(worth.values()), [0.3, 0.9, 1]).astype(int).tolist()):
        found, numbers = sets_above(problem, Control(), least)
        listed = dict(zip(map(tuple, found.tolist()), numbers.tolist(), strict=True))
        assert listed == {s: w for s, w in worth.items() if w >= least}


def test_what_a_set_explains_is_exact():
    gram, target = [[7, 2, -3], [2, 7, 1], [-3, 1, 7]], [3, -2, 4]
    inverse = np.linalg.inv(np.array(gram, float))
    assert explained(gram, target) == int(np.array(target) @ inverse @ target)
    small = Fraction(1, LARGEST_COEFFICIENTS)
    just = 10**9
    for off, share in ((1, 0), (0, 1)):
        apart = int(just * (1 - small)) + off
        assert (explained([[just, apart], [apart, just]], [just // 2, -just // 2]) > 0) == bool(share)


def test_a_table_is_measured_by_its_correlations():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    y = X[:, 2] - 2 * X[:, 7] + 0.1 * rng.normal(size=60)
    result = pyfsel.solve(problem_from_table(X, y, objective="r2", k=2, n_alternatives=1, tau=0.5))
    assert result.status is Status.OPTIMAL
    assert result.sets[0] == (2, 7)
    fitted = np.column_stack([X[:, [2, 7]], np.ones(60)])
    rest = y - fitted @ np.linalg.lstsq(fitted, y, rcond=None)[0]
    assert result.qualities[0] == pytest.approx(1 - rest.var() / y.var())


def test_a_limit_keeps_what_was_found():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 120))
    result = pyfsel.solve(problem_of(X, X @ rng.normal(size=120), 15), time_limit=3)
    assert result.status is Status.FEASIBLE
    assert result.bound >= result.objective


@pytest.mark.parametrize("size", [0.2, 0.6, 0.9])
def test_the_bound_holds_before_anything_is_searched(size):
    """Also for numbers that are correlations of no table, which can explain more than all."""
    c = size * np.array([1.0, -1, 1, -1, 0.5])
    for gram in (np.eye(5), np.full((5, 5), 0.3) + 0.7 * np.eye(5)):
        problem = pyfsel.make_problem(c, gram, objective="r2", k=3)
        best = max(values.values(problem, list(combinations(range(5), 3))).tolist())
        assert BestSubsets(problem, Control()).bound() >= best
    table = problem_of(*design("plain", 9, np.random.default_rng(0)), 3)
    assert 1 <= BestSubsets(table, Control()).bound() / table.scale < 1 + 1e-4


@pytest.mark.parametrize("ridge", [0, 0.1, 1, 30.0])
def test_a_ridge_is_a_penalty_on_the_coefficients_of_columns_of_length_one(ridge):
    X, y = design("near copies", 7, np.random.default_rng(2))
    problem = problem_of(X, y, 3, ridge=ridge)
    Z = X - X.mean(axis=0)
    Z, t = Z / np.linalg.norm(Z, axis=0), (y - y.mean()) / np.linalg.norm(y - y.mean())
    worth = {}
    for s in combinations(range(7), 3):
        A = Z[:, s]
        worth[s] = t @ A @ np.linalg.solve(A.T @ A + ridge * np.eye(3), A.T @ t)
    found = pyfsel.solve(problem, "best-subsets")
    best = max(worth.values())
    if ridge:
        assert worth[found.sets[0]] == pytest.approx(best, abs=1e-7)
        assert found.objective == pytest.approx(best, abs=1e-7)
    for wrong in (-1, "a"):
        with pytest.raises(pyfsel.InputError, match="ridge"):
            problem_of(X, y, 3, ridge=wrong)
    with pytest.raises(pyfsel.InputError, match="ridge=1: is for objective r2"):
        pyfsel.make_problem([1, 2], k=1, ridge=1)
