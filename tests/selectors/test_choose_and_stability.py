"""How many features, at which price, and whether the same sets are selected again."""

import json
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from running import interrupted

from pyfsel import AlternativeFeatureSelector, InputError, choose_k, evaluate, stability
from pyfsel.results.backend_answer import StopReason
from pyfsel.selectors import stability as module
from pyfsel.selectors.choose_k import Sizes, _prices
from pyfsel.selectors.evaluation.held_out import HeldOut
from pyfsel.selectors.evaluation.statistics import HeldOutRows, membership, stability_interval
from pyfsel.selectors.stability import Halves

SELECTOR = AlternativeFeatureSelector(3, n_sets=2, measure="f_statistic")


def sizes(scores):
    """Sizes with these scores, one per fold."""
    rows = [
        {"repeat": 0, "fold": fold, "set": f"k={k} 0", "model": "linear", "score": score, "quality": 1.0}
        | {"features": tuple(range(k)), "n_train": 80, "n_test": 20}
        for k, by_fold in scores.items()
        for fold, score in enumerate(by_fold)
    ]
    names, held_out = tuple(f"x{j}" for j in range(12)), HeldOutRows(100, (50, 50))
    of_sets = [f"k={k} 0" for k in scores]
    return Sizes(HeldOut(pd.DataFrame(rows), of_sets, names, "balanced_accuracy", held_out))


def test_the_smallest_size_within_one_standard_error_is_recommended():
    """The deviation is 0.0231 and there are 4 folds: one standard error is 0.0115."""
    best = [0.88, 0.92, 0.92, 0.88]
    found = sizes({1: [0.85] * 4, 3: [0.887] * 4, 4: [0.889] * 4, 10: best})
    assert found.standard_error == pytest.approx(np.std(best, ddof=1) / 2)
    assert (found.best, found.recommended) == (10, 4)
    assert found.headline == (
        "4 features are enough: balanced accuracy 0.889; best 0.900 with 10, within 1 standard error (0.012)"
    )
    blind = sizes({1: [0.1, 0.2], 2: [0.4, 0.7]})
    assert blind.headline == "No size is shown to predict better than chance (0.5)"
    assert list(blind.cautions()) == [
        "The largest size that was compared is recommended: larger ones may score better"
    ]
    one = sizes({1: best, 5: [0.7] * 4})
    assert one.headline == "1 feature is enough: balanced accuracy 0.900; no other size scores better"


def test_prices_compare_qualities_within_folds():
    scored = [(0, "d=0.5 0", 10.0), (0, "d=0.5 1", 9.0), (1, "d=0.5 0", 1.0)]
    folds = pd.DataFrame(scored, columns=["fold", "set", "quality"]).assign(repeat=0, score=0.8)
    means = folds.groupby("set", as_index=False)[["quality", "score"]].mean().to_dict("records")
    (row,) = _prices(SimpleNamespace(folds=folds, summary=means), [0.5]).to_dict("records")
    assert row["quality"] == pytest.approx((0.95 + 1) / 2)


def test_sizes_prices_and_the_choice_itself(wine):
    asked = {"k": [1, 4, 20], "dissimilarity": [0.5, 1.0], "nested": True, "cv": 2, "repeats": 1}
    with pytest.warns(UserWarning, match="k: the table has 13 features; 20 left out"):
        found = choose_k(*wine, SELECTOR, **asked)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (found.recommended, data["recommended"], data["best"]) == (4, 4, 4)
    assert [row["k"] for row in data["rows"]] == [1, 4]
    assert data["rows"][1]["score"] > data["rows"][0]["score"]
    loose, disjoint = data["prices"]
    assert loose["n_sets"] == disjoint["n_sets"] == 2
    assert disjoint["quality"] < loose["quality"] < 1
    assert disjoint["worst_score"] <= disjoint["mean_score"]
    assert data["nested"][0]["n_features"] == 4
    assert "chosen again in each of 2 outer folds" in found.claim
    assert len(found.folds()) == 2 * 3
    assert "of 2 sets of 4" in str(found)
    assert found.plot().axes[0].get_xlabel() == "features of the set"


