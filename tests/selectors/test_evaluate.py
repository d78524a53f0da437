"""Held-out scores: selection inside the folds, stability, command line."""

import json
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, PredefinedSplit, StratifiedKFold, StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import pyfsel
from pyfsel import AlternativeFeatureSelector, InputError
from pyfsel.cli.app import main
from pyfsel.selectors.choose import choose
from pyfsel.selectors.evaluation.evaluate import evaluate
from pyfsel.selectors.evaluation.intervals import HeldOutRows, differences, interval, score_interval, wilson
from pyfsel.selectors.evaluation.result import stability
from pyfsel.selectors.evaluation.voting import Voting

SELECTOR = AlternativeFeatureSelector(3, n_alternatives=2, tau=1, measure="f_statistic")


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def evaluation(wine):
    return evaluate(*wine, SELECTOR, DecisionTreeClassifier(), n_splits=3, n_repeats=2)


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers the rows that it was fitted on; its score is the share of test rows among them."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {tuple(row) for row in X.to_numpy()}
        return self

    def predict(self, X):
        return np.array([int(tuple(row) in self.seen_) for row in X.to_numpy()])


def unique_rows(n=60, noise=200):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, noise)), columns=[f"noise {j}" for j in range(noise)])
    return X, rng.integers(0, 2, n)


def test_held_out_rows_are_not_fitted():
    """The spy predicts class 1 for rows that it knows; no test row may be one of them."""
    X, y = unique_rows()
    found = evaluate(X, y, SELECTOR, Spy(), n_splits=3, n_repeats=1, scoring="accuracy")
    expected = {
        (repeat, fold): np.mean(held_out == 0) for (repeat, fold), held_out in held_out_classes(y).items()
    }
    assert all(row.score == expected[row.repeat, row.fold] for row in found.folds.itertuples())


def held_out_classes(y):
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(3, shuffle=True, random_state=0).split(np.zeros(len(y)), y)
    return {(0, fold): y[test] for fold, (_, test) in enumerate(folds)}


def test_selection_sees_training_rows_only():
    """Of 200 columns of noise the best ones of all rows look useful; in nested validation they do not."""
    X, y = unique_rows()
    selector = AlternativeFeatureSelector(5, n_alternatives=0, measure="pearson")
    nested = evaluate(X, y, selector, n_splits=5, n_repeats=3)
    on_all_rows = X.iloc[:, selector.fit(X, y).feature_sets_[0]]
    keep_all = AlternativeFeatureSelector(5, n_alternatives=0, measure="pearson")
    leaky = evaluate(on_all_rows, y, keep_all, n_splits=5, n_repeats=3)
    assert np.mean(leaky.scores_of("0")) > 0.7
    assert np.mean(nested.scores_of("0")) < 0.6


def test_every_set_is_scored_in_every_fold(evaluation):
    assert evaluation.set_names == ["0", "1", "2", "vote", "all"]
    assert evaluation.n_folds == 6
    assert all(len(evaluation.scores_of(name)) == 6 for name in evaluation.set_names)
    assert set(evaluation.folds["repeat"]) == {0, 1}
    frame = evaluation.to_frame().set_index("set")
    assert frame.loc["0", "score"] == pytest.approx(np.mean(evaluation.scores_of("0")))
    assert frame.loc["0", "quality"] > frame.loc["1", "quality"] > frame.loc["2", "quality"]
    for members in evaluation.selections_of("1"):
        assert len(set(members)) == 3


def test_sets_of_one_fold_are_dissimilar(evaluation):
    for _, fold in evaluation.folds[evaluation.folds["quality"] > 0].groupby(["repeat", "fold"]):
        members = [j for features in fold["features"] for j in features]
        assert len(set(members)) == 9


def test_same_seed_same_scores(wine, evaluation):
    again = evaluate(*wine, SELECTOR, DecisionTreeClassifier(), n_splits=3, n_repeats=2)
    pd.testing.assert_frame_equal(again.folds, evaluation.folds)


