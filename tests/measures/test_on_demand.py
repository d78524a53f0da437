"""Redundancies on demand: exact whichever way they are computed, near the measures, and solved to the end."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from small_problems import problem_from_table

from pyfsel.errors import InputError
from pyfsel.interface.said import question_facts
from pyfsel.measures import pair_measures, prepare, redundancy
from pyfsel.measures.from_table import default_measure
from pyfsel.measures.redundancy_rows import ON_DEMAND, Information
from pyfsel.measures.streams.reading import read_in_parts
from pyfsel.measures.tables.rows import with_rows
from pyfsel.objectives import CFS, MRMR
from pyfsel.solving.solve import solve


def whole(pairs):
    return pairs.rows(np.arange(pairs.n_features)).astype(np.int64)


@pytest.fixture
def table(monkeypatch):
    """Return a table that counts as wide: copies, near copies, a constant column, ties, and large numbers."""
    monkeypatch.setattr("pyfsel.measures.compute.MOST_FEATURES_IN_MEMORY", 3)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 14))
    X[:, 3] = X[:, 2]
    X[:, 4] = -X[:, 2] * 1e12
    X[:, 5] = X[:, 2] + 1e-9 * X[:, 6]
    X[:, 7] = 7.5
    X[:, 8:11] = rng.integers(0, 3, (50, 3))
    y = np.where(X[:, :6].sum(axis=1) + X[:, 9] > 0, "a", "b")
    return prepare(pd.DataFrame(X, columns=[f"g{j}" for j in range(14)]), y)


@pytest.mark.parametrize("largest", [10**6, 2**31 - 1])
@pytest.mark.parametrize("measure", ON_DEMAND)
@pytest.mark.parametrize("is_in_parts", [False, True])
def test_each_entry_depends_on_its_pair_alone(measure, largest, is_in_parts, table, monkeypatch):
    """At the largest scale, sums of floats in another order would differ."""
    pairs, n = ON_DEMAND[measure](table).scaled(largest), table.n_features
    matrix = whole(pairs)
    if is_in_parts:
        columns = dict(zip(table.feature_names, table.X.T, strict=True))
        read = read_in_parts(pa.table(columns | {"y": table.y}), "y")
        pairs = ON_DEMAND[measure](read).scaled(largest)
        assert np.array_equal(whole(pairs), matrix)
    monkeypatch.setattr("pyfsel.measures.contingency.BLOCK_WIDTH", 10)
    assert (matrix == matrix.T).all()
    assert not matrix.diagonal().any()
    assert 0 <= matrix.min() < matrix.max() <= largest
    assert np.array_equal(pairs[np.arange(n)[:, None], np.arange(n)], matrix)
    some = np.array([9, 2, 5, 0])
    assert np.array_equal(pairs.rows(some, 6), matrix[some, :6])
    assert np.array_equal(whole(pairs.among(some)), matrix[np.ix_(some, some)])
    assert np.array_equal(pickle.loads(pickle.dumps(pairs)).kept_rows(some, 6), matrix[some, :6])
    assert not matrix[7].any()


@pytest.mark.parametrize("measure", ON_DEMAND)
def test_they_are_the_measure_but_for_rounding(measure, table):
    pairs = ON_DEMAND[measure](table)
    numbers, both = whole(pairs) / pairs.largest * pairs.bound, redundancy(table, measure)
    assert numbers == pytest.approx((both + both.T) / 2, abs=pairs.bound / pairs.largest)


@pytest.mark.parametrize("chance", ["off", "forbid"])
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("measure", ON_DEMAND)
def test_a_wide_table_is_solved_as_if_all_pairs_were_known(measure, search, chance, table):
    asked = {"k": 3, "n_sets": 3, "dissimilarity": "shared:1", "objective": "mrmr"}
    wide = problem_from_table(table, measure=measure, chance=chance, **asked)
    assert wide.pairs is None
    if chance == "off":
        assert wide.forbidden == (7,)
    else:
        assert {7} < set(wide.forbidden)
        assert wide.forbidden == problem_from_table(table, measure=measure, **asked).forbidden
    known = wide.replace(lazy_pairs=None, pairs=whole(wide.lazy_pairs))
    result = solve(wide, search=search)
    assert (result.status, result.backend) == ("OPTIMAL", "ksubgraph")
    other = "brute-force" if search == "sequential" else "packing"  # three of 14 in threes take it seconds
    assert result.integer_objective == solve(known, other, search).integer_objective
    assert result.qualities == pytest.approx(solve(known, search=search).qualities, abs=2e-6)
    assert result.statistics["pairs_measured"] > 0
    assert "redundancies; there are 91 pairs" in str(question_facts(result))


def test_without_a_measure_many_pairs_are_correlations(table, monkeypatch):
    asked = ((MRMR(), 2001), (MRMR(), 2000), (CFS(), 2001))
    assert [default_measure(*one) for one in asked] == ["pearson", "information", "information_share"]
    assert isinstance(problem_from_table(table, k=2, objective="mrmr").lazy_pairs, Information)
    assert problem_from_table(table, k=2, objective="cfs").lazy_pairs is None
    monkeypatch.setattr("pyfsel.measures.compute.MOST_FEATURES_BY_NEIGHBOURS", 13)
    with pytest.raises(InputError, match="pairs of 14 columns by nearest neighbours take hours"):
        problem_from_table(table, k=2, objective="mrmr", measure="mutual_info")


def test_what_needs_all_pairs_refuses(table):
    problem = problem_from_table(table, measure="pearson", k=3, objective="mrmr", chance="off")
    assert problem == problem  # noqa: PLR0124 - identity is enough where nothing can be written
    for refused, message in (
        (lambda: solve(problem, "cpsat"), "takes redundancies in memory"),
        (problem.to_json, r"lazy_pairs: the matrix of 14 features .* cannot be written"),
        (
            lambda: solve(problem.replace(conflicts=[(0, 1)]), "ksubgraph"),
            "takes 13 features without conflicts and in sets of one",
        ),
        (lambda: solve(problem.replace(min_quality=0), "ksubgraph"), "does not take min_quality"),
        (
            lambda: pair_measures(with_rows(table, np.ones(50)), objective="mrmr"),
            "sample_weight: pairs of 14 columns are measured when",
        ),
    ):
        with pytest.raises(InputError, match=message):
            refused()
