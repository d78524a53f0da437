"""Which rows a model is fitted to and scored on: one meaning of `cv` for all that is cross-validated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyfsel.core.arrays import Array, Indices, Reals
from pyfsel.errors import InputError
from pyfsel.measures.tables.containers import columns_of, in_memory, names_of
from pyfsel.measures.tables.table import Columns
from pyfsel.problem.checks import column_in, number_of, shown
from pyfsel.problem.value import number_of_text

Split = tuple[Indices, Indices]
N_SPLITS = 5
TIME = "time:"
Times = str
"""A text that names a column of times."""


@dataclass(frozen=True)
class SplitRows:
    """What decides which rows stay together or apart.

    Parameters
    ----------
    n_rows : int
    strata : array, shape (n_rows,), optional
        What folds have in equal proportions, such as classes.
    groups : array, shape (n_rows,), optional
        Rows of one group stay on one side of each split.
    times : array of float, shape (n_rows,), optional
        When each row was measured: training rows are earlier than held-out ones.
    gap : float
        Training ends this long before the first held-out row, in the unit of `times`.
    table : Columns, optional
        It knows the positions of its rows in the user's table, which `cv` means if it numbers rows itself.
    """

    n_rows: int
    strata: Array | None = None
    groups: Array | None = None
    times: Reals | None = None
    gap: float = 0.0
    table: Columns | None = None

    def splits(self, cv: Any = None, seed: int | None = None) -> list[Split]:
        """Return training and held-out rows of each fold.

        Parameters
        ----------
        cv : int, splitter, or iterable of pairs
            Number of folds, 5 if None; a splitter of scikit-learn; or the rows of each fold. Pairs and
            PredefinedSplit number the rows of the user's table; rows that were left out are in no fold.
        seed : int, optional
            Rows are shuffled before they are split; a number of folds keeps their order without it.

        Raises
        ------
        InputError
            If the rows cannot be split like that.

        Examples
        --------
        >>> rows = SplitRows(6, times=np.array([0.0, 1, 2, 3, 3, 4]))
        >>> [(train.tolist(), test.tolist()) for train, test in rows.splits(2)]
        [([0, 1, 2], [3, 4]), ([0, 1, 2, 3, 4], [5])]
        """
        if self.times is not None and _is_time(cv):
            cv = None
        if is_number_of_folds(cv):
            cv = self._splitter(N_SPLITS if cv is None else int(cv), seed)
        try:
            pairs = (
                cv.split(np.zeros((self.n_rows, 1)), self.strata, self.groups) if hasattr(cv, "split") else cv
            )
            found = [(_rows(train), _rows(test)) for train, test in pairs]
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"cv={shown(cv)}: cannot split the rows ({error})") from None
        table = numbers_rows(cv) and self.table
        n_rows = self.n_rows + (table.n_dropped if table else 0)
        if not all(((rows >= 0) & (rows < n_rows)).all() for pair in found for rows in pair):
            raise InputError(f"cv={shown(cv)}: rows are numbered from 0 to {n_rows - 1}")
        if table:
            found = [(table.places(train), table.places(test)) for train, test in found]
        if not found or not all(len(train) and len(test) for train, test in found):
            raise InputError(
                f"cv={shown(cv)}: has no rows to train or to score; is it a generator used up before?"
            )
        if any(np.intersect1d(*pair).size for pair in found):
            raise InputError(f"cv={shown(cv)}: a row is in training and held out at the same time")
        return found

    def _splitter(self, n_splits: int, seed: int | None) -> Any:
        from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

        if self.times is not None:
            return ForwardFolds(self.times, n_splits, self.gap)
        if self.groups is not None:
            n_groups = len(np.unique(self.groups))
            if n_splits > n_groups:
                raise InputError(f"cv={n_splits}: {number_of(n_groups, 'group')} only")
            kind = GroupKFold if self.strata is None else StratifiedGroupKFold
        else:
            kind, smallest, where = KFold, self.n_rows, ""
            if self.strata is not None:
                kind, where = StratifiedKFold, " in the smallest class"
                smallest = int(np.unique(self.strata, return_counts=True)[1].min())
            if seed is not None and n_splits > smallest:
                raise InputError(f"cv={n_splits}: {number_of(smallest, 'row')} only{where}")
        return kind(n_splits, shuffle=seed is not None, random_state=seed)


def is_number_of_folds(cv: Any) -> bool:
    """Return whether this is a number of folds, or None; raise `InputError` if it splits no rows at all."""
    if cv is None or (isinstance(cv, (int, np.integer)) and not isinstance(cv, bool)):
        if cv is not None and cv < 2:
            raise InputError(f"cv={cv}: is not a number of folds. At least 2 are allowed")
        return True
    if isinstance(cv, str) or not (hasattr(cv, "split") or hasattr(cv, "__iter__")):
        raise InputError(
            f"cv={shown(cv)}: is not a number, a splitter of scikit-learn, such as GroupKFold(), "
            "or pairs of training and held-out rows"
        )
    return False


def numbers_rows(cv: Any) -> bool:
    """Return whether folds are given by numbers of rows: pairs, or scikit-learn's PredefinedSplit."""
    return hasattr(cv, "test_fold") or hasattr(cv, "__iter__")


