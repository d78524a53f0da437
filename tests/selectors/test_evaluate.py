"""Held-out scores: selection inside the folds, intervals, comparisons, stability."""

import json
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectFpr, SelectFromModel, SelectKBest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, PredefinedSplit, StratifiedKFold, StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pyfsel import AlternativeFeatureSelector, InputError, NoSetsError, choose_k, evaluate, stability
from pyfsel.problem.rules import Constraints
from pyfsel.selectors.evaluation.models import Voting
from pyfsel.selectors.evaluation.statistics import (
    HeldOutRows,
    compared,
    membership,
    score_interval,
    stability_interval,
    wilson,
)

SELECTOR = AlternativeFeatureSelector(3, n_sets=3, dissimilarity=1, measure="f_statistic")
NAMELESS = {"selector": SELECTOR, "model": "tree"}
NO_SETS = AlternativeFeatureSelector(9, n_sets=2, dissimilarity=1, search="sum")
ONCE = {"cv": 3, "repeats": 1}


@pytest.fixture(scope="module")
def evaluation(wine):
    return evaluate(*wine, SELECTOR, DecisionTreeClassifier(), cv=3, repeats=2)


def of_set(found, name, column="score", model=None):
    """Return what the folds say of a set, one entry a fold."""
    folds = found.folds()
    model = folds["model"].iloc[0] if model is None else model
    return folds.loc[(folds["set"] == name) & (folds["model"] == model), column].tolist()


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers the rows that it was fitted on; its score is the proportion of test rows among them."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {tuple(row) for row in X.to_numpy()}
        return self

    def predict(self, X):
        return np.array([int(tuple(row) in self.seen_) for row in X.to_numpy()])


def unique_rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 200)), columns=[f"noise {j}" for j in range(200)])
    return X, rng.integers(0, 2, 60)


def test_held_out_rows_are_not_fitted():
    """The spy predicts class 1 for rows that it knows; no test row may be one of them."""
    X, y = unique_rows()
    found = evaluate(X, y, SELECTOR, Spy(), scoring="accuracy", **ONCE)
    splits = StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)
    expected = [np.mean(y[test] == 0) for _, test in splits]
    assert all(row.score == expected[row.fold] for row in found.folds().itertuples())


def test_selection_sees_training_rows_only():
    """Of 200 columns of noise the best ones of all rows look useful; in nested validation they do not."""
    X, y = unique_rows()
    selector = AlternativeFeatureSelector(5, n_sets=1, measure="pearson")
    nested = evaluate(X, y, selector, repeats=1)
    on_all_rows = X.iloc[:, selector.fit(X, y).get_support(indices=True)]
    leaky = evaluate(on_all_rows, y, selector, repeats=1)
    assert leaky.to_frame()["score"][0] > 0.7
    assert nested.to_frame()["score"][0] < 0.6


def test_every_set_is_scored_in_every_fold_and_shown(evaluation):
    frame, folds = evaluation.to_frame().set_index("set"), evaluation.folds()
    assert list(frame.index) == ["0", "1", "2", "vote", "all"]
    assert folds.groupby("set")["repeat"].value_counts().tolist() == [3] * 10
    assert frame.loc["0", "score"] == pytest.approx(np.mean(of_set(evaluation, "0")))
    assert frame["quality"][:3].is_monotonic_decreasing
    assert frame.loc["all", ["n_rows", "n_features"]].tolist() == [178, 13]
    apart = np.subtract(of_set(evaluation, "2"), of_set(evaluation, "0"))
    assert frame.loc["2", "difference"] == pytest.approx(apart.mean())
    for _, fold in folds.query("quality > 0").groupby(["repeat", "fold"]):
        names = fold["features"].explode()
        assert (len(fold), len(names), names.nunique()) == (3, 9, 9), "sets of a fold are disjoint"
    assert str(evaluation).startswith(f"Set 0 scores {frame.loc['0', 'score']:.3f} (balanced accuracy, 95%")
    assert "ESTIMATE  6 folds of 178 rows, DecisionTreeClassifier model" in str(evaluation)
    assert json.loads(json.dumps(evaluation.to_dict(), allow_nan=False))["n_folds"] == 6
    (axes,) = evaluation.plot().axes
    dots = [list(line.get_ydata()) for line in axes.lines if line.get_marker() == "o"]
    assert dots == [of_set(evaluation, name) for name in frame.index]


