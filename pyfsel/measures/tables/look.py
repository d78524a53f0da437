"""A look at a table before the search: leaks, groups, identifiers, codes of missing values, copies of rows.

Each rule was tuned on 44 tables until few alarms were false; a test keeps their rate on other tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.tables.encoded import listed, warn
from pyfsel.measures.tables.encoding import encode_target
from pyfsel.measures.tables.entries import is_sparse
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.measures.tables.times import UNSUPERVISED
from pyfsel.problem.wording import number_of
from pyfsel.results.display import Part, SetsTable, Shown

if TYPE_CHECKING:
    import pandas as pd

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
GROUP = re.compile(
    r"(.*[_ .-])?(id|patient|subject|donor|person|customer|user|machine|site|household|school|hospital"
    r"|account|batch|plate|family|device)s?([_ .-].*)?",
    re.IGNORECASE,
)
CODES = (9, 88, 98, 99, 998, 999, 9998, 9999, 99999, -1, -2, -7, -8, -9, -88, -98, -99, -999, -9999)
SCALES = tuple(
    scale.split("|")
    for scale in (
        "strongly disagree|disagree|neither|neutral|agree|strongly agree",
        "very poor|poor|fair|good|very good|excellent",
        "never|rarely|sometimes|often|always",
        "very low|low|medium|high|very high",
        "none|mild|moderate|severe",
        "small|medium|large",
        "bad|average|good",
        "very dissatisfied|dissatisfied|neutral|satisfied|very satisfied",
        "primary|secondary|tertiary",
        "no|sometimes|yes",
        "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
        "mon|tue|wed|thu|fri|sat|sun",
        "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    )
)
MISLEADING = ("leak", "near leak", "survival", "groups", "codes", "copies", "target")
"""Kinds of which a search is told; the others are for a look."""
MOST_LINES, FEW_LINES, MOST_NAMES = 7, 2, 3
MOST_COLUMNS, FEW_COLUMNS = 2000, 300
"""Single columns are scored for at most this many columns, in a look and before a search."""
MOST_ROWS = 4000
"""Scores of single columns are of at most this many rows."""
ROWS_OF_CODES = 20_000
"""Codes of missing values are looked for in at most this many rows."""
FEW_ROWS = 100
"""In fewer rows a column tells a target of two classes by chance."""
LEAK, NEAR, AHEAD = 0.995, 0.9, 0.25
SEED = 0


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


Found = tuple[Sequence[int] | NDArray[np.intp] | None, dict[str, Any]]
"""Columns that a check finds, or None if it is about the table, and what its sentence needs of them."""


@dataclass(frozen=True, eq=False)
class Seen:
    """A table that is looked at, and what several checks need of it.

    Parameters
    ----------
    table : Table
    most_columns : int
        Single columns are scored for at most this many.
    """

    table: Table
    most_columns: int

    @cached_property
    def of_classes(self) -> NDArray[np.intp]:
        """The rows of each class; nothing for other targets."""
        is_class = self.table.task == "classification"
        return np.bincount(self.table.y) if is_class else np.zeros(0, np.intp)

    @cached_property
    def alone(self) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.float64]]:
        """Columns, which of them predict the target perfectly, and how well each one does alone."""
        table = self.table
        usable = np.flatnonzero(~table.is_constant & ~identifiers(table))
        if len(usable) > self.most_columns:
            best = np.argsort(-_signals(table, usable), kind="stable")[: self.most_columns]
            usable = np.sort(usable[best])
        exact = np.array([_is_target(table, int(j)) for j in usable], dtype=np.bool_)
        is_long = len(table.y) >= FEW_ROWS
        scores = single_scores(table, usable) if is_long else np.where(exact, 1.0, 0.0)
        return usable, exact | (scores > LEAK), scores


@dataclass(frozen=True)
class Check:
    """One thing that is looked for.

    Parameters
    ----------
    kind : str
        As that of `Oddity`.
    find : callable
        Yields what is found in a `Seen` table.
    what, remedy : str
        Sentences with the names of columns, of the first one, options that ignore them, endings of verbs, and
        the values found.
    """

    kind: str
    find: Callable[[Seen], Iterator[Found]]
    what: str
    remedy: str

    def oddities(self, seen: Seen) -> Iterator[Oddity]:
        """Yield what is found, in words."""
        for columns, values in self.find(seen):
            names = _names(seen.table, () if columns is None else columns)
            if columns is not None and not names:
                continue
            words = {
                "names": _listed(names),
                "first": names[0] if names else "",
                "ignored": _ignored(names),
                "s": "s" if len(names) == 1 else "",
                "have": "has" if len(names) == 1 else "have",
            } | values
            yield Oddity(self.kind, names, self.what.format(**words), self.remedy.format(**words))


@dataclass(frozen=True, eq=False)
class Look(Shown):
    """What is odd about a table, the most harmful first.

    Parameters
    ----------
    oddities : tuple of Oddity
    n_rows, n_features : int
    """

    oddities: tuple[Oddity, ...]
    n_rows: int
    n_features: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per oddity: kind, columns, what, remedy."""
        import pandas as pd

        rows = [asdict(one) | {"columns": list(one.columns)} for one in self.oddities]
        return pd.DataFrame(rows, columns=["kind", "columns", "what", "remedy"])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "n_rows": self.n_rows,
            "n_features": self.n_features,
            "oddities": [asdict(one) | {"columns": list(one.columns)} for one in self.oddities],
        }

    def parts(self, overlap_rule: str = "") -> list[Part]:
        """Return what is shown of it: at most seven lines."""
        table = f"{self.n_rows:,} rows, {number_of(self.n_features, 'feature')}"
        if not self.oddities:
            return [f"{table}: nothing odd was found."]
        shown = SetsTable(["", "what was noticed"], (), "what to do")
        for one in self.oddities[:MOST_LINES]:
            shown.add_row([one.kind, one.what], [one.remedy])
        more = len(self.oddities) - MOST_LINES
        left = [f"and {more} more (--format json lists all)"] if more > 0 else []
        return [f"{table}:", shown, *left]


