"""Information beyond chance: no bias at independence, scikit-learn as oracle, levels, gaps, weights."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import expected_mutual_information

from pyfsel import InputError
from pyfsel.measures import levels, quality, redundancy
from pyfsel.measures.contingency import Contingency
from pyfsel.measures.levels import default_bins, level_codes, levels_of, value_codes
from pyfsel.measures.tables.table import prepare

SIZES = (50, 500, 5000)


def dense(codes):
    return np.unique(codes, return_inverse=True)[1].reshape(np.shape(codes))


def signed(columns, y):
    """Return the information beyond chance, negative values included."""
    codes = np.column_stack([dense(column) for column in columns])
    return Contingency(codes, None, dense(y)).information()


def counted(x, y):
    cells = np.zeros((x.max() + 1, y.max() + 1), dtype=np.int64)
    np.add.at(cells, (x, y), 1)
    return cells


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_numbers_of_chance_tell_nothing_on_average(n, task):
    rng = np.random.default_rng(n)
    y = rng.integers(0, 3, n) if task == "classification" else rng.exponential(size=n)
    X = np.column_stack([rng.normal(size=(n, 200)), np.maximum(rng.normal(size=(n, 200)), 0)])
    found = Contingency.of(prepare(X, y, task=task)).information()
    for kind in np.split(found, 2):
        assert abs(kind.mean()) <= 4 * kind.std(ddof=1) / np.sqrt(200)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 50, 1000, 100_000])
def test_expected_information_is_that_of_scikit_learn(n):
    rng = np.random.default_rng(n)
    for n_levels in {1, 2, 9, min(n, 60), min(n, 1000)}:
        for n_classes in (1, 2, 7):
            x, y = dense(rng.integers(0, n_levels, n) ** 2), dense(rng.integers(0, n_classes, n))
            ours = Contingency(x[:, None], None, y)
            oracle = expected_mutual_information(counted(x, y), n)
            np.testing.assert_allclose(ours.expected_information(), oracle, rtol=1e-8, atol=1e-15)
            np.testing.assert_allclose(ours.plain_information(), mutual_info_score(x, y), atol=1e-9)


@pytest.mark.parametrize("measure", ["information", "information_share"])
def test_pairs_are_corrected_like_targets(measure):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, 300), rng.normal(size=300), rng.integers(0, 15, 300)])
    X = np.column_stack([X, X[:, 1] + 0.3 * rng.normal(size=300), rng.integers(0, 2, 300) * X[:, 0]])
    table = prepare(X, rng.integers(0, 2, 300))
    pairs, codes = redundancy(table, measure), level_codes(table)
    assert (pairs == pairs.T).all()
    for j in range(5):
        as_target = prepare(np.delete(X, j, axis=1), codes[:, j], task="classification")
        np.testing.assert_allclose(quality(as_target, measure=measure), np.delete(pairs[j], j), atol=1e-9)


# Levels.


def test_heavy_values_have_their_own_level_and_the_others_fill_their_bins():
    codes = levels_of(np.concatenate([np.zeros(60), np.arange(1, 41)]), 5)
    assert sorted(np.bincount(codes).tolist()) == [20, 20, 60]
    assert len(set(codes[:60])) == 1
    assert levels_of(np.arange(100.0)).tolist() == np.repeat(np.arange(5), 20).tolist()


@pytest.mark.filterwarnings("ignore:X.*compared exactly")
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n_bins", [None, 2, 40])
@pytest.mark.parametrize("n", [3, 30, 900])
def test_levels_are_dense_ordered_blind_to_the_scale_and_missing_ones_apart(n, kind, n_bins):
    rng = np.random.default_rng(6)
    normal, whole = rng.normal(size=n), rng.integers(-400, 400, n)
    signs = np.where(whole < 0, -0.0, np.where(whole < 100, 0.0, 1.0))
    columns = [normal, normal.round(1), np.where(normal < 0.3, -1e30, -normal), signs, whole % 7, whole]
    X = np.column_stack(columns).astype(kind)
    X[::9, [0, 2, 4]] = np.nan
    table = replace(prepare(X, np.arange(n) % 3, missing="category"), is_discrete=np.arange(6) > 2)
    codes, scaled = (
        level_codes(table, n_bins),
        level_codes(replace(table, X=np.arctan(table.X / 1e30)), n_bins),
    )
    most = n_bins or default_bins(n)
    assert (codes == scaled).all()
    for every in (codes, value_codes(table), value_codes(table, 5)):
        for values, own in zip(X.T, every.T, strict=True):
            assert not set(own[np.isnan(values)]) & set(own[~np.isnan(values)])
    for j, (values, own) in enumerate(zip(X.T, codes.T, strict=True)):
        assert set(own) == set(range(own.max() + 1))
        assert pd.Series(own).groupby(values, dropna=False).nunique().max() == 1
        n_values = len(np.unique(values))
        assert own.max() + 1 == n_values if j > 2 or n_values <= most else own.max() < 2 * most + 3


@pytest.mark.parametrize("gap_every", [9, 2])
@pytest.mark.parametrize("n_bins", [2, 10])
def test_values_that_are_counted_together_get_the_codes_of_single_ones(n_bins, gap_every, monkeypatch):
    normal = np.random.default_rng(6).normal(size=900)
    columns = [normal, normal.round(1), np.where(normal < 0.3, 0.0, -normal), np.sinh(20 * normal)]
    columns += [np.exp(normal), 1e6 + normal.round(2), normal * 1e-310, np.repeat(normal[:90], 10)]
    X = np.column_stack(columns)
    X[::gap_every, [0, 2, 4]] = np.nan
    table = replace(prepare(X, normal > 0, missing="category"), is_discrete=np.zeros(8, bool))
    codes = level_codes(table, n_bins)
    monkeypatch.setattr(levels, "MANY_ROWS", 900)
    assert np.array_equal(level_codes(table, n_bins), codes)


def test_a_gap_is_a_level_and_only_where_that_is_asked_for():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 300)
    gone = (y == 1) & (rng.random(300) < 0.8)
    X = pd.DataFrame({"number": rng.normal(size=300), "word": rng.choice(["a", "b"], 300), "only": 7.0})
    X[gone] = np.nan
    table = prepare(X.assign(other=y * 1.0), y, missing="category")
    found = quality(table)
    assert found[2] == pytest.approx(signed([gone], y)[0])
    assert (found[:2] > 0.7 * found[2]).all()
    assert redundancy(table)[1, 2] > 0.7 * found[2]
    with pytest.warns(UserWarning, match="'only' is constant"):
        assert quality(prepare(X, y, missing="impute"))[2] == 0
    sparse = X[["number", "only"]].astype(pd.SparseDtype(float, 0))
    np.testing.assert_allclose(quality(prepare(sparse, y, missing="category")), found[[0, 2]])
    with pytest.raises(InputError, match="missing='category': is for measure='information' or"):
        quality(table, measure="pearson")
    with pytest.raises(InputError, match=r"or missing='category' \(a gap is a value of its own\)"):
        prepare(X, y)


# Weights.


@pytest.mark.parametrize("measure", ["information", "information_share"])
def test_rows_of_weight_0_do_not_count(measure):
    rng = np.random.default_rng(2)
    codes, y, kept = rng.integers(0, 4, (120, 3)), rng.integers(0, 3, 120), np.arange(120) < 90
    found = quality(replace(prepare(codes, y), weights=kept * 1.0), measure=measure)
    np.testing.assert_allclose(found, quality(prepare(codes[kept], y[kept]), measure=measure), atol=1e-12)


def test_uneven_weights_stay_unbiased_at_independence():
    rng = np.random.default_rng(8)
    y = rng.permutation(np.arange(400) % 4 == 0).astype(int)
    for weights in (rng.exponential(size=400), np.where(y == 1, 3.0, 1.0)):
        codes = rng.integers(0, 20, (400, 200))
        counts = Contingency(codes, weights, y)
        assert abs(counts.information().mean()) < 0.1 * counts.plain_information().mean()
