"""A look at a table before the search: leaks, groups, identifiers, codes of missing values, copies of rows.

One walk over the columns applies all rules to one column after another, and then the rows are looked at. Each
rule was tuned on 44 tables until few alarms were false; a test keeps their rate on other tables.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.errors import MisleadingDataWarning, warn
from pyfsel.measures.arrays import Bools, Floats
from pyfsel.measures.contingency import Contingency
from pyfsel.measures.tables.column_rules import (
    FEW_ROWS,
    FEWEST_ROWS,
    RULES,
    RULES_OF_CATEGORIES,
    ColumnSeen,
    Said,
    leaks,
    score,
)
from pyfsel.measures.tables.containers import in_memory, is_anndata
from pyfsel.measures.tables.encoded import listed
from pyfsel.measures.tables.encoding import in_order_of
from pyfsel.measures.tables.entries import column, drawn_rows, is_read, is_sparse
from pyfsel.measures.tables.table import Table, check_reading, prepare
from pyfsel.measures.tables.target import UNSUPERVISED, split_survival, target_series
from pyfsel.problem.checks import number_of
from pyfsel.results.display import facts_table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

MISLEADING = ("leak", "near leak", "survival", "groups", "codes", "copies", "target")
"""Kinds that a search reports; the others are for a look."""
KINDS = (*MISLEADING, "order", "class", "rows", "identifier")
"""What may be odd, the most harmful first."""
OF_ROWS = {"groups": "row groups", "copies": "duplicated rows"}
"""Kinds whose names alone would be about features next to a search."""
MOST_LINES, FEW_LINES, MOST_NAMES = 7, 2, 3
MOST_SCORED = 300
"""So many columns alone, those that are most informative, predict held-out rows."""
MOST_ROWS = 20_000
"""A column is looked at in this many rows."""
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""2**64 by the golden ratio: with it hashes of columns are put together to one of their rows."""


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


@dataclass(frozen=True, eq=False)
class Look:
    """What is odd about a table, the most harmful first.

    Parameters
    ----------
    oddities : tuple of Oddity
    n_rows, n_features : int
    n_seen : int
        The number of rows that were looked at: some of a table that is read in parts.
    """

    oddities: tuple[Oddity, ...]
    n_rows: int
    n_features: int
    n_seen: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per oddity: kind, columns, what, remedy."""
        import pandas as pd

        return pd.DataFrame(self.to_dict()["oddities"], columns=[each.name for each in fields(Oddity)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        sizes = {"n_rows": self.n_rows, "n_features": self.n_features, "n_rows_seen": self.n_seen}
        return sizes | {"oddities": [asdict(one) for one in self.oddities]}

    def table(self) -> RenderableType:
        """Return what `rich` prints: at most seven lines."""
        from rich.console import Group

        seen = f", of which {self.n_seen:,} drawn at random were seen" if self.n_seen < self.n_rows else ""
        table = f"{self.n_rows:,} rows{seen}, {number_of(self.n_features, 'feature')}"
        if not self.oddities:
            return f"{table}: nothing odd was found."
        shown = [(one.kind, str(one)) for one in self.oddities[:MOST_LINES]]
        more = len(self.oddities) - MOST_LINES
        left = ["", f"and {more} more (--format json lists all)"] if more > 0 else []
        return Group(f"{table}:", "", facts_table(shown), *left)


def look(X: Any, y: Any = None, *, task: str = "auto", dates: str = "number") -> Look:
    """Look for what makes a selection misleading: leaks, groups of rows, codes of missing values, copies.

    Parameters
    ----------
    X : table, shape (n_rows, n_features)
        As for `pyfsel.measure`. Of what is read in parts 4,096 rows are looked at, always the same ones.
    y : array or Series, shape (n_rows,), or str
        Rows without a target are left out. The name of a column for what is read in parts.
    task : {"auto", "classification", "regression"}
        The kind of target.
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
    n_gaps, reading = 0, {"task": task, "dates": dates, "missing": "category"}
    check_reading(**reading)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if isinstance(X, Table):
            table = X
        elif isinstance(y, str) and not is_anndata(X):
            from pyfsel.measures.streams.reading import read_in_parts

            table = read_in_parts(X, y, **reading)
        else:
            X, y, n_gaps = _with_target(X, y, task)
            table = prepare(X, y, **reading).dense()
    found = oddities(table)
    if n_gaps:
        what = f"the target is missing in {number_of(n_gaps, 'row')}, from which nothing can be learnt"
        found.append(Oddity("target", (), what, "They are left out"))
    n_rows = len(table.y)
    return Look(
        tuple(found), n_rows, table.n_features, len(drawn_rows(n_rows)) if is_read(table.X) else n_rows
    )