def look(X: Any, y: Any, *, task: str = "auto", dates: str = "number") -> Look:
    """Look for what makes a selection misleading: leaks, groups of rows, codes of missing values, copies.

    Parameters
    ----------
    X : DataFrame or array, shape (n_rows, n_features)
    y : array or Series, shape (n_rows,)
        Rows without a target are left out.
    task : {"auto", "classification", "regression"}
    dates : {"number", "error"}

    Returns
    -------
    Look

    Raises
    ------
    InputError
        If the table cannot be read.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> found = look(np.column_stack([rng.normal(size=200), 10 * y + rng.random(200)]), y)
    >>> [(one.kind, one.columns) for one in found.oddities]
    [('leak', ('x1',))]
    """
    has_target = encode_target(y).codes >= 0
    n_gaps = int((~has_target).sum())
    if n_gaps:
        X = X.iloc[has_target] if hasattr(X, "iloc") else np.asarray(X)[has_target]
        y = y.iloc[has_target] if hasattr(y, "iloc") else np.asarray(y)[has_target]
    with catch_warnings():
        simplefilter("ignore", UserWarning)
        table = prepare(X, y, task=task, missing="category", dates=dates).dense()
    found = list(oddities(table, MOST_COLUMNS))
    if n_gaps:
        what = f"the target is missing in {number_of(n_gaps, 'row')}, from which nothing can be learnt"
        found.append(Oddity("target", (), what, "They are left out"))
    return Look(tuple(found), len(table.y), table.n_features)


def say_what_is_odd(table: Table) -> None:
    """Warn of the most harmful oddities of a table, in two lines; `look` shows all."""
    found = [one for one in oddities(table, FEW_COLUMNS) if one.kind in MISLEADING]
    more = f" (and {len(found) - FEW_LINES} more: pyfsel look)" if len(found) > FEW_LINES else ""
    for number, one in enumerate(found[:FEW_LINES], 1):
        warn(f"{one.kind}: {one}{more if number == FEW_LINES else ''}")


def marks(table: Table, sets: Iterable[Iterable[int]]) -> str:
    """Return in words which features of some sets are leaks, or far ahead of all others; "" if none is.

    Parameters
    ----------
    table : Table
    sets : iterable of feature sets
        0-based positions in the table.
    """
    if table.coded is not None:
        return ""
    table, listed_sets = table.dense(), [list(members) for members in sets]
    inside = {table.feature_names[j] for members in listed_sets for j in members}
    lines = []
    for one in oddities(table, FEW_COLUMNS):
        for name in one.columns if one.kind in ("leak", "near leak") else ():
            if name in inside:
                where = [
                    str(s)
                    for s, members in enumerate(listed_sets)
                    if table.feature_names.index(name) in members
                ]
                lines.append(f"{name} ({one.kind}) is in set {', '.join(where)}")
    return "; ".join(lines)


