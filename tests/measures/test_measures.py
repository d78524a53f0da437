"""Measures: against scikit-learn and SciPy, invariances, options, bad input."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import digamma
from sklearn import inspection
from sklearn.base import clone
from sklearn.feature_selection import f_classif, f_regression, mutual_info_classif, mutual_info_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import mutual_info_score, normalized_mutual_info_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier

from pyfsel import InputError
from pyfsel.measures import (
    contingency,
    pair_measures,
    quality,
    redundancy,
    redundancy_measures,
    relevance_measures,
)
from pyfsel.measures.mutual_info import information_with, with_classes
from pyfsel.measures.tables.table import prepare
from pyfsel.objectives import MIFS, MRMR

OTHERS = {"concordance", "itself", "laplacian_score"}  # of times, or without a target
RELEVANCE = sorted(set(relevance_measures()) - OTHERS)
REDUNDANCY = sorted(redundancy_measures())
BESIDE = {"co_information": "information"}
"""Pairs that see the target, by the only measure that they go with."""


def raw(table, measure, **options):
    few = {"n_repeats": 2} if measure == "permutation_importance" else {}
    return quality(table, measure=measure, **({"random_state": 0} | few | options))


def made_up(kind):
    """Five features: two that matter, a copy of the first with noise, a useless one, a discrete one."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 5))
    X[:, 2] = X[:, 0] + 0.1 * rng.normal(size=200)
    X[:, 4] = rng.integers(0, 3, size=200)
    signal = 2 * X[:, 0] + X[:, 1]
    if kind == "regression":
        return prepare(X, signal + 0.1 * rng.normal(size=200))
    cuts = [0] if kind == "binary" else [-1, 1]
    return prepare(X, np.array(["low", "mid", "high"])[np.digitize(signal, cuts)])


KINDS = ("binary", "multiclass", "regression")


@pytest.fixture(scope="module", params=KINDS)
def table(request):
    return made_up(request.param)


@pytest.mark.parametrize("measure", RELEVANCE)
def test_every_measure_on_every_task(table, measure):
    values = raw(table, measure)
    assert values.shape == (5,)
    assert values.dtype == np.float64
    assert np.isfinite(values).all()
    assert values.argmax() in (0, 1, 2)
    assert max(values[0], values[2]) > 2 * values[3]


@pytest.mark.parametrize("measure", REDUNDANCY)
def test_redundancy_of_pairs(table, measure):
    values = redundancy(table, measure, random_state=7)
    assert values.shape == (5, 5)
    assert (np.diagonal(values) == 0).all()
    assert values.argmax() in (2, 10)
    assert values[0, 2] > 0
    if measure in BESIDE:
        assert values[0, 1] < -0.1, "both tell more about their sum together than apart"
        assert values[1, 2] < -0.1
    else:
        assert (values >= 0).all()
    if measure in ("mutual_info", "mutual_info_numeric"):
        np.testing.assert_allclose(values, values.T, atol=0.05)
    else:
        assert (values == values.T).all()


def bins(column, n_bins):
    return pd.qcut(column, n_bins, labels=False, duplicates="drop")


@pytest.mark.parametrize(("n_bins", "width"), [(10, 7), (10, 37), (10, 10**6), (4, 10**6)])
def test_binned_information_is_that_of_scikit_learn(table, n_bins, width, monkeypatch):
    """Also in blocks of several columns, or narrower than one, and of some of the rows."""
    monkeypatch.setattr(contingency, "BLOCK_WIDTH", width)
    monkeypatch.setattr(contingency, "BLOCK_ROWS", 61)
    codes = [bins(table.X[:, j], n_bins) if j < 4 else table.X[:, j].astype(int) for j in range(5)]
    target = bins(table.y, n_bins) if table.task == "regression" else table.y
    for measure, reference in (
        ("mutual_info_binned", mutual_info_score),
        ("symmetrical_uncertainty", normalized_mutual_info_score),
    ):
        expected = [reference(code, target) for code in codes]
        np.testing.assert_allclose(raw(table, measure, n_bins=n_bins), expected, atol=1e-12)
        expected = [[reference(x, y) * (x is not y) for x in codes] for y in codes]
        np.testing.assert_allclose(redundancy(table, measure, n_bins=n_bins), expected, atol=1e-12)


def test_correlations_are_those_of_scipy(table):
    """With classes, those with the best prediction from them."""
    target = np.eye(3)[table.y] if table.task == "classification" else table.y[:, None]
    for measure, of in (("pearson", table.X), ("spearman", stats.rankdata(table.X, axis=0))):
        known = stats.rankdata(target, axis=0) if measure == "spearman" else target
        fitted = LinearRegression().fit(known, of).predict(known)
        expected = [stats.pearsonr(*both)[0] for both in zip(of.T, fitted.T, strict=True)]
        assert raw(table, measure) == pytest.approx(expected)
        expected = np.abs(np.corrcoef(of.T)) - np.eye(5)
        np.testing.assert_allclose(redundancy(table, measure), expected, atol=1e-12)