def _with_target(X: Any, y: Any, task: str) -> tuple[Any, Any, int]:
    """Return a table and its target in the rows that have one, and how many have none."""
    y = in_order_of(X, y, "y")
    has_target = target_series(split_survival(y, task)[0]).notna().to_numpy()
    if has_target.all():
        return X, y, 0
    from sklearn.utils import _safe_indexing

    X, y = (_safe_indexing(in_memory(given), np.flatnonzero(has_target)) for given in (X, y))
    return X, y, int((~has_target).sum())


def misleading(table: Table) -> list[Oddity]:
    """Return the oddities of a table that make a selection misleading, the most harmful first."""
    return [one for one in oddities(table) if one.kind in MISLEADING]


def said_of(found: Sequence[Oddity], sets: Sequence[Collection[str]] = ()) -> list[str]:
    """Return the two most harmful oddities in words, with the sets that contain leaks.

    Parameters
    ----------
    found : sequence of Oddity
    sets : sequence of collections of str
        Names of features.
    """
    lines = []
    for one in found[:FEW_LINES]:
        kind = OF_ROWS.get(one.kind, one.kind)
        where = [str(s) for s, own in enumerate(sets) if not set(one.columns).isdisjoint(own)]
        inside = f" (in set {' and '.join(where)})" if where and "leak" in kind else ""
        lines.append(f"{kind}: {one.what}{inside}. {one.remedy}.")
    if len(found) > FEW_LINES:
        lines[-1] += f" (and {len(found) - FEW_LINES} more: pyfsel look)"
    return lines


def say_what_is_odd(found: Sequence[Oddity]) -> None:
    """Warn of the most harmful oddities of a table, in two lines; `look` shows all."""
    for line in said_of(found):
        warn(line, MisleadingDataWarning)


def say_what_numbers_rows(table: Table, named: Bools) -> None:
    """Warn that identifiers are left out."""
    if named.any():
        verb = "differs" if named.sum() == 1 else "differ"
        warn(f"X: {listed(table.feature_names, named)} {verb} in every row; left out unless forced")


def identifiers(table: Table) -> Bools:
    """Return which columns number or name the rows: categories or consecutive whole numbers, all different.

    Numbers may be missing where rows with gaps were left out.

    Examples
    --------
    >>> from pyfsel.measures.tables.table import prepare
    >>> rows = np.arange(30)
    >>> identifiers(prepare(np.column_stack([rows + 100, rows**2, rows % 7]), rows % 2)).tolist()
    [True, False, False]
    """
    n_rows, found = len(table.y), np.zeros(table.n_features, dtype=bool)
    if n_rows <= FEWEST_ROWS or (is_sparse(table.X) and not is_read(table.X)):
        return found
    drawn = table.X[drawn_rows(n_rows)]  # in these a column that names all rows differs, too
    for j in np.flatnonzero((drawn == np.floor(drawn)).all(axis=0)).tolist():
        if len(np.unique(drawn[:, j])) == len(drawn):
            values = column(table.X, j)
            is_without_holes = np.ptp(values) < n_rows + table.n_dropped
            is_whole = (values == np.floor(values)).all()
            differ = (is_without_holes or table.is_discrete[j]) and len(np.unique(values)) == n_rows
            found[j] = differ and is_whole
    return found


