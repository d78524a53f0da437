"""Errors of sets whose quality depends on pairs: between samples, by derivatives, and of the best set."""

import itertools
import pickle
from functools import cache

import numpy as np
import pytest
from small_problems import problem_from_table

from pyfsel.measures.tables.rows import with_rows
from pyfsel.measures.tables.table import prepare
from pyfsel.objectives import CIFE, MRMR, R2
from pyfsel.problem import values
from pyfsel.results import sampling
from pyfsel.results.sampling import Sampling
from pyfsel.solving.solve import solve

OBJECTIVES = ("jmi", "cife", "mrmr", "mifs", "cfs", "r2")
FIRST = (0, 1, 2)


def drawn(seed, n, *, numeric):
    """Features that depend on one signal and on each other; of three values unless numeric."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=n)
    y = latent + 0.3 * rng.normal(size=n)
    X = latent[:, None] * [1.2, 0.9, 0.7, 0.5, 0.3, 0.0] + rng.normal(size=(n, 6))
    X += 0.7 * rng.normal(size=(n, 1))
    return prepare(X, y) if numeric else prepare(np.clip(np.rint(X), -1, 1), (y > 0.3).astype(int))


@cache
def sample(seed, *, numeric):
    """Return a table, the first of them large, and what was found of it for the objectives before."""
    return drawn(seed, 200 if seed else 100_000, numeric=numeric), {}


def problem_of(table, objective, k=3, **options):
    return problem_from_table(table, objective=objective, k=k, chance="off", **options)


def quality_of(problem):
    return values.qualities(problem, [FIRST])[0]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_intervals_cover_the_quality_of_a_large_sample(objective):
    """Of 120 samples 95% should, give or take 2% by chance; of so few rows some percent less do."""
    samples = [sample(seed, numeric=objective == "r2") for seed in range(121)]
    large, *problems = [problem_of(table, objective, kept=kept) for table, kept in samples]
    found = np.array([quality_of(problem) for problem in problems])
    margins = np.array([Sampling.of(alone(problem), [FIRST]).margins[0] for problem in problems])
    assert 0.86 <= (np.abs(found - quality_of(large)) <= margins).mean() <= 0.99
    assert 0.8 < margins.mean() / (1.96 * found.std()) < 1.25


def alone(problem):
    """No other set is compared with one that has a known set."""
    return problem.replace(previous=[(3, 4, 5)], max_shared=2)


LEVELS = {"measure": "mutual_info_binned"}


@pytest.mark.parametrize(
    ("objective", "options"),
    [
        ("jmi", {}),
        (CIFE(beta=0.3), {}),
        (MRMR(beta=2.0), LEVELS),
        ("mifs", {"measure": "symmetrical_uncertainty"}),
        ("cfs", {"measure": "pearson"}),
        ("cfs", {}),
        (R2(ridge=0.5), {}),
        (R2(criterion="bic"), {}),
    ],
)
def test_errors_are_derivatives_by_the_weight_of_rows(objective, options):
    table = drawn(3, 60, numeric=isinstance(objective, R2) or objective == "r2")
    weights = np.random.default_rng(0).integers(1, 4, 60).astype(float)

    def weighted(of_rows):
        return problem_of(with_rows(table, of_rows), objective, **options)

    problem = weighted(weights)
    changes = [
        weight * (quality_of(weighted(weights + step)) - quality_of(problem)) / 2e-4
        for weight, step in zip(weights, 2e-4 * np.eye(60), strict=True)
    ]
    margin = Sampling.of(alone(problem), [FIRST]).margins[0]
    assert margin / 1.96 == pytest.approx(np.linalg.norm(changes), rel=0.15)


@pytest.mark.parametrize("objective", ["jmi", "r2", "mrmr"])
def test_bias_and_rivals_are_those_of_all_sets_listed_one_by_one(monkeypatch, objective):
    """Of fewer sets, the bias is a part of that."""
    result = solve(problem_of(drawn(2, 200, numeric=objective == "r2"), objective))
    problem, found = result.problem, result.sampling
    sets = list(itertools.combinations(range(6), 3))
    quality = np.array(values.qualities(problem, sets))
    errors = np.column_stack([sampling._errors(problem, members, [members])[:, 0] for members in sets])
    own = sets.index(result.sets[0])
    best = (quality + errors).argmax(axis=1)
    apart = np.sqrt(((errors - errors[:, [own]]) ** 2).mean(axis=0))
    assert found.all_compared
    assert found.rivals == (quality[own] - quality <= 1.96 * apart).sum() - 1
    assert found.comes_again == pytest.approx((best == own).mean())
    assert found.luck == pytest.approx((errors[np.arange(200), best] - errors[:, own]).mean())
    monkeypatch.setattr(sampling, "MOST_COMPARED", 10)
    some = Sampling.of(problem, result.sets)
    assert not some.all_compared
    assert some.comes_again >= found.comes_again
    assert some.luck <= found.luck


def test_what_is_not_known_is_not_said():
    table = drawn(4, 100, numeric=False)
    assert solve(problem_of(table, MRMR(pairs="spearman"))).sampling is None
    assert solve(problem_of(table, "mrmr", measure="mutual_info")).sampling is None
    assert pickle.loads(pickle.dumps(problem_of(table, "jmi"))).evidence.of_pairs is None
    of_sizes = solve(problem_of(drawn(4, 100, numeric=True), R2(criterion="aic"), k=(1, 3))).sampling
    assert of_sizes.margins[0] > 0
    assert of_sizes.luck is None


@pytest.mark.parametrize("objective", ["jmi", "r2"])
def test_some_of_many_rows_say_how_exact_all_are(monkeypatch, objective):
    table, margins = drawn(7, 3000, numeric=objective == "r2"), []
    for n_drawn in (3000, 1500):
        monkeypatch.setattr("pyfsel.measures.tables.entries.N_DRAWN", n_drawn)
        margins.append(Sampling.of(alone(problem_of(table, objective)), [FIRST]).margins[0])
    assert margins[0] != margins[1]
    assert margins[1] == pytest.approx(margins[0], rel=0.15)