def test_stability_of_nogueira():
    """Two of four features, two selections: by Definition 4 of the paper, by hand."""
    assert stability([(0, 1), (0, 1)], 4) == 1
    # frequencies 1, 1/2, 1/2, 0; variances 0, 1/2, 1/2, 0; by chance 1/2 · 1/2
    assert stability([(0, 1), (0, 2)], 4) == pytest.approx(1 - 0.25 / 0.25)
    # frequencies 1/2 each, variances 1/2
    assert stability([(0, 1), (2, 3)], 4) == pytest.approx(-1)
    assert np.isnan(stability([(0, 1)], 4))
    assert np.isnan(stability([(0, 1), (0, 1)], 2))


def test_stability_by_chance_is_about_zero():
    rng = np.random.default_rng(0)
    chosen = [tuple(rng.choice(30, 5, replace=False)) for _ in range(300)]
    assert abs(stability(chosen, 30)) < 0.02


def test_fewer_sets_than_asked_for_are_counted(wine):
    many = AlternativeFeatureSelector(5, n_alternatives=2, tau=1, measure="f_statistic")
    found = evaluate(*wine, many, n_splits=2, n_repeats=1)
    assert found.set_names == ["0", "1", "vote", "all"]


def test_infeasible_everywhere_is_an_error(wine):
    impossible = AlternativeFeatureSelector(
        7, n_alternatives=1, tau=1, measure="f_statistic", search="simultaneous"
    )
    with pytest.raises(InputError, match="no set in any fold"):
        evaluate(*wine, impossible, n_splits=2, n_repeats=1)


def test_regression():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 6)))
    selector = AlternativeFeatureSelector(3, n_alternatives=1, tau=1, measure="f_statistic")
    found = evaluate(X, X[0] + 0.1 * rng.normal(size=120), selector, n_splits=3, n_repeats=1)
    assert (found.task, found.scoring) == ("regression", "r2")
    frame = found.to_frame().set_index("set")
    assert frame.loc["0", "score"] > 0.9 > frame.loc["1", "score"]
    assert all(0 in members for members in found.selections_of("0"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"estimator": "oracle"}, "estimator='oracle'"),
        ({"scoring": "luck"}, "scoring='luck'"),
        ({"scoring": "roc_auc"}, "scoring='roc_auc': does not fit this classification"),
        ({"n_splits": 1}, "n_splits=1"),
        ({"n_splits": 60}, "48 rows only in the smallest class"),
        ({"n_repeats": 0}, "n_repeats=0"),
        ({"missing": "fill"}, "missing='fill'"),
        ({"estimator": ["linear", "oracle"]}, "estimator='oracle'"),
        ({"estimator": []}, r"estimator=\[\]"),
        ({"cv": "3"}, "cv='3': is not a number, a splitter"),
        ({"cv": GroupKFold(2)}, r"cv=GroupKFold.*cannot split the rows"),
        ({"groups": [1, 2]}, r"groups: has shape \(2,\), must be \(178,\)"),
        ({"groups": np.arange(178) % 3}, "n_splits=5: there are only 3 groups"),
        ({"sample_weight": np.zeros(178)}, "sample_weight: must be finite numbers"),
    ],
)
def test_bad_arguments(wine, arguments, message):
    with pytest.raises(InputError, match=message):
        evaluate(*wine, SELECTOR, **arguments)


def test_figure_shows_every_fold(evaluation):
    (axes,) = evaluation.plot().axes
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [list(line.get_ydata()) for line in dots] == [
        evaluation.scores_of(name) for name in evaluation.set_names
    ]


