"""Absolute correlations, those with their signs, and the F statistic."""

from __future__ import annotations

from collections.abc import Callable
from tempfile import TemporaryFile
from typing import Any

import numpy as np

from pyfsel.core.arrays import ShortInts
from pyfsel.errors import InputError, warn
from pyfsel.measures.arrays import Array, Floats, one_thread
from pyfsel.measures.tables.encoded import listed
from pyfsel.measures.tables.entries import as_dense, centred
from pyfsel.measures.tables.table import Columns, Table

LARGEST_F = 1e12
BITS_OF_LENGTH = 26
ROWS_AT_ONCE = 8192
"""The numbers of this many rows of a few hundred columns fit into the cache of a processor."""


def pearson(table: Table) -> Floats:
    """Absolute Pearson correlation with the target, in [0, 1].

    For classes it is the multiple correlation with the class indicators (the correlation ratio): for two
    classes that is the absolute correlation with 0 and 1, for more it does not depend on their order.
    """
    return table.by_blocks(lambda some: _with_target(some.X, table.y, table))


def spearman(table: Table) -> Floats:
    """Absolute Spearman correlation with the target, in [0, 1]: `pearson` of the ranks."""
    weights = table.weights
    y = table.y if table.task == "classification" else ranks(table.y, weights)
    return table.by_blocks(lambda some: _with_target(ranks(some.X, weights), y, table))


def pearson_pairs(columns: Columns) -> Floats:
    """Absolute Pearson correlation of all pairs; text columns count by their codes."""
    return np.abs(all_pairs(columns, np.asarray))


def spearman_pairs(columns: Columns) -> Floats:
    """Absolute Spearman correlation of all pairs; text columns count by their codes."""
    return np.abs(all_pairs(columns, lambda X: ranks(X, columns.weights)))


def signed_correlations(table: Table) -> tuple[Floats, Floats]:
    """Return the Pearson correlations with the target and of all pairs, with their signs.

    Of two classes the second counts as 1; text columns count by their codes.

    Raises
    ------
    InputError
        If there are more than two classes.
    """
    y = table.y
    if table.task == "classification":
        if len(table.classes) > 2:
            raise InputError(
                f"y: has {len(table.classes)} classes; objective='r2' takes numbers or two classes"
            )
        y = (y == y.max()).astype(np.float64)
    target = standardised(y[:, None].astype(np.float64), table.weights)[:, 0]
    with_target = table.by_blocks(lambda some: target @ standardised(some.X, table.weights))
    return np.clip(with_target, -1.0, 1.0), all_pairs(table, np.asarray)


def all_pairs(columns: Columns, scored: Callable[[Floats], Floats]) -> Floats:
    """Return the correlations of all pairs of columns, of what a function makes of their values.

    Columns of a table that is read in parts lie in a temporary file, rounded to whole numbers of length 2²⁶:
    no sum of products is beyond 2⁵³ (Cauchy and Schwarz), so it is exact in whatever order rows are added.
    """
    weights, (n_rows, n) = columns.weights, columns.X.shape
    if columns.coded is None:
        Z = standardised(scored(as_dense(columns.X)), weights)
        return np.clip(Z.T @ Z, -1.0, 1.0)
    total, room = np.zeros((n, n)), np.empty((n, min(ROWS_AT_ONCE, n_rows)), np.int32)
    with TemporaryFile(buffering=0) as opened:
        file: Any = opened
        for block in columns.blocks():
            file.write(np.ascontiguousarray(whole_numbers(scored(block.X), weights).T))
        for begin in range(0, n_rows, ROWS_AT_ONCE):
            some = room[:, : n_rows - begin]
            for j, row in enumerate(some):
                file.seek((j * n_rows + begin) * room.itemsize)
                file.readinto(row)
            z = some.astype(np.float64)
            with one_thread():
                total += z @ z.T
    return np.clip(total / 2.0 ** (2 * BITS_OF_LENGTH), -1.0, 1.0)


def whole_numbers(X: Floats, weights: Floats | None = None) -> ShortInts:
    """Return columns of mean 0 and length 2²⁶, rounded."""
    Z = standardised(X, weights)
    Z *= 2.0**BITS_OF_LENGTH
    return np.rint(Z, out=Z).astype(np.int32)


def f_statistic(table: Table) -> Floats:
    """F statistic: analysis of variance for classes, of the linear fit for regression.

    A feature that separates the classes or fits the target without error has an infinite F: values above
    1e12 are set to ten times the largest other value (at least 1), with a warning.
    """
    from sklearn.feature_selection import f_classif, f_regression

    of_columns = f_classif if table.task == "classification" else f_regression
    with np.errstate(divide="ignore", invalid="ignore"):
        f = table.by_blocks(lambda some: of_columns(standardised(some.X), table.y)[0])
    perfect = ~((f >= 0) & (f <= LARGEST_F))  # rounded remainders may be below 0
    if perfect.any():
        warn(f"f_statistic: {listed(table.feature_names, perfect)} fits without error; its F is capped")
        f[perfect] = max(1.0, 10 * f[~perfect].max(initial=0.0))
    return f


def standardised(X: Floats, weights: Floats | None = None) -> Floats:
    """Return columns of mean 0 and length 1.

    With weights the mean is the weighted one, and each row is multiplied by the root of its weight, so
    products of columns are weighted sums.
    """
    apart = centred(X, weights)
    if weights is not None:
        apart *= np.sqrt(weights)[:, None]
    length = np.sqrt(np.einsum("ij,ij->j", apart, apart))
    apart /= np.where(length > 0, length, 1.0)
    return apart


def _with_target(X: Floats, y: Array, table: Table) -> Floats:
    """Return correlations with the target; each row counts as often as its weight says.

    They are the lengths of products with the standardised target, or with indicators of classes, of length 1.
    """
    Z, weights = standardised(X, table.weights), table.weights
    if table.task == "regression":
        found = standardised(y[:, None], weights).T @ Z
    else:
        of_classes = np.bincount(y, weights).astype(np.float64)
        of_classes[of_classes == 0] = np.inf
        roots = 1.0 if weights is None else np.sqrt(weights)
        sums = np.array([np.bincount(y, roots * z, len(of_classes)) for z in Z.T])
        found = (sums / np.sqrt(of_classes)).T
    return np.asarray(np.sqrt(np.minimum((found**2).sum(axis=0), 1.0)))


def ranks(numbers: Floats, weights: Floats | None = None) -> Floats:
    """Return the ranks of the values of each column; equal values share their mean rank.

    With weights they are those among the rows repeated as often as their weights say. Unsigned integers are
    taken as numbers of levels.

    Examples
    --------
    >>> ranks(np.array([7.0, 3.0, 3.0, 9.0])).tolist()
    [3.0, 1.5, 1.5, 4.0]
    >>> ranks(np.array([7.0, 3.0, 9.0]), np.array([1.0, 2.0, 0.0])).tolist()
    [3.0, 1.5, 3.5]
    """
    if numbers.ndim > 1:
        return np.array([ranks(column, weights) for column in numbers.T]).T
    is_coded = numbers.dtype.kind == "u"
    codes: Any = numbers if is_coded else np.unique(numbers, return_inverse=True)[1]
    times = np.bincount(codes, weights)
    return np.asarray((np.cumsum(times) - (times - 1) / 2)[codes])
