"""Above chance: the level over all columns together, power, the same orders for all, groups, weights."""

import itertools
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mutual_info_score
from small_problems import problem_from_table

from pyfsel.measures import above_chance as module
from pyfsel.measures import standard_errors
from pyfsel.measures.above_chance import MANY_ROWS, above_chance, standardised_information, step_down
from pyfsel.measures.contingency import Contingency
from pyfsel.measures.tables.table import prepare
from pyfsel.problem.evidence import LEVEL
from pyfsel.problem.fields import Group
from pyfsel.problem.rules import Constraints

LEVELS = (2, 2, 3, 10, 40, 90)


def chance_columns(rng, n, more=()):
    codes = [rng.integers(0, n_levels, n) for n_levels in LEVELS]
    first = rng.normal(size=n)
    columns = [*codes, first, first + 0.1 * rng.normal(size=n), rng.exponential(size=n), *more]
    frame = pd.DataFrame(np.column_stack(columns)).add_prefix("x")
    return frame.astype({f"x{j}": "category" for j in range(len(codes))})


@pytest.mark.parametrize(
    ("n_rows", "n_classes", "is_weighted"),
    [(150, 2, False), (150, 2, True), (1000, 5, False)],
)
def test_columns_of_chance_rarely_pass_all_together(n_rows, n_classes, is_weighted):
    """Of 100 tables at most 11 may have one that does: 5 are expected, with a deviation of 2.2.

    With weights that balance classes, targets in random orders, away from their weights, would let 3 in 10
    tables have a column; many rows in few cells each, without a correction, nearly every table.
    """
    rng, found = np.random.default_rng(0), 0
    for _ in range(100):
        y = np.where(rng.random(n_rows) < 0.2, 1, 0) if is_weighted else rng.integers(n_classes, size=n_rows)
        weights = (1 + 4 * y) * rng.uniform(0.5, 1.5, n_rows) if is_weighted else None
        table = replace(prepare(chance_columns(rng, n_rows), y), weights=weights)
        found += (above_chance(table, 1, 100 if n_rows < MANY_ROWS else None) <= LEVEL).any()
    assert found <= 11


def test_weak_columns_are_found_among_columns_of_many_levels():
    rng, found = np.random.default_rng(1), 0
    for _ in range(10):
        y = rng.integers(0, 2, 500)
        weak = np.where(rng.random((500, 3)) < 0.3, y[:, None], rng.integers(0, 2, (500, 3)))
        p = above_chance(prepare(chance_columns(rng, 500, weak.T), y), n_orders=200)
        found += (p[-3:] <= LEVEL).sum()
    assert found >= 27


def test_step_down_is_that_of_the_definition():
    rng = np.random.default_rng(2)
    for statistics in (rng.normal(size=(40, 6)), rng.integers(0, 3, (25, 5)).astype(float)):
        order, expected = np.argsort(-statistics[0], kind="stable"), np.empty(statistics.shape[1])
        for place, j in enumerate(order):
            largest = statistics[:, order[place:]].max(axis=1)
            expected[j] = (largest >= statistics[0, j]).mean()
        expected[order] = np.maximum.accumulate(expected[order])
        np.testing.assert_allclose(step_down(statistics), expected)


ORDERS = set(itertools.permutations([3, 3, 1, 1, 0, 0]))


@pytest.mark.parametrize(
    ("groups", "possible"),
    [
        (None, ORDERS),
        ([0, 0, 1, 1, 2, 2], {order for order in ORDERS if order[::2] == order[1::2]}),
        ([0, 0, 0, 1, 1, 1], {order for order in ORDERS if sorted(order[:3]) == [1, 3, 3]}),
    ],
)
def test_orders_are_those_of_rows_of_groups_or_within_them(groups, possible):
    labels = np.array([3, 3, 1, 1, 0, 0])
    table = SimpleNamespace(groups=groups, weights=None)
    orders = labels[module._orders(table, labels, 20_000, 0)]
    assert orders[0].tolist() == labels.tolist()
    counts = Counter(map(tuple, orders[1:].tolist()))
    expected = 20_000 / len(possible)
    assert set(counts) == possible
    assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values())


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_statistics_are_the_information_standardised(task, monkeypatch):
    """However little it is: with a million rows, two levels vary by less than 1e-6 nats."""
    real, rng = module._information, np.random.default_rng(3)
    y = rng.integers(0, 3, 80) if task == "classification" else rng.normal(size=80)
    table = prepare(chance_columns(rng, 80), y, task=task)
    counts = Contingency.of(table)
    orders = counts.target[module._orders(table, counts.target, 12, 5)]
    both = np.array([[mutual_info_score(x, t) for x in counts.codes.T] for t in orders])
    expected = (both - both.mean(axis=0)) / both.std(axis=0)
    for factor in (1, 10**5):
        monkeypatch.setattr(module, "_information", lambda *given, by=factor: (x / by for x in real(*given)))
        for one in (table, replace(table, weights=np.full(80, 0.7))):
            np.testing.assert_allclose(standardised_information(one, 5, 12), expected, atol=1e-4)


