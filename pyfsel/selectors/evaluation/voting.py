"""Several fitted models, each of which sees columns of its own, as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier


class Voting(BaseEstimator):  # type: ignore[misc]
    """Predicts by the votes of fitted models.

    Of classifiers the mean probabilities count, or the votes where a model has none; of others the mean. Of
    classes with as many votes the first is taken. In place of a table it gets a list of tables, one for each
    model.

    Parameters
    ----------
    models : sequence of fitted estimators

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 1, 1])
    >>> trees = [DecisionTreeClassifier().fit(X[:, [j]], y) for j in range(2)]
    >>> Voting(trees).predict([X[:, [0]], X[:, [1]]]).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, models: Sequence[Any]) -> None:
        self.models = models

    @property
    def classes_(self) -> Any:
        """The classes of the models."""
        return self.models[0].classes_

    def __sklearn_tags__(self) -> Any:
        return self.models[0].__sklearn_tags__()

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> Voting:
        """Do nothing: the models are fitted."""
        return self

    def predict_proba(self, X: Sequence[Any]) -> NDArray[np.float64]:
        """Return the mean probabilities, or the shares of votes of models that have none."""
        if all(hasattr(model, "predict_proba") for model in self.models):
            told = [model.predict_proba(part) for model, part in zip(self.models, X, strict=True)]
            return np.asarray(np.mean(told, axis=0))
        votes = [model.predict(part) for model, part in zip(self.models, X, strict=True)]
        shares = np.mean([[vote == label for label in self.classes_] for vote in votes], axis=0)
        return np.asarray(shares.T, dtype=np.float64)

    def predict(self, X: Sequence[Any]) -> NDArray[Any]:
        """Return the class of most votes, or the mean prediction."""
        if is_classifier(self.models[0]):
            return np.asarray(np.asarray(self.classes_)[self.predict_proba(X).argmax(axis=1)])
        told = [model.predict(part) for model, part in zip(self.models, X, strict=True)]
        return np.asarray(np.mean(told, axis=0))
