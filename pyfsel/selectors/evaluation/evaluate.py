"""Do the sets generalise? Selection inside cross-validation: held-out scores and stability.

Sets that were selected with all rows have seen the rows that a score is computed on: such a score is too
high, however the estimator itself is validated. Here the selection is repeated inside each training fold,
and the held-out rows are seen neither by the measure nor by the estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pyfsel.errors import InputError
from pyfsel.measures.tables.rows import grouped_splitter, row_values, row_weights
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.problem.checks import integer_in, number_of_jobs, one_of, seed, shown
from pyfsel.results.answer import StopReason
from pyfsel.results.counting import counted
from pyfsel.results.jobs import finished
from pyfsel.selectors.evaluation.folds import Fold, score_fold
from pyfsel.selectors.evaluation.intervals import HeldOutRows
from pyfsel.selectors.evaluation.result import ALL_FEATURES, Evaluation

if TYPE_CHECKING:
    from numpy.typing import NDArray

ESTIMATORS = ("linear", "tree", "forest", "neighbours")
DEFAULT_SCORING = {"classification": "balanced_accuracy", "regression": "r2"}
MISSING = ("error", "drop")
ESTIMATOR_TEXT = f"one of {', '.join(ESTIMATORS)}, or an estimator, or a dict or list of them"


def evaluate(
    X: Any,
    y: Any,
    selector: Any,
    estimator: Any = "linear",
    *,
    scoring: str | None = None,
    n_splits: int = 5,
    n_repeats: int = 4,
    cv: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    task: str = "auto",
    missing: str = "error",
    dates: str = "error",
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Evaluation:
    """Score feature sets on rows that their selection has not seen, beside other selectors and all features.

    In every fold each selector is fitted on the training rows; for each of its sets, and for all features,
    each estimator is fitted on the same rows and scored on the held-out ones. Several sets of one selector
    also vote: the mean of the predictions of their models is one more row. All are compared with the first
    set on the same folds. Never select with all rows and cross-validate only the estimator: the score would
    be too high. Ctrl-C ends the evaluation; the finished folds are returned.

    Parameters
    ----------
    X : DataFrame or array, shape (n_rows, n_features)
        Text columns are used as integer codes.
    y : array or Series, shape (n_rows,)
    selector : selector, pipeline, or dict or list of them
        Unfitted; they are cloned. Those of this package give a row for each set; any other transformer of
        scikit-learn that selects features, such as `SelectKBest` or `RFE`, one row. The keys of a dict are
        their names, otherwise they are named after their class.
    estimator : scikit-learn estimator, {"linear", "tree", "forest", "neighbours"}, or dict or list of them
        "linear" is logistic or ridge regression on standardised features. They are cloned.
    scoring : str, optional
        Name of a score of scikit-learn; "balanced_accuracy" or "r2" unless given.
    n_splits : int
        Folds, stratified by class.
    n_repeats : int
        How often the rows are split anew; each repeat also has its own seed for selectors and estimators.
    cv : splitter of scikit-learn, optional
        Instead of `n_splits`; with `n_repeats` its splits are drawn so often.
    groups : array-like, shape (n_rows,), optional
        Rows of one group, such as a patient, stay on one side of each split.
    sample_weight : array-like, shape (n_rows,), optional
        Given to the estimators, which must take weights, and to the score; selectors do not get it.
    task : {"auto", "classification", "regression"}
    missing : {"error", "drop"}
        Filling in gaps belongs into the estimator's pipeline, where it cannot see held-out rows.
    dates : {"error", "number"}
        As in `pyfsel.measures.prepare`.
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
    >>> from sklearn.feature_selection import SelectKBest
    >>> from pyfsel import AlternativeFeatureSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = AlternativeFeatureSelector(3, n_alternatives=1, tau=1, measure="f_statistic")
    >>> evaluate(X, y, selector, n_splits=3).set_names
    ['0', '1', 'vote', 'all']
    >>> evaluate(X, y, {"ours": selector, "best": SelectKBest(k=3)}, n_splits=3).set_names
    ['ours 0', 'ours 1', 'ours vote', 'best', 'all']
    """
    from sklearn.base import clone

    one_of("missing", missing, MISSING)
    random_state = seed("random_state", random_state)
    number_of_jobs("n_jobs", n_jobs)
    n_repeats = integer_in("n_repeats", n_repeats, 1, None)
    n_splits = integer_in("n_splits", n_splits, 2, None)
    selectors = _named("selector", selector, _is_selector, "a selector, or a dict or list of them")
    table = prepare(X, y, task=task, missing=missing, dates=dates).dense()
    weights = None if sample_weight is None else row_weights(sample_weight, table)
    in_groups = None if groups is None else row_values("groups", groups, table)
    frame = pd.DataFrame(table.X, columns=list(table.feature_names))
    estimators = {
        name: named_estimator(model, table.task) if isinstance(model, str) else model
        for name, model in _named("estimator", estimator, _is_estimator, ESTIMATOR_TEXT).items()
    }
    scoring = scoring or DEFAULT_SCORING[table.task]
    _check_scoring(scoring)
    jobs = []
    for repeat in range(n_repeats):
        of_repeat = random_state + repeat
        splitter = _splitter(table, cv, n_splits, in_groups, of_repeat)
        for number, (train, test) in enumerate(_drawn(splitter, frame, table.y, in_groups, cv)):
            jobs.append(
                Fold(
                    train,
                    test,
                    repeat,
                    number,
                    {name: _of_task(clone(one), table.task) for name, one in selectors.items()},
                    {name: clone(one) for name, one in estimators.items()},
                    of_repeat,
                )
            )
    folds, stop_reason = _finished(frame, table.y, scoring, jobs, weights, n_jobs)
    rows = [row for fold_rows in folds for row in fold_rows]
    if all(row["set"] == ALL_FEATURES for row in rows):
        if stop_reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        raise InputError(f"selector={shown(selector)}: finds no set in any fold")
    tested = np.unique(np.concatenate([job.test for job in jobs]))
    counts = tuple(np.bincount(table.y[tested]).tolist()) if table.task == "classification" else ()
    n_groups = None if in_groups is None else len(np.unique(in_groups[tested]))
    held_out = HeldOutRows(len(tested), counts, n_groups)
    return Evaluation(
        pd.DataFrame(rows),
        table.feature_names,
        scoring,
        len(folds),
        table.task,
        held_out,
        stop_reason,
    )


def _finished(
    X: pd.DataFrame,
    y: NDArray[Any],
    scoring: str,
    jobs: Sequence[Fold],
    weights: NDArray[np.float64] | None,
    n_jobs: int | None,
) -> tuple[list[list[dict[str, Any]]], StopReason]:
    """Return the rows of each fold that was finished, in the order of the folds, and why it ended."""
    folds: list[list[dict[str, Any]]] = []
    stop_reason = StopReason.FINISHED
    tasks = enumerate((X, y, scoring, job, weights) for job in jobs)
    try:
        with (
            closing(finished(score_fold, tasks, n_jobs)) as scored,
            closing(counted("folds", scored, len(jobs))) as steps,
        ):
            folds.extend(rows for _, rows in steps)
    except KeyboardInterrupt:
        stop_reason = StopReason.INTERRUPTED
    folds.sort(key=lambda rows: (rows[0]["repeat"], rows[0]["fold"]))
    return folds, stop_reason


def _named(argument: str, given: Any, is_one: Callable[[Any], bool], what: str) -> dict[str, Any]:
    """Return what the user gave by name: the keys of a dict, or the names of the classes."""
    if isinstance(given, Mapping):
        found = {str(name): one for name, one in given.items()}
    else:
        listed = list(given) if isinstance(given, (list, tuple)) else [given]
        found = {}
        for one in listed:
            name = one if isinstance(one, str) else type(one).__name__
            alike = sum(other == name or other.startswith(f"{name} (") for other in found)
            found[f"{name} ({alike + 1})" if alike else name] = one
    if not found or not all(map(is_one, found.values())):
        wrong = next((one for one in found.values() if not is_one(one)), given)
        raise InputError(f"{argument}={shown(wrong)}: must be {what}")
    return found


def _is_selector(given: Any) -> bool:
    return not isinstance(given, type) and all(
        hasattr(given, name) for name in ("fit", "transform", "get_params")
    )


def _is_estimator(given: Any) -> bool:
    if isinstance(given, str):
        return given in ESTIMATORS
    return not isinstance(given, type) and hasattr(given, "fit") and hasattr(given, "get_params")


def _of_task(selector: Any, task: str) -> Any:
    """Return the selector with the task of the whole table, which a fold of it may not show."""
    if selector.get_params(deep=False).get("task") == "auto":
        selector.set_params(task=task)
    return selector


def _drawn(splitter: Any, X: pd.DataFrame, y: NDArray[Any], groups: Any, cv: Any) -> list[Any]:
    try:
        drawn = list(splitter.split(X, y, groups))
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"cv={shown(cv)}: cannot split the rows ({error})") from None
    return drawn


def _splitter(table: Table, cv: Any, n_splits: int, groups: NDArray[Any] | None, seed: int) -> Any:
    from sklearn.model_selection import KFold, StratifiedKFold

    if cv is not None:
        if not hasattr(cv, "split"):
            raise InputError(f"cv={shown(cv)}: must be a splitter of scikit-learn, such as GroupKFold()")
        return cv
    y, task = table.y, table.task
    if groups is not None:
        n_groups = len(np.unique(groups))
        if n_splits > n_groups:
            raise InputError(f"n_splits={n_splits}: there are only {n_groups} groups")
        return grouped_splitter(n_splits, task == "classification", shuffle=True, seed=seed)
    smallest = int(np.bincount(y).min()) if task == "classification" else len(y)
    if n_splits > smallest:
        what = "rows in the smallest class" if task == "classification" else "rows"
        raise InputError(f"n_splits={n_splits}: there are only {smallest} {what}")
    kind = StratifiedKFold if task == "classification" else KFold
    return kind(n_splits, shuffle=True, random_state=seed)


def named_estimator(name: str, task: str) -> Any:
    """Return an unfitted estimator of `ESTIMATORS`."""
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
    return known[name]


def _check_scoring(scoring: str) -> None:
    from sklearn.metrics import get_scorer_names

    if scoring not in get_scorer_names():
        raise InputError(f"scoring={scoring!r}: must be a score of scikit-learn, such as accuracy or r2")
