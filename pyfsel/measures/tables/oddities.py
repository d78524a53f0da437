"""Warnings about a table, before anything is proved about its columns."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.tables.encoded import listed, warn
from pyfsel.measures.tables.entries import is_sparse
from pyfsel.measures.tables.table import Table
from pyfsel.measures.tables.times import UNSUPERVISED

FEWEST_ROWS = 20
"""In so few rows values differ by chance."""
HASH_SHIFT, HASH_FACTOR = 29, np.uint64(0x9E3779B97F4A7C15)
"""Fold the exponents of numbers into their digits, and spread the digits (2**64 by the golden ratio)."""
TIME = re.compile(
    r"(.*[_ .-])?(time|duration|survival|fu|follow[_ .-]?up|os|pfs|tte)([_ .-].*)?", re.IGNORECASE
)
EVENT = re.compile(
    r"(.*[_ .-])?(event|status|death|dead|died|deceased|censor\w*|relapse)([_ .-].*)?", re.IGNORECASE
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
    if n_rows <= FEWEST_ROWS or is_sparse(table.X):
        return np.zeros(table.n_features, dtype=bool)
    return np.array([_names_rows(table, j, n_rows) for j in range(table.n_features)], dtype=bool)


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


def say_what_is_odd(table: Table) -> None:
    """Warn of columns that are the target by another name, classes of one row, and rows that stand twice."""
    if is_sparse(table.X) or table.task == UNSUPERVISED:
        return
    if len(table.classes) == len(table.y):
        warn("y: differs in every row; an identifier cannot be predicted")
        return
    same = _say_target(table)
    if same.any():
        what = "tells" if same.sum() == 1 else "tell"
        warn(f"X: {listed(table.feature_names, same)} {what} the target exactly; is it known beforehand?")
    _say_survival(table)
    single = int((np.bincount(table.y) == 1).sum()) if table.task == "classification" else 0
    if single:
        verb = "has" if single == 1 else "have"
        warn(f"y: {single} of {len(table.classes)} classes {verb} one row only")
    twice = _copies_of_rows(table)
    if twice:
        what = "row is a copy of another" if twice == 1 else "rows are copies of others"
        warn(f"X: {twice} {what}, target included; chance and errors count each as a measurement of its own")


def _say_survival(table: Table) -> None:
    """Warn of a time beside an event as the target, and of an event beside a time, by their names."""
    if len(table.classes) == 2:
        times = _named(table, TIME) & ~table.is_discrete & (table.X.min(axis=0) >= 0)
        if times.any():
            warn(
                f"X: {listed(table.feature_names, times)} may be the time until the event that is the "
                "target; then it is not known beforehand, and rows followed for a short time mislead"
            )
    elif table.task == "regression" and table.y.min() >= 0:
        events = _named(table, EVENT)
        for j in np.flatnonzero(events).tolist():
            events[j] = len(np.unique(table.column(j))) == 2
        if events.any():
            warn(
                f"X: {listed(table.feature_names, events)} may tell whether the event happened whose time "
                "is the target; then it is not known beforehand, and the time without event is a least one"
            )


def _named(table: Table, pattern: re.Pattern[str]) -> NDArray[np.bool_]:
    return np.array([bool(pattern.fullmatch(name)) for name in table.feature_names])


def _say_target(table: Table) -> NDArray[np.bool_]:
    """Return which columns have values that belong to the classes one to one, or are equal to the target."""
    found = np.zeros(table.n_features, dtype=bool)
    if table.task != "classification":
        for j in np.flatnonzero(table.X[0] == table.y[0]).tolist():
            found[j] = (table.column(j) == table.y).all()
        return found
    of_first = table.X[table.y == table.y[0]]
    for j in np.flatnonzero((of_first == of_first[0]).all(axis=0)).tolist():
        distinct, codes = np.unique(table.column(j), return_inverse=True)
        pairs = np.unique(codes * len(table.classes) + table.y)
        found[j] = len(distinct) == len(table.classes) == len(pairs)
    return found


def _copies_of_rows(table: Table) -> int:
    """Return how many rows equal one before in columns and target, where numbers make that unlikely.

    Only rows of one hash are compared with each other, entry by entry.
    """
    if table.is_discrete.all():
        return 0
    target = [table.y.astype(np.float64)] + (
        [] if table.events is None else [table.events.astype(np.float64)]
    )
    hashes = np.zeros(len(table.y), np.uint64)
    for values in (*(table.column(j) for j in range(table.n_features)), *target):
        bits = (values + 0.0).view(np.uint64)  # of 0 and -0 alike
        hashes = (hashes ^ (bits ^ (bits >> np.uint64(HASH_SHIFT)))) * HASH_FACTOR
    _, which, times = np.unique(hashes, return_inverse=True, return_counts=True)
    rows = np.flatnonzero(times[which] > 1)
    suspected = np.column_stack([table.X[rows], *(values[rows] for values in target)])
    if table.gaps is not None:
        suspected = np.column_stack([suspected, table.gaps[rows]])
    return len(rows) - len(np.unique(suspected, axis=0))
