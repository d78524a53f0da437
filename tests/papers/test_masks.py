"""Mask elimination (paper 002): known functions as models, Algorithms 2 and 3 run directly, all masks."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.tree import DecisionTreeRegressor

from pyfsel import InputError
from pyfsel.papers.mask_selector import MaskSelector, elimination_path
from pyfsel.papers.masked_model import MaskedModel
from pyfsel.papers.masks import best_masks
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import Limits

SIGNS = np.array([[(-1.0) ** (i >> j & 1) for j in range(4)] for i in range(16)])
"""Four orthogonal columns of mean 0 and variance 1."""


def linear(weights, X=SIGNS):
    y = X @ np.array(weights)
    model = LinearRegression().fit(X, y)
    model.coef_, model.intercept_ = np.array(weights, dtype=float), 0.0
    return model, X, y


def path_of(model, X, y, **options):
    return elimination_path(MaskedModel(model, X, y, **options))[0]


def random_case(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 8))
    X[:, 1] += X[:, 0]
    y = X[:, 0] * X[:, 2] + X[:, 3] + 0.3 * rng.normal(size=60)
    return DecisionTreeRegressor(max_depth=5, random_state=0).fit(X[:30], y[:30]), X[30:], y[30:]


def test_a_known_function_is_taken_apart_in_order():
    """Of two equal columns that share a weight the first one goes, which costs ¼·w²·var."""
    equal = path_of(*linear([0.5, 0.5, 0], SIGNS[:, [0, 0, 1]]))
    path = path_of(*linear([3, 1, 0, 0]))
    assert (equal.order, path.order) == ((2, 0, 1), (2, 3, 1, 0))
    assert equal.losses == pytest.approx((0, 0, 0.25, 1))
    assert path.losses == pytest.approx((0, 0, 0, 1, 10), abs=1e-12)
    for slack in (0, 0.01, 1000):
        assert path.by_slack(slack) == (0, 1)


def test_the_paper_takes_the_first_feature_whatever_it_costs():
    """The losses are 0, 1, 2.21, 3.65 and 5.34; each is held against the one before it."""
    path = path_of(*linear([1, 1.1, 1.2, 1.3]))
    assert path.by_slack(1.5, first="free") == (3,)
    assert path.by_slack(1.5) == (0, 1, 2, 3)


def directly(model, X, y, slack=None, size=None, first="tested", fill=np.mean):
    """Algorithms 1 to 3 as they are written; the first elimination may be tested too."""
    fill = fill(X, axis=0)

    def loss(mask):
        return float(f"{((model.predict(np.where(mask, X, fill)) - y) ** 2).mean():.12g}")

    mask = np.ones(X.shape[1], dtype=bool)
    before = loss(mask)
    while mask.sum() > (size or 1):
        losses = {}
        for j in np.flatnonzero(mask):
            mask[j] = False
            losses[j] = loss(mask)
            mask[j] = True
        best = min(losses, key=losses.get)
        is_free = first == "free" and mask.all()
        if size is None and losses[best] > before * (1 + slack) and not is_free:
            break
        mask[best], before = False, losses[best]
    return tuple(np.flatnonzero(mask).tolist())


@pytest.mark.parametrize("seed", range(5))
def test_one_path_answers_all_sizes_and_slacks(seed, monkeypatch):
    model, X, y = random_case(seed)
    masked = MaskedModel(model, X, y)
    path, result = elimination_path(masked)
    assert result.n_evaluations == masked.n_predictions == 1 + 8 * 9 // 2
    assert list(path.losses) == masked.losses([path.after(t) for t in range(9)])
    for size in (1, 3, 7):
        assert path.fixed_length(size) == directly(model, X, y, size=size)
    monkeypatch.setattr("pyfsel.papers.masked_model.MOST_CELLS", 3 * X.size)
    assert masked.losses([path.after(t) for t in range(9)]) == list(path.losses)  # batches change nothing
    sets = [set(path.by_slack(slack)) for slack in (0, 0.01, 0.1, 0.5)]
    assert all(larger >= smaller for larger, smaller in pairwise(sets))
    for slack in (0.0, 0.05, 0.5):
        for first in ("tested", "free"):
            assert path.by_slack(slack, first=first) == directly(model, X, y, slack=slack, first=first)
            by_median = MaskSelector(model, slack=slack, fill="median", prefit=True, first=first).fit(X, y)
            kept = directly(model, X, y, slack=slack, first=first, fill=np.median)
            assert by_median.get_support(indices=True).tolist() == list(kept)


def test_losses_by_hand_for_classes_and_functions():
    X = SIGNS[:, :2]
    y = np.where(X[:, 0] > 0, "b", "a")
    model = LogisticRegression().fit(X, y)
    masked = MaskedModel(model, X, y)
    own = model.predict_proba(X)[np.arange(16), (y == "b").astype(int)]
    assert masked.losses([(0, 1), ()]) == pytest.approx([-np.log(own).mean(), np.log(2)], rel=1e-6)
    wrong = MaskedModel(model, X, y, loss=lambda truth, found: (truth != found).mean())
    assert wrong.losses([(0,), (1,)]) == [0, 0.5]


def test_fills():
    model, X, y = linear([1.0, 2.0], SIGNS[:, :2] + [1, 5])
    losses = {}
    for fill in ("mean", "median", "zero"):
        losses[fill] = MaskedModel(model, X, y, fill=fill).losses([(1,)])[0]
    assert losses == pytest.approx({"mean": 1, "median": 1, "zero": 2})
    other = MaskedModel(model, X, y, reference=X + 3).losses([(1,)])
    assert other == pytest.approx([1 + 9])


def test_names_of_a_frame_reach_the_model():
    frame = pd.DataFrame(SIGNS, columns=list("abcd"))
    model = LinearRegression().fit(frame, SIGNS @ [3, 1, 0, 0])
    masked = MaskedModel(model, frame, SIGNS @ [3, 1, 0, 0])
    assert masked.feature_names == ("a", "b", "c", "d")
    assert masked.losses([(0,)]) == pytest.approx([1])  # no warning about names either
    with pytest.raises(InputError, match="X_val: has other columns"):
        MaskedModel(model, frame[list("bacd")], SIGNS[:, 0])


def regression_table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 8))
    return pd.DataFrame(X, columns=[f"f{j}" for j in range(8)]), 3 * X[:, 2] - 2 * X[:, 5] + X[:, 6]


def test_selector_by_size_and_slack():
    X, y = regression_table()
    selector = MaskSelector(LinearRegression(), n_features_to_select=3, random_state=0).fit(X, y)
    assert selector.get_feature_names_out().tolist() == ["f2", "f5", "f6"]
    assert set(selector.order_.tolist()) == set(range(8))
    assert len(selector.losses_) == 9
    assert selector.n_predictions_ == 37
    by_slack = MaskSelector(slack=0.05, random_state=0).fit(X, y)
    assert {"f2", "f5"} <= set(by_slack.get_feature_names_out())
    assert len(by_slack.features_) < 8
    model = HistGradientBoostingRegressor(max_iter=10, random_state=0).fit(X[:80], y[:80])
    prefit = MaskSelector(model, 2, prefit=True).fit(X[80:], y[80:])
    assert prefit.get_feature_names_out().tolist() == ["f2", "f5"]
    assert prefit.estimator_ is model


@pytest.mark.parametrize("kind", ["LGBMRegressor", "LGBMClassifier"])
def test_lightgbm_works_unchanged(kind):
    """Names of columns reach it, and the path is that of Algorithms 1 and 2 with its own predictions."""
    lightgbm = pytest.importorskip("lightgbm")
    X, y = regression_table()
    y = y if kind == "LGBMRegressor" else np.where(y > 0, "b", "a")
    model = getattr(lightgbm, kind)(n_estimators=15, num_leaves=4, min_child_samples=5, n_jobs=1, verbose=-1)
    selector = MaskSelector(model, slack=0.05, random_state=0).fit(X, y)
    assert {"f2", "f5"} <= set(selector.get_feature_names_out()) < set(X)


def test_limits_and_ctrl_c_keep_the_path(monkeypatch):
    model, X, y = random_case(0)
    masked = MaskedModel(model, X, y)
    path, result = elimination_path(masked, max_evaluations=20)
    assert (result.stop_reason, len(path.order)) == (StopReason.EVALUATION_LIMIT, 2)
    with pytest.raises(InputError, match="k=3: must be an integer from 6 to 8"):
        path.fixed_length(3)
    late = elimination_path(masked, Limits.starting_now(None).within(0.0))[1]
    assert (late.stop_reason, late.sets) == (StopReason.TIME_LIMIT, ())
    usual, calls = MaskedModel.losses, []

    def losses(model, sets):
        calls.append(len(sets))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return usual(model, sets)

    monkeypatch.setattr(MaskedModel, "losses", losses)
    selector = MaskSelector(LinearRegression(), 3)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(*regression_table())
    assert len(selector.order_) == 2
    assert len(selector.features_) == 6


def linear_case(seed):
    """Correlated columns, of which greedy elimination often loses the best set."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 9)) @ rng.normal(size=(9, 9))
    y = X @ rng.normal(size=9) + rng.normal(size=120)
    return Ridge().fit(X[:60], y[:60]), X[60:], y[60:]


