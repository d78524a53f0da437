"""Consistency as a criterion of the classic searches: minus the number of inconsistent rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.papers.consistency.problem import ConsistencyProblem
from pyfsel.problem.objectives import FeatureSet

ROUNDING = 1e-9  # of n·(1/J − 1), an integer for every J that is reached


class ConsistencyCriterion:
    """J(A) = 1/(1 + inconsistency rate), in (½, 1] (001, Eq. 1, 2); keys are minus the inconsistent rows.

    Each group of rows that agree in all features of A counts once: summed over the rows, as Eq. 2 is
    written, the rate would pass 1.

    Parameters
    ----------
    problem : ConsistencyProblem
        Its rows; its largest rate is not used.

    Examples
    --------
    >>> from pyfsel.papers.consistency.problem import consistency_problem
    >>> criterion = ConsistencyCriterion(consistency_problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    >>> keys = criterion.keys([(), (0,), (0, 1)])
    >>> keys, [round(criterion.value(key), 3) for key in keys]
    ([-2, -2, 0], [0.667, 0.667, 1.0])
    """

    is_monotone = True
    batch_size = 16

    def __init__(self, problem: ConsistencyProblem) -> None:
        self.problem = problem
        self.feature_names = problem.feature_names
        self.n_rows = problem.n_rows

    def keys(self, sets: Sequence[FeatureSet]) -> list[int]:
        """Return minus the number of inconsistent rows of each set."""
        return [-self.problem.inconsistent_rows(features) for features in sets]

    def value(self, key: float) -> float:
        """Return J."""
        return self.n_rows / (self.n_rows - key)

    def least_key(self, value: float) -> float:
        """Return minus the most inconsistent rows that J allows; 1, which nothing reaches, beyond J = 1."""
        if value > 1:
            return 1
        return -int(self.n_rows * (1 / value - 1) + ROUNDING) if value > 0 else -self.n_rows

    def on_rows(self, rows: NDArray[Any]) -> ConsistencyCriterion:
        """Return the criterion on some rows (a mask over the rows, sorted by pattern and class)."""
        counts = np.bincount(self._cells[rows], minlength=self.problem.counts.size)
        counts = counts.reshape(self.problem.counts.shape)
        kept = counts.any(axis=1)
        return ConsistencyCriterion(
            replace(self.problem, patterns=self.problem.patterns[kept], counts=counts[kept])
        )

    def bad_groups(self, features: FeatureSet) -> NDArray[np.bool_]:
        """Return a mask of the rows that agree in these features with a row of another class."""
        groups = self.problem.groups(features)
        of_class = np.array([np.bincount(groups, weights=column) for column in self.problem.counts.T])
        is_mixed = np.count_nonzero(of_class, axis=0) > 1
        return np.asarray(is_mixed[groups][self._cells // self.problem.counts.shape[1]])

    @property
    def _cells(self) -> NDArray[np.intp]:
        """The number of pattern and class of each row."""
        return np.repeat(np.arange(self.problem.counts.size), self.problem.counts.ravel())