@pytest.mark.parametrize(
    ("selections", "index"),
    [
        ([(0, 1), (0, 1)], 1),
        # frequencies 1, 1/2, 1/2, 0; variances 0, 1/2, 1/2, 0; by chance 1/2 · 1/2
        ([(0, 1), (0, 2)], 1 - 0.25 / 0.25),
        # frequencies 1/2 each, variances 1/2
        ([(0, 1), (2, 3)], -1),
        ([(0, 1)], np.nan),
        ([(0, 1, 2, 3)] * 2, np.nan),
        ([], np.nan),
    ],
)
def test_stability_of_nogueira(selections, index):
    """Two of four features, two selections: by Definition 4 of the paper, by hand."""
    assert stability_interval(membership(selections, 4))[0] == pytest.approx(index, nan_ok=True)


def test_fewer_sets_than_requested_are_counted(wine):
    found = evaluate(*wine, clone(SELECTOR).set_params(k=5), cv=2, repeats=1)
    assert found.to_frame()["set"].tolist() == ["0", "1", "vote", "all"]


def test_regression():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 6)))
    selector = clone(SELECTOR).set_params(n_sets=2)
    found = evaluate(X, X[0] + 0.1 * rng.normal(size=120), selector, **ONCE)
    assert (found.details["task"], found.details["scoring"]) == ("regression", "r2")
    assert "(R², 95% interval" in found.headline
    frame = found.to_frame().set_index("set")
    assert frame.loc["0", "score"] > 0.9 > frame.loc["1", "score"]
    assert all("x0" in members for members in of_set(found, "0", "features"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "oracle"}, "model='oracle'"),
        ({"model": []}, r"model=\[\]"),
        *(({what: {"": one}}, f"{what}: a name is empty") for what, one in NAMELESS.items()),
        ({"scoring": "luck"}, "scoring='luck'"),
        ({"scoring": "roc_auc"}, "scoring='roc_auc': does not fit this classification"),
        ({"cv": 1}, "cv=1"),
        ({"cv": 60}, "48 rows only in the smallest class"),
        *(({"cv": wrong}, f"cv={wrong!r}: is not a number, a splitter") for wrong in ("3", True, 2.5)),
        ({"cv": iter(())}, "is it a generator used up before"),
        ({"cv": GroupKFold(2)}, r"cv=GroupKFold.*cannot split the rows"),
        ({"repeats": 0}, "repeats=0"),
        ({"margin": -1}, "margin=-1: is below 0"),
        ({"groups": np.arange(178) % 3}, "cv=5: 3 groups only"),
        ({"sample_weight": np.zeros(178)}, "sample_weight: must be finite numbers"),
        *(({"selector": wrong}, "selector=") for wrong in (3, "kbest", SelectKBest, [], {"x": None})),
        ({"selector": DecisionTreeClassifier()}, "selector="),
        ({"selector": PCA(2)}, "selector=PCA: makes new columns"),
        ({"selector": SelectFpr(alpha=1e-99)}, "selector=SelectFpr: keeps no feature"),
        (
            {"selector": SelectFromModel(Ridge(alpha="x"))},
            "selector=SelectFromModel: cannot be fitted: The 'alpha'",
        ),
        ({"selector": {"one": SELECTOR, "none": NO_SETS}}, "selector=none: finds no set in any fold"),
        ({"model": Ridge(alpha="x")}, "model=Ridge: The 'alpha'"),
        ({"scoring": max}, "scoring=.*: must be the name of a score"),
        *(({"cv": [([0, 60, 140], [row])]}, "rows are numbered from 0 to 177") for row in (500, -1)),
        ({"cv": [([0, 1, 60, 140], [1, 2])]}, "cv=.*: a row is in training and held out at the same time"),
        *(
            ({"selector": {name: SELECTOR, other: SelectKBest(k=2)}}, "names of sets are not unique")
            for name, other in (("ours", "ours 0"), ("ours", "ours vote"), ("ours", "all"))
        ),
    ],
)
def test_bad_arguments(wine, arguments, message):
    with pytest.raises(NoSetsError if "no set" in message else InputError, match=message):
        evaluate(*wine, **{"selector": SELECTOR, "repeats": 1, **arguments})


@pytest.mark.filterwarnings("ignore:k")
@pytest.mark.parametrize(
    "found_by",
    [
        lambda X, y: evaluate(X, y, [AlternativeFeatureSelector(2, n_sets=1), SelectKBest(k=2)], **ONCE),
        lambda X, y: choose_k(X, y, k=[1, 2, 5], dissimilarity=(), nested=True, **ONCE),
        lambda X, y: stability(X, y, pairs=2),
    ],
)
def test_numbers_of_rows_are_left_out_though_no_fold_shows_that_they_are_that(found_by):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)  # sorted, so that the number of a row gives its class away
    X = pd.DataFrame(rng.normal(size=(80, 4)), columns=list("abcd")).assign(row=np.arange(80))
    X["a"] += y
    with pytest.warns(UserWarning, match="column 'row' differs in every row; left out unless forced"):
        found = found_by(X, y)
    assert set(found.folds()["features"].explode()) <= {*"abcd"}
    forced = AlternativeFeatureSelector(2, n_sets=1, constraints=Constraints(forced=["row"]))
    assert all("row" in members for members in of_set(evaluate(X, y, forced, **ONCE), "0", "features"))