def oddities(table: Table) -> list[Oddity]:
    """Return what is odd about a table, the most harmful first; columns of one kind are together."""
    named, whole = identifiers(table), table
    if is_read(table.X):
        table = table.at(drawn_rows(len(table.y)))
    if is_sparse(table.X) or table.task == UNSUPERVISED:
        return []
    if len(table.classes) == len(table.y) > 2:
        return [Oddity("target", (), "the target differs in every row", "An identifier cannot be predicted")]
    found = [*_of_columns(table, named), *_of_rows(table), *_copies(table if whole.source is None else whole)]
    return sorted(found, key=lambda one: KINDS.index(one.kind))


def _of_columns(table: Table, named: Bools) -> list[Oddity]:
    """Return what is odd about columns, given those that name the rows."""
    rows, usable = np.random.default_rng(0).permutation(len(table.y))[:MOST_ROWS], ~table.is_constant & ~named
    scored = np.flatnonzero(usable)
    if len(scored) > MOST_SCORED:
        information = Contingency.of(table).plain_information()[scored]
        scored = scored[np.argsort(-information, kind="stable")[:MOST_SCORED]]
    found, scores = list[Said](), dict[str, float]()
    for j in np.flatnonzero(usable).tolist():
        values = column(table.X, j)
        drawn = (
            values[rows] if table.filled is None else np.where(table.filled[rows, j], np.nan, values[rows])
        )
        own = ColumnSeen(table, table.feature_names[j], j, values, drawn, table.y[rows])
        if j in scored:
            scores[own.name] = score(own)
        for rule in RULES_OF_CATEGORIES if table.is_category[j] else RULES:
            found += rule(own)
    found += leaks(scores)
    what = "{names} differ{s} in every row"
    for j in np.flatnonzero(named).tolist():
        found.append(Said("identifier", table.feature_names[j], what, "No set has it unless forced"))
    by_what = dict[tuple[str, str], list[Said]]()
    for one in found:
        by_what.setdefault((one.kind, one.what), []).append(one)
    return [_oddity(those) for those in by_what.values()]


def _oddity(those: Sequence[Said]) -> Oddity:
    """Return one oddity of columns of which the same is said."""
    names, is_one = tuple(one.name for one in those), len(those) == 1
    more = f" and {len(those) - MOST_NAMES} more" if len(those) > MOST_NAMES else ""
    words = {
        "have": "has" if is_one else "have",
        "s": "s" if is_one else "",
        "ignored": " ".join(f"--ignore {quote(name)}" for name in names[:MOST_NAMES]),
        "names": ", ".join(one.label or one.name for one in those[:MOST_NAMES]) + more,
        "option": quote(those[0].option or names[0]),
    }
    return Oddity(those[0].kind, names, *(text.format(**words) for text in those[0][2:4]))


def _of_rows(table: Table) -> Iterator[Oddity]:
    """Yield what is said of small classes and few rows."""
    n = len(table.y)
    counts = np.bincount(table.y) if table.task == "classification" else np.zeros(0, np.intp)
    if single := int((counts == 1).sum()):
        what = f"{single} of {len(counts)} classes {'has' if single == 1 else 'have'} one row only"
        yield Oddity("target", (), what, "Join classes, or leave them out")
    elif len(counts) and counts.min() < min(30, n / len(counts) / 2):
        what = f"the smallest class has {counts.min()} of {n:,} rows: scores by class are vague"
        yield Oddity("class", (), what, "Join classes, or heed the intervals")
    if (most := counts.max(initial=0) / n) > 0.95:
        what = f"{most:.0%} of the rows are of one class: accuracy says little"
        yield Oddity("class", (), what, "Use balanced_accuracy or average_precision")
    if n < FEW_ROWS:
        what = f"there are {n} rows: what is found may be chance"
        yield Oddity("rows", (), what, "Heed the marks of chance and the intervals")


def _copies(table: Table) -> Iterator[Oddity]:
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


def _all_columns(table: Table) -> Iterator[Floats]:
    """Yield all that is known of rows, with missing values as NaN if they are values of their own."""
    yield table.y.astype(np.float64)
    if table.events is not None:
        yield table.events.astype(np.float64)
    for j in range(table.n_features):
        yield table.known(j)
