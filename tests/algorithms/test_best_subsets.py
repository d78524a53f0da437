"""The best subset for least squares: that of brute force in rationals, whatever the columns are like."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from running import with_enough_time
from small_problems import asked, problem_from_table

import pyfsel
from pyfsel.algorithms.best_subsets import tree as search_module
from pyfsel.algorithms.best_subsets.tree import BestSubsets, sets_above
from pyfsel.errors import FalseClaimError
from pyfsel.problem import values
from pyfsel.problem.fractions import R2
from pyfsel.problem.instance import Instance
from pyfsel.problem.least_squares import LARGEST_COEFFICIENTS, explained
from pyfsel.problem.make import make_instance
from pyfsel.questions.atlas import atlas
from pyfsel.results.backend_answer import Status, check_claim
from pyfsel.results.claims import claim_of
from pyfsel.results.control import Control
from pyfsel.solving.solve import solve


def problem_of(X, y, k, ridge=None, **more):
    Z = np.column_stack([X, y])
    Z = Z - Z.mean(axis=0)
    Z /= np.maximum(np.linalg.norm(Z, axis=0), 1e-300)
    R = Z.T @ Z
    return make_instance(R[-1, :-1], R[:-1, :-1], objective=R2(ridge=ridge), k=k, **more)


def worth_of_all(problem, k, first=0):
    """Every set of up to k features, from a size on, with its value."""
    sets = [s for size in range(first or k, k + 1) for s in combinations(range(problem.n_features), size)]
    return {s: int(values.values(problem, [s])[0]) for s in sets}


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
        problem = problem_of(*design(kind, 9, rng), k, dissimilarity=f"shared:{k - 1}")
        worth = worth_of_all(problem, k)
        for _ in range(3):
            search = BestSubsets(problem, Control())
            assert search.run()
            assert search.value == max(worth.values())
            assert worth[search.best] == search.value
            assert (search.tree.state[2] > 0) == (tried == 0 and k > 3)
            problem = problem.after([search.best])
            worth = {s: w for s, w in worth.items() if len(set(s) & set(search.best)) < k}


def test_matrices_of_more_than_a_panel(monkeypatch):
    """Of 70 columns, with bounds and D made anew wherever they can be."""
    monkeypatch.setattr(search_module, "TRIED", 0.0)
    monkeypatch.setattr(search_module, "RENEWED", 0.0)
    problem = problem_of(*design("correlated", 70, np.random.default_rng(6)), 4, ridge=0.1)
    search = BestSubsets(problem, Control())
    assert search.run()
    G, c = problem.pairs / problem.scale + np.eye(70), search.instance.target
    sets = np.array(list(combinations(range(70), 4)))
    weights = np.linalg.solve(G[sets[:, :, None], sets[:, None]], c[sets][:, :, None])[:, :, 0]
    reached = (weights * c[sets]).sum(axis=1).max()
    assert search.value / problem.scale == pytest.approx(reached, abs=2e-8)
    assert search.tree.state[2] > 0


LIMITS = (
    {"forced": [2]},
    {"forced": [1, 4], "groups": [pyfsel.Group([0, 1, 2], at_most=1)]},
    {"groups": [pyfsel.Group([3, 5, 6], at_least=1), pyfsel.Group([0, 1], all_or_none=True)]},
    {"costs": [3, 1, 4, 1, 5, 9, 2], "budget": 7},
    {"min_quality": 10**12},
    {"min_quality": 2 * 10**14},
    {"k_min": 1},
    {"k_min": 2, "costs": [3, 1, 4, 1, 5, 9, 2], "budget": 4},
    {"conflicts": [(0, 1), (2, 3), (4, 5)]},
    {"n_sets": 2, "max_shared": 1},
    {"n_sets": 3, "max_shared": 1, "aggregate": "min"},
    {"n_sets": 2, "max_shared": 2, "groups": [pyfsel.Group([0, 2, 4], at_most=1)]},
    {"n_sets": 3, "max_shared": 0},
    {"n_sets": 2, "max_shared": 1, "min_quality": 10**13},
    {"k_min": 1, "objective_criterion": "adjusted_r2", "objective_rows": 20},
    {"k_min": 1, "objective_criterion": "aic", "objective_rows": 6, "forced": [2]},
    {"k_min": 2, "objective_criterion": "bic", "objective_rows": 9, "previous": [(0, 3)], "max_shared": 1},
    {"n_sets": 2, "max_shared": 1, "objective_criterion": "bic", "objective_rows": 5},
)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("kind", ["near copies", "copies and constants", "correlated"])
def test_constraints_and_several_sets_as_by_brute_force(kind, limits):
    problem = problem_of(*design(kind, 7, np.random.default_rng(5)), 3).replace(**limits)
    told = [solve(problem, name, search="simultaneous") for name in ("best-subsets", "brute-force")]
    assert told[0].status == told[1].status
    assert told[0].integer_objective == told[1].integer_objective


@pytest.mark.parametrize(
    ("criterion", "least"),
    [
        ("adjusted_r2", lambda rss, k, n: rss / (n - k - 1)),
        ("aic", lambda rss, k, n: n * np.log(rss / n) + 2 * k),
        ("bic", lambda rss, k, n: n * np.log(rss / n) + k * np.log(n)),
    ],
)
def test_a_criterion_chooses_the_size_as_it_is_defined(criterion, least):
    """From the rows, one alternative after another; the atlas of several sizes."""
    X, y = design("correlated", 7, np.random.default_rng(4))
    apart = {"k": (1, 7), "n_sets": 3, "dissimilarity": "shared:2"}
    problem = problem_from_table(X, y, objective=R2(criterion=criterion), task="regression", **apart)
    assert Instance.from_json(problem.to_json()) == problem
    found = solve(problem, search="sequential")
    worth = {}
    for s in (s for k in range(1, 8) for s in combinations(range(7), k)):
        A = np.column_stack([X[:, s], np.ones(len(y))])
        rest = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
        worth[s] = least(rest @ rest, len(s), len(y))
    before = set()
    for members in found.sets:
        left = [s for s in worth if all(len({*s} & {*other}) <= 2 for other in before)]
        assert members == min(left, key=worth.get)
        before.add(members)
    assert len({len(s) for s in found.sets}) > 1
    near = atlas(asked(problem), 0.3)
    exact = worth_of_all(problem, 7, first=1).values()
    assert near.low == near.high == sum(value >= max(exact) - 0.3 * abs(max(exact)) for value in exact) > 3


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"criterion": "bic"}, "objective_rows: is missing"),
        ({"criterion": "cp", "n_rows": 9}, "criterion='cp': must be one of adjusted_r2, aic, bic"),
        ({"criterion": "aic", "n_rows": 3}, "objective_rows=3: must be an integer of at least 4"),
        ({"criterion": "aic", "n_rows": 9, "ridge": 1}, "='aic': counts coefficients without"),
        ({"ridge": -1}, "ridge"),
    ],
)
def test_a_criterion_needs_rows_and_no_penalty(more, message):
    with pytest.raises(pyfsel.InputError, match=message):
        make_instance([0.5, 0.4], np.eye(2), k=(1, 2), objective=R2(**more))


@pytest.mark.parametrize("kind", ["plain", "near copies", "copies and constants", "Hilbert", "ties"])
def test_all_sets_from_a_value_on(kind):
    problem = problem_of(*design(kind, 8, np.random.default_rng(3)), 3)
    worth = worth_of_all(problem, 3)
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


def test_a_limit_keeps_what_was_found():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 120))
    problem = problem_of(X, X @ rng.normal(size=120), 15)
    result = with_enough_time(
        lambda limit: solve(problem, time_limit=limit), lambda result: result.bound is not None, 1, 4, 16
    )
    assert result.status is Status.FEASIBLE
    assert result.bound >= result.objective


@pytest.mark.parametrize("size", [0.2, 0.6, 0.9])
def test_the_bound_holds_before_anything_is_searched(size):
    """Also for numbers that are correlations of no table, which can explain more than all."""
    c = size * np.array([1.0, -1, 1, -1, 0.5])
    for gram in (np.eye(5), np.full((5, 5), 0.3) + 0.7 * np.eye(5)):
        problem = make_instance(c, gram, objective="r2", k=3)
        assert BestSubsets(problem, Control()).bound() >= max(worth_of_all(problem, 3).values())
    table = problem_of(*design("plain", 9, np.random.default_rng(0)), 3)
    assert 1 <= BestSubsets(table, Control()).bound() / table.scale < 1 + 1e-4


@pytest.mark.parametrize("ridge", [0, 0.1, 1, 30.0])
def test_a_ridge_is_a_penalty_on_the_coefficients_of_columns_of_length_one(ridge):
    X, y = design("near copies", 7, np.random.default_rng(2))
    problem = problem_of(X, y, 3, ridge=ridge)
    Z = np.column_stack([X, y]) - np.append(X.mean(axis=0), y.mean())
    Z /= np.linalg.norm(Z, axis=0)
    worth = {}
    for s in combinations(range(7), 3):
        A, t = Z[:, s], Z[:, -1]
        worth[s] = t @ A @ np.linalg.solve(A.T @ A + ridge * np.eye(3), A.T @ t)
    found = solve(problem, "best-subsets")
    assert worth[found.sets[0]] == pytest.approx(max(worth.values()), abs=1e-7)
    assert found.objective == pytest.approx(max(worth.values()), abs=1e-7)
    assert problem.to_dict().get("objective_ridge", 0) == ridge


@pytest.mark.parametrize("criterion", [None, "adjusted_r2", "aic", "bic"])
@pytest.mark.parametrize("seed", range(12))
def test_floats_and_integers_agree_on_columns_that_depend_on_each_other(seed, criterion):
    """One rule for both, so that no quality is beyond its bound by more than the stated rounding."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(40, 5))
    if seed % 3 == 0:
        X[:, 1] = X[:, 0]
    if seed % 3 < 2:
        apart = (seed % 2) * 10.0 ** -random.integers(3, 12)
        X[:, 4] = X[:, 0] + random.integers(0, 2) * X[:, 2] + apart * X[:, 3]
    y = X[:, 0] + 0.5 * X[:, 2] + random.normal(size=40)
    C = np.corrcoef(np.column_stack([X, y]), rowvar=False)
    objective = R2(criterion=criterion, n_rows=40 if criterion else None)
    problem = make_instance(C[:5, 5], C[:5, :5], k=(1, 4), objective=objective)
    for size in range(1, 5):
        sets = list(combinations(range(5), size))
        found = [values.to_float(problem, value) for value in values.values(problem, sets).tolist()]
        loss = values.set_rounding_loss(problem)
        assert np.allclose(values.qualities(problem, sets), found, rtol=0, atol=loss)
    for forced in ((), (0, 1), (0, 4)):
        result = solve(problem.replace(forced=forced, k_min=4))
        assert result.objective <= result.bound
        assert "Sets of dependent features" in str(claim_of(result))


def test_a_quality_beyond_its_bound_is_refuted():
    problem = Instance([50, 40], 1, 1, 1, exact_quality=[0.5, 0.4], scale=100)
    with pytest.raises(FalseClaimError, match="computed in floats"):
        check_claim("x", problem.replace(exact_quality=[0.9, 0.4]), Status.OPTIMAL, [(0,)], 50)