def test_constant_columns_and_single_columns():
    y = np.arange(40) % 2
    with pytest.warns(UserWarning, match="constant"):
        table = prepare(np.column_stack([np.ones(40), y, np.arange(40) // 2]), y)
    p = above_chance(table, n_orders=100)
    assert p[0] == 1
    assert p[1] == pytest.approx(1 / 101)
    assert above_chance(prepare(y[:, None] * 1.0, y)).tolist() == [1 / 1001]


def test_rows_of_one_group_stay_together():
    """Forty measurements of each of ten patients: what says who it is seems to say who is ill."""
    rng, patient = np.random.default_rng(4), np.repeat(np.arange(10), 40)
    ill, passed = patient % 2, np.zeros(2, dtype=int)
    for _ in range(20):
        table = prepare((rng.normal(size=10)[patient] + 0.1 * rng.normal(size=400))[:, None], ill)
        both = (table, replace(table, groups=patient))
        passed += [above_chance(one, n_orders=50)[0] <= LEVEL for one in both]
    assert passed[0] >= 15
    assert passed[1] <= 4
    often = np.where(rng.random(400) < 0.5, ill, rng.integers(0, 2, 400))
    within = prepare(np.column_stack([often + rng.normal(size=400), patient]), often)
    p = above_chance(replace(within, groups=np.array(list("abcdefghij"))[patient]), n_orders=200)
    assert p[0] <= LEVEL < p[1]


# What is made of it.


def table_of():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 300)
    told = np.column_stack([y + s * rng.normal(size=300) for s in (0.5, 0.7, 0.9, 1.1)])
    return np.column_stack([told, rng.normal(size=(300, 8))]), y


NAMED = Constraints(forced=["x5"], groups=[Group(("x6", "x7"), at_least=1)])


@pytest.mark.parametrize(
    ("asked", "n_forbidden"),
    [
        ({}, 0),
        ({"objective": "mrmr"}, 6),
        ({"objective": "mrmr", "chance": "mark"}, 0),
        ({"objective": "mrmr", "chance": "off"}, 0),
        ({"chance": "forbid", "n_sets": 4, "dissimilarity": 1}, 0),
        ({"chance": "forbid", "constraints": NAMED}, 3),
    ],
)
def test_mrmr_leaves_them_out_and_the_others_mark_them(asked, n_forbidden):
    """As far as enough others are left, and no rule names them."""
    problem = problem_from_table(*table_of(), k=3, measure="information", **asked)
    named = {5, 6, 7} if "constraints" in asked else set()
    assert set(problem.forbidden) <= set(range(4, 12)) - named
    assert len(problem.forbidden) == n_forbidden
    if asked.get("chance") == "off":
        assert problem.evidence.p_values is None
    else:
        assert set(problem.evidence.not_above_chance().tolist()) == set(range(4, 12))


def test_any_measure_and_several_outputs_are_marked():
    X, y = table_of()
    for measure in ("pearson", "mutual_info", np.arange(12.0), lambda X, y: np.ones(12)):
        problem = problem_from_table(X, y, k=3, measure=measure, random_state=0)
        assert (problem.evidence.p_values[:4] <= LEVEL).all()
    both = problem_from_table(X, np.column_stack([y, np.random.default_rng(0).integers(0, 2, 300)]), k=3)
    assert set(both.evidence.not_above_chance().tolist()) == set(range(4, 12))
    assert both.evidence.standard_errors is None


@pytest.mark.parametrize("measure", ["information", "pearson"])
def test_errors_of_many_rows_are_drawn_in_runs_of_them(monkeypatch, measure):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(20_000, 1))
    prepared = prepare(z * [1, 1, 0] + rng.normal(size=(20_000, 3)), z[:, 0] > 0)
    again, in_runs = standard_errors.errors_of(prepared, measure)
    monkeypatch.setattr(standard_errors, "MANY_UNITS", 30_000)
    single, drawn = standard_errors.errors_of(prepared, measure)
    assert (again == single).all(), "errors of single columns are those of all rows"
    assert not np.array_equal(drawn, in_runs)
    sums = [replicates.cumsum(axis=1).std(axis=0) for replicates in (in_runs, drawn)]
    assert sums[0] == pytest.approx(sums[1], rel=0.25)