def oddities(table: Table, most_columns: int) -> Iterator[Oddity]:
    """Yield what is odd about a table, the most harmful first; columns of one kind are together."""
    seen = Seen(table, most_columns)
    if is_sparse(table.X) or table.task == UNSUPERVISED:
        return
    if len(table.classes) == len(table.y) > 2:
        yield Oddity("target", (), "the target differs in every row", "An identifier cannot be predicted")
        return
    for check in CHECKS:
        yield from check.oddities(seen)


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
    if table.coded is not None:
        return np.asarray(table.is_discrete & (table.coded.sizes == n_rows))
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


def single_scores(table: Table, columns: Iterable[int]) -> NDArray[np.float64]:
    """Return how well each of some columns alone predicts held-out rows: 1 is perfect, 0 as by chance.

    A category predicts the most frequent class, or the mean, of its training rows; a number what its nearest
    training rows have. Balanced accuracy or R², of one half of the rows by the other, both ways.
    """
    rng = np.random.default_rng(SEED)
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


def _leaks(seen: Seen) -> Iterator[Found]:
    """Yield columns that predict the target alone: exactly, or by their missing values."""
    usable, is_leak, _ = seen.alone
    yield [*usable[is_leak].tolist(), *_gaps_tell(seen.table)], {}


def _near_leaks(seen: Seen) -> Iterator[Found]:
    """Yield columns that predict the target far better than all others."""
    usable, is_leak, scores = seen.alone
    others = scores[~is_leak]
    strong = others > NEAR
    rest = others[~strong]
    is_few = 0 < strong.sum() <= max(1, len(others) // 20) and len(rest) >= 2
    if is_few and others[strong].min() - rest.max() > AHEAD:
        yield usable[~is_leak][strong], {"best": others[strong].max(), "next": rest.max()}


def _signals(table: Table, columns: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return how much the means of some columns differ by class, or follow the target; categories first."""
    X = table.X[:, columns]
    spread = X.std(axis=0)
    centred = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    if table.task != "classification":
        y = np.asarray(table.y, dtype=np.float64)
        found: NDArray[np.float64] = np.abs(centred.T @ (y - y.mean()))
    else:
        means = [centred[table.y == code].mean(axis=0) for code in np.unique(table.y)]
        found = np.ptp(means, axis=0)
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


def _times(seen: Seen) -> Iterator[Found]:
    """Yield times next to an event as the target, by their names."""
    table = seen.table
    if len(table.classes) == 2:
        yield np.flatnonzero(_matching(table, TIME) & ~table.is_discrete & (table.X.min(axis=0) >= 0)), {}


def _events(seen: Seen) -> Iterator[Found]:
    """Yield events next to a time as the target, by their names."""
    table = seen.table
    if table.task == "regression" and table.y.min() >= 0:
        events = np.flatnonzero(_matching(table, EVENT)).tolist()
        yield [j for j in events if len(np.unique(table.column(j))) == 2], {}


def _matching(table: Table, pattern: re.Pattern[str]) -> NDArray[np.bool_]:
    return np.array([bool(pattern.fullmatch(name)) for name in table.feature_names])


def _groups(seen: Seen) -> Iterator[Found]:
    """Yield columns that name groups of rows: by their name, or since each value has one class."""
    table, n = seen.table, len(seen.table.y)
    if n < FEW_ROWS:
        return
    is_category = np.zeros(table.n_features, dtype=bool) if table.is_category is None else table.is_category
    rng = np.random.default_rng(SEED)
    for j in range(table.n_features):
        values = table.column(j)
        if not is_category[j] and not (_matches(GROUP, table.feature_names[j]) and _is_whole(values)):
            continue
        n_values = len(np.unique(values))
        if not max(20, n / 50) < n_values <= n / 2:
            continue
        if _matches(GROUP, table.feature_names[j]) or _is_pure(table, values, rng):
            yield [j], {"n_values": n_values, "each": n / n_values}


def _matches(pattern: re.Pattern[str], name: str) -> bool:
    return bool(pattern.fullmatch(name))


def _is_whole(values: NDArray[np.float64]) -> bool:
    return bool((values == np.floor(values)).all())


def _is_pure(table: Table, values: NDArray[np.float64], rng: np.random.Generator) -> bool:
    """Return whether the rows of each value have one class, which shuffled classes have not."""
    if table.task != "classification":
        return False
    codes = np.unique(values, return_inverse=True)[1]
    n = len(table.classes)

    def share(y: NDArray[Any]) -> float:
        counts = np.bincount(codes * n + y, minlength=(codes.max() + 1) * n).reshape(-1, n)
        several = counts.sum(axis=1) >= 2
        return float(((counts[several] > 0).sum(axis=1) == 1).mean()) if several.sum() >= 10 else 0.0

    return share(table.y) > 0.95 and share(rng.permutation(table.y)) < 0.7


def _codes(seen: Seen) -> Iterator[Found]:
    """Yield values that stand apart from all others, as codes of missing values do."""
    table, by_code = seen.table, dict[float, dict[int, int]]()
    is_category = np.zeros(table.n_features, dtype=bool) if table.is_category is None else table.is_category
    rows = np.random.default_rng(SEED).permutation(len(table.y))[:ROWS_OF_CODES]
    n_whole = (table.X[rows] == np.floor(table.X[rows])).sum(axis=0)
    for j in np.flatnonzero(~is_category & ~table.is_constant & (n_whole >= 3)).tolist():
        values = table.column(j)
        drawn = values[rows] if table.filled is None else values[rows[~table.filled[rows, j]]]
        for code in _apart(drawn):
            by_code.setdefault(code, {})[j] = int((values == code).sum())
    for code, counts in by_code.items():
        each = [f"{table.feature_names[j]} ({number_of(n, 'row')})" for j, n in counts.items()]
        more = f" and {len(each) - MOST_NAMES} more columns" if len(each) > MOST_NAMES else ""
        yield list(counts), {"code": code, "where": ", ".join(each[:MOST_NAMES]) + more}


def _apart(values: NDArray[np.float64]) -> list[float]:
    """Return values that may be codes."""
    distinct, counts = np.unique(values, return_counts=True)
    found: list[float] = []
    is_whole = bool((distinct == np.floor(distinct)).all())
    enough = max(3, 0.005 * len(values))
    for code in CODES:
        place = int(np.searchsorted(distinct, code))
        if place == len(distinct) or distinct[place] != code or counts[place] < enough:
            continue
        others = [one for one in CODES if abs(one) > 9 and (one < 0) == (code < 0)]
        rest = values[(values != code) & ~np.isin(values, others)]
        if len(rest) < max(FEWEST_ROWS, 0.5 * len(values)) or np.ptp(rest) == 0:
            continue
        distance = max(float(rest.min()) - code, code - float(rest.max()))
        spread = float(np.ptp(np.quantile(rest, [0.01, 0.99])))
        is_next = is_whole and code > 0 and distance <= 1.5
        is_sign = code == -1 and set(distinct.tolist()) <= {-1.0, 0.0, 1.0}
        is_far = distance > 0.5 * spread or (code < 0 <= rest.min()) or _is_spike(distinct, counts, place)
        if distance > 0 and is_far and not is_next and not is_sign:
            found.append(float(code))
    zeros = int((values == 0).sum())
    positive = values[values > 0]
    if enough <= zeros < 0.1 * len(values) and (values >= 0).all() and len(np.unique(positive)) > FEWEST_ROWS:
        spread = float(np.ptp(np.quantile(positive, [0.01, 0.99])))
        if positive.min() > 0.3 * spread > 0:
            found.append(0.0)
    return found


def _is_spike(distinct: NDArray[np.float64], counts: NDArray[np.intp], place: int) -> bool:
    """Return whether an extreme value is far more frequent than its neighbours, behind a gap."""
    if len(distinct) <= FEWEST_ROWS or place not in (0, len(distinct) - 1):
        return False
    near = slice(1, 11) if place == 0 else slice(-11, -1)
    gap = abs(distinct[place] - distinct[1 if place == 0 else -2])
    step = float(np.median(np.diff(distinct[near])))
    return bool(counts[place] >= 5 * counts[near].max() and gap >= max(2.0, 4 * step))


def _copies(seen: Seen) -> Iterator[Found]:
    twice = _copies_of_rows(seen.table)
    if twice >= max(3, 0.01 * len(seen.table.y)):
        yield None, {"n": twice}


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


def _orders(seen: Seen) -> Iterator[Found]:
    """Yield columns of ordered answers that have no order."""
    table = seen.table
    if table.source is None or table.is_category is None:
        return
    X, all_names = table.source
    place = {name: j for j, name in enumerate(all_names)}
    found: dict[int, str] = {}
    for j in np.flatnonzero(table.is_category).tolist():
        own = X.iloc[:, place[table.feature_names[j]]]
        if getattr(own.dtype, "ordered", False):
            continue
        labels = {str(label).strip().lower(): str(label) for label in own.dropna().unique()}
        for scale in SCALES:
            if len(labels) >= 3 and set(labels) <= set(scale):
                found[j] = "<".join(labels[word] for word in scale if word in labels)
                break
    yield list(found), {"order": next(iter(found.values()), "")}


def _single(seen: Seen) -> Iterator[Found]:
    single = int((seen.of_classes == 1).sum())
    if single:
        yield None, {"n": single, "of": len(seen.of_classes), "have": "has" if single == 1 else "have"}


def _small(seen: Seen) -> Iterator[Found]:
    counts, n = seen.of_classes, len(seen.table.y)
    if len(counts) and 1 < counts.min() < min(30, n / len(counts) / 2):
        yield None, {"n": counts.min(), "of": n}


def _imbalanced(seen: Seen) -> Iterator[Found]:
    most = seen.of_classes.max(initial=0) / len(seen.table.y)
    if most > 0.95:
        yield None, {"most": most}


def _few_rows(seen: Seen) -> Iterator[Found]:
    if len(seen.table.y) < FEW_ROWS:
        yield None, {"n": len(seen.table.y)}


def _identifiers(seen: Seen) -> Iterator[Found]:
    yield np.flatnonzero(identifiers(seen.table)), {}


def _names(table: Table, columns: Iterable[int]) -> tuple[str, ...]:
    return tuple(table.feature_names[int(j)] for j in dict.fromkeys(columns))


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(names[:MOST_NAMES])}{more}"


def _ignored(names: tuple[str, ...]) -> str:
    return " ".join(f"--ignore {name}" for name in names[:MOST_NAMES])


LEFT_OUT = "Is it known beforehand? Otherwise {ignored}"
CHECKS = (
    Check("leak", _leaks, "{names} alone predict{s} held-out rows perfectly", LEFT_OUT),
    Check("near leak", _near_leaks, "{names} alone scores {best:.2f}, the next one {next:.2f}", LEFT_OUT),
    Check(
        "survival",
        _times,
        "{names} may be the time until the event that is the target; short follow-up misleads",
        "Use --event, or {ignored}",
    ),
    Check(
        "survival",
        _events,
        "{names} may be the event whose time is the target; without it the time is a lower limit",
        "Use --event, or {ignored}",
    ),
    Check(
        "groups",
        _groups,
        "{names} has {n_values} values, {each:.1f} rows each: rows of one may be alike",
        "Keep them together: --groups-of {names}",
    ),
    Check(
        "codes",
        _codes,
        "{code:g} stands apart in {where}",
        "If it means missing: --missing-codes {first}={code:g}",
    ),
    Check(
        "copies",
        _copies,
        "{n:,} rows are copies of others, target included, and count as measurements of their own",
        "Drop them, or keep copies together with --groups-of",
    ),
    Check(
        "order",
        _orders,
        "{names} {have} ordered answers without an order: ranks go by the alphabet",
        "--order '{first}={order}'",
    ),
    Check("target", _single, "{n} of {of} classes {have} one row only", "Join classes, or leave them out"),
    Check(
        "class",
        _small,
        "the smallest class has {n} of {of:,} rows: scores by class are vague",
        "Join classes, or heed the intervals",
    ),
    Check(
        "class",
        _imbalanced,
        "{most:.0%} of the rows are of one class: accuracy says little",
        "Use balanced_accuracy or average_precision",
    ),
    Check(
        "rows",
        _few_rows,
        "there are {n} rows: what is found may be chance",
        "Heed the marks of chance and the intervals",
    ),
    Check("identifier", _identifiers, "{names} differ{s} in every row", "No set has it unless forced"),
)
"""What is looked for, the most harmful first."""
