"""Columns that predict the target alone: each is fitted to one half of the rows and scored on the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.tables.oddity import Oddity, about_columns
from pyfsel.measures.tables.table import Table

MOST_ROWS = 4000
"""Scores are of at most this many rows."""
FEW_ROWS = 100
"""In fewer rows a column predicts a target of two classes by chance."""
LEAK, NEAR, AHEAD = 0.995, 0.9, 0.25
LEFT_OUT = "Is it known beforehand? Otherwise {ignored}"


def leaks(table: Table, usable: NDArray[np.intp], most_columns: int) -> Iterator[Oddity]:
    """Yield the columns that predict the target perfectly, and those far ahead of all others.

    Parameters
    ----------
    table : Table
    usable : array of int
        The columns that are neither constant nor identifiers.
    most_columns : int
        Only this many of them, those with the strongest signals, are scored.
    """
    if len(usable) > most_columns:
        usable = np.sort(usable[np.argsort(-_signals(table, usable), kind="stable")[:most_columns]])
    scores = np.array([1.0 if _is_target(table, j) else 0.0 for j in usable.tolist()])
    if len(table.y) >= FEW_ROWS:
        scores = np.maximum(scores, single_scores(table, usable))
    perfect = [*usable[scores > LEAK].tolist(), *_gaps_tell(table)]
    yield from about_columns(
        table, "leak", perfect, "{names} alone predict{s} held-out rows perfectly", LEFT_OUT
    )
    is_strong = (scores > NEAR) & (scores <= LEAK)
    strong, rest = scores[is_strong], scores[scores <= NEAR]
    is_few = 0 < len(strong) <= max(1, (len(strong) + len(rest)) // 20) and len(rest) >= 2
    if is_few and strong.min() - rest.max() > AHEAD:
        what = f"{{names}} alone scores {strong.max():.2f}, the next one {rest.max():.2f}"
        yield from about_columns(table, "near leak", usable[is_strong], what, LEFT_OUT)


def single_scores(table: Table, columns: Iterable[int]) -> NDArray[np.float64]:
    """Return how well each of some columns alone predicts held-out rows: 1 is perfect, 0 as by chance.

    Balanced accuracy or R², of one half of the rows by the other, both ways. A missing value is a value, too.
    """
    rows = np.random.default_rng(0).permutation(len(table.y))[:MOST_ROWS]
    halves, y = np.array_split(np.arange(len(rows)), 2), table.y[rows]
    found = []
    for j in columns:
        values = table.column(j)[rows]
        if table.filled is not None:
            values = np.where(table.filled[rows, j], np.min(values, initial=0.0) - 1, values)
        scores = [
            [_score(one, y[b], table) for one in _predicted(values[a], y[a], values[b], table)]
            for a, b in (halves, halves[::-1])
        ]
        found.append(float(np.mean(scores, axis=0).max()))
    return np.array(found)


def _predicted(
    known: NDArray[np.float64], y: NDArray[Any], asked: NDArray[np.float64], table: Table
) -> list[NDArray[Any]]:
    """Return the target as the nearest known values have it, in one or two ways.

    A number lies between the means of the values around it. A class is the most frequent one of the nearest
    value, or of this and the two on each side of it, in which errors are outvoted.
    """
    values, codes = np.unique(known, return_inverse=True)
    if table.task != "classification":
        return [np.interp(asked, values, np.bincount(codes, y) / np.bincount(codes))]
    nearest = np.rint(np.interp(asked, values, np.arange(len(values)))).astype(np.intp)
    n = len(table.classes)
    counts = np.bincount(codes * n + y, minlength=len(values) * n).reshape(-1, n)
    sums = np.cumsum(np.pad(counts, ((3, 2), (0, 0))), axis=0)
    return [each.argmax(axis=1)[nearest] for each in (counts, sums[5:] - sums[:-5])]


def _score(predicted: NDArray[Any], y: NDArray[Any], table: Table) -> float:
    if table.task != "classification":
        spread = float(y.var())
        return 1 - float(((y - predicted) ** 2).mean()) / spread if spread else 0.0
    counts = np.bincount(y)
    present = counts > 0
    hits = np.bincount(y, predicted == y)[present] / counts[present]
    chance = 1 / len(hits)
    return float((hits.mean() - chance) / (1 - chance)) if len(hits) > 1 else 0.0


def _signals(table: Table, columns: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return how much the means of columns differ by class, or half of the target; categories are first."""
    X = table.X[:, columns]
    y = table.y if table.task == "classification" else table.y > np.median(table.y)
    spread = np.ptp([X[y == code].mean(axis=0) for code in np.unique(y)], axis=0)
    return np.where(table.is_discrete[columns], np.inf, spread / X.std(axis=0))


def _is_target(table: Table, j: int) -> bool:
    """Return whether values belong to the classes one to one, or are equal to the target."""
    values = table.column(j)
    if table.task != "classification":
        return bool((values == table.y).all())
    if np.ptp(values[table.y == table.y[0]]):
        return False
    distinct, codes = np.unique(values, return_inverse=True)
    pairs = np.unique(codes * len(table.classes) + table.y)
    return len(distinct) == len(table.classes) == len(pairs)


def _gaps_tell(table: Table) -> list[int]:
    """Return columns whose values are missing exactly for some classes."""
    if table.filled is None or table.task != "classification" or len(table.y) < FEW_ROWS:
        return []
    rates = np.array([table.filled[table.y == code].mean(axis=0) for code in range(len(table.classes))])
    tell = np.isin(rates, (0, 1)).all(axis=0) & (np.ptp(rates, axis=0) > 0)
    share = table.filled.mean(axis=0)
    return np.flatnonzero(tell & (share > 0.02) & (share < 0.98)).tolist()
