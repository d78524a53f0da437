"""Tables without a target: their measures, facility location from a table, and what needs a target."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from small_problems import problem_from_table

from pyfsel import AlternativeFeatureSelector, InputError, evaluate
from pyfsel.measures import quality
from pyfsel.measures.tables.table import prepare
from pyfsel.objectives import MRMR
from pyfsel.problem.rules import Constraints


@pytest.fixture(name="X")
def table_of_copies_and_noise():
    rng = np.random.default_rng(3)
    hidden = rng.normal(size=(60, 2))
    copies = hidden[:, [0, 0, 1, 1]] + 0.4 * rng.normal(size=(60, 4))
    return pd.DataFrame(np.column_stack([copies, rng.normal(size=(60, 2)) * 5])).rename(columns="x{}".format)


def test_laplacian_score_is_one_minus_that_of_its_authors(X):
    Z = ((X - X.mean()) / X.std()).to_numpy()
    squares = cdist(Z, Z, "sqeuclidean")
    near = np.argsort(squares + np.diag([np.inf] * 60), axis=1)[:, :4]
    joined = np.zeros((60, 60), dtype=bool)
    np.put_along_axis(joined, near, True, axis=1)
    S = np.where(joined | joined.T, np.exp(-squares / squares[joined].mean()), 0.0)
    D = S.sum(axis=1)
    F = Z - np.average(Z, axis=0, weights=D)
    expected = [1 - (f @ (np.diag(D) - S) @ f) / (f @ (D * f)) for f in F.T]
    found = quality(prepare(X, None, task="unsupervised"), measure="laplacian_score", n_neighbors=4)
    assert found.tolist() == pytest.approx(expected)
    assert found[:4].min() > found[4:].max(), "what two columns share is structure, noise is not"


def test_the_sets_that_represent_a_table_are_the_best_of_all(X):
    alike = np.abs(np.corrcoef(X.T))
    selector = AlternativeFeatureSelector(
        3,
        n_sets=1,
        task="unsupervised",
        objective="facility_location",
        constraints=Constraints(forbidden=["x4"]),
    ).fit(X)
    found = list(selector.sets_[0].indices)
    assert 4 not in found
    best = max(alike[list(s)].max(axis=0).sum() for s in combinations((0, 1, 2, 3, 5), 3))
    assert alike[found].max(axis=0).sum() == pytest.approx(best)
    assert selector.sets_[0].quality == pytest.approx(best, abs=1e-5)
    assert selector.answer_.status == "OPTIMAL"


def test_redundancy_without_a_target_is_correlation(X):
    asked = {"k": 2, "task": "unsupervised"}
    problem = problem_from_table(X, None, objective="mrmr", **asked)
    pairs = MRMR(pairs="pearson")
    named = problem_from_table(X, None, measure="laplacian_score", objective=pairs, chance="off", **asked)
    assert problem == named
    assert problem.evidence.p_values is None


def test_held_out_scores_need_a_target(X):
    with pytest.raises(InputError, match=r"^y: is missing; held-out scores need a target"):
        evaluate(X, None, AlternativeFeatureSelector(2, task="unsupervised"))


def test_a_file_without_a_target(X, tmp_path, run):
    path = tmp_path / "t.csv"
    X.to_csv(path, index=False)
    select = f"select {path} --task unsupervised -k 2 -n 2 -d 1"
    assert "from 6 features" in run(select, 0).out
    assert "-t x0: has no effect next to --task unsupervised" in run(f"{select} -t x0", 2).err
