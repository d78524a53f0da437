"""Which columns are copies of each other."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.stats import entropy, rankdata

from pyfsel import InputError
from pyfsel.measures import find_copies
from pyfsel.measures.copies import copies_of
from pyfsel.measures.tables.table import prepare_columns

RNG = np.random.default_rng(0)
A, B, C = RNG.normal(size=(3, 200))
WORDS = RNG.integers(0, 5, 200)


def table():
    frame = pd.DataFrame(
        {
            "a": A,
            "b": B,
            "falling": -np.exp(A),
            "noisy": A + 0.05 * C,
            "words": [["red", "blue", "green", "grey", "pink"][w] for w in WORDS],
            "other words": [["5", "1", "4", "2", "3"][w] for w in WORDS],
            "constant": 1,
            "constant too": 2,
            "c": C,
        }
    )
    return prepare_columns(frame)


@pytest.mark.filterwarnings("ignore:X. columns 'constant'")
def test_other_units_other_codings_and_a_little_noise_are_found():
    assert find_copies(table()) == [(0, 2, 3), (4, 5)]
    assert find_copies(table(), 1.0) == [(0, 2), (4, 5)]
    assert copies_of(table(), [3, 5]) == ((0, 3), (2, 3), (4, 5))
    assert copies_of(table(), []) == ()


def test_chance_is_not_taken_for_a_copy_with_many_categories():
    X = pd.DataFrame({name: [f"{v}" for v in RNG.permutation(60)] for name in "ab"})
    with pytest.warns(UserWarning, match="identifier"):
        assert find_copies(prepare_columns(X)) == []


@pytest.mark.parametrize("wrong", [95, -1, "x", None, float("nan")])
def test_the_threshold_is_a_share(wrong):
    with pytest.raises(InputError, match="copy_threshold="):
        find_copies(prepare_columns(np.eye(3)), wrong)


def kinds_of_columns(rng, n):
    """Return columns around a hidden one, other codings of one, rare ones of the same rows, and chance."""
    hidden, rows, values = rng.normal(size=n), rng.random(n), rng.poisson(2, n) + 1
    rows[:5] = 0  # no column is constant
    codes, recoded = rng.integers(0, 5, n), rng.permutation(20)
    noisy = [hidden + scale * rng.normal(size=n) for scale in (0, 0.2, 0.3, 0.31, 0.32, 0.34, 0.5)]
    apart = [np.where(rng.random(n) < flip, rng.integers(0, 5, n), codes) for flip in (0, 0.001, 0.02)]
    rare = [
        np.where((rows < share) ^ (rng.random(n) < flip), its_values, 0)
        for share in (0.001, 0.01, 0.05, 0.2)
        for flip, its_values in ((0, 1), (0, values), (0, recoded[values]), (0.001, values), (0, hidden))
    ]
    chance = [rng.permutation(rows) < share for share in (0.002, 0.01, 0.3)]
    return np.column_stack([*noisy, -np.exp(hidden), *apart, 2 * codes % 5, *rare, *chance]).astype(float)


def pairs_alike(X):
    """Return how alike columns are by the definition."""
    found = np.abs(np.corrcoef(rankdata(X, axis=0).T))
    codes = [np.unique(column, return_inverse=True)[1] for column in X.T]
    few = [j for j in range(X.shape[1]) if (X[:, j] % 1 == 0).all() and codes[j].max() < len(X) ** 0.5]
    own = {j: entropy(np.bincount(codes[j])) for j in few}
    for i, j in combinations(few, 2):
        joint = entropy(np.bincount(100 * codes[i] + codes[j]))
        found[i, j] = max(found[i, j], (own[i] + own[j] - joint) / max(own[i], own[j]))
    return {(i, j): found[i, j] for i, j in combinations(range(X.shape[1]), 2)}


@pytest.mark.parametrize(("n_rows", "drawn"), [(300, 300), (3000, 3000), (6000, 1600), (9000, 4096)])
def test_pairs_are_those_of_the_definition(monkeypatch, n_rows, drawn):
    X = kinds_of_columns(np.random.default_rng(n_rows), n_rows)
    monkeypatch.setattr("pyfsel.measures.copies.BLOCK", 7)
    monkeypatch.setattr("pyfsel.measures.copies.MANY_ROWS", 5000)
    monkeypatch.setattr("pyfsel.measures.tables.entries.N_DRAWN", drawn)
    similarity, every, some = pairs_alike(X), range(X.shape[1]), {0, 10, 13, 22}
    for kept, threshold in product((np.asarray, csr_array), (1.0, 0.95, 0.8, 0.3)):
        columns = prepare_columns(kept(X))
        wanted = {pair for pair, found in similarity.items() if found >= threshold - 1e-9}
        assert set(copies_of(columns, every, threshold)) == wanted
        assert set(copies_of(columns, some, threshold)) == {pair for pair in wanted if some & set(pair)}
        pairs = {pair for each in find_copies(columns, threshold) for pair in combinations(each, 2)}
        assert pairs <= wanted
        assert bool(pairs) == bool(wanted)


@pytest.mark.parametrize("missing", ["impute", "category"])
def test_entries_of_sparse_tables_that_are_filled_in_by_0_are_zeros(missing):
    rng = np.random.default_rng(1)
    X = kinds_of_columns(rng, 300)
    X[rng.random(X.shape) < 0.01] = np.nan
    both = [prepare_columns(kept(X), missing=missing) for kept in (np.asarray, csr_array)]
    dense, sparse = (copies_of(columns, range(X.shape[1]), 0.8) for columns in both)
    assert dense == sparse != ()


def with_noise(rng, hidden):
    """Return a column of correlation 0.3: in 4,096 rows it varies more the further it is from 1."""
    correlation = 2 * np.sin(np.pi * 0.3 / 6)
    return correlation * hidden + np.sqrt(1 - correlation**2) * rng.normal(size=len(hidden))


def with_few_others(rng, hidden):
    """Return a column that differs in a few rows, by much: how many of them are drawn varies a lot."""
    others = rng.choice(np.argsort(hidden)[-len(hidden) // 20 :], len(hidden) // 110, replace=False)
    return np.where(np.isin(np.arange(len(hidden)), others), -hidden, hidden)


@pytest.mark.parametrize(("threshold", "altered"), [(0.3, with_noise), (0.9508, with_few_others)])
def test_no_pair_near_a_threshold_is_missed_in_drawn_rows(threshold, altered):
    rng = np.random.default_rng(2)
    hidden = rng.normal(size=12_000)
    X = np.column_stack([hidden, *(altered(rng, hidden) for _ in range(60))])
    wanted = {(0, j) for j in range(1, 61) if pairs_alike(X[:, [0, j]])[0, 1] >= threshold}
    assert 20 < len(wanted) < 40
    assert {pair for pair in copies_of(prepare_columns(X), [0], threshold) if pair[0] == 0} == wanted


def test_recoded_counts_are_found_among_many_zeros():
    """A quarter of the drawn rows tells little; the bound in all of these decides."""
    rng = np.random.default_rng(3)
    X = np.where(rng.random((5000, 40)) < 0.12, rng.poisson(2, (5000, 40)) + 1, 0)
    X[:, 39] = np.where(rng.random(5000) < 0.01, X[:, 39], (7 * X[:, 0] + 5) % 13)
    assert pairs_alike(X[:, [0, 39]])[0, 1] > 0.8
    assert copies_of(prepare_columns(X), range(40), 0.8) == ((0, 39),)
