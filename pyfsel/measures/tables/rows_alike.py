"""Rows that are named by a column, belong together, or are copies of each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.tables.encoded import listed, warn
from pyfsel.measures.tables.entries import column, drawn_rows, is_read, is_sparse
from pyfsel.measures.tables.oddity import Oddity, about_columns
from pyfsel.measures.tables.table import Table

FEWEST_ROWS, FEW_ROWS = 20, 100
"""In so few rows values differ, or fall together, by chance."""
HASH_SHIFT, HASH_FACTOR = 29, np.uint64(0x9E3779B97F4A7C15)
"""Fold the exponents of numbers into their digits, and spread the digits (2**64 by the golden ratio)."""
GROUP = re.compile(
    r"(.*[_ .-])?(id|patient|subject|donor|person|customer|user|machine|site|household|school|hospital"
    r"|account|batch|plate|family|device)s?([_ .-].*)?",
    re.IGNORECASE,
)


def identifiers(table: Table) -> NDArray[np.bool_]:
    """Return which columns number or name the rows: categories or consecutive whole numbers, all different.

    Examples
    --------
    >>> from pyfsel.measures.tables.table import prepare
    >>> rows = np.arange(30)
    >>> identifiers(prepare(np.column_stack([rows + 100, rows**2, rows % 7]), rows % 2)).tolist()
    [True, False, False]
    """
    n_rows = len(table.y)
    if n_rows <= FEWEST_ROWS or (is_sparse(table.X) and not is_read(table.X)):
        return np.zeros(table.n_features, dtype=bool)
    found = np.zeros(table.n_features, dtype=bool)
    drawn = table.X[drawn_rows(n_rows)]  # in these a column that names all rows differs, too
    for j in np.flatnonzero((drawn == np.floor(drawn)).all(axis=0)).tolist():
        found[j] = len(np.unique(drawn[:, j])) == len(drawn) and _names_rows(table, j, n_rows)
    return found


def _names_rows(table: Table, j: int, n_rows: int) -> bool:
    values = table.column(j)
    span = np.ptp(values)
    if span < n_rows - 1 or not (span == n_rows - 1 or table.is_discrete[j]):
        return False
    return bool((values == np.floor(values)).all()) and len(np.unique(values)) == n_rows


def say_what_numbers_rows(table: Table, named: NDArray[np.bool_]) -> None:
    """Warn that identifiers are left out."""
    if named.any():
        verb = "differs" if named.sum() == 1 else "differ"
        warn(f"X: {listed(table.feature_names, named)} {verb} in every row; left out unless forced")


def groups(table: Table) -> Iterator[Oddity]:
    """Yield columns that name groups of rows: by their name, or since each value has one class."""
    n = len(table.y)
    for j, name in enumerate(table.feature_names if n >= FEW_ROWS else ()):
        values, is_named = table.column(j), bool(GROUP.fullmatch(name))
        if not table.categories[j] and not (is_named and (values == np.floor(values)).all()):
            continue
        distinct, codes = np.unique(values, return_inverse=True)
        if max(20, n / 50) < len(distinct) <= n / 2 and (is_named or _is_pure(table, codes)):
            rows_each = f"{len(distinct)} values, {n / len(distinct):.1f} rows each"
            what = f"{{names}} has {rows_each}: rows of one may be alike"
            yield from about_columns(table, "groups", [j], what, "Keep them together: --row-groups {names}")


def _is_pure(table: Table, codes: NDArray[np.intp]) -> bool:
    """Return whether the rows of each value have one class, which shuffled classes have not."""
    if table.task != "classification":
        return False
    n = len(table.classes)

    def share(y: NDArray[Any]) -> float:
        counts = np.bincount(codes * n + y, minlength=(codes.max() + 1) * n).reshape(-1, n)
        several = counts[counts.sum(axis=1) >= 2]
        return float(((several > 0).sum(axis=1) == 1).mean()) if len(several) >= 10 else 0.0

    return share(table.y) > 0.95 and share(np.random.default_rng(0).permutation(table.y)) < 0.7


def copies(table: Table) -> Iterator[Oddity]:
    """Yield how many rows equal one before in columns, gaps and target, unless they are few.

    Where all columns are discrete, rows are equal by chance. Rows are compared by hashes, of which two in
    10¹² are equal by chance.
    """
    if table.is_discrete.all():
        return
    hashes = np.zeros(len(table.y), np.uint64)
    for values in _all_columns(table):
        bits = (values + 0.0).view(np.uint64)  # of 0 and -0 alike
        hashes = (hashes ^ (bits ^ (bits >> np.uint64(HASH_SHIFT)))) * HASH_FACTOR
    n = len(hashes) - len(np.unique(hashes))
    if n >= max(3, 0.01 * len(table.y)):
        what = f"{n:,} rows are copies of others, target included, and count as measurements of their own"
        yield Oddity("copies", (), what, "Drop them, or keep copies together with --row-groups")


def _all_columns(table: Table) -> Iterator[NDArray[np.float64]]:
    """Yield all that is known of rows, with missing values as NaN if they are values of their own."""
    yield table.y.astype(np.float64)
    if table.events is not None:
        yield table.events.astype(np.float64)
    for j in range(table.n_features):
        values = table.column(j)
        yield values if table.gaps is None else np.where(column(table.gaps, j), np.nan, values)