@dataclass(frozen=True, eq=False)
class ForwardFolds:
    """Folds forward in time: training rows are earlier than all held-out ones, by more than a gap.

    Rows of equal times stay together. The first half of the rows only trains; the others are held out in
    blocks of about the same number of rows.

    Parameters
    ----------
    times : array of float, shape (n_rows,)
    n_splits : int
    gap : float
    """

    times: Reals
    n_splits: int
    gap: float

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield training and held-out rows of each fold, the earliest first."""
        moments, counts = np.unique(self.times, return_counts=True)
        if len(moments) <= self.n_splits:
            raise InputError(
                f"times: have {len(moments)} different values, too few for {self.n_splits} folds"
            )
        begins = moments[self._places(np.cumsum(counts) - counts)]
        for begin, end in zip(begins, [*begins[1:], np.inf], strict=True):
            train = np.flatnonzero(self.times < begin if not self.gap else self.times <= begin - self.gap)
            if not len(train):
                raise InputError(
                    f"gap={self.gap:g}: leaves no training rows before {begin:g}. Choose a shorter gap"
                )
            yield train, np.flatnonzero((self.times >= begin) & (self.times < end))

    def _places(self, before: Indices) -> list[int]:
        """Return the places of the times at which blocks begin, given the number of rows before each time."""
        n_rows, found = len(self.times), [0]
        targets = n_rows / 2 + np.arange(self.n_splits) * n_rows / 2 / self.n_splits
        for left, target in zip(range(self.n_splits, 0, -1), targets, strict=True):
            place = int(np.searchsorted(before, target))
            found.append(max(found[-1] + 1, min(place, len(before) - left)))
        return found[1:]


def split_times(X: Any, cv: Any) -> tuple[Any, Any, float]:
    """Return a table without the column of times that ``cv="time:COLUMN:GAP"`` names, the times, and the gap.

    Times are None, and the table stays as it is, for any other `cv`.

    Raises
    ------
    InputError
        If the column does not exist.

    Examples
    --------
    >>> import pandas as pd
    >>> X, times, gap = split_times(pd.DataFrame({"a": [1, 2], "day": [3, 4]}), "time:day:14")
    >>> list(X.columns), times.tolist(), gap
    (['a'], [3, 4], 14.0)
    """
    if not _is_time(cv):
        return X, None, 0.0
    own = [str(name) for name in names_of(X) or ()]
    names, column, gap = [*own, *getattr(X, "obs", ())], cv[len(TIME) :], "0"
    if column not in names and ":" in column:
        column, _, gap = column.rpartition(":")
    column_in(f"cv={cv!r}: {column!r}", column, names)
    length = number_of_text("gap", gap)
    if not 0 <= length < np.inf:
        raise InputError(f"gap={gap}: is not a number of at least 0")
    if column not in own:
        return X, X.obs[column], length
    place = own.index(column)
    times = np.asarray(in_memory(columns_of(X, [place])))[:, 0]
    return columns_of(X, [j for j in range(len(own)) if j != place]), times, length


def _is_time(cv: Any) -> bool:
    return isinstance(cv, str) and cv.startswith(TIME)


def reusable(cv: Any) -> Any:
    """Return splits that can be gone through more than once: a generator as a list."""
    return list(cv) if hasattr(cv, "__next__") else cv


def _rows(given: Any) -> Indices:
    rows = np.asarray(given)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)