def test_command_line(tmp_path, capsys):
    command = ["evaluate", "--dataset", "wine", "-k", "3", "-a", "1", "--tau", "1", "--measure", "pearson"]
    assert main([*command, "--folds", "3", "--repeats", "1", "--plot", str(tmp_path / "scores.svg")]) == 0
    assert "stability" in capsys.readouterr().out
    assert (tmp_path / "scores.svg").read_text().startswith("<?xml")
    assert main([*command, "--folds", "3", "--repeats", "1", "--format", "json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["set"] for row in data["sets"]] == ["0", "1", "vote", "all"]
    assert len(data["folds"]) == 12


def test_help_warns_against_selecting_with_all_rows(capsys):
    assert main(["evaluate", "--help"]) == 0
    assert "too high" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("wrong", [3, "kbest", SelectKBest, [], {"x": None}, DecisionTreeClassifier()])
def test_what_is_no_selector(wine, wrong):
    with pytest.raises(InputError, match="selector="):
        evaluate(*wine, wrong)


def test_numbers_of_rows_are_left_out_though_no_fold_shows_that_they_are_that():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)  # sorted, so that the number of a row tells its class
    X = pd.DataFrame(rng.normal(size=(80, 4)), columns=list("abcd")).assign(row=np.arange(80))
    X["a"] += y
    asked = {"n_splits": 3, "n_repeats": 1}
    selectors = {"ours": AlternativeFeatureSelector(2, n_alternatives=0), "best": SelectKBest(k=2)}
    with pytest.warns(UserWarning, match="column 'row' differs in every row; left out unless forced"):
        found = evaluate(X, y, selectors, **asked)
    assert not any(4 in members for members in found.folds["features"])
    assert set(found.folds.loc[found.folds["set"] == "all", "features"]) == {(0, 1, 2, 3)}
    forced = AlternativeFeatureSelector(2, n_alternatives=0, forced=["row"])
    assert all(4 in members for members in evaluate(X, y, forced, **asked).selections_of("0"))
    assert choose(X, y, set_sizes=[1, 2, 5], taus=(), nested=True, **asked).nested.scores_of("0")
    assert not any(4 in members for half in pyfsel.stability(X, y, n_pairs=2).halves for members in half)


def test_any_selector_and_several_estimators_in_one_table(wine):
    selectors = {
        "ours": SELECTOR,
        "best": SelectKBest(k=3),
        "scaled": make_pipeline(StandardScaler(), SelectKBest(k=2)),
        "axes": PCA(2),
    }
    found = evaluate(*wine, selectors, ["linear", DecisionTreeClassifier()], n_splits=3, n_repeats=1)
    names = ["ours 0", "ours 1", "ours 2", "ours vote", "best", "scaled", "axes", "all"]
    assert found.set_names == names
    assert found.estimators == ["linear", "DecisionTreeClassifier"]
    frame = found.to_frame()
    assert frame["set"].tolist() == names * 2
    assert (frame["n_folds"] == 3).all()
    assert (frame["score_low"] < frame["score"]).all()
    assert {len(members) for members in found.selections_of("scaled")} == {2}
    assert found.selections_of("axes") == found.selections_of("ours vote") == []
    linear = found.scores_of("best", "linear")
    assert linear != found.scores_of("best", "DecisionTreeClassifier")
    assert found.to_dict()["folds"][0]["n_test"] == 60


def test_the_matthews_coefficient_is_that_of_stratified_folds():
    """From its definition, (TP·TN − FP·FN) / √(…), for two classes of which one is rare."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [90, 30])
    X = pd.DataFrame(rng.normal(size=(120, 4)) + y[:, None])
    asked = {"scoring": "matthews_corrcoef", "n_splits": 5, "n_repeats": 1}
    found = evaluate(X, y, SelectKBest(k=1), GaussianNB(), **asked)
    by_hand = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        assert y[test].sum() == 6
        said = GaussianNB().fit(X.iloc[train], y[train]).predict(X.iloc[test])
        (tn, fp), (fn, tp) = [[((y[test] == c) & (said == d)).sum() for d in (0, 1)] for c in (0, 1)]
        by_hand.append((tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
    assert found.scores_of("all") == pytest.approx(by_hand)


def test_groups_stay_on_one_side(wine):
    X, y = wine
    rows = np.arange(178) % 20
    seen = X.assign(group=rows)
    for cv in (None, GroupKFold(4)):
        spy = GroupSpy()
        found = evaluate(
            seen, y, SELECTOR, spy, n_splits=4, n_repeats=1, cv=cv, groups=rows, scoring="accuracy"
        )
        assert found.scores_of("all") == [0, 0, 0, 0]


class GroupSpy(ClassifierMixin, BaseEstimator):
    """Its predictions are never right, unless a held-out row is of a group that it was fitted on."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.groups_ = set(X["group"]) if "group" in X else set()
        return self

    def predict(self, X):
        known = X["group"].isin(self.groups_) if "group" in X else np.zeros(len(X), dtype=bool)
        assert not known.any()
        return np.full(len(X), -1)


def test_votes_are_mean_probabilities_majorities_or_means():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    models = [
        DecisionTreeClassifier().fit(X, labels) for labels in ([0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1])
    ]
    assert Voting(models).predict([X] * 3).tolist() == [0, 0, 1, 1]
    hard = [LinearSVC().fit(X, labels) for labels in ([0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0])]
    assert Voting(hard).predict([X] * 3).tolist() == [0, 0, 1, 1]
    assert Voting(hard).predict_proba([X] * 3)[0].tolist() == pytest.approx([2 / 3, 1 / 3])
    numbers = [Ridge(0).fit(X, 2 * X[:, 0]), Ridge(0).fit(X, 4 * X[:, 0])]
    assert Voting(numbers).predict([X, X]).tolist() == pytest.approx([0, 3, 6, 9])


def test_intervals_know_that_training_sets_overlap():
    low, high = interval([0.8, 0.9, 1.0], 0.5)
    assert high - 0.9 == pytest.approx(4.302653 * 0.1 * np.sqrt(1 / 3 + 0.5), rel=1e-6)
    assert low + high == pytest.approx(1.8)
    assert np.isnan(interval([0.8], 0.5)).all()


@pytest.mark.parametrize(
    ("events", "n", "ends"),
    [(81, 263, (0.2553, 0.3662)), (15, 148, (0.0624, 0.1605)), (0, 20, (0.0, 0.1611)), (29, 29, (0.8830, 1))],
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
            assert np.isnan([low, high]).all(), "equal scores tell no error"
            continue
        assert low <= np.mean(scores) <= high <= 1
        assert scoring == "r2" or (low < high and low >= (-1 if scoring == "matthews_corrcoef" else 0))


def test_holm_decides_as_the_intervals_do():
    """Raw p-values p(1) <= …: adjusted max(m p(1), (m - 1) p(2), …); 0 is in an interval from 0.05 on."""
    rng = np.random.default_rng(0)
    given = {f"{shift}": (rng.normal(shift / 20, 0.05, 20), 0.25) for shift in (3, 0, 2, 1, -2, 0.5)}
    found = differences(given)
    alone = sorted((differences({name: one})[name].p_value, name) for name, one in given.items())
    adjusted = np.maximum.accumulate([(6 - i) * p for i, (p, _) in enumerate(alone)])
    assert [found[name].p_value for _, name in alone] == pytest.approx(np.minimum(adjusted, 1).tolist())
    assert {one.p_value <= 0.05 for one in found.values()} == {True, False}
    for one in found.values():
        assert (one.low <= 0 <= one.high) == (one.p_value > 0.05)


def test_the_same_difference_in_every_fold_is_no_certainty():
    one = differences({"a": ([0.1] * 5, 0.25), "b": ([0.1, 0.12, 0.11], 0.5)})
    assert np.isnan([one["a"].p_value, one["a"].low]).all()
    assert not one["a"].is_equal
    assert one["a"].text("accuracy", HeldOutRows(60)).startswith("not compared")
    assert one["b"] == differences({"b": ([0.1, 0.12, 0.11], 0.5)})["b"]


def test_an_interval_wider_than_all_differences_is_not_shown():
    wide = differences({"a": ([0.9, 0.1], 1.0)})["a"]
    assert wide.high - wide.low > 2
    assert wide.text("balanced_accuracy", HeldOutRows(60)).endswith("too few folds")
    assert wide.text("r2", HeldOutRows(60)).endswith(")"), "rows are no remedy for two folds"
    few = differences({"a": ([0.1, -0.1, 0.05], 0.5)})["a"]
    assert few.text("accuracy", HeldOutRows(60)).endswith("; 3 folds tell little")


def test_what_predicts_no_better_than_chance_is_named():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    told = evaluate(np.column_stack([X, y]), y, SelectKBest(k=1), n_splits=3, n_repeats=1)
    assert told.chance_text == ""
    blind = evaluate(X, y, SelectKBest(k=1), n_splits=3, n_repeats=1)
    assert blind.chance_text == "not shown to predict better than chance (0.5): SelectKBest, all"
    sizes = choose(X, y, set_sizes=[1, 2], taus=(), n_splits=3, n_repeats=1)
    assert "no size is shown to predict better than chance, 0.5" in sizes.recommendation


def test_splits_that_are_always_the_same_count_once(wine):
    peers, cv = {"one": SelectKBest(k=1), "two": SelectKBest(k=2)}, StratifiedKFold(3)
    found, once = (evaluate(*wine, peers, cv=cv, n_repeats=n).to_dict() for n in (4, 1))
    assert found["n_folds"] == 3
    assert found == once
    assert evaluate(*wine, peers, cv=StratifiedShuffleSplit(2, test_size=0.5), n_repeats=2).n_folds == 4


def test_only_rows_and_classes_that_were_held_out_count(wine):
    X, y = wine
    cv = PredefinedSplit(np.where(y == 0, -1, np.arange(178) % 2))
    found = evaluate(X, y, SelectKBest(k=2), cv=cv)
    assert found.rows.class_counts == (71, 48)
    assert found.to_frame()["score_low"].notna().all()
    fits = iter(range(4))

    class Interrupted(Spy):
        def fit(self, X, y):
            if next(fits, None) is None:
                raise KeyboardInterrupt
            return super().fit(X, y)

    found = evaluate(X, y, SelectKBest(k=2), Interrupted(), n_splits=4, n_repeats=1)
    assert found.n_folds == 2
    assert found.rows.n_rows == found.folds.drop_duplicates("fold")["n_test"].sum() < 100


def test_differences_are_of_the_same_folds(evaluation):
    base, other = evaluation.scores_of("0"), evaluation.scores_of("2")
    apart = evaluation.differences["2", "DecisionTreeClassifier"]
    assert apart.mean == pytest.approx(np.mean(other) - np.mean(base))
    rows = evaluation.to_frame().set_index("set")
    assert rows.loc["2", "compared"].startswith(("worse by", "not shown"))
    assert rows.loc["0", "compared"] == ""
    assert (rows["n_rows"] == 178).all()
    assert rows.loc["all", "n_features"] == 13


def test_equal_sets_are_called_equal_and_no_more(wine):
    equal = {"one": SelectKBest(k=3), "two": SelectKBest(k=3)}
    found = evaluate(*wine, equal, "linear", n_splits=3, n_repeats=1)
    assert found.differences["two", "linear"].is_equal
    told = found.to_dict()["sets"][1]
    assert told["compared"] == "equal in every fold; up to about 0.021 cannot be excluded"
    assert told["difference_low"] is None


@pytest.fixture(scope="module")
def mixed():
    """A column of letters of which some are rare, and one of numbers with gaps; codes are in no order."""
    rng = np.random.default_rng(0)
    letters = rng.choice([*"abcdefgh", "rare1", "rare2"], 200, p=[0.12] * 8 + [0.02] * 2)
    y = np.isin(letters, ["a", "c", "e", "g", "rare1"]).astype(int)
    number = rng.normal(size=200)
    number[::7] = np.nan
    return pd.DataFrame({"letter": letters, "number": number, "noise": rng.normal(size=200)}), y


@pytest.mark.parametrize("missing", ["impute", "category"])
def test_categories_and_gaps_are_dealt_with_inside_the_folds(mixed, missing):
    selector = AlternativeFeatureSelector(2, n_alternatives=0)
    models = {"linear": "linear", "boosting": "boosting", "own": DecisionTreeClassifier()}
    found = evaluate(
        *mixed, {"ours": selector, "peer": SelectKBest(k=2)}, models, missing=missing, n_splits=3, n_repeats=1
    )
    for name in models:
        assert min(found.scores_of("all", name)) > 0.9
        assert min(found.scores_of("ours 0", name)) > 0.9
    assert all(0 in members for members in found.selections_of("ours 0"))
    assert found.rows.n_rows == 200


def test_rows_that_are_left_out_are_counted(mixed):
    found = evaluate(*mixed, AlternativeFeatureSelector(1, n_alternatives=0), missing="drop", n_repeats=1)
    assert (found.rows.n_rows, found.rows.n_dropped) == (171, 29)


class RowSpy(AlternativeFeatureSelector):
    """Remembers what it was told of each row."""

    told: ClassVar[list] = []

    def fit(self, X, y, **metadata):
        RowSpy.told.append({name: values.tolist() for name, values in metadata.items()})
        return super().fit(X, y, **metadata)


def test_weights_and_groups_reach_selectors_and_models(wine):
    X, y = wine
    weights, groups = np.where(y == 0, 0.5, 2.0), np.arange(178) % 30
    RowSpy.told = []
    arguments = {"sample_weight": weights, "groups": groups, "n_splits": 2, "n_repeats": 1}
    found = evaluate(X, y, RowSpy(3, n_alternatives=0), ["linear", "tree"], **arguments)
    assert found.rows.n_groups == 30
    assert [set(told) for told in RowSpy.told] == [{"sample_weight", "groups"}] * 2
    assert not set(RowSpy.told[0]["groups"]) & set(RowSpy.told[1]["groups"])
    with pytest.raises(InputError, match="estimator='neighbours' takes no weights"):
        evaluate(X, y, SELECTOR, "neighbours", **arguments)


def test_nothing_is_said_in_the_folds(wine, recwarn):
    X, y = (pd.concat([part, part[:5]], ignore_index=True) for part in wine)
    evaluate(X, y, AlternativeFeatureSelector(2, n_alternatives=1), n_splits=3, n_repeats=1)
    assert len([one for one in recwarn if "copies of others" in str(one.message)]) == 1
    assert len(recwarn) == 1


def test_command_line_compares(capsys, tmp_path, wine):
    X, y = wine
    X.assign(y=y, patient=np.arange(178) % 30).to_csv(tmp_path / "t.csv", index=False)
    command = f"evaluate {tmp_path / 't.csv'} -t y -k 3 -a 1 --max-overlap 1 --folds 2 --repeats 1"
    assert main([*command.split(), "--also", "kbest,rfe", "--groups-of", "patient", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["set"] for row in data["sets"]] == ["sets 0", "sets 1", "sets vote", "kbest", "rfe", "all"]
    assert "patient" not in data["folds"][0]["features"]
    assert main([*command.split(), "--estimator", "forest,neighbours", "--format", "json"]) == 0
    by_model = json.loads(capsys.readouterr().out)["sets"]
    assert [row["estimator"] for row in by_model] == ["forest"] * 4 + ["neighbours"] * 4
    assert all(0.6 < row["score"] < 1 for row in by_model)
    assert main([*command.split(), "--also", "magic"]) == 2
    assert "--also='magic': must be one of kbest, rfe" in capsys.readouterr().err
    assert main([*command.split(), "--groups-of", "z"]) == 2
    assert "--groups-of='z': must be a column besides the target and" in capsys.readouterr().err
