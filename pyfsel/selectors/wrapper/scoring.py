"""The quality of feature sets as a model sees it: cross-validated, cached, counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, TypedDict, Unpack

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.tables.rows import grouped_splitter, row_values, row_weights
from pyfsel.measures.tables.table import Table
from pyfsel.measures.threads import one_thread
from pyfsel.problem.checks import only_known
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.jobs import finished


class RowOptions(TypedDict, total=False):
    """What is known of the rows beside the table: arguments of `SetScorer`, which describes them."""

    cv_groups: Any
    sample_weight: Any


class Scoring(RowOptions, total=False):
    """How feature sets are scored: arguments of `SetScorer`, which describes them."""

    estimator: Any
    scoring: Any
    cv: Any
    n_jobs: int | None


class SetScorer:
    """Scores feature sets by training a model on their columns, each set once.

    Parameters
    ----------
    table : Table
    estimator : estimator, optional
        Any of scikit-learn's conventions; a decision tree if not given. Where it has a `random_state` that is
        None, it gets the scorer's.
    scoring : str or callable, optional
        As in `sklearn.model_selection.cross_val_score`: a larger score is better.
    cv : int, splitter or iterable, optional
        As in scikit-learn; the splits are drawn once. Default: 5 folds.
    random_state : int, optional
    n_jobs : int, optional
        Processes that train models, over sets and folds.
    cv_groups : array-like, shape (n_rows,), optional
        Groups of rows that a number of folds keeps together, and splitters that know groups.
    sample_weight : array-like, shape (n_rows,), optional
        Given to the estimator's `fit`, and to the scorer; both must take weights.

    Attributes
    ----------
    n_models : int
        Number of models trained.
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
        estimator: Any = None,
        scoring: Any = None,
        cv: Any = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
        **of_rows: Unpack[RowOptions],
    ) -> None:
        from sklearn.base import is_classifier
        from sklearn.metrics import check_scoring
        from sklearn.model_selection import check_cv
        from sklearn.utils.validation import has_fit_parameter

        only_known("SetScorer.__init__", RowOptions, of_rows)
        cv_groups, sample_weight = of_rows.get("cv_groups"), of_rows.get("sample_weight")
        _check_name(scoring)
        self.table = table
        self.estimator = _seeded(estimator, table.task, random_state)
        self.n_jobs = n_jobs
        self.n_models = 0
        self.scores: dict[FeatureSet, float] = {}
        self.cv_groups = None if cv_groups is None else row_values("groups", cv_groups, table)
        self.sample_weight = None if sample_weight is None else row_weights(sample_weight, table)
        if self.sample_weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise InputError(f"sample_weight: estimator={self.estimator!r} takes no weights in fit")
        try:
            self.scorer = check_scoring(self.estimator, scoring)
            has_classes = is_classifier(self.estimator)
            if self.cv_groups is not None and isinstance(cv, int | np.integer | None):
                splitter = grouped_splitter(5 if cv is None else int(cv), has_classes)
            else:
                splitter = check_cv(cv, table.y, classifier=has_classes)
            self.splits = list(splitter.split(table.X, table.y, self.cv_groups))
        except (ValueError, TypeError) as error:
            raise InputError(f"estimator={estimator!r}, scoring={scoring!r}, cv={cv!r}: {error}") from None

    def __call__(self, sets: Sequence[FeatureSet]) -> list[float]:
        """Return the score of each set, larger is better.

        Raises
        ------
        InputError
            If a model cannot be trained, or a score is not a finite number.
        """
        new = [s for s in dict.fromkeys(sets) if s not in self.scores]
        of_table = (self.table.y, self.sample_weight)
        tasks = [
            (self.estimator, self.scorer, self.table.X[:, s], *of_table, train, test)
            for s in new
            for train, test in self.splits
        ]
        try:
            found = dict(finished(_score, enumerate(tasks), self.n_jobs))
        except (ValueError, TypeError) as error:
            raise InputError(f"estimator={self.estimator!r}: {error}") from error
        self.n_models += len(tasks)
        scores = np.array([found[number] for number in range(len(tasks))], dtype=float)
        folds = scores.reshape(len(new), len(self.splits))
        for s, score in zip(new, folds.mean(axis=1), strict=True):
            if not np.isfinite(score):
                raise InputError(f"scoring: gives {score} for the features {list(s)}, must be finite")
            self.scores[s] = float(score)
        return [self.scores[s] for s in sets]

    def fingerprint(self) -> str:
        """Return a hash of the data, the splits, the model and the scorer: what the scores depend on."""
        import joblib

        parameters = repr(sorted(self.estimator.get_params().items(), key=lambda item: item[0]))
        kind = f"{type(self.estimator).__module__}.{type(self.estimator).__qualname__}"
        return str(
            joblib.hash(
                (self.table.X, self.table.y, self.splits, kind, parameters, repr(self.scorer))
                + (() if self.sample_weight is None else (self.sample_weight,))
            )
        )

    def remember(self, scores: Iterable[tuple[Iterable[int], float]]) -> None:
        """Take scores over from an earlier run."""
        self.scores.update({tuple(members): score for members, score in scores})


def _seeded(estimator: Any, task: str, random_state: int | None) -> Any:
    from sklearn.base import clone
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if estimator is None:
        tree = DecisionTreeClassifier if task == "classification" else DecisionTreeRegressor
        return tree(random_state=random_state or 0)
    if not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
        raise InputError(f"estimator={estimator!r}: must be an estimator of scikit-learn's conventions")
    seeded = clone(estimator)
    for name, value in seeded.get_params().items():
        if value is None and name.split("__")[-1] == "random_state":
            seeded.set_params(**{name: random_state or 0})
    return seeded


def _check_name(scoring: Any) -> None:
    from sklearn.metrics import get_scorer_names

    if isinstance(scoring, str) and scoring not in get_scorer_names():
        near = get_close_matches(scoring, get_scorer_names(), n=3, cutoff=0.4)
        hint = f", such as {' or '.join(near)}" if near else ""
        raise InputError(f"scoring={scoring!r}: must be the name of a scorer of scikit-learn{hint}")


def _score(estimator: Any, scorer: Any, X: Any, y: Any, weight: Any, train: Any, test: Any) -> float:
    """Train a model on some rows and return its score on others."""
    from sklearn.base import clone

    with one_thread():
        if weight is None:
            return float(scorer(clone(estimator).fit(X[train], y[train]), X[test], y[test]))
        fitted = clone(estimator).fit(X[train], y[train], sample_weight=weight[train])
        return float(scorer(fitted, X[test], y[test], sample_weight=weight[test]))