def test_sets_are_matched_whatever_their_order():
    """Set 0 of the halves is called 1 there."""
    found = Halves.matched([(0, 1), (2, 3)], [[(2, 3), (0, 1)], [(2, 3), (0, 4)]], tuple("abcdef"))
    assert [[found.named(one) for one in half] for half in found.again] == [
        [["a", "b"], ["c", "d"]],
        [["a", "e"], ["c", "d"]],
    ]
    assert found.frequencies[0].tolist() == [1, 0.5, 0, 0, 0.5, 0]
    assert [row["again"] for row in found.rows] == [0.5, 1]
    expected = {"feature": "b", "replaced_by": "e", "n_halves": 1, "share": 1.0}
    assert found.replacements == [expected]


def test_stability_interval_covers_what_many_selections_have():
    """Features 0 and 1 are selected with probability 0.9 and 0.6, others share the rest of three places."""
    rng = np.random.default_rng(0)

    def drawn(n):
        noisy = np.log([9, 4, 1, 1, 1, 1, 1, 1]) + rng.gumbel(size=(n, 8))  # the largest: drawn in turn
        return list(map(tuple, np.argsort(-noisy)[:, :3]))

    truth = stability_interval(membership(drawn(20_000), 8))[0]
    inside = [
        low <= truth <= high
        for _, low, high in (stability_interval(membership(drawn(60), 8)) for _ in range(200))
    ]
    assert 0.88 <= np.mean(inside) <= 1
    alike = [(0, 1), (0, 2)] * 4
    assert np.isnan(stability_interval(membership(alike, 5))[1:]).all(), (
        "halves that are all alike show no error"
    )


def test_halves_are_complementary_by_class_and_keep_groups(wine, monkeypatch):
    X, y = wine
    groups, seen = np.arange(178) // 2, []
    monkeypatch.setattr(module, "_sets_of", lambda rows, one, half: seen.append(half) or [(0, 1)])
    data = stability(X, y, SELECTOR, pairs=3, groups=groups).details
    assert (data["n_halves"], data["n_rows"]) == (6, 178)
    for first, second in zip(seen[1::2], seen[2::2], strict=True):
        assert sorted([*first, *second]) == list(range(178))
        assert not set(groups[first]) & set(groups[second])
        assert np.abs(np.bincount(y[first]) - np.bincount(y[second])).max() <= 4


@pytest.mark.filterwarnings("ignore")
def test_rare_classes_and_large_sets_are_not_passed_over_in_silence():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    selector = AlternativeFeatureSelector(1, n_sets=1, measure="f_statistic")
    assert stability(X, np.arange(40) % 4 == 0, selector, pairs=2).details["n_empty"] == 0
    found = stability(X, np.arange(40) == 7, selector, pairs=2)
    assert found.details["n_empty"] == 2
    assert found.cautions[0].startswith("2 of the halves have no sets")
    with pytest.warns(UserWarning, match="=9: the table has 3 features"):
        stability(X, X["a"] > 0, selector.set_params(k=9), pairs=1)
    with pytest.raises(InputError, match="measure='unknown'"):
        stability(X, X["a"] > 0, selector.set_params(measure="unknown"), pairs=1)


def test_halves_without_the_other_one_are_left_out_after_an_interrupt(wine, monkeypatch):
    def interrupted(what, function, jobs, n, n_jobs):
        for number in (0, 1, 3, 4):
            yield number, function(*jobs[number])
        raise KeyboardInterrupt

    shown = stability(*wine, SELECTOR, pairs=3)
    assert shown.plot().axes[0].get_yticklabels()[0].get_text() in wine[0].columns
    assert "ESTIMATE  6 halves of 178 rows." in str(shown)
    whole = shown.folds()
    monkeypatch.setattr("pyfsel.results.jobs.finished", interrupted)
    found = stability(*wine, SELECTOR, pairs=3)
    assert found.stop_reason is StopReason.INTERRUPTED
    assert found.cautions[0].startswith("Interrupted")
    pd.testing.assert_frame_equal(found.folds(), whole[whole["half"] < 2])