def test_f_statistic_is_that_of_scikit_learn(table):
    reference = f_regression if table.task == "regression" else f_classif
    np.testing.assert_allclose(raw(table, "f_statistic"), reference(table.X, table.y)[0])


def test_an_infinite_f_statistic_is_capped_with_a_warning():
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.arange(40) % 2
    X[:, 1] = y
    with pytest.warns(UserWarning, match="'x1' fits without error"):
        values = quality(prepare(X, y), "f_statistic")
    assert values.argmax() == 1
    assert np.isfinite(values).all()
    assert (values > 0).all()


def test_model_importance_is_that_of_an_entropy_tree():
    table = made_up("multiclass")
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    tree = DecisionTreeClassifier(criterion="entropy", random_state=seed).fit(table.X, table.y)
    assert raw(table, "model_importance").tolist() == tree.feature_importances_.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_importances_of_any_model_are_its_coefficients_by_size_over_the_classes(kind):
    table = made_up(kind)
    model = LinearRegression() if kind == "regression" else LogisticRegression()
    fitted = np.atleast_2d(clone(model).fit(table.X, table.y).coef_)
    for estimator in (model, make_pipeline(FunctionTransformer(), model)):
        values = raw(table, "model_importance", estimator=estimator)
        np.testing.assert_allclose(values, np.abs(fitted).sum(axis=0))
    assert not hasattr(model, "coef_")


def test_permutation_importance_of_any_model():
    table = made_up("binary")
    state, options = np.random.RandomState(5), {"stratify": table.y, "test_size": 1 / 3}
    X, held_out, y, theirs = train_test_split(table.X, table.y, random_state=state, **options)
    options = {"n_repeats": 3, "random_state": state}
    found = inspection.permutation_importance(KNeighborsClassifier().fit(X, y), held_out, theirs, **options)
    options = {"n_repeats": 3, "random_state": 5, "estimator": KNeighborsClassifier()}
    assert (raw(table, "permutation_importance", **options) == found.importances_mean).all()
    rare = prepare(table.X, ["once"] + ["a", "b"] * 99 + ["a"])
    assert np.isfinite(raw(rare, "permutation_importance", n_repeats=2)).all()


def test_relief_finds_an_interaction_that_single_features_hide():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 6))
    for y in ((X[:, 1] > 0) ^ (X[:, 4] > 0), X[:, 1] * X[:, 4]):
        values = quality(prepare(X, y), "relief", random_state=0)
        assert set(np.argsort(-values)[:2]) == {1, 4}


def test_relief_by_hand():
    table = prepare([[0.0], [1.0], [3.5], [4.0]], ["a", "a", "b", "b"])
    hits = (1 + 1 + 0.5 + 0.5) / 4
    misses = (3.5 + 2.5 + 2.5 + 3) / 4
    assert raw(table, "relief", n_neighbors=1)[0] == pytest.approx((misses - hits) / 4)


ONE_OF = "must be one of co_information, information"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            ("co_information", "fcbf"),
            "^measure='co_information': must be 'information', for objective='fcbf', .* by co_information$",
        ),
        ((np.arange(5.0), MRMR(pairs="relief")), f"^redundancy_measure='relief': {ONE_OF}"),
        *(
            ((np.arange(5.0), objective), rf"^measure=array\(.*: {ONE_OF}")
            for objective in ("mrmr", "fcbf", "mifs")
        ),
        (("relief", "mrmr"), f"^measure='relief': {ONE_OF}"),
        *(
            (
                (other, objective),
                r"^measure=.*: must be 'information', for objective='\w+', .* pairs are by co_information$",
            )
            for objective in (MRMR(pairs="co_information"), MIFS(pairs="co_information"), "jmi", "cife")
            for other in ("pearson", "co_information", np.ones(5))
        ),
        (("pearson", "fractions"), "objective='fractions': must be one of"),
        (("information", "r2"), "measure: must be 'pearson', for objective='r2'"),
        (("pearson", "r2"), "y: has 3 classes; objective='r2' takes numbers or two classes"),
    ],
)
def test_measures_that_do_not_go_together(asked, message):
    measure, objective = asked
    with pytest.raises(InputError, match=message):
        pair_measures(made_up("multiclass"), measure, objective=objective)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "mutual"}, "measure='mutual': must be one of 16 names"),
        ({"measure": "co_information"}, "^measure='co_information': must be one of 16 names"),
        ({"measure": "pearson", "n_bins": 3}, "n_bins=3: measure='pearson' takes no options"),
        ({"measure": "relief", "n_bins": 3}, "n_bins=3: measure='relief' takes n_neighbors and n_samples"),
        ({"measure": "relief", "n_neighbors": 0}, "n_neighbors=0"),
        *(
            ({"measure": measure, "n_bins": wrong}, f"n_bins={wrong!r}: must be an integer")
            for measure in ("information", "mutual_info_binned")
            for wrong in (1, 2.5, True, "x")
        ),
        ({"measure": [1.0]}, r"measure: has shape \(1,\). Expected 2"),
        ({"measure": [1.0, np.nan]}, "measure: is nan at 1"),
        ({"measure": [1.0, np.inf]}, "measure: is inf at 1"),
        ({"measure": ["a"] * 2}, "measure: must be numbers"),
        ({"measure": None}, "measure=None: must be a list of numbers"),
        *(
            ({"measure": "model_importance", "estimator": wrong}, message)
            for wrong, message in (
                (KNeighborsClassifier(), "must have feature_importances_ or coef_"),
                (LinearRegression(), "does not fit task='classification'"),
                ("forest", "must be a scikit-learn model"),
                (make_pipeline(PolynomialFeatures(), LogisticRegression()), "one importance for each of 2"),
            )
        ),
    ],
)
def test_unknown_names_and_options(options, message):
    with pytest.raises(InputError, match=message):
        quality(prepare(np.random.default_rng(0).normal(size=(9, 2)), np.arange(9) % 2), **options)


