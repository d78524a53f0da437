"""Oddities of a table: leaks, rows that are named or alike, and codes of missing values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import warn
from pyfsel.measures.tables.encoded import listed
from pyfsel.measures.tables.entries import column, drawn_rows, is_read, is_sparse
from pyfsel.measures.tables.table import Table
from pyfsel.problem.wording import number_of

MOST_NAMES = 3
MOST_ROWS = 4000
"""Scores are of at most this many rows."""
FEW_ROWS = 100
"""In fewer rows a column predicts a target of two classes, or has one class for each value, by chance."""
LEAK, NEAR, AHEAD = 0.995, 0.9, 0.25
LEFT_OUT = "Is it known beforehand? Otherwise {ignored}"
FEWEST_ROWS = 20
"""In so few rows values differ by chance, and of fewer values no code is known."""
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""2**64 by the golden ratio: with it hashes of columns are put together to one of their rows."""
GROUP = re.compile(
    r"(.*[_ .-])?(id|patient|subject|donor|person|customer|user|machine|site|household|school|hospital"
    r"|account|batch|plate|family|device)s?([_ .-].*)?",
    re.IGNORECASE,
)
CODES = (0, 9, 88, 98, 99, 998, 999, 9998, 9999, 99999, -1, -2, -7, -8, -9, -88, -98, -99, -999, -9999)
MOST_ROWS_OF_CODES, FEWEST_CODES = 20_000, 0.005
"""Codes are looked for in at most this many rows, of which at least this part has one."""


@dataclass(frozen=True)
class Oddity:
    """What is odd about a table, in one line.

    Parameters
    ----------
    kind : str
        "leak", "near leak", "survival", "groups", "codes", "copies", "target", "order", "class", "rows" or
        "identifier".
    columns : tuple of str
    what : str
        What is odd, and why it matters.
    remedy : str
        What to do.
    """

    kind: str
    columns: tuple[str, ...]
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}. {self.remedy}."


def about_columns(table: Table, kind: str, columns: Iterable[int], what: str, remedy: str) -> list[Oddity]:
    """Return one oddity of some columns, none if there are none.

    Parameters
    ----------
    table : Table
    kind : str
    columns : iterable of int
    what, remedy : str
        With ``{names}``, ``{ignored}`` (options that leave them out), and ``{s}`` and ``{have}`` for verbs.
    """
    names = tuple(table.feature_names[int(j)] for j in dict.fromkeys(columns))
    if not names:
        return []
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    words = {
        "{have}": "has" if len(names) == 1 else "have",
        "{s}": "s" if len(names) == 1 else "",
        "{ignored}": " ".join(f"--ignore {quote(name)}" for name in names[:MOST_NAMES]),
        "{names}": f"{', '.join(names[:MOST_NAMES])}{more}",
    }
    for word, value in words.items():
        what, remedy = what.replace(word, value), remedy.replace(word, value)
    return [Oddity(kind, names, what, remedy)]


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
    perfect = usable[scores > LEAK].tolist()
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
    spread, deviation = np.ptp([X[y == code].mean(axis=0) for code in np.unique(y)], axis=0), X.std(axis=0)
    return np.where(table.is_discrete[columns], np.inf, spread / np.where(deviation > 0, deviation, 1.0))


def _is_target(table: Table, j: int) -> bool:
    """Return whether values belong to the classes one to one, or are equal to the target."""
    values = table.column(j)
    if table.task != "classification":
        return bool((values == table.y).all())
    distinct, codes = np.unique(values, return_inverse=True)
    pairs = np.unique(codes * len(table.classes) + table.y)
    return len(distinct) == len(table.classes) == len(pairs)


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
    from pandas.util import hash_array

    hashes = np.zeros(len(table.y), np.uint64)
    for values in _all_columns(table):
        hashes = (hashes ^ hash_array(values + 0.0)) * HASH_FACTOR  # of 0 and -0 alike
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


def codes_apart(table: Table) -> Iterator[Oddity]:
    """Yield values that stand apart from all others, each with its columns."""
    by_code = dict[float, dict[int, int]]()
    rows = np.random.default_rng(0).permutation(len(table.y))[:MOST_ROWS_OF_CODES]
    n_whole = (table.X[rows] == np.floor(table.X[rows])).sum(axis=0)
    for j in np.flatnonzero(~table.categories & ~table.is_constant & (n_whole >= 3)).tolist():
        values = table.column(j)
        drawn = values[rows] if table.filled is None else values[rows[~table.filled[rows, j]]]
        for code in _apart(drawn):
            by_code.setdefault(code, {})[j] = int((values == code).sum())
    for code, counts in by_code.items():
        each = [f"{table.feature_names[j]} ({number_of(n, 'row')})" for j, n in counts.items()]
        more = f" and {len(each) - MOST_NAMES} more columns" if len(each) > MOST_NAMES else ""
        yield from about_columns(
            table,
            "codes",
            counts,
            f"{code:g} stands apart in {', '.join(each[:MOST_NAMES])}{more}",
            f"If it means missing: --missing-codes {table.feature_names[next(iter(counts))]}={code:g}",
        )


def _apart(values: NDArray[np.float64]) -> list[float]:
    """Return values that may be codes: behind a gap on either side of all others, or the only negative ones.

    The next whole number after all others is none, as 9 after 1 to 8 is not, and 0 only if it is rare.
    """
    distinct, counts = np.unique(values, return_counts=True)
    is_whole, found = bool((distinct == np.floor(distinct)).all()), []
    is_frequent = counts >= max(3, FEWEST_CODES * len(values))
    for code in distinct[np.isin(distinct, CODES) & is_frequent].tolist():
        others = [one for one in CODES if abs(one) > 9 and (one < 0) == (code < 0)]
        rest = values[(values != code) & ~np.isin(values, others)]
        if len(rest) < max(FEWEST_ROWS, 0.5 * len(values)) or np.ptp(rest) == 0:
            continue
        distance = max(float(rest.min()) - code, code - float(rest.max()))
        spread = float(np.ptp(np.quantile(rest, [0.01, 0.99])))
        is_next = is_whole and distance <= 1.5 and (code > 0 or rest.max() <= 1)
        is_count = code == 0 and (len(distinct) <= FEWEST_ROWS or len(rest) < 0.9 * len(values))
        is_far = distance > (0.5 if code else 0.3) * spread or code < 0 <= rest.min()
        if distance > 0 and is_far and not is_next and not is_count:
            found.append(code)
    return found
