"""Folds forward in time, intervals with groups of rows, and what is shown not to be worse."""

from functools import partial
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import pyfsel
from pyfsel import AlternativeFeatureSelector, InputError, evaluate
from pyfsel.measures.tables.formats import Cells
from pyfsel.measures.tables.target import times_with_events
from pyfsel.objectives import Model
from pyfsel.papers.subset.selector import SubsetSelector
from pyfsel.selectors.evaluation.sentences import NOT_SHOWN, REFUTED, SHOWN
from pyfsel.selectors.evaluation.statistics import (
    HeldOutRows,
    cluster_sums,
    compared,
    design_effect,
    score_interval,
)
from pyfsel.selectors.splits import SplitRows, split_times

ONE = AlternativeFeatureSelector(1, n_sets=1)
DAYS = pd.date_range("2024-01-01", periods=60)


def in_time():
    """Rows in random order of their days; the target follows b."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    X["b"] += 2 * y
    return X.assign(day=rng.permutation(DAYS)), y


def days(times):
    return (times - DAYS[0]).dt.days.to_numpy(float)


@pytest.mark.parametrize("gap", [0, 3])
@pytest.mark.parametrize("n_splits", [2, 5])
@pytest.mark.parametrize("repeated", [1, 4])
def test_folds_go_forward(n_splits, gap, repeated):
    times = np.random.default_rng(1).permutation(np.arange(60.0) // repeated)
    splits = SplitRows(60, times=times, gap=gap).splits(n_splits)
    assert len(splits) == n_splits
    held_out = np.concatenate([test for _, test in splits])
    assert sorted(held_out) == sorted(np.flatnonzero(times >= times[held_out].min()))
    assert 26 <= len(held_out) <= 34
    for train, test in splits:
        assert times[train].max() < times[test].min()
        assert times[train].max() <= times[test].min() - gap
        assert set(np.flatnonzero(np.isin(times, times[test]))) == set(test)


def test_time_is_the_same_in_evaluations_wrapper_and_subset():
    X, y = in_time()
    features, times = X.drop(columns="day"), X["day"]
    by_name = evaluate(X, y, ONE, cv="time:day:2")
    by_hand = evaluate(features, y, ONE, cv=SplitRows(60, times=days(times), gap=2).splits())
    pd.testing.assert_frame_equal(by_name.folds(), by_hand.folds())
    assert "earlier than held-out" in by_name.claim
    choice = pyfsel.choose_k(X, y, k=[1, 2], dissimilarity=(), cv="time:day", nested=True)
    assert len(choice.folds()) == 5 * 3
    assert "5 outer folds" in choice.claim
    halves = pyfsel.stability(X, y, ONE, cv="time:day")
    assert halves.details["n_halves"] == 2
    splits = SplitRows(60, times=np.arange(60)[np.argsort(np.argsort(times))].astype(float)).splits()
    model = LogisticRegression()
    by_model = clone(ONE).set_params(objective=Model(model))
    wrapper = clone(by_model).set_params(objective__cv="time:day").fit(X, y)
    subset = SubsetSelector("forward", "model", 1, estimator=model, cv="time:day").fit(X, y)
    given = clone(by_model).fit(features, y, times=times)
    listed = clone(by_model).set_params(objective__cv=splits).fit(features, y)
    scores = [one.sets_[0].quality for one in (wrapper, given, listed)]
    assert [*scores, subset.value_] == pytest.approx([scores[0]] * 4)
    assert wrapper.n_features_in_ == subset.n_features_in_ == 5
    for selector in (wrapper, subset, given):
        assert selector.get_feature_names_out().tolist() == ["b"]


@pytest.mark.parametrize("command", ["evaluate --margin 0.05", "choose_k -d none", "stability"])
def test_time_on_the_command_line(tmp_path, run, command):
    X, y = in_time()
    X.assign(y=y).to_csv(tmp_path / "days.csv", index=False)
    asked = f"{command} {tmp_path}/days.csv -t y -k 1-2 --cv time:day:2 --format json"
    found = run(asked, 0).data
    assert "day" not in str(found["folds"])
    assert found.get("margin", 0.05) == 0.05


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": "time:dya"}, "'dya' is not a column of the table. Did you mean 'day'"),
        ({"cv": "time:day:soon"}, "gap='soon': is not a number"),
        ({"cv": "time:day:100"}, "gap=100: leaves no training rows"),
        ({"cv": "time:word"}, "times: are neither numbers nor dates"),
        ({"cv": "time:one"}, "times: have 1 different values, too few for 5 folds"),
    ],
)
def test_times_that_cannot_be_used_are_refused(options, message):
    X, y = in_time()
    X = X.assign(word="x", one=1.0)
    with pytest.raises(InputError, match=message):
        evaluate(X, y, ONE, **options)


def test_a_column_may_have_colons_in_its_name():
    X = pd.DataFrame({"a": [1], "time:day": [2]})
    assert split_times(X, "time:time:day")[1].tolist() == [2]


def simulated(rng, n_groups, size, alike_target, alike_hits):
    """Hits of a fixed model that is right in 75 % of each class; rows of a group resemble each other."""
    sizes = np.maximum(1, rng.poisson(size, n_groups))
    groups = np.repeat(np.arange(n_groups), sizes)
    n = len(groups)
    own, of_target = rng.normal(size=(2, n_groups))
    hits = sqrt(alike_hits) * own[groups] + sqrt(1 - alike_hits) * rng.normal(size=n) < norm.ppf(0.75)
    target = sqrt(alike_target) * of_target[groups] + sqrt(1 - alike_target) * rng.normal(size=n) > 0
    return groups, hits.astype(float), target.astype(int)


@pytest.mark.parametrize(
    ("n_groups", "size", "alike_target", "alike_hits"),
    [(150, 20, 0, 0), (150, 20, 0.2, 0.3), (150, 20, 1, 0.999), (30, 20, 0.2, 0.3), (300, 2, 1, 0.999)],
)
def test_intervals_with_groups_cover_the_truth(n_groups, size, alike_target, alike_hits):
    """Nominal 95 %: 300 simulations have a standard error of 1.3 %. One row a group would be 0.14 wide."""
    rng = np.random.default_rng(7)
    covered, widths = [], []
    for _ in range(300):
        groups, hits, y = simulated(rng, n_groups, size, alike_target, alike_hits)
        counts = np.bincount(y, minlength=2)
        if not counts.all():
            continue
        rates = np.bincount(y, hits) / counts
        parts = (hits - rates[y]) / counts[y] * len(y) / 2
        effect = design_effect(cluster_sums(parts, groups))
        rows = HeldOutRows(len(y), tuple(counts.tolist()), n_groups, design_effect=effect)
        low, high = score_interval([rates.mean()] * 20, 0.25, "balanced_accuracy", rows)
        covered.append(low <= 0.75 <= high)
        widths.append(high - low)
    assert 0.91 <= np.mean(covered) <= 0.995
    assert alike_hits or np.mean(widths) < 0.04


@pytest.mark.parametrize("task", ["classification", "regression", "survival"])
def test_groups_that_do_not_cluster_cost_little(task):
    """The parts of rows are added up over folds; without any, as for survival, a group is one row."""
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(240, 3)), np.arange(240) % 24
    y = X[:, 0] + rng.normal(size=240)
    kinds = {"classification": y > 0, "regression": y, "survival": times_with_events(1 + abs(y), y < 9)}
    found = evaluate(X, kinds[task], ONE, groups=groups, cv=4, repeats=2)
    assert found.details["n_groups"] == 24
    assert ("of_groups" in found.folds()) == (task != "survival")
    row = found.to_frame().iloc[0]
    assert task != "classification" or row["score_high"] - row["score_low"] < 0.25


def by_fold(rng, loss, spread=0.02):
    """Differences of folds whose training sets overlap: correlated as Nadeau and Bengio take them."""
    shared = sqrt(0.25 / (1 + 0.25)) * rng.normal()
    return -loss + spread * (shared + sqrt(1 / (1 + 0.25)) * rng.normal(size=20))


ROWS = HeldOutRows(500, (250, 250))


def verdicts(given, n_rows=ROWS, **options):
    """Return the verdicts about differences by fold."""
    given = {name: (one, 0.25, n_rows) for name, one in enumerate(given)}
    return [one["verdict"] for one in compared(given, "accuracy", **options).values()]


def test_what_is_shown_or_refuted_is_false_in_at_most_five_of_a_hundred():
    """At the boundary, a true loss of exactly the margin: any false claim among three comparisons."""
    rng = np.random.default_rng(3)
    found = [verdicts([by_fold(rng, 0.02) for _ in range(3)]) for _ in range(400)]
    for claim in (SHOWN, REFUTED):
        assert np.mean([claim in several for several in found]) < 0.08


def test_margins_are_shown_and_refuted_where_folds_are_clear():
    rng = np.random.default_rng(0)
    clear = [by_fold(rng, loss, spread=0.005) for loss in (0.0, 0.2)]
    assert verdicts(clear) == [SHOWN, REFUTED]
    worse, wide = (
        compared({"one": (one, 0.25, ROWS)}, "accuracy")["one"] for one in (clear[1], [0.1, -0.1] * 10)
    )
    assert worse["compared"].startswith("more than 0.02 worse (")
    assert wide["verdict"] == NOT_SHOWN
    assert wide["rows_needed"] == pytest.approx(500 * ((1.729 + 0.84) * 0.0562 / 0.02) ** 2, rel=0.01)
    assert [verdicts([[0.0] * 20], HeldOutRows(n)) for n in (100, 200)] == [[NOT_SHOWN], [SHOWN]]
    assert verdicts([[0.1, -0.1, 0.0]], margin=5) == [SHOWN]


ASKED = {
    "fit": clone(ONE).fit,
    "wrapper": lambda X, y, cv=3, **rows: (
        clone(ONE).set_params(objective=Model("linear", cv=cv)).fit(X, y, **rows)
    ),
    "subset": lambda X, y, cv=3, **rows: SubsetSelector(
        "forward", "model", 1, estimator=LogisticRegression(), cv=cv
    ).fit(X, y, **rows),
    "evaluate": partial(evaluate, selector=ONE, repeats=1),
    "choose_k": partial(pyfsel.choose_k, k=[1, 2], dissimilarity=[0.5], repeats=1, cv=3),
    "stability": partial(pyfsel.stability, selector=ONE, pairs=5),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rows", [{"groups": "donor"}, {"sample_weight": "weight"}, {"cv": "time:day:2"}])
@pytest.mark.parametrize("asked", ASKED)
def test_columns_of_annotated_cells_are_known_by_their_names(asked, rows):
    if (asked, *rows) == ("fit", "cv"):
        pytest.skip("is not a parameter of it")
    X, y = in_time()
    obs = pd.DataFrame({"kind": y, "donor": np.arange(60) // 4, "weight": 1.0 + y, "day": X.pop("day")})
    cells = Cells(X.to_numpy(), obs.set_axis([f"cell {i}" for i in range(60)]), X.columns)
    ASKED[asked](cells, "kind", **rows)
    wrong = {name: own.replace("d", "dd").replace("w", "ww") for name, own in rows.items()}
    with pytest.raises(InputError, match="Did you mean"):
        ASKED[asked](cells, "kind", **wrong)


def test_what_means_the_same_scores_the_same():
    weights = np.arange(60)
    for same in (
        [{"groups": pd.Series([*"ab", *range(58)])}, {}],
        [{"sample_weight": weights / 1e6}, {"sample_weight": weights}],
    ):
        assert len({evaluate(*in_time(), ONE, repeats=2, **rows).headline for rows in same}) == 1
