"""Redundancies of pairs of features that are computed when they are asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Redundancies(ABC):
    """A symmetric matrix of integers from 0 to `largest`, zero on its diagonal, that is not in memory.

    Each entry is defined by its two features alone: whichever way it is computed, with whatever others, it is
    the same number. Otherwise a verifier would contradict true answers.

    Parameters
    ----------
    largest : int
        A bound on all of them.
    bound : float
        What that is in the user's numbers.
    """

    def __init__(self, largest: int, bound: float = 1.0) -> None:
        self.largest = largest
        self.bound = bound
        self._counter = [0]

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of features, n."""

    @abstractmethod
    def _rows(self, features: NDArray[np.intp], stop: int) -> NDArray[np.int32]:
        """Return the entries of these rows in the columns before `stop`, whatever on the diagonal."""

    @abstractmethod
    def _entries(self, features: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the entries of pairs of different features, computed without `_rows`."""

    @abstractmethod
    def _among(self, features: NDArray[np.intp]) -> Redundancies:
        """Return those between some features, in this order."""

    @abstractmethod
    def scaled(self, largest: int, bound: float = 1.0) -> Self:
        """Return the same on another scale, rounded."""

    @property
    def measured(self) -> int:
        """How many entries were computed, those that were computed again counted again."""
        return self._counter[0]

    def among(self, features: NDArray[np.intp]) -> Redundancies:
        """Return those between some features, in this order; what is computed of them counts here as well."""
        part = self._among(features)
        part._counter = self._counter
        return part

    def rows(self, features: NDArray[np.intp], stop: int | None = None) -> NDArray[np.int32]:
        """Return the rows of some features, shape (features, stop): the columns before `stop`, or all."""
        stop = self.n_features if stop is None else stop
        self._counter[0] += len(features) * stop
        rows = self._rows(features, stop)
        inside = np.flatnonzero(features < stop)
        rows[inside, features[inside]] = 0
        return rows

    def __getitem__(self, pairs: tuple[NDArray[np.intp], NDArray[np.intp]]) -> NDArray[np.int64]:
        """Return the entries of pairs, as a matrix does: two arrays of features of one shape."""
        features, others = np.broadcast_arrays(*pairs)
        entries = np.zeros(features.size, np.int64)
        apart = (features != others).ravel()
        entries[apart] = self._entries(features.ravel()[apart], others.ravel()[apart])
        self._counter[0] += int(apart.sum())
        return entries.reshape(features.shape)

    def matrix(self) -> NDArray[np.int64]:
        """Return the whole matrix."""
        return self.rows(np.arange(self.n_features)).astype(np.int64)


class Shares:
    """The redundancies of a problem in the user's numbers.

    Parameters
    ----------
    redundancies : Redundancies
    scale : float
    """

    def __init__(self, redundancies: Redundancies, scale: float) -> None:
        self._redundancies = redundancies
        self._scale = scale

    def __getitem__(self, pairs: tuple[NDArray[np.intp], NDArray[np.intp]]) -> NDArray[np.float64]:
        """Return the entries of pairs."""
        return self._redundancies[pairs] / self._scale
