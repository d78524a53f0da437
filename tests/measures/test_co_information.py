"""Redundancies that see the target: co-information against its definition, and JMI, CIFE and MIFS by it."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import expected_mutual_information
from small_problems import problem_from_table

from pyfsel import InputError
from pyfsel.measures import from_table, pair_measures, redundancy
from pyfsel.measures.standard_errors import errors_of
from pyfsel.measures.tables.table import prepare, prepare_columns
from pyfsel.objectives import as_objective
from pyfsel.solving.solve import solve


def table_of(n, seed=0, task="classification"):
    """Return a table whose target is mostly the parity of two columns, and else says two that are alike."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 5)).astype(float)
    X[:, 3] = np.where(rng.random(n) < 0.8, X[:, 2], rng.integers(0, 3, n))
    X[:, :2] = rng.integers(0, 2, (n, 2))
    y = np.where(rng.random(n) < 0.7, (X[:, 0] + X[:, 1]) % 2, X[:, 2] == 2).astype(int)
    return prepare(X, y if task == "classification" else y + rng.random(n), task=task)


def beyond_chance(x, y):
    counts = pd.crosstab(x, y).to_numpy()
    return mutual_info_score(x, y) - expected_mutual_information(counts, len(x))


@pytest.mark.parametrize("n", [12, 60, 300])
def test_it_is_information_less_that_given_the_target_both_beyond_chance(n):
    table = table_of(n, seed=n)
    found = redundancy(table, "co_information")
    assert (found == found.T).all()
    for i, j in combinations(range(5), 2):
        x, other = table.X[:, i], table.X[:, j]
        given = sum(
            (table.y == level).mean() * beyond_chance(x[table.y == level], other[table.y == level])
            for level in np.unique(table.y)
        )
        assert found[i, j] == pytest.approx(beyond_chance(x, other) - given, abs=1e-9)


@pytest.mark.parametrize("n", [5, 7, 12])
@pytest.mark.parametrize("objective", ["univariate", "jmi", "cife", "mrmr", "mifs"])
def test_columns_that_tell_nothing_beyond_chance_are_worth_exactly_nothing(n, objective):
    rng = np.random.default_rng(n)
    table = prepare(np.column_stack([rng.permutation(n) for _ in range(3)]).astype(float), rng.normal(size=n))
    problem = problem_from_table(table, objective=objective, k=2, chance="off")
    assert {solve(problem.replace(forbidden=(j,))).objective for j in range(3)} == {0}
    errors, _ = errors_of(table, "information")
    assert set(errors[errors < 1e-6]) <= {0}


def test_it_sees_continuous_targets_in_levels_and_several_outputs_by_their_mean():
    tables = [table_of(500, task="regression"), table_of(500)]
    each = [pair_measures(table, objective="jmi") for table in tables]
    assert each[0][1][0, 1] < -0.1
    problem = from_table.problem_from_table(tables, objective="jmi", k=2)
    assert problem.pairs_floats[0, 1] == pytest.approx(np.mean([r[0, 1] for _, r in each]))
    with pytest.raises(InputError, match="outputs='min': redundancies that depend on the target"):
        from_table.problem_from_table(tables, objective="jmi", k=2, outputs="min")


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        ("mifs:pairs=co", "redundancy_measure='co': must be one of"),
        ("mifs:beta=-1", "beta=-1.0: must be at least 0"),
        ("mifs:beta=nan", "beta"),
        ("jmi", "objective='jmi' has one size"),
    ],
)
def test_what_does_not_fit_is_refused(objective, message):
    with pytest.raises(InputError, match=message):
        problem_from_table(table_of(50), k=(1, 2), objective=as_objective(objective))
    with pytest.raises(InputError, match="X: must be a Table, which holds the target"):
        redundancy(prepare_columns(np.eye(4)), "co_information")