@pytest.mark.filterwarnings("ignore:X. column 'id' is text")
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_identifiers_have_no_information_on_numbers_and_do_not_stop_the_measure(task):
    X = np.random.default_rng(0).normal(size=(60, 2))
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(60)], "a": X[:, 0], "b": X[:, 1]})
    table = prepare(frame, X.sum(axis=1) if task == "regression" else X[:, 0] > 0, task=task)
    r, q = redundancy(table, "mutual_info", random_state=0), raw(table, "mutual_info")
    assert r[0].tolist() == r[:, 0].tolist() == [0, 0, 0]
    assert np.isfinite(r).all()
    assert (q[0] == 0) == (task == "regression")
    assert np.isfinite(q).all()
    assert q[1] > 0


@pytest.mark.parametrize("n_neighbors", [1, 3])
@pytest.mark.parametrize("discrete_target", [True, False])
def test_neighbours_give_the_numbers_of_scikit_learn(n_neighbors, discrete_target):
    """Ties, near ties, constant columns and such as are far from 0, categories; large enough classes.

    Its noise is in proportion to what is not centred.
    """
    rng = np.random.default_rng(n_neighbors)
    is_discrete = np.array([False] * 6 + [True])
    for n in (24, 60, 201):
        X = rng.standard_normal((n, 7)) * 10.0 ** rng.integers(-8, 9)
        X[:, 1] = rng.integers(0, 3, n)
        X[:, 2] = np.round(X[:, 0] / np.abs(X[:, 0]).max(), 1)
        X[:, 3], X[:, 4] = 0.0, 1e9 + X[:, 2]
        X[:, 6] = rng.permutation(np.arange(n) % 3)
        y = rng.permutation(np.arange(n) % 2) if discrete_target else np.round(X[:, 5] + X[:, 2], 3)
        centre = X.mean(axis=0) * ~is_discrete
        wanted = (mutual_info_classif if discrete_target else mutual_info_regression)(
            X - centre,
            y - (0 if discrete_target else y.mean()),
            discrete_features=is_discrete,
            n_neighbors=n_neighbors,
            random_state=7,
        )
        columns = SimpleNamespace(X=X, is_discrete=is_discrete)
        found = information_with(columns, y, discrete_target, n_neighbors, random_state=7)
        assert found == pytest.approx(wanted, abs=1e-9, rel=0)


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize("measured", [quality, redundancy])
def test_of_few_rows_all_others_are_neighbours(task, measured):
    X = np.random.default_rng(0).standard_normal((12, 3))
    table = prepare(X, X[:, 0] + X[:, 1] if task == "regression" else X[:, 0] > 0, task=task)
    few, many = (measured(table, "mutual_info", random_state=0, n_neighbors=k) for k in (11, 50))
    assert np.array_equal(few, many)


def test_small_classes_have_exact_distances_and_single_rows_are_left_out():
    """One neighbour: ψ(rows) + ψ(1) − the means of ψ(rows of the class) and of ψ(rows nearer than it)."""
    numbers = np.array([1e9, 1e9 + 12, 1e9 + 10, 1e9 + 11, 1e9 + 13, 5.0])
    found = with_classes(numbers, np.array(["a", "a", "b", "b", "b", "c"]), 1)
    sizes, windows = [2, 2, 3, 3, 3], [3, 4, 1, 1, 2]
    wanted = digamma(5) + digamma(1) - digamma(sizes).mean() - digamma(windows).mean()
    assert found == pytest.approx(max(0, wanted))
