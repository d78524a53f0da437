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
    is_exact = np.array([_is_target(table, int(j)) for j in usable], dtype=np.bool_)
    is_long = len(table.y) >= FEW_ROWS
    scores = single_scores(table, usable) if is_long else np.where(is_exact, 1.0, 0.0)
    is_leak = is_exact | (scores > LEAK)
    perfect = [*usable[is_leak].tolist(), *_gaps_tell(table)]
    yield from about_columns(
        table, "leak", perfect, "{names} alone predict{s} held-out rows perfectly", LEFT_OUT
    )
    others = scores[~is_leak]
    strong, rest = others[others > NEAR], others[others <= NEAR]
    is_few = 0 < len(strong) <= max(1, len(others) // 20) and len(rest) >= 2
    if is_few and strong.min() - rest.max() > AHEAD:
        what = f"{{names}} alone scores {strong.max():.2f}, the next one {rest.max():.2f}"
        yield from about_columns(table, "near leak", usable[~is_leak][others > NEAR], what, LEFT_OUT)


def single_scores(table: Table, columns: Iterable[int]) -> NDArray[np.float64]:
    """Return how well each of some columns alone predicts held-out rows: 1 is perfect, 0 as by chance.

    A category predicts the most frequent class, or the mean, of its training rows; a number what its nearest
    training rows have. Balanced accuracy or R², of one half of the rows by the other, both ways.
    """
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(table.y))[:MOST_ROWS]
    half = len(rows) // 2
    y = table.y[rows]
    found = []
    for j in columns:
        values = table.column(j)[rows]
        if table.filled is not None:
            values = np.where(table.filled[rows, j], np.min(values, initial=0.0) - 1, values)
        predict = _by_level if table.is_discrete[j] else _by_nearest
        parts = [(np.arange(half), np.arange(half, len(rows))), (np.arange(half, len(rows)), np.arange(half))]
        scores = [
            [_score(table, one, y[b]) for one in predict(values[a], y[a], values[b], table)] for a, b in parts
        ]
        found.append(float(np.mean(scores, axis=0).max()))
    return np.array(found)


def _by_level(known: NDArray[Any], y: NDArray[Any], asked: NDArray[Any], table: Table) -> list[NDArray[Any]]:
    levels, codes = np.unique(known, return_inverse=True)
    places = np.minimum(np.searchsorted(levels, asked), len(levels) - 1)
    is_known = levels[places] == asked
    if table.task != "classification":
        means = np.bincount(codes, y) / np.bincount(codes)
        return [np.where(is_known, means[places], y.mean())]
    n = len(table.classes)
    counts = np.bincount(codes * n + y, minlength=len(levels) * n).reshape(-1, n)
    return [np.where(is_known, counts.argmax(axis=1)[places], np.bincount(y).argmax())]


def _by_nearest(
    known: NDArray[Any], y: NDArray[Any], asked: NDArray[Any], table: Table
) -> list[NDArray[Any]]:
    """Return what the nearest row has and what most of five have, or numbers in between."""
    if table.task != "classification":
        values, codes = np.unique(known, return_inverse=True)
        return [np.interp(asked, values, np.bincount(codes, y) / np.bincount(codes))]
    order = np.argsort(known, kind="stable")
    ordered = known[order]
    places = np.searchsorted(ordered, asked)
    after, before = np.minimum(places, len(known) - 1), np.maximum(places - 1, 0)
    nearest = np.where(np.abs(ordered[after] - asked) < np.abs(ordered[before] - asked), after, before)
    near = np.clip(places[:, None] + np.arange(-2, 3), 0, len(known) - 1)
    votes = np.zeros((len(asked), len(table.classes)))
    np.add.at(votes, (np.arange(len(asked))[:, None], y[order][near]), 1)
    return [y[order][nearest], votes.argmax(axis=1)]


def _score(table: Table, predicted: NDArray[Any], y: NDArray[Any]) -> float:
    if table.task != "classification":
        spread = float(((y - y.mean()) ** 2).mean())
        return 1 - float(((y - predicted) ** 2).mean()) / spread if spread else 0.0
    counts = np.bincount(y)
    present = counts > 0
    hits = np.bincount(y, predicted == y)[present] / counts[present]
    chance = 1 / len(hits)
    return float((hits.mean() - chance) / (1 - chance)) if len(hits) > 1 else 0.0


def _signals(table: Table, columns: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return how much the means of columns differ by class, or half of the target; categories are first."""
    X = table.X[:, columns]
    spread = X.std(axis=0)
    centred = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    y = table.y if table.task == "classification" else table.y > np.median(table.y)
    found = np.ptp([centred[y == code].mean(axis=0) for code in np.unique(y)], axis=0)
    return np.where(table.is_discrete[columns], np.inf, found)


def _is_target(table: Table, j: int) -> bool:
    """Return whether values belong to the classes one to one, or are equal to the target."""
    values = table.column(j)
    if table.task != "classification":
        return bool((values == table.y).all())
    first = values[table.y == table.y[0]]
    if (first != first[0]).any():
        return False
    distinct, codes = np.unique(values, return_inverse=True)
    pairs = np.unique(codes * len(table.classes) + table.y)
    return len(distinct) == len(table.classes) == len(pairs)


def _gaps_tell(table: Table) -> list[int]:
    """Return columns whose values are missing exactly for some classes."""
    if table.filled is None or table.task != "classification" or len(table.y) < FEW_ROWS:
        return []
    n, found = len(table.classes), []
    for j in np.flatnonzero(table.filled.any(axis=0)).tolist():
        gaps = table.filled[:, j]
        counts = np.bincount(gaps * n + table.y, minlength=2 * n).reshape(2, n)
        if 0.02 < gaps.mean() < 0.98 and ((counts > 0).sum(axis=0) == 1).all():
            found.append(j)
    return found