@pytest.mark.parametrize(("seed", "k"), [(0, 4), (1, 3), (2, 1), (3, 9), (0, None), (6, None)])
@pytest.mark.parametrize("fill", ["mean", "zero"])
def test_best_masks_are_those_of_all_masks(seed, k, fill):
    """Of one size or any, alternatives beside all that differ enough; greedy elimination is not better."""
    model, X, y = linear_case(seed)
    masked = MaskedModel(model, X, y, fill=fill)
    sizes = range(1, 10) if k is None else [k]
    sets = [s for size in sizes for s in combinations(range(9), size)]
    losses = dict(zip(sets, masked.losses(sets), strict=True))
    found = best_masks(model, X, y, k=k, fill=fill, n_sets=2, dissimilarity=0.5)
    nothing, chosen = masked.losses([()])[0], []
    for one, loss in zip(found, found.details["losses"], strict=True):
        left = [s for s in sets if all(4 * len({*s} & {*b}) <= len(s) + len(b) for b in chosen)]
        assert one.indices in left
        assert loss == pytest.approx(min(losses[s] for s in left), rel=1e-6)
        assert one.quality == pytest.approx((nothing - loss) / 2, rel=1e-4, abs=1e-4)
        chosen.append(one.indices)
    assert found.status == ("FEWER" if k == 9 else "OPTIMAL")
    path = elimination_path(masked)[0]
    greedy = masked.losses([path.fixed_length(size) for size in sizes])
    assert min(greedy) >= found.details["losses"][0] * (1 - 1e-6)


