"""Lazy redundancies: a matrix of pairs of features whose entries are computed when they are needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np

from pyfsel.core.arrays import Array, Indices, ShortInts

BYTES_OF_ROWS = 2**28
"""Memory for rows that are kept, 256 MB."""


class LazyRedundancy(ABC):
    """A symmetric matrix of integers from 0 to `largest`, zero on its diagonal, that is not in memory.

    Each entry is defined by its two features alone: whichever way it is computed, with whatever others, it is
    the same number. Otherwise a verifier would contradict true answers.

    Parameters
    ----------
    columns : array, shape (n_features, …)
        What the entries of a feature are computed from.
    largest : int
        A bound on all of them.
    bound : float
        What that is in the user's numbers.

    Attributes
    ----------
    entries_at_once : int
        About how many can be computed within a second.
    unit : float or None
        By what entries of pairs are divided, so they are the user's numbers.
    """

    entries_at_once = 2**24
    unit: float | None = None

    def __init__(self, columns: Array, largest: int, bound: float = 1.0) -> None:
        self._columns = columns
        self.largest = largest
        self.bound = bound
        self._count = [0]  # a matrix shares it with its parts
        self._kept: dict[int, ShortInts] = {}
        self._kept_bytes = 0
        self._last_part: tuple[Indices, Self] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        return self.__dict__ | {"_count": [0], "_kept": {}, "_kept_bytes": 0, "_last_part": None}

    @abstractmethod
    def _between(self, columns: Array, others: Array) -> Array:
        """Return the entries of some of the columns with others; of one with itself they may be anything."""

    @property
    def n_features(self) -> int:
        """Number of features, n."""
        return len(self._columns)

    def scaled(self, largest: int, bound: float = 1.0) -> Self:
        """Return the same on another scale, rounded."""
        found = copy(self)
        found.largest, found.bound = largest, bound
        return found

    def floats(self, scale: float) -> Self:
        """Return the same in the user's numbers, which are the integers divided by the scale."""
        found = copy(self)
        found.unit = scale
        return found

    @property
    def measured(self) -> int:
        """How many entries of rows were computed, those that were computed again counted again."""
        return self._count[0]

    def among(self, features: Indices) -> Self:
        """Return those between some features, in this order; what is computed of them counts here as well.

        The last part is kept, with its rows: one search after the other asks for the same.
        """
        if np.array_equal(features, np.arange(self.n_features)):
            return self
        if self._last_part is None or not np.array_equal(features, self._last_part[0]):
            part = copy(self)
            part._columns, part._count = self._columns[features], self._count
            self._last_part = features, part
        return self._last_part[1]

    def rows(self, features: Indices, stop: int | None = None) -> ShortInts:
        """Return the rows of some features: the columns before `stop`, or all."""
        stop = self.n_features if stop is None else stop
        self._count[0] += len(features) * stop
        rows = self._between(self._columns[features], self._columns[:stop]).astype(np.int32, copy=False)
        inside = np.flatnonzero(features < stop)
        rows[inside, features[inside]] = 0
        return rows

    def kept_rows(self, features: Indices, stop: int) -> ShortInts:
        """Return the columns before `stop` of rows, which are kept as long as there is room."""
        kept = {j: self._kept.get(j) for j in features.tolist()}
        lacking = [j for j, row in kept.items() if row is None or len(row) < stop]
        if lacking:
            known = max((len(row) for j in lacking if (row := kept[j]) is not None), default=0)
            enough = min(max(stop, 2 * known), self.n_features)
            for j, row in zip(lacking, self.rows(np.array(lacking), enough), strict=True):
                kept[j] = row
                self._keep(j, row)
        return np.array([row[:stop] for row in kept.values() if row is not None])

    def _keep(self, feature: int, row: ShortInts) -> None:
        before = self._kept.pop(feature, None)
        self._kept_bytes += row.nbytes - (0 if before is None else before.nbytes)
        self._kept[feature] = row.copy()
        while self._kept_bytes > BYTES_OF_ROWS and len(self._kept) > 1:
            self._kept_bytes -= self._kept.pop(next(iter(self._kept))).nbytes

    def __getitem__(self, pairs: tuple[Indices, Indices]) -> Array:
        """Return the entries of pairs, as a matrix does: two arrays of features of one shape."""
        features, others = np.broadcast_arrays(*pairs)
        entries = np.zeros(features.shape, np.int64)
        for feature in np.unique(features):
            which = (features == feature) & (others != feature)
            second, places = np.unique(others[which], return_inverse=True)
            entries[which] = self._between(self._columns[[feature]], self._columns[second])[0, places]
        return entries if self.unit is None else entries / self.unit
