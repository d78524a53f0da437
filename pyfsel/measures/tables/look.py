"""A look at a table before the search: leaks, groups, identifiers, codes of missing values, copies of rows.

Each rule was tuned on 44 tables until few alarms were false; a test keeps their rate on other tables.
`pyfsel.measures.tables.oddities` has the rules that need more than a few lines.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.errors import MisleadingDataWarning, warn
from pyfsel.measures.streams.reading import read_in_parts
from pyfsel.measures.tables.containers import in_memory, is_anndata
from pyfsel.measures.tables.encoding import in_order_of
from pyfsel.measures.tables.entries import drawn_rows, is_read, is_sparse
from pyfsel.measures.tables.oddities import (
    FEW_ROWS,
    Oddity,
    about_columns,
    codes_apart,
    copies,
    groups,
    identifiers,
    leaks,
)
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.measures.tables.target import target_series
from pyfsel.measures.tables.times import UNSUPERVISED, split_survival
from pyfsel.problem.wording import number_of
from pyfsel.results.display import facts_table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

TIME = re.compile(
    r"(.*[_ .-])?(time|duration|survival|fu|follow[_ .-]?up|os|pfs|tte)([_ .-].*)?", re.IGNORECASE
)
EVENT = re.compile(
    r"(.*[_ .-])?(event|status|death|dead|died|deceased|censor\w*|relapse)([_ .-].*)?", re.IGNORECASE
)
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
"""Kinds that a search reports; the others are for a look."""
MOST_LINES, FEW_LINES = 7, 2
MOST_COLUMNS, FEW_COLUMNS = 2000, 300
"""Single columns are scored for at most this many columns, in a look and before a search."""


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
        left: list[Any] = ["", f"and {more} more (--format json lists all)"] if more > 0 else []
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if isinstance(X, Table):
            table = X
        elif isinstance(y, str) and not is_anndata(X):
            table = read_in_parts(X, y, **reading)
        else:
            X, y, n_gaps = _with_target(X, y, task)
            table = prepare(X, y, **reading).dense()
    found = list(oddities(table, MOST_COLUMNS))
    if n_gaps:
        what = f"the target is missing in {number_of(n_gaps, 'row')}, from which nothing can be learnt"
        found.append(Oddity("target", (), what, "They are left out"))
    return Look(tuple(found), len(table.y), table.n_features, len(_in_memory(table).y))


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
    return [one for one in oddities(table, FEW_COLUMNS) if one.kind in MISLEADING]


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
        kind = "row groups" if one.kind == "groups" else one.kind  # other groups are a rule of the problem
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


def oddities(table: Table, most_columns: int) -> Iterator[Oddity]:
    """Yield what is odd about a table, the most harmful first; columns of one kind are together."""
    named, whole = identifiers(table), table
    table = _in_memory(table)
    if is_sparse(table.X) or table.task == UNSUPERVISED:
        return
    if len(table.classes) == len(table.y) > 2:
        yield Oddity("target", (), "the target differs in every row", "An identifier cannot be predicted")
        return
    yield from leaks(table, np.flatnonzero(~table.is_constant & ~named), most_columns)
    yield from _times_and_events(table)
    yield from groups(table)
    yield from codes_apart(table)
    yield from copies(table if whole.source is None else whole)
    yield from _answers(table)
    yield from _rows(table)
    what = "{names} differ{s} in every row"
    yield from about_columns(table, "identifier", np.flatnonzero(named), what, "No set has it unless forced")


def _in_memory(table: Table) -> Table:
    """Return a table, or the rows that were drawn of one that is read in parts."""
    if not is_read(table.X):
        return table
    return table.at(drawn_rows(len(table.y)))


def _times_and_events(table: Table) -> Iterator[Oddity]:
    """Yield a time next to an event as the target, or an event next to a time, by their names."""
    what, columns = "", list[int]()
    if len(table.classes) == 2:
        what = "time until the event that is the target; short follow-up misleads"
        columns = [j for j in _named(TIME, table) if not table.is_discrete[j] and table.column(j).min() >= 0]
    elif table.task == "regression" and table.y.min() >= 0:
        what = "event whose time is the target; without it the time is a lower limit"
        columns = [j for j in _named(EVENT, table) if len(np.unique(table.column(j))) == 2]
    yield from about_columns(
        table, "survival", columns, f"{{names}} may be the {what}", "Use --event, or {ignored}"
    )


def _named(pattern: re.Pattern[str], table: Table) -> list[int]:
    return [j for j, name in enumerate(table.feature_names) if pattern.fullmatch(name)]


def _answers(table: Table) -> Iterator[Oddity]:
    """Yield columns of ordered answers that have no order."""
    if table.source is None:
        return
    X, all_names = table.source
    orders = dict[int, str]()
    for j in np.flatnonzero(table.categories).tolist():
        own = X.iloc[:, all_names.index(table.feature_names[j])]
        labels = {str(label).strip().lower(): str(label) for label in own.dropna().unique()}
        scale = next((scale for scale in SCALES if set(labels) <= set(scale)), ())
        if scale and len(labels) >= 3 and not getattr(own.dtype, "ordered", False):
            orders[j] = "<".join(labels[word] for word in scale if word in labels)
    for j, order in list(orders.items())[:1]:
        what = "{names} {have} ordered answers without an order: ranks go by the alphabet"
        yield from about_columns(table, "order", orders, what, f"--order '{table.feature_names[j]}={order}'")


def _rows(table: Table) -> Iterator[Oddity]:
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