FITTED, X16, Y16 = linear([3, 1, 0, 0])
CLASSES = LogisticRegression().fit(X16, X16[:, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"estimator": LinearRegression()}, "must be a fitted model"),
        ({"estimator": 7}, "estimator=7: must be a fitted"),
        ({"estimator": CLASSES, "y_val": np.full(16, 7)}, "y_val: holds the class 7"),
        ({"X_val": X16[:, :3]}, "X_val: has 3 columns, the model was fitted to 4"),
        ({"X_val": np.where(X16 > 0, np.nan, X16)}, "X_val: is nan at"),
        ({"X_val": X16[:0], "y_val": []}, "X_val: has no rows"),
        ({"y_val": Y16[:3]}, r"y_val: has shape \(3,\)\. Expected \(16,\)"),
        ({"y_val": ["a"] * 16}, "y_val: must be numbers"),
        ({"loss": "mae"}, "loss='mae': must be one of mse, log_loss"),
        ({"loss": "log_loss"}, "loss='log_loss': needs a model with predict_proba"),
        ({"loss": lambda truth, found: -1.0}, "loss: gives -1, must give at least 0"),
        ({"fill": "most"}, "fill='most': must be one of mean"),
    ],
)
def test_bad_models_and_rows(arguments, message):
    with pytest.raises(InputError, match=message):
        MaskedModel(**{"estimator": FITTED, "X_val": X16, "y_val": Y16, **arguments}).losses([(0,)])


def selected(**arguments):
    return MaskSelector(LinearRegression(), **arguments).fit(*regression_table())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: best_masks(CLASSES, X16, X16[:, 0]), "its predictions must be linear"),
        (lambda: best_masks(DecisionTreeRegressor().fit(X16, Y16), X16, Y16), "linear, with coef_"),
        (lambda: best_masks(FITTED, X16, Y16, k=5), "k=5: must be an integer from 1 to 4"),
        (lambda: selected(slack=-1), "slack=-1: must be at least 0"),
        (lambda: selected(n_features_to_select=9), "k=9: must be an integer from 1 to 8"),
        (lambda: selected(validation=1), "validation=1: must be between 0 and 1"),
        (lambda: selected(first="never"), "first='never'"),
    ],
)
def test_bad_input_of_best_masks_and_of_the_selector(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_command(tmp_path, run):
    X, y = regression_table()
    path = str(tmp_path / "table.csv")
    X.assign(y=y).to_csv(path, index=False)
    command = f"papers masks {path} -t y --format json"
    assert run(f"{command} -k 3", 0).data["sets"][0]["features"] == ["f2", "f5", "f6"]
    assert "f2" in run(f"{command} --slack 0.05 --model forest", 0).out
    assert "--model svm: " in run(f"{command} --model svm", 2).err
