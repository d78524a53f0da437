"""Criteria of searches for sets of features: a key to compare by, exactly, and its value for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import xlogy

from pyfsel.core.arrays import Bools, Indices
from pyfsel.measures.tables.table import Table
from pyfsel.papers.consistency.distinct_rows import ConsistencyProblem
from pyfsel.problem.objectives import FeatureSet
from pyfsel.selectors.wrapper.scoring import SetScorer

ROUNDING = 1e-9  # of n·(1/J − 1), an integer for every J that is reached


class Criterion:
    """A measure J of feature sets, larger is better (paper 001, Section 3); others are subclasses.

    Searches compare keys, which are integers if the measure counts something, so equal sets are equal. The
    values that people see follow from the keys; here they are the keys, rounded so that equal ones compare
    equal. What was evaluated once is remembered by `SubsetRun`.

    Attributes
    ----------
    feature_names : tuple of str
    is_monotone : bool
        Whether a feature more never lowers the key, exactly.
    batch_size : int
        How many sets are evaluated at once; limits are looked at between batches.
    """

    feature_names: tuple[str, ...]
    is_monotone = False
    batch_size = 16
    digits = 10  # rounding errors of sums are far below the last of them

    def keys(self, sets: Sequence[FeatureSet]) -> Sequence[float]:
        """Return the key of each set, larger is better; sets are sorted tuples of 0-based features."""
        raise NotImplementedError

    def value(self, key: float) -> float:
        """Return the J that a key stands for; a larger key has a larger J."""
        return key

    def least_key(self, value: float) -> float:
        """Return the key k such that J reaches this value where the key reaches k."""
        return round(value, self.digits)


class RowsCriterion(Criterion):
    """A criterion of the rows that agree in all features of a set.

    Parameters
    ----------
    problem : ConsistencyProblem
        Its rows; its largest rate is not used.
    """

    def __init__(self, problem: ConsistencyProblem) -> None:
        self.problem = problem
        self.feature_names = problem.feature_names
        self.n_rows = problem.n_rows

    def keys(self, sets: Sequence[FeatureSet]) -> list[float]:
        """Return the key of each set."""
        return [self._key(features) for features in sets]

    def _key(self, features: FeatureSet) -> float:
        raise NotImplementedError


class ConsistencyCriterion(RowsCriterion):
    """J(A) = 1/(1 + inconsistency rate), in (½, 1] (001, Eq. 1, 2); keys are minus the inconsistent rows.

    Each group of rows that agree in all features of A counts once: summed over the rows, as Eq. 2 is
    written, the rate would pass 1.

    Examples
    --------
    >>> from pyfsel.papers.consistency.distinct_rows import consistency_problem
    >>> criterion = ConsistencyCriterion(consistency_problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    >>> keys = criterion.keys([(), (0,), (0, 1)])
    >>> keys, [round(criterion.value(key), 3) for key in keys]
    ([-2, -2, 0], [0.667, 0.667, 1.0])
    """

    is_monotone = True

    def _key(self, features: FeatureSet) -> float:
        return -self.problem.inconsistent_rows(features)

    def value(self, key: float) -> float:
        """Return J."""
        return self.n_rows / (self.n_rows - key)

    def least_key(self, value: float) -> float:
        """Return minus the most inconsistent rows that J allows; 1, which nothing reaches, beyond J = 1."""
        if value > 1:
            return 1
        return -int(self.n_rows * (1 / max(value, 0.5) - 1) + ROUNDING)

    def on_rows(self, rows: Bools) -> ConsistencyCriterion:
        """Return the criterion on some rows (a mask over the rows, sorted by pattern and class)."""
        every = self.problem.counts
        counts = np.bincount(self._cells[rows], minlength=every.size).reshape(every.shape)
        kept = counts.any(axis=1)
        return ConsistencyCriterion(
            replace(self.problem, patterns=self.problem.patterns[kept], counts=counts[kept])
        )

    def bad_groups(self, features: FeatureSet) -> Bools:
        """Return a mask of the rows that agree in these features with a row of another class."""
        groups, of_class = self.problem.tally(features)
        is_mixed = np.count_nonzero(of_class, axis=0) > 1
        return np.asarray(is_mixed[groups][self._cells // self.problem.counts.shape[1]])

    @property
    def _cells(self) -> Indices:
        """The number of pattern and class of each row."""
        return np.repeat(np.arange(self.problem.counts.size), self.problem.counts.ravel())


class EntropyCriterion(RowsCriterion):
    """Minus the conditional entropy H(y | A) in nats.

    Monotone but for rounding, which is why ABB, whose proof needs it, does not take it.

    Examples
    --------
    >>> from pyfsel.papers.consistency.distinct_rows import consistency_problem
    >>> criterion = EntropyCriterion(consistency_problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]))
    >>> [float(key) for key in criterion.keys([(), (0,), (1,)])]
    [-0.6931471806, 0.0, -0.6931471806]
    """

    def _key(self, features: FeatureSet) -> float:
        of_class = self.problem.tally(features)[1]
        # H(y|A) = H(y, A) − H(A), each Σ −(c/m) log(c/m); + 0.0 turns −0 into 0
        of_rows = of_class.sum(axis=0)
        difference = float(xlogy(of_class, of_class).sum() - xlogy(of_rows, of_rows).sum())
        return round(difference / self.n_rows, self.digits) + 0.0


class ModelCriterion(Criterion):
    """The mean cross-validated score of a model.

    The empty set has the score of always predicting the most frequent class, or the mean.

    Parameters
    ----------
    table : Table
    estimator, scoring, cv, random_state, n_jobs
        As for `SetScorer`; the default model is a decision tree by entropy (001 takes C4.5), for regression
        scikit-learn's default tree.
    """

    batch_size = 8  # sets that are scored together, so several processes have work
    digits = 12  # of scores of about 1, whose last bits depend on the order of the folds' sums

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
        splits = [(table.rows[train], table.rows[test]) for train, test in self._scorer.splits]
        self._of_nothing = SetScorer(table, dummy, scoring, splits, random_state)

    def keys(self, sets: Sequence[FeatureSet]) -> list[float]:
        """Return the score of each set."""
        some = [s for s in sets if s]
        scores = dict(zip(some, self._scorer(some), strict=True))
        if len(some) < len(sets):
            scores[()] = self._of_nothing([()])[0]
        return [round(scores[s], self.digits) for s in sets]