def test_sizes_and_selectors_that_suit_no_fold_are_left_out_or_refused():
    """Two of four features are near-duplicates: three representatives are left."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    X["a in EUR"] = 1.17 * X["a"]
    y = (X["a"] + X["b"] > 0).astype(int)
    two, four = (AlternativeFeatureSelector(k, n_sets=1, near_duplicates="merge") for k in (2, 4))
    with pytest.warns(UserWarning, match="left out: k=4: must be at most 3"):
        found = choose_k(X, y, two, k=[2, 3, 4], dissimilarity=(), cv=2, repeats=1)
    assert found.to_frame()["k"].tolist() == [2, 3]
    for selectors, message in (
        (four, "^k=4: must be at most 3"),
        ({"ours": two, "large": four}, "^selector=large: k=4"),
    ):
        with pytest.raises(InputError, match=message):
            evaluate(X, y, selectors, cv=2, repeats=1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", ["a rare class", "no sets", "Ctrl-C"])
def test_scores_of_sizes_outlive_what_cannot_be_found_in_addition(wine, monkeypatch, what):
    """Inner folds lack a row of the rare class; ten disjoint sets do not exist; Ctrl-C in the second part."""
    X, y = wine
    y = np.where(np.arange(178) < 2, "rare", "usual") if what == "a rare class" else y
    selector = AlternativeFeatureSelector(3, n_sets=10, measure="f_statistic", search="sum")
    asked = {"dissimilarity": [1.0]} if what == "no sets" else {"dissimilarity": (), "nested": True}
    asked |= {"k": [2, 3], "cv": 2, "repeats": 1}
    alone = choose_k(X, y, selector, **asked | {"dissimilarity": (), "nested": False})
    if what == "Ctrl-C":
        monkeypatch.setattr("pyfsel.selectors.choose_k.ChosenSize.choice", interrupted)
    found = choose_k(X, y, selector, **asked)
    pd.testing.assert_frame_equal(found.folds(), alone.folds())
    said = {
        "a rare class": "Left out: nested (selector=chosen: cv=2: 1 row only in the smallest class)",
        "no sets": "Left out: dissimilarity (selector=d=1: finds no set in any fold)",
        "Ctrl-C": "Interrupted: some folds are missing",
    }
    assert found.cautions[0] == said[what]
    assert (found.stop_reason is StopReason.INTERRUPTED) == (what == "Ctrl-C")


@pytest.mark.parametrize(
    ("n_rows", "options", "message"),
    [
        (178, {"cv": 5}, "cv=5: halves are made in time only"),
        (178, {"cv": "time:ash:9"}, "gap=9: leaves no training rows before"),
        (178, {"cv": "time:one"}, "times: are all the same, so no rows are earlier"),
        (3, {}, "X: must hold at least 4 rows, not 3"),
        (3, {"groups": [0] * 3}, "X: must hold at least 4 groups of rows, not 1"),
    ],
)
def test_halves_that_cannot_be_made_are_refused(wine, n_rows, options, message):
    X, y = wine
    rows = np.linspace(0, 177, n_rows).astype(int)
    with pytest.raises(InputError, match=message):
        stability(X.assign(one=1.0).iloc[rows], y.iloc[rows], SELECTOR, **options)


@pytest.mark.parametrize(
    "function", [lambda X, y, one, **rows: one.fit(X, y, **rows), evaluate, choose_k, stability]
)
def test_an_error_names_the_option_that_was_given(wine, function):
    with pytest.raises(InputError, match=r"^groups: has shape \(2,\)"):
        function(*wine, SELECTOR, groups=[1, 2])


@pytest.mark.parametrize(
    "estimate", [partial(stability, pairs=5), partial(choose_k, k=[1, 2], dissimilarity=(), repeats=1)]
)
def test_weights_of_rows_decide_which_features_are_selected(estimate):
    X, weights = np.random.default_rng(0).normal(size=(200, 3)), np.arange(200) % 2
    y = np.where(weights, *X.T[:2])
    found = estimate(X, y, AlternativeFeatureSelector(1, n_sets=1), sample_weight=weights)
    assert "[x0]" in found.to_frame().to_string()
