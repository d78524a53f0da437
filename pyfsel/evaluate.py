"""Do the sets generalise? Selection inside cross-validation: held-out scores and stability.

Sets that were selected with all rows have seen the rows that a score is computed on: such a score is too
high, however the estimator itself is validated. Here the selection is repeated inside each training fold,
and the held-out rows are seen neither by the measure nor by the estimator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pyfsel.errors import InputError, NoSolutionError
from pyfsel.estimator import AlternativeFeatureSelector
from pyfsel.tables import prepare

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALL_FEATURES = "all"
ESTIMATORS = ("linear", "tree", "forest", "neighbours")
DEFAULT_SCORING = {"classification": "balanced_accuracy", "regression": "r2"}
MISSING = ("error", "drop")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Held-out scores of each feature set, fold by fold.

    Parameters
    ----------
    folds : DataFrame
        One row per repeat, fold and set: ``repeat, fold, set, score, quality, features`` (0-based indices).
        ``set`` is "0" for the original set, "1" for the first alternative, …, and "all" for all features.
        Folds in which a set could not be found have no row for it.
    feature_names : tuple of str
    scoring : str
        Name of the score; larger is better.
    n_folds : int
        Number of folds of all repeats together.
    task : {"classification", "regression"}
    """

    folds: pd.DataFrame
    feature_names: tuple[str, ...]
    scoring: str
    n_folds: int
    task: str
    all_features: str = ALL_FEATURES

    @property
    def set_names(self) -> list[str]:
        """Names of the sets, the original one first and all features last."""
        return list(dict.fromkeys(sorted(self.folds["set"], key=lambda s: (s == ALL_FEATURES, len(s), s))))

    def scores_of(self, name: str) -> list[float]:
        """Return the held-out scores of a set, one per fold."""
        return [float(score) for score in self.folds.loc[self.folds["set"] == name, "score"]]

    def selections_of(self, name: str) -> list[tuple[int, ...]]:
        """Return what was selected for this set, one set of indices per fold."""
        return list(self.folds.loc[self.folds["set"] == name, "features"])

    @cached_property
    def _summary(self) -> list[dict[str, Any]]:
        rows = []
        for name in self.set_names:
            scores, selections = self.scores_of(name), self.selections_of(name)
            is_selection = name != ALL_FEATURES
            chosen = np.zeros(len(self.feature_names), dtype=int)
            for members in selections:
                chosen[list(members)] += 1
            often = [j for j in np.argsort(-chosen, kind="stable") if chosen[j] > len(selections) / 2]
            rows.append(
                {
                    "set": name,
                    "n_folds": len(scores),
                    "score": float(np.mean(scores)),
                    "score_std": float(np.std(scores, ddof=1)) if len(scores) > 1 else np.nan,
                    "quality": float(self.folds.loc[self.folds["set"] == name, "quality"].mean()),
                    "stability": stability(selections, len(self.feature_names)) if is_selection else np.nan,
                    "jaccard": mean_jaccard(selections) if is_selection else np.nan,
                    "often_selected": [self.feature_names[j] for j in often] if is_selection else [],
                }
            )
        return rows

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set: mean and deviation of the scores, quality on the training folds, stability.

        ``often_selected`` names the features that more than half of the folds selected for this set.
        """
        return pd.DataFrame(self._summary)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the summary, and every fold."""
        folds = self.folds.to_dict("records")
        for row in folds:
            row["features"] = [self.feature_names[j] for j in row["features"]]
        return {
            "task": self.task,
            "scoring": self.scoring,
            "n_folds": self.n_folds,
            "sets": [_plain(row) for row in self._summary],
            "folds": [_plain(row) for row in folds],
        }


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
    cross-validate only the estimator: the score would be too high.

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

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = AlternativeFeatureSelector(3, n_alternatives=1, tau=1, measure="f_statistic")
    >>> evaluate(X, y, selector, n_splits=3).set_names
    ['0', '1', 'all']
    """
    from joblib import Parallel, delayed
    from sklearn.base import clone

    if not isinstance(selector, AlternativeFeatureSelector):
        raise InputError(f"selector={selector!r}: must be an AlternativeFeatureSelector")
    if missing not in MISSING:
        raise InputError(f"missing={missing!r}: must be one of {', '.join(MISSING)}")
    table = prepare(X, y, task=task, missing=missing)
    frame = pd.DataFrame(table.X, columns=list(table.feature_names))
    model = _named_estimator(estimator, table.task) if isinstance(estimator, str) else estimator
    scoring = scoring or DEFAULT_SCORING[table.task]
    _check_scoring(scoring)
    jobs = [
        (train, test, repeat, fold, clone(selector), clone(model), random_state + repeat)
        for repeat in range(_positive("n_repeats", n_repeats, 1))
        for fold, (train, test) in enumerate(
            _splits(table.y, table.task, _positive("n_splits", n_splits, 2), random_state + repeat)
        )
    ]
    tasks = (delayed(_score_fold)(frame, table.y, scoring, *job) for job in jobs)
    rows = [row for fold_rows in Parallel(n_jobs=n_jobs)(tasks) for row in fold_rows]
    if all(row["set"] == ALL_FEATURES for row in rows):
        raise InputError(f"selector={selector!r}: finds no set in any fold")
    return Evaluation(pd.DataFrame(rows), table.feature_names, scoring, len(jobs), table.task)


def stability(selections: Sequence[Sequence[int]], n_features: int) -> float:
    """Return the stability of repeated selections, corrected for chance: 1 if all are equal, 0 as by chance.

    Parameters
    ----------
    selections : sequence of sequences of int
        At least two sets of 0-based indices; they may differ in size.
    n_features : int

    Returns
    -------
    float
        NaN with fewer than two selections, or if no or all features are selected always.

    References
    ----------
    Nogueira, Sechidis and Brown, "On the Stability of Feature Selection Algorithms", Journal of Machine
    Learning Research 18(174), 2018: Definition 4.

    Examples
    --------
    >>> stability([(0, 1), (0, 1), (0, 1)], 4)
    1.0
    """
    m = len(selections)
    if m < 2:
        return float("nan")
    chosen = np.zeros((m, n_features))
    for row, members in enumerate(selections):
        chosen[row, list(members)] = 1
    mean_size = chosen.sum(axis=1).mean()
    by_chance = mean_size / n_features * (1 - mean_size / n_features)
    if by_chance == 0:
        return float("nan")
    return float(1 - chosen.var(axis=0, ddof=1).mean() / by_chance)


def mean_jaccard(selections: Sequence[Sequence[int]]) -> float:
    """Return the mean Jaccard similarity of all pairs of selections; NaN with fewer than two.

    Examples
    --------
    >>> mean_jaccard([(0, 1), (0, 2)])
    0.3333333333333333
    """
    pairs = [(set(a), set(b)) for a, b in combinations(selections, 2)]
    return float(np.mean([len(a & b) / len(a | b) for a, b in pairs])) if pairs else float("nan")


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


def _positive(name: str, number: Any, least: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise InputError(f"{name}={number!r}: must be an integer of at least {least}")
    return number


def _plain(row: Any) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and np.isnan(value) else value for name, value in row.items()
    }