def test_any_selector_and_several_models_in_one_table(wine):
    scaled = make_pipeline(StandardScaler(), SelectKBest(k=2))
    selectors = {"ours": SELECTOR, "best": SelectKBest(k=3), "scaled": scaled}
    found = evaluate(*wine, selectors, ["linear", DecisionTreeClassifier()], **ONCE)
    frame = found.to_frame()
    assert frame["set"].tolist() == ["ours 0", "ours 1", "ours 2", "ours vote", "best", "scaled", "all"] * 2
    assert frame["model"].tolist() == ["linear"] * 7 + ["DecisionTreeClassifier"] * 7
    assert frame["n_folds"].eq(3).all()
    assert (frame["score_low"] < frame["score"]).all()
    assert {len(members) for members in of_set(found, "scaled", "features")} == {2}
    assert of_set(found, "ours vote", "features") == [None] * 3
    assert of_set(found, "best") != of_set(found, "best", model="DecisionTreeClassifier")
    assert "linear and DecisionTreeClassifier models" in found.claim


def test_the_matthews_coefficient_is_that_of_stratified_folds():
    """From its definition, (TP·TN − FP·FN) / √(…), for two classes of which one is rare."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [90, 30])
    X = pd.DataFrame(rng.normal(size=(120, 4)) + y[:, None])
    found = evaluate(X, y, SelectKBest(k=1), GaussianNB(), scoring="matthews_corrcoef", repeats=1)
    by_hand = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        assert y[test].sum() == 6
        said = GaussianNB().fit(X.iloc[train], y[train]).predict(X.iloc[test])
        (tn, fp), (fn, tp) = [[((y[test] == c) & (said == d)).sum() for d in (0, 1)] for c in (0, 1)]
        by_hand.append((tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
    assert of_set(found, "all") == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("model", "targets", "voted"),
    [
        (DecisionTreeClassifier(), ([0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]), [0, 0, 1, 1]),
        (LinearSVC(), ([0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0]), [0, 0, 1, 1]),
        (Ridge(0), ([0, 2, 4, 6], [0, 4, 8, 12]), [0, 3, 6, 9]),
    ],
)
def test_votes_are_mean_probabilities_majorities_or_means(model, targets, voted):
    X = np.arange(4.0)[:, None]
    models = [clone(model).fit(X, target) for target in targets]
    assert Voting(models).predict([X] * len(models)).tolist() == pytest.approx(voted)


@pytest.mark.parametrize(
    ("events", "n", "ends"), [(15, 148, (0.0624, 0.1605)), (0, 20, (0.0, 0.1611)), (29, 29, (0.8830, 1))]
)
def test_wilson_as_published(events, n, ends):
    """Newcombe, Statistics in Medicine 17, 1998, Table I, method 3; of 29/29 it is one minus that of 0/29."""
    assert wilson(events / n, 0.0, n, 1.959964) == pytest.approx(ends, abs=6e-5)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "roc_auc", "matthews_corrcoef", "r2"])
def test_no_interval_leaves_the_range_of_its_score(scoring):
    rows = HeldOutRows(60, () if scoring == "r2" else (40, 20))
    for scores in ([1.0] * 5, [1, 1, 1, 0.9, 1], [0.6, 0.7, 0.65, 0.6, 0.9]):
        low, high = score_interval(scores, 0.25, scoring, rows)
        if scoring == "r2" and np.ptp(scores) == 0:
            assert np.isnan([low, high]).all(), "equal scores show no error"
            continue
        assert low <= np.mean(scores) <= high <= 1
        assert scoring == "r2" or (low < high and low >= (-1 if scoring == "matthews_corrcoef" else 0))


def test_holm_decides_as_the_intervals_do():
    """Raw p-values p(1) <= …: adjusted max(m p(1), (m - 1) p(2), …); 0 is in an interval from 0.05 on."""
    rng, rows = np.random.default_rng(0), HeldOutRows(60)
    given = {f"{shift}": (rng.normal(shift / 20, 0.05, 20), 0.25, rows) for shift in (3, 0, 2, 1, -2, 0.5)}
    found = compared(given, "accuracy")
    alone = sorted((compared({name: one}, "accuracy")[name]["p_value"], name) for name, one in given.items())
    adjusted = np.maximum.accumulate([(6 - i) * p for i, (p, _) in enumerate(alone)])
    assert [found[name]["p_value"] for _, name in alone] == pytest.approx(np.minimum(adjusted, 1).tolist())
    assert {one["p_value"] <= 0.05 for one in found.values()} == {True, False}
    for one in found.values():
        assert (one["difference_low"] <= 0 <= one["difference_high"]) == (one["p_value"] > 0.05)


@pytest.mark.parametrize(
    ("by_fold", "said"),
    [
        ([0.1] * 5, "not compared: too few folds, or the same difference in each"),
        ([0.9, 0.1], "not shown to be at most 0.02 worse (-6.688 to 7.688)"),
        ([0.0] * 5, "equal in every fold; up to about 0.062 cannot be excluded"),
        ([0.1, 0.12, 0.11], "significantly better (0."),
        ([], "not compared: too few folds"),
    ],
)
def test_few_or_equal_folds_are_no_certainty(by_fold, said):
    one = compared({"a": (by_fold, 0.5, HeldOutRows(60))}, "accuracy")["a"]
    assert one["compared"].startswith(said)
    assert np.isnan(one["rows_needed"]), "rows are no remedy for few folds"


def test_what_predicts_no_better_than_chance_is_named():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    seeing = evaluate(np.column_stack([X, y]), y, SelectKBest(k=1), **ONCE)
    assert not any("chance" in caution for caution in seeing.cautions)
    blind = evaluate(X, y, SelectKBest(k=1), **ONCE)
    assert blind.cautions[0] == "Not shown to predict better than chance (0.5): SelectKBest, all"


def test_splits_that_are_always_the_same_count_once(wine):
    peers, cv = {"one": SelectKBest(k=1), "two": SelectKBest(k=2)}, StratifiedKFold(3)
    found, once = (evaluate(*wine, peers, cv=cv, repeats=n).to_dict() for n in (4, 1))
    assert found["n_folds"] == 3
    assert found == once
    other = evaluate(*wine, peers, cv=StratifiedShuffleSplit(2, test_size=0.5), repeats=2)
    assert other.details["n_folds"] == 4


def test_only_rows_that_were_held_out_count(wine):
    X, y = wine
    cv = PredefinedSplit(np.where(y == 0, -1, np.arange(178) % 2))
    found = evaluate(X, y, SelectKBest(k=2), cv=cv)
    assert found.details["n_rows"] == 71 + 48
    assert found.to_frame()["score_low"].notna().all()


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "roc_auc"])
def test_rows_without_weight_make_no_interval_narrower(scoring):
    y, weights = np.arange(120) % 2, np.arange(120) % 4 // 2
    asked = {"scoring": scoring, **ONCE}
    found, expected = (
        evaluate(y[rows, None], y[rows], SelectKBest(), sample_weight=weights[rows], **asked).to_frame()
        for rows in (np.arange(120), weights > 0)
    )
    assert found["score_low"].tolist() == expected["score_low"].tolist()


class RowSpy(AlternativeFeatureSelector):
    """Remembers what it was told of each row."""

    told: ClassVar[list] = []

    def fit(self, X, y, **metadata):
        RowSpy.told.append({name: values.tolist() for name, values in metadata.items()})
        return super().fit(X, y, **metadata)


@pytest.mark.parametrize("cv", [2, GroupKFold(2)])
def test_weights_and_groups_reach_selectors_and_models_and_no_group_is_split(wine, cv):
    X, y = wine
    weights, groups = np.where(y == 0, 0.5, 2.0), np.arange(178) % 30
    RowSpy.told = []
    arguments = {"sample_weight": weights, "groups": groups, "cv": cv, "repeats": 1}
    found = evaluate(X, y, RowSpy(3, n_sets=1), ["linear", "tree"], **arguments)
    assert found.details["n_groups"] == 30
    assert [set(told) for told in RowSpy.told] == [{"sample_weight", "groups"}] * 2
    assert not set(RowSpy.told[0]["groups"]) & set(RowSpy.told[1]["groups"])
    with pytest.raises(InputError, match="'neighbours' takes no weights"):
        evaluate(X, y, SELECTOR, "neighbours", **arguments)


def test_nothing_is_said_in_the_folds(wine, recwarn):
    X, y = (pd.concat([part, part[:5]], ignore_index=True) for part in wine)
    evaluate(X, y, AlternativeFeatureSelector(2, n_sets=2), **ONCE)
    assert ["copies of others" in str(one.message) for one in recwarn] == [True]
