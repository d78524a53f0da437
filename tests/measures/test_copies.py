"""Which columns are copies of each other."""

import numpy as np
import pandas as pd
import pytest

from pyfsel import InputError
from pyfsel.measures import copies as finding
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


def test_a_chain_is_no_cluster():
    m = 400
    steps = [np.roll(np.arange(m), 4 * i) * 1.0 for i in range(8)]
    X = np.column_stack(steps)
    similarity = np.abs(np.corrcoef(X.T))
    assert similarity[0, 1] > 0.9 > similarity[0, 7]
    for cluster in find_copies(prepare_columns(X), 0.9):
        assert (similarity[np.ix_(cluster, cluster)] >= 0.9 - 1e-9).all()


def test_blocks_make_no_difference(monkeypatch):
    X = RNG.normal(size=(60, 40))
    X[:, 25:] = X[:, :15] * 3
    X[:, 5] = np.arange(60) % 3
    X[:, 30] = (np.arange(60) + 1) % 3
    X = prepare_columns(X)
    whole = find_copies(X)
    monkeypatch.setattr(finding, "BLOCK", 7)
    assert find_copies(X) == whole == [(j, j + 25) for j in range(15)]


def test_chance_is_not_taken_for_a_copy_with_many_categories():
    X = pd.DataFrame({name: [f"{v}" for v in RNG.permutation(60)] for name in "ab"})
    with pytest.warns(UserWarning, match="identifier"):
        assert find_copies(prepare_columns(X)) == []


@pytest.mark.parametrize("wrong", [95, -1, "x", None, float("nan")])
def test_the_threshold_is_a_share(wrong):
    with pytest.raises(InputError, match="copy_threshold="):
        find_copies(prepare_columns(np.eye(3)), wrong)


@pytest.mark.parametrize("features", [range(14), [0, 3, 12]])
def test_copies_among_many_rows_are_those_of_all_rows(monkeypatch, features):
    """Of noise around the threshold, rare values, other codings and constant samples."""
    rng, n = np.random.default_rng(0), 6000
    z, rare = rng.normal(size=n), np.zeros(n)
    rare[rng.choice(n, 8, replace=False)] = 1
    codes = rng.integers(0, 5, n)
    noisy = [z + scale * rng.normal(size=n) for scale in (0.2, 0.28, 0.3, 0.31, 0.32, 0.34, 0.5)]
    X = np.column_stack([z, *noisy, rare, 2 - rare, codes, (2 * codes) % 5, np.exp(z), rng.normal(size=n)])
    X = prepare_columns(X)
    found = copies_of(X, features)
    assert found
    monkeypatch.setattr(finding, "MANY_ROWS", 5000)
    monkeypatch.setattr("pyfsel.measures.tables.entries.N_DRAWN", 1000)
    assert copies_of(X, features) == found
    compared = []
    real = finding._Similarity.between
    monkeypatch.setattr(finding._Similarity, "between", lambda *a: compared.append(a[0].n_rows) or real(*a))
    assert find_copies(X) == find_copies(X)
    assert {1000, n} == set(compared)
