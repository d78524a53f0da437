"""What a search asks about sets of features: a key to compare by, exactly, and its value for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pyfsel.problem.objectives import FeatureSet


class Criterion(Protocol):
    """A measure J of feature sets, larger is better (paper 001, Section 3).

    Searches compare keys, which are integers where the measure counts something, so equal sets are
    equal. The values that people see follow from the keys. What was asked once is remembered by `Run`.

    Attributes
    ----------
    feature_names : tuple of str
    is_monotone : bool
        Whether a feature more never lowers the key, exactly.
    batch_size : int
        How many sets are asked for at once; limits are looked at between batches.
    """

    @property
    def feature_names(self) -> tuple[str, ...]: ...

    @property
    def is_monotone(self) -> bool: ...

    @property
    def batch_size(self) -> int: ...

    def keys(self, sets: Sequence[FeatureSet]) -> Sequence[float]:
        """Return the key of each set, larger is better; sets are sorted tuples of 0-based features."""
        ...

    def value(self, key: float) -> float:
        """Return the J that a key stands for; a larger key has a larger J."""
        ...

    def least_key(self, value: float) -> float:
        """Return the key k such that J reaches this value where the key reaches k."""
        ...


@runtime_checkable
class CriterionOfRows(Criterion, Protocol):
    """A criterion that counts bad rows, each key being minus their number; LVI needs it.

    Attributes
    ----------
    n_rows : int
    """

    @property
    def n_rows(self) -> int: ...

    def on_rows(self, rows: NDArray[Any]) -> Self:
        """Return the same criterion on some of the rows, given by a mask."""
        ...

    def bad_groups(self, features: FeatureSet) -> NDArray[Any]:
        """Return a mask of the rows that agree, in these features, with a row of another class."""
        ...


DIGITS = 10  # rounding errors of the sums are far below the last of them


class EntropyCriterion:
    """Minus the conditional entropy H(y | A) in nats, rounded to ten digits so that equal ones compare equal.

    Monotone but for rounding, which is why ABB, whose proof needs it, does not take it.

    Parameters
    ----------
    codes : array of int, shape (n_rows, n_features)
        Values coded from 0 in each column.
    y : array of int, shape (n_rows,)
        Class codes from 0.
    feature_names : sequence of str

    Examples
    --------
    >>> rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> criterion = EntropyCriterion(rows, np.array([0, 0, 1, 1]), ["a", "b"])
    >>> [float(key) for key in criterion.keys([(), (0,), (1,)])]
    [-0.6931471806, 0.0, -0.6931471806]
    """

    is_monotone = False
    batch_size = 16

    def __init__(
        self, codes: NDArray[np.integer], y: NDArray[np.integer], feature_names: Sequence[str]
    ) -> None:
        self.codes = codes
        self.y = y
        self.feature_names = tuple(feature_names)

    def keys(self, sets: Sequence[FeatureSet]) -> list[float]:
        """Return −H(y | A) of each set, rounded."""
        return [self._key(features) for features in sets]

    def _key(self, features: FeatureSet) -> float:
        groups = np.zeros(len(self.y), dtype=np.int64)
        for j in features:
            groups = np.unique(groups * (self.codes[:, j].max() + 1) + self.codes[:, j], return_inverse=True)[
                1
            ]
        with_class = np.unique(groups * (self.y.max() + 1) + self.y, return_counts=True)[1]
        # H(y|A) = H(y, A) − H(A), each Σ −(c/m) log(c/m); + 0.0 turns −0 into 0
        difference = _c_log_c(with_class) - _c_log_c(np.bincount(groups))
        return round(difference / len(self.y), DIGITS) + 0.0

    def value(self, key: float) -> float:
        """Return the key: it is the value."""
        return key

    def least_key(self, value: float) -> float:
        """Return the value, rounded as keys are."""
        return round(value, DIGITS)


def _c_log_c(counts: NDArray[np.integer]) -> float:
    counts = counts[counts > 0]
    return float((counts * np.log(counts)).sum())
