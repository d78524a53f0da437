"""How well a model predicts from a set, cross-validated, as a criterion of the classic searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyfsel.measures.tables.table import Table
from pyfsel.problem.objectives import FeatureSet
from pyfsel.selectors.wrapper.scoring import SetScorer

DIGITS = 12  # of scores of about 1, whose last bits depend on the order of the folds' sums


class ModelCriterion:
    """The mean cross-validated score of a model, rounded so that equal scores compare equal.

    The empty set has the score of always predicting the most frequent class, or the mean.

    Parameters
    ----------
    table : Table
    estimator, scoring, cv, random_state, n_jobs
        As for `SetScorer`; the default model is a decision tree by entropy (001 takes C4.5), for regression
        scikit-learn's default tree.

    Attributes
    ----------
    n_models : int
        Models trained.
    """

    is_monotone = False
    batch_size = 8  # sets that are scored together, so several processes have work

    def __init__(
        self,
        table: Table,
        estimator: Any = None,
        scoring: Any = None,
        cv: Any = None,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        from sklearn.dummy import DummyClassifier, DummyRegressor
        from sklearn.tree import DecisionTreeClassifier

        has_classes = table.task == "classification"
        if estimator is None and has_classes:
            estimator = DecisionTreeClassifier(criterion="entropy")
        dummy = DummyClassifier() if has_classes else DummyRegressor()
        self.feature_names = table.feature_names
        self._scorer = SetScorer(table, estimator, scoring, cv, random_state, n_jobs)
        self._of_nothing = SetScorer(table, dummy, scoring, self._scorer.splits, random_state)

    @property
    def n_models(self) -> int:
        """Models trained so far."""
        return self._scorer.n_models

    def keys(self, sets: Sequence[FeatureSet]) -> list[float]:
        """Return the score of each set."""
        some = [s for s in sets if s]
        scores = dict(zip(some, self._scorer(some), strict=True))
        if len(some) < len(sets):
            scores[()] = self._of_nothing([()])[0]
        return [round(scores[s], DIGITS) for s in sets]

    def value(self, key: float) -> float:
        """Return the key: it is the score."""
        return key

    def least_key(self, value: float) -> float:
        """Return the value, rounded as scores are."""
        return round(value, DIGITS)
