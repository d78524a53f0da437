"""The quality of feature sets as a model sees it: cross-validated, cached, counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.arrays import one_thread
from pyfsel.measures.tables.model_tables import FoldTables, ModelColumns, fitted, require_weighted
from pyfsel.measures.tables.table import Table
from pyfsel.problem.checks import shown
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.jobs import finished
from pyfsel.selectors.evaluation.models import check_scoring_name, estimator_of, words_of_others
from pyfsel.selectors.evaluation.sentences import score_word
from pyfsel.selectors.splits import SplitRows


class SetScorer:
    """Scores feature sets by training a model on their columns, each set once.

    Parameters
    ----------
    table : Table
        Its weights of rows are given to the estimator's `fit` and to the scorer, both of which must accept
        them; folds keep its groups of rows together, and its times in order.
    estimator : estimator, optional
        Any of scikit-learn's conventions; a decision tree if not given. If it has a `random_state` that is
        None, it gets the scorer's. `FoldTables` makes its tables.
    scoring : str or callable, optional
        As in `sklearn.model_selection.cross_val_score`: a larger score is better.
    cv : int, splitter or iterable, optional
        As for `SplitRows.splits`; the splits are drawn once. Default: 5 folds.
    random_state : int, optional
    n_jobs : int, optional
        Processes that train models, over sets and folds.

    Attributes
    ----------
    n_models : int
        Number of models trained.
    unit : str
        What a score is called.
    scores : dict
        Mean score over the folds, by feature set.

    Raises
    ------
    InputError
        If scikit-learn does not know the scoring, or the table has too few rows for the splits.
    """

    def __init__(
        self,
        table: Table,
        estimator: Any,
        scoring: Any = None,
        cv: Any = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        from sklearn.base import is_classifier
        from sklearn.metrics import check_scoring

        check_scoring_name(scoring)
        self.table = table
        self.estimator = estimator_of(estimator, table.task, random_state)
        self._last = self.estimator[-1] if hasattr(self.estimator, "steps") else self.estimator
        self.n_jobs = n_jobs
        self.n_models = 0
        self.scores: dict[FeatureSet, float] = {}
        is_class = is_classifier(self.estimator)
        default = "accuracy" if is_class else "r2"
        named = scoring if isinstance(scoring, str) else "score" if scoring else default
        self.unit = score_word(named)
        if table.weights is not None:
            require_weighted(self._last, self.estimator)
        with words_of_others(f"estimator={shown(self._last)}, scoring={scoring!r}"):
            self.scorer = check_scoring(self.estimator, scoring)
        strata = table.y if is_class else None
        rows = SplitRows(len(table.y), strata, table.groups, table.times, table.time_gap, table)
        self.splits = rows.splits(cv)
        columns = ModelColumns.of(table)
        self._folds = [FoldTables(columns, self.estimator, train, test) for train, test in self.splits]

    def __call__(self, sets: Sequence[FeatureSet]) -> list[float]:
        """Return the score of each set, larger is better.

        Raises
        ------
        InputError
            If a model cannot be trained, or a score is not a finite number.
        """
        new = [s for s in dict.fromkeys(sets) if s not in self.scores]
        tasks = [(self.scorer, *self._task(s, fold)) for s in new for fold in self._folds]
        with words_of_others(f"estimator={shown(self._last)}"):
            found = dict(finished("models", _score, tasks, len(tasks), self.n_jobs))
        self.n_models += len(tasks)
        folds = np.array([found[number] for number in range(len(tasks))], dtype=float)
        means = dict(zip(new, folds.reshape(len(new), -1).mean(axis=1).tolist(), strict=True)) if new else {}
        for s, score in means.items():
            if not np.isfinite(score):
                raise InputError(f"scoring: gives {score} for the features {list(s)}. Scores must be finite")
        self.scores |= means
        return [self.scores[s] for s in sets]

    def _task(self, members: FeatureSet, fold: FoldTables) -> tuple[Any, ...]:
        """Return a model, and for training and held-out rows table, target and weights of a fold."""
        parts = fold.train, fold.test
        # the empty set is one constant column
        tables = fold(members) if members else [np.zeros((len(rows), 1)) for rows in parts]
        y, weights = self.table.y, self.table.weights
        training, held_out = (
            (X, y[rows], None if weights is None else weights[rows])
            for X, rows in zip(tables, parts, strict=True)
        )
        return fold.model(members), training, held_out


def _score(scorer: Any, model: Any, training: tuple[Any, ...], held_out: tuple[Any, ...]) -> float:
    """Fit a model to some rows and return its score on others."""
    with one_thread():
        X, y, weights = held_out
        given = {} if weights is None else {"sample_weight": weights}
        return float(scorer(fitted(model, *training), X, y, **given))
