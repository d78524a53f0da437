"""From a user's table to numbers: columns and target encoded, missing values and bad input dealt with.

Examples
--------
>>> import pandas as pd
>>> from pyfsel.measures.tables.table import prepare
>>> X = pd.DataFrame({"age": [31.5, 47.2, 28.9, 55.1], "smoker": ["no", "yes", "no", "yes"]})
>>> table = prepare(X, ["healthy", "ill", "healthy", "ill"])
>>> table.task, table.feature_names, table.is_discrete.tolist()
('classification', ('age', 'smoker'), [False, True])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from pyfsel.core.arrays import Array, Bools, Indices, Reals
from pyfsel.errors import InputError, warn
from pyfsel.measures.tables.encoded import FEW_VALUES, EncodedColumns, hold, listed
from pyfsel.measures.tables.encoding import encode_columns, in_order_of, require_table
from pyfsel.measures.tables.entries import (
    as_dense,
    column,
    distinct_counts,
    is_sparse,
    missing_entries,
    present,
    stored_entries,
    values_of,
)
from pyfsel.measures.tables.target import (
    SURVIVAL,
    UNSUPERVISED,
    split_survival,
    target_series,
    times_with_events,
    understand_target,
    without_gaps,
)
from pyfsel.problem.checks import one_of

BLOCK_ENTRIES = 2**22
"""How many entries are made dense at a time, 32 MB."""
BY_COLUMN = ("X", "is_discrete", "is_constant", "gaps", "filled", "is_category", "is_unordered")
"""What has an entry for each column, in its last dimension."""
BY_ROW = ("X", "gaps", "filled", "y", "weights", "groups", "events", "times")
"""What has an entry for each row, in its first dimension."""
SOME_ROWS = 1000
"""In these most columns show that they have many values."""
TASKS = ("auto", "classification", "regression", SURVIVAL, UNSUPERVISED)
MISSING = ("error", "drop", "impute", "category")
DATES = ("error", "number")


@dataclass(frozen=True, eq=False)
class Columns(EncodedColumns):
    """Features as numbers, none of which is missing or infinite.

    They may be in single precision, from which `dense` and `known` return double precision.

    Parameters
    ----------
    X, feature_names, is_category, is_unordered, source, given
        As of `EncodedColumns`.
    is_discrete : array of bool, shape (n_features,)
    is_constant : array of bool, shape (n_features,)
        Columns with the same value in all rows; their quality is 0 for every measure.
    kept : array of int, shape (n_rows,), or None
        Positions, in the user's table, of the rows that were kept; None if all were (see `rows`).
    n_dropped : int
        Number of rows left out because of missing values.
    gaps : array of bool or scipy.sparse.csc_array of bool, shape (n_rows, n_features), optional
        Which entries of `X` were filled in, for measures to which a gap is a value of its own.
    filled : array of bool or scipy.sparse.csc_array of bool, shape (n_rows, n_features), optional
        Which entries of `X` were filled in, whatever measures make of them: models fill them in by their
        training rows.
    coded : pyfsel.measures.streams.lanes.Lanes, optional
        The levels of all columns of a table that is read in parts (`pyfsel.measures.streams`); the entries of
        its `X` are read when they are needed.
    weights : array of float, shape (n_rows,), optional
        How much each row counts, for measures that can be weighted.
    """

    is_discrete: Bools
    is_constant: Bools
    kept: Indices | None
    n_dropped: int
    gaps: Any = field(default=None, kw_only=True)
    filled: Any = field(default=None, kw_only=True)
    coded: Any = field(default=None, kw_only=True)
    weights: Reals | None = field(default=None, kw_only=True)

    @property
    def n_features(self) -> int:
        """Number of features, n."""
        return len(self.feature_names)

    def parts(self, names: Iterable[str]) -> dict[str, Any]:
        """Return some attributes by their names, as far as the table has them."""
        return {name: part for name in names if (part := getattr(self, name, None)) is not None}

    def select(self, features: Iterable[int]) -> Self:
        """Return the same table with only these features (0-based positions), in the order given."""
        chosen = np.asarray(list(features), dtype=np.intp)
        if np.array_equal(chosen, np.arange(self.n_features)):
            return self
        some = {name: part[..., chosen] for name, part in self.parts(BY_COLUMN).items()}
        names = tuple(self.feature_names[j] for j in chosen)
        coded = None if self.coded is None else self.coded.select(chosen)
        return replace(self, feature_names=names, coded=coded, **some)

    def at(self, rows: Indices) -> Self:
        """Return the same table with only some of its rows, in memory."""
        some = {name: values[rows] for name, values in self.parts(BY_ROW).items()}
        return replace(self, **some, kept=rows if self.kept is None else self.kept[rows], coded=None)

    @property
    def rows(self) -> Indices:
        """The positions of its rows in the user's table, shape (n_rows,)."""
        return np.arange(self.X.shape[0]) if self.kept is None else self.kept

    def places(self, rows: Indices) -> Indices:
        """Return the places, among its rows, of rows of the user's table; of those left out none."""
        return np.searchsorted(self.rows, rows[np.isin(rows, self.rows)])

    @cached_property
    def varying(self) -> Self:
        """The same table without constant columns; the same one each time, so it is counted once."""
        return self.select(np.flatnonzero(~self.is_constant))

    def dense(self) -> Self:
        """Return the same table with an array of double precision.

        Raises
        ------
        InputError
            If it is sparse and has more than 10⁸ entries.
        """
        if isinstance(self.X, np.ndarray) and self.X.dtype == np.float64:
            return self
        X = as_dense(self.X)
        gaps, filled = (
            None if mask is None else as_dense(mask).astype(bool) for mask in (self.gaps, self.filled)
        )
        return replace(self, X=X, gaps=gaps, filled=filled, coded=None)

    def known(self, j: int) -> Reals:
        """Return a column, with NaN where a missing value is a value of its own."""
        values = column(self.X, j)
        return values if self.gaps is None else np.where(column(self.gaps, j) > 0, np.nan, values)

    def by_blocks(self, measured: Callable[[Self], Reals]) -> Reals:
        """Return what is measured of each column, in blocks of columns if the whole were large.

        Parameters
        ----------
        measured : callable
            Of a table in double precision; one number for each of its columns, whatever others there are.
        """
        return np.concatenate([measured(block) for block in self.blocks()])

    def blocks(self) -> Iterator[Self]:
        """Yield tables of some columns each in double precision, one if the whole is not large.

        The columns of a large one lie one after another, in which sums over rows are fast.
        """
        m, n = self.X.shape
        at_once = max(1, BLOCK_ENTRIES // m)
        for first in range(0, n, at_once):
            block = self.select(range(first, min(first + at_once, n))).dense()
            yield block if at_once >= n else replace(block, X=np.asfortranarray(block.X))


@dataclass(frozen=True, eq=False)
class Table(Columns):
    """Features and target as numbers; made by `prepare`.

    Parameters
    ----------
    y : array, shape (n_rows,)
        Class codes from 0 (int) for classification, the values (float) for regression, times for survival,
        and 0 without a target.
    task : {"classification", "regression", "survival", "unsupervised"}
    classes : tuple
        The user's labels, in the order of their codes; empty for other tasks.
    groups : array, shape (n_rows,), optional
        Which rows belong together, such as the rows of one patient.
    events : array of bool, shape (n_rows,), optional
        For survival: whether the event happened at the time, or not until then (censored).
    times : array of float, shape (n_rows,), optional
        When each row was measured; models are trained on earlier rows than they are scored on.
    time_gap : float
        Training ends this long before the first held-out row, in the unit of `times`.
    """

    y: Array
    task: str
    classes: tuple[Any, ...]
    groups: Array | None = None
    events: Bools | None = None
    times: Reals | None = None
    time_gap: float = 0.0

    @property
    def target(self) -> Array:
        """The target as `prepare` takes it: `y`, or a structured array of times and events."""
        return self.y if self.events is None else times_with_events(self.y, self.events)

    def untimed(self) -> Self:
        """Return this table; raise `InputError` if its target is times until an event."""
        if self.events is not None:
            raise InputError("y: holds times until an event, which this does not take")
        return self


def prepare(
    X: Any,
    y: Any,
    *,
    task: str = "auto",
    missing: str = "error",
    feature_names: Sequence[str] | None = None,
    dates: str = "error",
) -> Table:
    """Check a table and turn it into numbers.

    Numbers and booleans are taken as they are. Text and categorical columns become integer codes, in the
    order of the categories if they have one, otherwise in the order of their names, and count as discrete. So
    does a numeric column of at most 20 different values that are all whole numbers.

    Parameters
    ----------
    X : DataFrame, array, sparse matrix or nested list, shape (n_rows, n_features)
        A sparse matrix, or a DataFrame with sparse columns, stays sparse (by columns), and single precision
        stays single. Measures that work column by column make a few columns dense at a time; the others
        take all columns in double precision, and no sparse tables of more than 10**8 entries (0.8 GB).
    y : Series, array or list, shape (n_rows,)
        For survival a structured array with the fields ``event`` (whether it happened) and ``time`` (when, or
        until when it had not), as for scikit-survival. Row labels of pandas are matched to the labels of X.
        For AnnData the name of a column of ``obs``.
    task : {"auto", "classification", "regression", "survival", "unsupervised"}
        "auto": float targets with more than 20 distinct values are regression, all others classification;
        more than 100 different whole numbers are an error, since they can be either. "unsupervised": there is
        no target, y is None.
    missing : {"error", "drop", "impute", "category"}
        What to do about missing values in `X`: raise an error that names the columns, leave out the rows, or
        fill in the median (in discrete columns the most frequent value, the smallest of equals). "category"
        fills them in as well, but where a measure counts values, as the default one does, a missing value is
        one of its own, so the fact that it is missing can be informative. Rows without a target are an
        error unless dropped.
    feature_names : sequence of str, optional
        Otherwise the names of the columns, or x0, x1, …
    dates : {"error", "number"}
        "number": dates, also ISO dates as text, become days since 1970, durations days. Otherwise dates are
        an error, and text stays categories.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        For missing (unless allowed) or infinite values, duplicate names, columns that are neither numbers nor
        categories, an empty table, a target with fewer than two different values, or unknown options.

    Warns
    -----
    UserWarning
        About constant columns (their quality is 0), columns that look like identifiers or dates, and
        whole-number targets with more than 20 values that are taken as classes.
    """
    check_reading(task, missing, dates)
    require_table(X)
    if task == UNSUPERVISED:
        if y is not None:
            raise InputError("y: must be None for task='unsupervised'")
        columns = prepare_columns(X, missing=missing, feature_names=feature_names, dates=dates)
        if len(columns.rows) == 1:
            raise InputError("X: has 1 sample (row); must have at least 2")
        return Table(**vars(columns), y=np.zeros(len(columns.rows)), task=UNSUPERVISED, classes=())
    y, events = split_survival(in_order_of(X, y, "y"), task)
    target = target_series(y)
    encoded = encode_columns(X, feature_names, len(target), dates)
    is_missing = target.isna().to_numpy()
    if missing != "drop":
        without_gaps(target)
    columns = _finish(encoded, missing, is_missing)
    kept = target.iloc[columns.rows]
    values, task, classes = understand_target(kept, task if events is None else "regression")
    if events is not None:
        task, events = SURVIVAL, events[columns.rows]
    return Table(**vars(columns), y=values, task=task, classes=classes, events=events)


def check_reading(task: Any, missing: Any, dates: Any) -> None:
    """Raise `InputError` unless these are words that `prepare` knows."""
    one_of("task", task, TASKS)
    one_of("missing", missing, MISSING)
    one_of("dates", dates, DATES)


def prepare_columns(
    X: Any,
    *,
    missing: str = "error",
    feature_names: Sequence[str] | None = None,
    dates: str = "error",
) -> Columns:
    """Check and encode features without a target; parameters, errors and warnings as for `prepare`."""
    check_reading("auto", missing, dates)
    return _finish(encode_columns(X, feature_names, None, dates), missing)


def _finish(encoded: EncodedColumns, missing: str, target_missing: Bools | None = None) -> Columns:
    X, names = encoded.X, encoded.feature_names
    m, every = X.shape[0], range(len(names))
    infinite, gappy, empty, few = np.array([_seen_in(values_of(X, j)) for j in every], dtype=bool).T
    if infinite.any():
        raise InputError(
            f"X: {listed(names, infinite)} {hold(infinite)} infinite (inf) values. All values must be finite."
        )
    if empty.any():
        raise InputError(f"X: {listed(names, empty)} {hold(empty)} no value at all; must be left out")
    if missing == "error" and gappy.any():
        raise InputError(
            f"X: {listed(names, gappy)} {hold(gappy)} missing (NaN) values; "
            "allowed with missing='drop', missing='impute' or missing='category' (a gap is a value of its "
            "own), or if filled in before"
        )
    is_discrete = encoded.is_category | few
    kept = filled = None
    if missing == "drop":
        is_dropped = np.asarray(missing_entries(X).sum(axis=1)).ravel() > 0
        is_dropped |= False if target_missing is None else target_missing
        if is_dropped.all():
            raise InputError("missing='drop': leaves no row; must leave at least one")
        if is_dropped.any():
            kept = np.flatnonzero(~is_dropped)
            X = X[kept]
    elif gappy.any():
        filled = missing_entries(X)
        X = _impute(X, gappy, is_discrete)
    if not is_sparse(X) and not X.flags.f_contiguous:
        X = np.ascontiguousarray(X)
    is_constant = np.array([values.min() == values.max() for values in (values_of(X, j) for j in every)])
    if missing == "category":
        is_constant &= ~gappy
    if is_constant.any():
        what = "is constant and gets" if is_constant.sum() == 1 else "are constant and get"
        warn(f"X: {listed(names, is_constant)} {what} quality 0")
    return Columns(
        **vars(encoded) | {"X": X},
        is_discrete=is_discrete,
        is_constant=is_constant,
        kept=kept,
        n_dropped=m - X.shape[0],
        gaps=filled if missing == "category" else None,
        filled=filled,
    )


def _seen_in(values: Array) -> tuple[bool, bool, bool, bool]:
    """Return whether values are infinite or missing, all are missing, and they are few whole numbers."""
    known = present(values)
    is_infinite = bool(np.isinf(known).any())
    is_few = not is_infinite and _are_few(known[:SOME_ROWS]) and _are_few(known)
    return is_infinite, len(known) < len(values), len(known) == 0, is_few


def _are_few(values: Array) -> bool:
    """Return whether there are few different values, all of them whole numbers."""
    distinct = distinct_counts(values)[0]
    return len(distinct) <= FEW_VALUES and bool((distinct == np.floor(distinct)).all())


def _impute(X: Any, gappy: Bools, is_discrete: Bools) -> Any:
    X = X.copy()
    for j in np.flatnonzero(gappy).tolist():
        known = present(column(X, j))
        values, counts = distinct_counts(known) if is_discrete[j] else ([np.median(known)], np.ones(1))
        entries = stored_entries(X, j)[1] if is_sparse(X) else X[:, j]
        entries[np.isnan(entries)] = values[counts.argmax()]
    return X
