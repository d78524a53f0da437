"""Weights of rows in measures of pairs: as many copies of a row, rows that do not count, equal weights."""

from dataclasses import replace

import numpy as np
import pytest

from pyfsel import InputError
from pyfsel.measures import pair_measures, prepare, redundancy
from pyfsel.measures.correlation import signed_correlations
from pyfsel.measures.registry import PAIRS, measures
from pyfsel.measures.tables.rows import with_rows

N_ROWS = 120
RNG = np.random.default_rng(0)
TARGET = RNG.integers(0, 3, N_ROWS)
X = np.column_stack([(TARGET + RNG.integers(0, 2 + j, N_ROWS)) % (3 + j % 2) for j in range(5)]).astype(float)
WEIGHTS = RNG.integers(0, 4, N_ROWS).astype(float)


def test_all_but_neighbours_take_weights():
    others = {name for name, measure in measures(PAIRS).items() if not measure.weighted}
    assert others == {"mutual_info", "mutual_info_numeric"}
    for measure in others:
        with pytest.raises(
            InputError, match=f"redundancy_measure='{measure}' takes no weights; those that do"
        ):
            redundancy(with_rows(prepare(X, TARGET), WEIGHTS), measure)


def test_weighted_correlations_with_their_signs():
    table = prepare(X, X[:, 0] - X[:, 1] + RNG.normal(size=N_ROWS), task="regression")
    repeated = np.repeat(np.arange(N_ROWS), WEIGHTS.astype(int))
    again = replace(table, X=table.X[repeated], y=table.y[repeated])
    for found, expected in zip(
        signed_correlations(replace(table, weights=WEIGHTS)), signed_correlations(again), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_pairs_on_demand_refuse_weights(monkeypatch):
    monkeypatch.setattr("pyfsel.measures.compute.MOST_FEATURES_IN_MEMORY", 3)
    table = with_rows(prepare(X, TARGET), WEIGHTS)
    with pytest.raises(InputError, match="sample_weight: pairs of 5 columns are measured when"):
        pair_measures(table, objective="mrmr")
