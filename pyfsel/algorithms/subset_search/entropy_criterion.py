"""Conditional entropy: how little the class is known from the features of a set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.problem.objectives import FeatureSet

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
