"""One fold: selectors and estimators fitted on its training rows, and scored on the held-out ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

from pyfsel.errors import NoSolutionError
from pyfsel.measures.threads import one_thread
from pyfsel.selectors.evaluation.result import ALL_FEATURES, VOTE
from pyfsel.selectors.evaluation.voting import Voting
from pyfsel.selectors.several_sets import SeveralSetsMixin

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Fold:
    """The rows of a fold, and what is fitted on them.

    Parameters
    ----------
    train, test : array of int
    repeat, fold : int
    selectors, estimators : dict
        Unfitted, by name; clones of this fold's own.
    seed : int
    """

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    repeat: int
    fold: int
    selectors: Mapping[str, Any]
    estimators: Mapping[str, Any]
    seed: int


@dataclass(frozen=True)
class _Selected:
    """One set that was selected: its name, its columns, and how to make a table of them."""

    name: str
    features: tuple[int, ...] | None
    quality: float
    X_train: Any
    X_test: Any
    votes: str | None = None


def score_fold(
    X: pd.DataFrame, y: NDArray[Any], scoring: str, fold: Fold, weights: NDArray[np.float64] | None
) -> list[dict[str, Any]]:
    """Return one row for each set and estimator, as `Evaluation.folds` holds them.

    What is odd about the rows of a fold is not said: it was said of the table. Several threads would only
    wait for each other in models of so few rows.
    """
    with one_thread(), catch_warnings():
        simplefilter("ignore")
        return _scored(X, y, scoring, fold, weights)


def _scored(
    X: pd.DataFrame, y: NDArray[Any], scoring: str, fold: Fold, weights: NDArray[np.float64] | None
) -> list[dict[str, Any]]:
    from sklearn.base import clone
    from sklearn.metrics import get_scorer

    scorer = get_scorer(scoring)
    found = [_Selected(ALL_FEATURES, tuple(range(X.shape[1])), np.nan, X.iloc[fold.train], X.iloc[fold.test])]
    for name, selector in fold.selectors.items():
        found += _selected(X, y, name, _seeded(selector, fold.seed), fold, len(fold.selectors) == 1)
    fit = {} if weights is None else {"sample_weight": weights[fold.train]}
    score = {} if weights is None else {"sample_weight": weights[fold.test]}
    rows = []
    for estimator_name, estimator in fold.estimators.items():
        _seeded(estimator, fold.seed)
        voters: dict[str, list[tuple[Any, Any]]] = {}
        for one in found:
            model = clone(estimator).fit(one.X_train, y[fold.train], **fit)
            value = scorer(model, one.X_test, y[fold.test], **score)
            rows.append(_row(fold, one.name, estimator_name, value, one))
            if one.votes is not None:
                voters.setdefault(one.votes, []).append((model, one.X_test))
        for name, models in voters.items():
            if len(models) > 1:
                vote = Voting([model for model, _ in models])
                value = scorer(vote, [held_out for _, held_out in models], y[fold.test], **score)
                rows.append(_row(fold, name, estimator_name, value, None))
    return rows


def _row(fold: Fold, name: str, estimator: str, score: float, one: _Selected | None) -> dict[str, Any]:
    return {
        "repeat": fold.repeat,
        "fold": fold.fold,
        "set": name,
        "estimator": estimator,
        "score": float(score),
        "quality": np.nan if one is None else one.quality,
        "features": None if one is None else one.features,
        "n_train": len(fold.train),
        "n_test": len(fold.test),
    }


def _seeded(model: Any, seed: int) -> Any:
    seeds = {name: seed for name in model.get_params() if name.endswith("random_state")}
    return model.set_params(**seeds)


def _selected(
    X: pd.DataFrame, y: NDArray[Any], name: str, selector: Any, fold: Fold, is_alone: bool
) -> list[_Selected]:
    """Return the sets that a selector finds in the training rows, none if it finds none."""
    X_train, X_test = X.iloc[fold.train], X.iloc[fold.test]
    try:
        selector.fit(X_train, y[fold.train])
    except NoSolutionError:
        return []
    if not isinstance(selector, SeveralSetsMixin):
        features = _columns(selector, list(X.columns))
        if features is None:
            return [_Selected(name, None, np.nan, selector.transform(X_train), selector.transform(X_test))]
        chosen = list(features)
        return [_Selected(name, features, np.nan, X_train.iloc[:, chosen], X_test.iloc[:, chosen])]
    before = "" if is_alone else f"{name} "
    qualities: Sequence[float] = getattr(selector, "qualities_", getattr(selector, "scores_of_sets_", ()))
    found = []
    for number, (members, quality) in enumerate(zip(selector.feature_sets_, qualities, strict=True)):
        chosen = [int(j) for j in members]
        found.append(
            _Selected(
                f"{before}{number}",
                tuple(chosen),
                float(quality),
                X_train.iloc[:, chosen],
                X_test.iloc[:, chosen],
                f"{before}{VOTE}",
            )
        )
    return found


def _columns(selector: Any, names: list[str]) -> tuple[int, ...] | None:
    """Return which columns a fitted selector or pipeline keeps; None if it makes new ones."""
    try:
        kept = [str(name) for name in selector.get_feature_names_out(names)]
    except (AttributeError, TypeError, ValueError):
        return None
    position = {name: j for j, name in enumerate(names)}
    return tuple(position[name] for name in kept) if all(name in position for name in kept) else None
