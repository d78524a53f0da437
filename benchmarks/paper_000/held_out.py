"""What a model makes of given sets of features: trained on some rows, scored on these and on others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.measures.arrays import one_thread
from pyfsel.problem.checks import finite_array, shown
from pyfsel.problem.objectives import FeatureSet


class HeldOutScores:
    """Scores of sets on training and held-out rows, one model per set (paper 000, Section 5.2).

    Parameters
    ----------
    estimator : estimator
        Of scikit-learn's conventions; each set gets an unfitted copy.
    X_train, y_train, X_test, y_test : array-like
        Columns as numbers, in the same order.
    scoring : str or callable
        As in `sklearn.metrics.check_scoring`: a larger score is better.

    Attributes
    ----------
    known : dict
        The pair of scores of each set that was asked for; fill it to go on with earlier ones.

    Raises
    ------
    InputError
        If the rows do not fit each other, or scikit-learn does not know the estimator or the scoring.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = [[0, 5], [0, 7], [1, 5], [1, 7]]
    >>> scores = HeldOutScores(DecisionTreeClassifier(random_state=0), X, [0, 0, 1, 1], X, [0, 1, 1, 1])
    >>> scores([(0,), (1,)])
    [(1.0, 0.75), (0.5, 0.25)]
    """

    def __init__(
        self,
        estimator: Any,
        X_train: Any,
        y_train: Any,
        X_test: Any,
        y_test: Any,
        scoring: Any = "accuracy",
        known: Mapping[FeatureSet, tuple[float, float]] | None = None,
    ) -> None:
        from sklearn.metrics import check_scoring

        self._parts = [_part("train", X_train, y_train), _part("test", X_test, y_test)]
        columns = [X.shape[1] for X, _ in self._parts]
        if columns[0] != columns[1]:
            raise InputError(f"X_test: has {columns[1]} columns, must have {columns[0]} as X_train")
        try:
            self._scorer = check_scoring(estimator, scoring)
        except (ValueError, TypeError) as error:
            raise InputError(f"estimator={shown(estimator)}, scoring={scoring!r}: {error}") from None
        self.estimator = estimator
        self.known: dict[FeatureSet, tuple[float, float]] = dict(known or {})

    def __call__(self, sets: Sequence[Iterable[int]]) -> list[tuple[float, float]]:
        """Return the scores of each set on the training and on the held-out rows; each set is trained once.

        Raises
        ------
        InputError
            If a set is empty or names a column that there is not.
        """
        asked = [tuple(sorted(s)) for s in sets]
        for features in asked:
            if features not in self.known:
                self.known[features] = self._scores(features)
        return [self.known[features] for features in asked]

    def _scores(self, features: FeatureSet) -> tuple[float, float]:
        from sklearn.base import clone

        (X, y), (X_test, y_test) = self._parts
        if not features or features[0] < 0 or features[-1] >= X.shape[1]:
            raise InputError(f"sets: {list(features)} must hold features from 0 to {X.shape[1] - 1}")
        columns = list(features)
        with one_thread():
            model = clone(self.estimator).fit(X[:, columns], y)
            score = self._scorer
            return float(score(model, X[:, columns], y)), float(score(model, X_test[:, columns], y_test))


def _part(name: str, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    rows, labels = finite_array(f"X_{name}", X, (None, None)), np.asarray(y)
    if labels.shape != (len(rows),):
        raise InputError(f"y_{name}: has shape {labels.shape}, must be ({len(rows)},)")
    return rows, labels
