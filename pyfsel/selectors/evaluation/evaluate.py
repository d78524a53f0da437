"""Do the sets generalise? Selection inside cross-validation: held-out scores and stability.

Sets that were selected with all rows have seen the rows that a score is computed on: such a score is too
high, however the estimator itself is validated. Here the selection is repeated inside each training fold,
and the held-out rows are seen neither by the measure nor by the estimator.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pyfsel.errors import InputError, NoSolutionError
from pyfsel.measures.tables.table import prepare
from pyfsel.problem.checks import integer_in, is_a, number_of_jobs, one_of, seed, shown
from pyfsel.results.answer import StopReason
from pyfsel.selectors.alternatives import AlternativeFeatureSelector
from pyfsel.selectors.evaluation.result import ALL_FEATURES, Evaluation

if TYPE_CHECKING:
    from numpy.typing import NDArray

ESTIMATORS = ("linear", "tree", "forest", "neighbours")
DEFAULT_SCORING = {"classification": "balanced_accuracy", "regression": "r2"}
MISSING = ("error", "drop")


def evaluate(
    X: Any,
    y: Any,
    selector: AlternativeFeatureSelector,
    estimator: Any = "linear",
    *,
    scoring: str | None = None,
    n_splits: int = 5,
    n_repeats: int = 1,
    task: str = "auto",
    missing: str = "error",
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Evaluation:
    """Score each of the alternative feature sets on rows that its selection has not seen.

    In every fold the selector is fitted on the training rows; for each of its sets, and for all features, the
    estimator is fitted on the same rows and scored on the held-out ones. Never select with all rows and
    cross-validate only the estimator: the score would be too high. Ctrl-C ends the evaluation; the finished
    folds are returned.

    Parameters
    ----------
    X : DataFrame or array, shape (n_rows, n_features)
        Text columns are used as integer codes.
    y : array or Series, shape (n_rows,)
    selector : AlternativeFeatureSelector
        Unfitted; it is cloned.
    estimator : scikit-learn estimator, or {"linear", "tree", "forest", "neighbours"}
        "linear" is logistic or ridge regression on standardised features. It is cloned.
    scoring : str, optional
        Name of a score of scikit-learn; "balanced_accuracy" or "r2" unless given.
    n_splits : int
        Folds, stratified by class.
    n_repeats : int
        How often the rows are split anew; each repeat also has its own seed for selector and estimator.
    task : {"auto", "classification", "regression"}
    missing : {"error", "drop"}
        Filling in gaps belongs into the estimator's pipeline, where it cannot see held-out rows.
    random_state : int
    n_jobs : int, optional
        Folds at the same time.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        If an argument or the table is not allowed, or no fold has a set.
    KeyboardInterrupt
        After Ctrl-C, if no finished fold has a set.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = AlternativeFeatureSelector(3, n_alternatives=1, tau=1, measure="f_statistic")
    >>> evaluate(X, y, selector, n_splits=3).set_names
    ['0', '1', 'all']
    """
    from sklearn.base import clone

    is_a("selector", selector, AlternativeFeatureSelector, "an AlternativeFeatureSelector")
    one_of("missing", missing, MISSING)
    random_state = seed("random_state", random_state)
    number_of_jobs("n_jobs", n_jobs)
    n_repeats = integer_in("n_repeats", n_repeats, 1, None)
    n_splits = integer_in("n_splits", n_splits, 2, None)
    table = prepare(X, y, task=task, missing=missing)
    frame = pd.DataFrame(table.X, columns=list(table.feature_names))
    model = _named_estimator(estimator, table.task) if isinstance(estimator, str) else estimator
    if not hasattr(model, "fit") or not hasattr(model, "get_params"):
        raise InputError(
            f"estimator={shown(estimator)}: must be one of {', '.join(ESTIMATORS)}, or an estimator"
        )
    scoring = scoring or DEFAULT_SCORING[table.task]
    _check_scoring(scoring)
    jobs = [
        (train, test, repeat, fold, clone(selector), clone(model), random_state + repeat)
        for repeat in range(n_repeats)
        for fold, (train, test) in enumerate(_splits(table.y, table.task, n_splits, random_state + repeat))
    ]
    folds, stop_reason = _finished(frame, table.y, scoring, jobs, n_jobs)
    rows = [row for fold_rows in folds for row in fold_rows]
    if all(row["set"] == ALL_FEATURES for row in rows):
        if stop_reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        raise InputError(f"selector={selector!r}: finds no set in any fold")
    return Evaluation(
        pd.DataFrame(rows), table.feature_names, scoring, len(folds), table.task, stop_reason=stop_reason
    )


def _finished(
    X: pd.DataFrame, y: NDArray[Any], scoring: str, jobs: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> tuple[list[list[dict[str, Any]]], StopReason]:
    """Return the rows of each fold that was finished, in the order of the folds, and why it ended."""
    from joblib import Parallel, delayed

    folds: list[list[dict[str, Any]]] = []
    stop_reason = StopReason.FINISHED
    tasks = (delayed(_score_fold)(X, y, scoring, *job) for job in jobs)
    try:
        with closing(Parallel(n_jobs, return_as="generator_unordered")(tasks)) as scored:
            folds.extend(scored)
    except KeyboardInterrupt:
        stop_reason = StopReason.INTERRUPTED
    folds.sort(key=lambda rows: (rows[0]["repeat"], rows[0]["fold"]))
    return folds, stop_reason


def _score_fold(
    X: pd.DataFrame,
    y: NDArray[Any],
    scoring: str,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    repeat: int,
    fold: int,
    selector: AlternativeFeatureSelector,
    estimator: Any,
    seed: int,
) -> list[dict[str, Any]]:
    from sklearn.base import clone
    from sklearn.metrics import get_scorer

    def score_of(features: Sequence[int]) -> float:
        columns = list(features)
        fitted = clone(estimator).fit(X.iloc[train, columns], y[train])
        return float(get_scorer(scoring)(fitted, X.iloc[test, columns], y[test]))

    selector.set_params(random_state=seed)
    seeds = {name: seed for name in estimator.get_params() if name.endswith("random_state")}
    estimator.set_params(**seeds)
    everything = tuple(range(X.shape[1]))
    found: list[tuple[str, tuple[int, ...], float]] = [(ALL_FEATURES, everything, np.nan)]
    try:
        selector.fit(X.iloc[train], y[train])
    except NoSolutionError:
        pass
    else:
        for number, (members, quality) in enumerate(
            zip(selector.feature_sets_, selector.qualities_, strict=True)
        ):
            found.append((str(number), tuple(int(j) for j in members), float(quality)))
    return [
        {
            "repeat": repeat,
            "fold": fold,
            "set": name,
            "score": score_of(members),
            "quality": quality,
            "features": members,
        }
        for name, members, quality in found
    ]


def _splits(y: NDArray[Any], task: str, n_splits: int, seed: int) -> Any:
    from sklearn.model_selection import KFold, StratifiedKFold

    smallest = int(np.bincount(y).min()) if task == "classification" else len(y)
    if n_splits > smallest:
        what = "rows in the smallest class" if task == "classification" else "rows"
        raise InputError(f"n_splits={n_splits}: there are only {smallest} {what}")
    kind = StratifiedKFold if task == "classification" else KFold
    return kind(n_splits, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)


def _named_estimator(name: str, task: str) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    is_class = task == "classification"
    known = {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000) if is_class else Ridge()),
        "tree": DecisionTreeClassifier() if is_class else DecisionTreeRegressor(),
        "forest": RandomForestClassifier() if is_class else RandomForestRegressor(),
        "neighbours": make_pipeline(
            StandardScaler(), KNeighborsClassifier() if is_class else KNeighborsRegressor()
        ),
    }
    if name not in known:
        raise InputError(f"estimator={name!r}: must be one of {', '.join(ESTIMATORS)}, or an estimator")
    return known[name]


def _check_scoring(scoring: str) -> None:
    from sklearn.metrics import get_scorer_names

    if scoring not in get_scorer_names():
        raise InputError(f"scoring={scoring!r}: must be a score of scikit-learn, such as accuracy or r2")
