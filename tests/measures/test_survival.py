"""Times until an event: measures, their null distribution, estimators and held-out scores."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyfsel import AlternativeFeatureSelector, InputError, evaluate, stability
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.measures import quality
from pyfsel.measures.above_chance import above_chance
from pyfsel.measures.survival_times import martingale_residuals, shares_in_order
from pyfsel.measures.tables.table import prepare
from pyfsel.measures.tables.target import times_with_events
from pyfsel.papers.subset.best_subset import select_subset
from pyfsel.selectors.evaluation.models import CoxModel


def followed(n=120, ties=True):
    """Three columns, of which the first shortens the time until the event; about a third is censored."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3)).round(1 if ties else 9)
    until, end = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2, size=n)
    times = np.minimum(until, end)
    return X, times_with_events(np.ceil(8 * times) if ties else times, until <= end)


X, Y = followed()


def by_pairs(x, y):
    """The concordance by its definition."""
    times, is_event = y["time"], y["event"]
    comparable = (times[:, None] < times) | ((times[:, None] == times) & ~is_event)
    return (0.5 + np.sign(x[:, None] - x) / 2)[comparable & is_event[:, None]].mean()


@pytest.mark.parametrize("ties", [True, False])
def test_concordance_is_that_of_all_pairs(ties):
    X, y = followed(60, ties=ties)
    expected = [by_pairs(column, y) for column in X.T]
    assert shares_in_order(X, y["time"], y["event"]) == pytest.approx(expected)
    values = quality(prepare(X, y), measure="concordance")
    assert values == pytest.approx(np.abs(2 * np.array(expected) - 1))


@pytest.mark.parametrize("ties", [True, False])
def test_residuals_make_the_score_test_of_statsmodels(ties):
    from statsmodels.duration.hazard_regression import PHReg

    X, y = followed(ties=ties)
    residuals = martingale_residuals(y["time"], y["event"])
    assert residuals.sum() == pytest.approx(0, abs=1e-9)
    for column in X.T:
        model = PHReg(y["time"], column[:, None], status=y["event"], ties="breslow")
        assert column @ residuals == pytest.approx(model.score(np.zeros(1))[0])


def test_chance_is_held_and_signal_is_found():
    table, rng = prepare(X, Y), np.random.default_rng(1)
    assert above_chance(table)[0] < 0.01
    assert above_chance(replace(table, groups=np.arange(120) // 2)).shape == (3,)
    false = [above_chance(prepare(rng.permutation(X), Y), n_orders=199).min() <= 0.05 for _ in range(100)]
    assert np.mean(false) <= 0.12


def test_selector_held_out_scores_and_halves():
    X, y = followed(ties=False)
    selector = AlternativeFeatureSelector(1, n_sets=2, dissimilarity=1).fit(X, y)
    assert selector.sets_[0].names == ("x0",)
    assert selector.answer_.unit.startswith("D of Somers")
    halves = stability(X, y, selector, pairs=3)
    assert halves.to_frame()["frequencies"][0] == [1]
    found = evaluate(X, y, selector, cv=3, repeats=1)
    scores = found.to_frame().set_index("set")["score"]
    assert found.details["scoring"] == "concordance"
    assert scores["0"] > 0.65 > scores["1"]


def test_cox_model_is_that_of_statsmodels_and_the_penalty_shrinks_it():
    from statsmodels.duration.hazard_regression import PHReg

    X, y = followed()
    model = PHReg(y["time"], X, status=y["event"].astype(int), ties="breslow")
    assert CoxModel(0).fit(X, y).coef_ == pytest.approx(model.fit().params, abs=1e-4)
    shrunk = CoxModel(0.5).fit(X, y).coef_
    assert model.score(shrunk) / len(y) == pytest.approx(0.5 * shrunk, abs=1e-4), "the gradient is 0"


def test_weighted_rows_count_as_often_as_their_weight_says():
    X, y = followed(60)
    times = np.random.default_rng(2).integers(0, 3, 60)
    again, weights = np.repeat(np.arange(60), times), times.astype(float)
    residuals = martingale_residuals(y["time"], y["event"], weights)
    apart = martingale_residuals(y["time"][again], y["event"][again])
    assert residuals == pytest.approx(np.bincount(again, apart, 60))
    model = CoxModel().fit(X, y, weights)
    assert model.coef_ == pytest.approx(CoxModel().fit(X[again], y[again]).coef_, abs=1e-5)
    assert above_chance(replace(prepare(X, y), weights=weights))[0] < 0.02


REFUSED = {
    "measure='pearson': is not for times until an event": lambda: quality(prepare(X, Y), "pearson"),
    "is not for classes or numbers": lambda: quality(prepare(X, Y["time"]), measure="concordance"),
    "y must be a structured array": lambda: prepare(X, Y["time"], task="survival"),
    "y: has the fields time. They must be event and time": lambda: prepare(X, Y[["time"]]),
    "must hold none below 0": lambda: prepare(X, times_with_events(-Y["time"], Y["event"])),
    "holds no event that happened": lambda: prepare(X, times_with_events(Y["time"], np.zeros(120))),
    "y: holds times until an event, which this does not take": lambda: select_subset(X, Y),
    "objective='cfs': is not for .* such as mrmr:pairs=spearman": lambda: AlternativeFeatureSelector(
        1, objective="cfs"
    ).fit(X, Y),
    "model='tree': must be linear": lambda: evaluate(X, Y, AlternativeFeatureSelector(1), "tree"),
    "scoring='r2': must be one of": lambda: evaluate(X, Y, AlternativeFeatureSelector(1), scoring="r2"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_not_for_times_is_refused(message):
    with pytest.raises(InputError, match=message):
        REFUSED[message]()


@pytest.mark.parametrize(
    ("event", "code", "message"),
    [
        ("dead", 0, "OPTIMAL"),
        ("a", 2, "--event a: holds"),
        ("gone", 2, "--event gone: is not a column of the table. Its columns are a, b, c, dead"),
        ("dead --ignore d*", 2, "--event dead: is left out by --ignore"),
        ("dead --objective jmi", 2, "such as mrmr:pairs=spearman"),
    ],
)
def test_the_event_is_a_column_on_the_command_line(tmp_path, run, event, code, message):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame(X, columns=list("abc")).assign(week=Y["time"], dead=Y["event"].astype(int))
    frame.to_csv(path, index=False)
    assert message in run(f"select {path} -t week -k 1 -n 1 -q --event {event}", code).words


@pytest.mark.parametrize("kind", ["object", "string", "category", "datetime64[ns]"])
def test_a_target_that_is_no_time_is_named_before_anything_is_measured(run, tmp_path, kind):
    values = pd.Series(["2020-01-01", "2021-01-01"] * 4).astype(kind)
    table = tmp_path / "table.parquet"
    pd.DataFrame({"x": range(8), "died": [0, 1] * 4, "when": values}).to_parquet(table)
    told = run(f"select {table} -t when --event died -k 1", ExitCode.BAD_INPUT).err
    assert "Expected times, for --event died" in told
