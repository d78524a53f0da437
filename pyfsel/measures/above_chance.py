"""Permutation tests of columns: the target in random orders, the same orders for all columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.arrays import Array, Floats, Ints, slices
from pyfsel.measures.contingency import Contingency, blocks, first_levels, one_hot, x_log_x
from pyfsel.measures.correlation import standardised
from pyfsel.measures.tables.table import Table

MANY_ORDERS, FEW_ORDERS = 1000, 200
LONG_SECONDS = 1.0
"""Most time for a thousand orders, by an estimate that does not depend on the machine: results must not."""
SECONDS_PER_PRODUCT, SECONDS_PER_COUNT = 4e-11, 2e-8
"""Measured on one core: a multiplication of single precision, and x log x of a count."""
MANY_ROWS = 1000
"""From these on the G test holds its level: without signal some of 100 columns is above chance in 1.7 to
8.3 of 100 tables of 1,000 to 20,000 rows, with classes of down to 2% of them."""
ENTRIES_AT_ONCE, ROWS_AT_ONCE = 2**21, 4096
TIE = 1e-6
"""Statistics in single precision that differ by less are equal."""
ROUNDING = 1e-11
"""Information that varies by fewer nats is constant; two categories in a million rows vary by 1e-6."""


def above_chance(table: Table, seed: int = 0, n_orders: int | None = None) -> Floats:
    """Return adjusted p-values of the columns, by a permutation test, shape (n_features,).

    The statistic is the information about the target, standardised by its own mean and deviation over the
    random orders, as columns of many levels have larger ones; of times until an event U of the score test
    (`pyfsel.measures.survival_times`), whose deviation is known. The p-values hold for all columns together,
    however these depend on each other (Westfall and Young 1993, Algorithm 2.8: step-down maxT). Rows of one
    group (``table.groups``) stay together, and so do a row's target and its weight: weights often follow the
    target, as those that balance classes do, and targets in random order would not any more. From 1,000 rows
    on, without groups and weights, it is the `g_test` instead, which takes no orders.

    Parameters
    ----------
    table : Table
        Constant columns have the value 1.
    seed : int
    n_orders : int, optional
        Of rows; otherwise 1,000, or 200 where these would take longer than about a second, or none for the
        `g_test`.
    """
    p_values = np.ones(table.n_features)
    varying = ~table.is_constant
    is_plain = table.events is None and table.groups is None and table.weights is None
    if not varying.any():
        return p_values
    if is_plain and n_orders is None and len(table.y) >= MANY_ROWS:
        p_values[varying] = g_test(Contingency.of(table.varying))
    else:
        measured = standardised_information if table.events is None else _survival_statistics
        p_values[varying] = step_down(measured(table.varying, seed, n_orders))
    return p_values


def holm(p_values: Floats, level: float = 0.05) -> tuple[Floats, Floats]:
    """Return p-values over all of them together, and the levels at which they were compared; NaN stays NaN.

    The smallest is compared at the level divided by the number of p-values, the next by one less, …, until
    one is above; the others at the level at which it stopped (Holm, "A simple sequentially rejective multiple
    test procedure", Scandinavian Journal of Statistics 6, 1979).

    Parameters
    ----------
    p_values : array of float, shape (n,)
    level : float
        That of all together.

    Returns
    -------
    adjusted, levels : array of float, shape (n,)

    Examples
    --------
    >>> [each.round(3).tolist() for each in holm(np.array([0.03, 0.01, np.nan, 0.5]))]
    [[0.06, 0.03, nan, 0.5], [0.025, 0.017, nan, 0.025]]
    """
    order = np.argsort(p_values, kind="stable")[: int((~np.isnan(p_values)).sum())]
    left = len(order) - np.arange(len(order))
    adjusted, levels = np.full((2, len(p_values)), np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * left), 1.0)
    levels[order] = level / np.maximum(left, len(order) - (adjusted[order] <= level).sum())
    return adjusted, levels


def g_test(counts: Contingency) -> Floats:
    """Return adjusted p-values of the columns, from the counts of many rows.

    2 n times the information is about χ² of (levels − 1) · (levels of the target − 1) degrees of freedom if
    column and target are independent; over all columns by Holm's procedure. Cells of few rows make it larger
    on average. So it is divided by how much its exact expectation over all orders of the rows exceeds the
    expectation of χ² (a Bartlett correction; Williams, "Improved likelihood ratio tests for complete
    contingency tables", Biometrika 63, 1976); where the exact one is smaller, it stays as it is. Then it
    holds its level or stays below it, down to cells of less than a row on average. Without this, most random
    columns of 150 levels would be above chance in 1,000 rows of five classes.
    """
    from scipy.special import chdtrc

    freedom = np.maximum((counts.sizes - 1) * (np.count_nonzero(counts.of_target) - 1), 1)
    by_freedom = np.maximum(counts.expected_information() / freedom, 0.5 / counts.n_rows)
    return holm(chdtrc(freedom, np.maximum(counts.plain_information() / by_freedom, 0.0)))[0]


def step_down(statistics: NDArray[np.floating[Any]]) -> Floats:
    """Return adjusted p-values, from the largest statistic of all columns that are not yet rejected.

    Parameters
    ----------
    statistics : array of float, shape (1 + n_orders, n_features)
        The first row belongs to the data, the others to random orders. Larger values are more extreme.

    Examples
    --------
    >>> step_down(np.array([[3.0, 1.0], [0.0, 2.0], [2.0, 0.0], [1.0, 0.0]])).tolist()
    [0.25, 0.5]
    """
    order = np.argsort(-statistics[0], kind="stable")
    largest = np.maximum.accumulate(statistics[1:, order[::-1]], axis=1)[:, ::-1]
    reached = 1 + (largest >= statistics[0, order] - TIE).sum(axis=0)
    p_values = np.empty(len(order))
    p_values[order] = np.maximum.accumulate(reached / len(statistics))
    return p_values


def standardised_information(table: Table, seed: int, n_orders: int | None) -> NDArray[np.float32]:
    """Return the information of each column with the target, and with it in random orders, standardised.

    The parameters are the same as for `above_chance`; the result is the argument of `step_down`.
    """
    counts, found = Contingency.of(table), []
    if n_orders is None:  # as many as are affordable, by the levels of the columns
        m, (n_levels, n_classes) = len(counts.target), counts.counts.shape
        each = n_levels * (n_classes * SECONDS_PER_COUNT + m * (n_classes - 1) * SECONDS_PER_PRODUCT)
        n_orders = MANY_ORDERS if MANY_ORDERS * each <= LONG_SECONDS else FEW_ORDERS
    orders = _orders(table, counts.target, n_orders, seed)
    for information in _information(counts, orders):
        apart, deviation = information - information.mean(axis=0), information.std(axis=0)
        found.append((apart / np.where(deviation > ROUNDING, deviation, 1.0)).astype(np.float32))
    return np.concatenate(found, axis=1)


def _survival_statistics(table: Table, seed: int, n_orders: int | None) -> NDArray[np.float32]:
    """Return |U| of each column in its deviations over all orders of the rows: a correlation of residuals."""
    from pyfsel.measures.survival_times import martingale_residuals

    assert table.events is not None
    residuals = martingale_residuals(table.y, table.events, table.weights)
    orders = residuals[_orders(table, residuals, n_orders or MANY_ORDERS, seed)]
    scaled = np.sqrt(len(residuals) - 1) * standardised(orders.T).T
    blocks = [np.abs(scaled @ standardised(some.X)) for some in table.blocks()]
    return np.concatenate(blocks, axis=1).astype(np.float32)


def _orders(table: Table, target: Array, n_orders: int, seed: int) -> Ints:
    """Return the rows in their order and in random ones, shape (1 + n_orders, n_rows): whose target is whose.

    If each group has one target and weight, groups exchange theirs; otherwise rows do within their group.
    """
    rng, rows = np.random.default_rng(seed), np.arange(len(target), dtype=np.int32)
    if table.groups is None:
        return _with_orders(rows, n_orders, rng)
    _, first, group = np.unique(table.groups, return_index=True, return_inverse=True)
    each = (target,) if table.weights is None else (target, table.weights)
    if all((values == values[first][group]).all() for values in each):
        return _with_orders(rows[first], n_orders, rng)[:, group]
    orders = np.tile(rows, (1 + n_orders, 1))
    for code in range(len(first)):
        orders[:, group == code] = _with_orders(rows[group == code], n_orders, rng)
    return orders


def _with_orders(rows: Ints, n_orders: int, rng: np.random.Generator) -> Ints:
    """Return rows, and below them the same in random orders, shape (1 + n_orders, n_rows)."""
    return np.vstack([rows, rng.permuted(np.tile(rows, (n_orders, 1)), axis=1)])


def _information(counts: Contingency, orders: Ints) -> Iterator[Floats]:
    """Yield the information of some columns with each order, shape (1 + n_orders, some columns).

    Counts of all come from products of one-hot tables.
    """
    n_classes, kind = len(counts.of_target), np.float32 if counts.weights is None else np.float64
    for some in blocks(counts.sizes, max(1, ENTRIES_AT_ONCE // (len(orders) * n_classes))):
        sizes, codes = counts.sizes[some], counts.codes[:, some]
        joint = np.zeros((n_classes, len(orders), int(sizes.sum())), dtype=kind)
        for rows in slices(len(codes), ROWS_AT_ONCE):
            table, own = one_hot(codes[rows], sizes, kind), orders[:, rows]
            labels = counts.target[own]
            weights = 1 if counts.weights is None else counts.weights[own]
            for label in range(n_classes):
                joint[label] += ((labels == label) * weights).astype(kind) @ table
        of_classes = joint[:, :, : sizes[0]].sum(axis=2, dtype=float)
        of_levels = (joint[:, :1] if counts.weights is None else joint).sum(axis=0, dtype=float)
        sums = sum(x_log_x(of_class.astype(float)) for of_class in joint) - x_log_x(of_levels)
        by_column = np.add.reduceat(sums, first_levels(sizes), axis=1)
        apart = by_column - x_log_x(of_classes).sum(axis=0)[:, None]
        yield np.log(counts.total) + apart / counts.total
