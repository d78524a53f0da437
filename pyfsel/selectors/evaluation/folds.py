"""One fold: selectors and estimators fitted on its training rows, and scored on the held-out ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError, NoSolutionError
from pyfsel.measures.tables.times import SURVIVAL
from pyfsel.measures.threads import one_thread
from pyfsel.selectors.evaluation.models import filled_numbers
from pyfsel.selectors.evaluation.result import ALL_FEATURES, VOTE
from pyfsel.selectors.evaluation.survival import concordance_of
from pyfsel.selectors.evaluation.voting import Voting
from pyfsel.selectors.several_sets import SeveralSetsMixin

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class EncodedRows:
    """A table as models and selectors get it, and what is said of its rows.

    Parameters
    ----------
    X : DataFrame
        Numbers, or categories by their codes; gaps are NaN.
    y : array
        Codes of classes, or numbers, or times with events.
    task, missing, scoring : str
        As in `pyfsel.evaluate`.
    weights, groups : array, shape (n_rows,), optional
    n_dropped : int
        Rows that were left out because of gaps.
    identifiers : tuple of str
        Columns that number or name the rows, which some rows alone may not show. No model gets them, and
        sets hold those only that are forced.
    """

    X: pd.DataFrame
    y: NDArray[Any]
    task: str
    missing: str
    scoring: str
    weights: NDArray[np.float64] | None = None
    groups: NDArray[Any] | None = None
    n_dropped: int = 0
    identifiers: tuple[str, ...] = ()

    @property
    def usable(self) -> list[int]:
        """The columns that are no identifiers."""
        return [j for j, name in enumerate(self.X.columns) if name not in self.identifiers]

    @property
    def strata(self) -> NDArray[Any]:
        """What folds and halves hold in equal shares: classes, or whether the event happened."""
        return self.y["event"].astype(int) if self.task == SURVIVAL else self.y

    @property
    def is_plain(self) -> bool:
        """Whether all columns are numbers without gaps."""
        return not self.X.isna().to_numpy().any() and all(kind != "category" for kind in self.X.dtypes)


@dataclass(frozen=True)
class Fold:
    """The numbers of the rows of a fold, and the seed of what is fitted on them."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    repeat: int
    fold: int
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
    rows: EncodedRows, selectors: Mapping[str, Any], estimators: Mapping[str, Any], fold: Fold
) -> list[dict[str, Any]]:
    """Return one row for each set and estimator, as `Evaluation.folds` holds them.

    What is odd about the rows of a fold is not said: it was said of the table. Several threads would only
    wait for each other in models of so few rows.
    """
    with one_thread(), catch_warnings():
        simplefilter("ignore")
        return _scored(rows, selectors, estimators, fold)


def _scored(
    rows: EncodedRows, selectors: Mapping[str, Any], estimators: Mapping[str, Any], fold: Fold
) -> list[dict[str, Any]]:
    from sklearn.base import clone

    y, usable = rows.y, rows.usable
    train, test = (rows.X.iloc[some, usable] for some in (fold.train, fold.test))
    found = [_Selected(ALL_FEATURES, tuple(usable), np.nan, train, test)]
    for name, selector in selectors.items():
        found += _selected(rows, name, _seeded(selector, fold.seed), fold)
    told = []
    for estimator_name, estimator in estimators.items():
        seeded = _seeded(estimator, fold.seed)
        fit = {} if rows.weights is None else {_of_last_step(seeded): rows.weights[fold.train]}
        voters: dict[str, list[tuple[Any, Any]]] = {}
        for one in found:
            model = clone(seeded).fit(one.X_train, y[fold.train], **fit)
            value = _held_out_score(rows, model, one.X_test, fold)
            told.append(_row(fold, one.name, estimator_name, value, one))
            if one.votes is not None:
                voters.setdefault(one.votes, []).append((model, one.X_test))
        for name, models in voters.items():
            if len(models) > 1:
                vote = Voting([model for model, _ in models])
                value = _held_out_score(rows, vote, [held_out for _, held_out in models], fold)
                told.append(_row(fold, name, estimator_name, value, None))
    return told


def _held_out_score(rows: EncodedRows, model: Any, X_test: Any, fold: Fold) -> float:
    from sklearn.metrics import get_scorer

    scorer = concordance_of if rows.task == SURVIVAL else get_scorer(rows.scoring)
    weights = {} if rows.weights is None else {"sample_weight": rows.weights[fold.test]}
    try:
        return float(scorer(model, X_test, rows.y[fold.test], **weights))
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"scoring={rows.scoring!r}: does not fit this {rows.task} ({error})") from error


def _of_last_step(model: Any) -> str:
    """Return what weights are called for the last step of a pipeline, or for an estimator alone."""
    return f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"


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
    from sklearn.base import clone

    seeds = {name: seed for name in model.get_params() if name.endswith("random_state")}
    return clone(model).set_params(**seeds)


def _selected(rows: EncodedRows, name: str, selector: Any, fold: Fold) -> list[_Selected]:
    """Return the sets that a selector finds in the training rows, none if it finds none."""
    X_train, X_test = rows.X.iloc[fold.train], rows.X.iloc[fold.test]
    if not isinstance(selector, SeveralSetsMixin):
        numbers, held_out = filled_numbers(X_train.iloc[:, rows.usable], X_test.iloc[:, rows.usable])
        try:
            selector.fit(numbers, rows.y[fold.train])
        except NoSolutionError:
            return []
        features = _columns(selector, list(numbers.columns), list(X_train.columns))
        if features is None:
            return [_Selected(name, None, np.nan, selector.transform(numbers), selector.transform(held_out))]
        chosen = list(features)
        return [_Selected(name, features, np.nan, X_train.iloc[:, chosen], X_test.iloc[:, chosen])]
    try:
        fitted_sets(rows, selector, fold.train)
    except NoSolutionError:
        return []
    before = f"{name} " if name else ""
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


def fitted_sets(rows: EncodedRows, selector: Any, chosen: NDArray[np.intp]) -> Any:
    """Fit a selector of this package to some rows, with what is said of them that it takes, and return it."""
    given = {"sample_weight": rows.weights, "groups": rows.groups}
    known = selector.get_metadata_routing().fit.requests
    metadata = {
        what: by_row[chosen] for what, by_row in given.items() if by_row is not None and what in known
    }
    return selector.fit(rows.X.iloc[chosen], rows.y[chosen], **metadata)


def _columns(selector: Any, given: list[str], names: list[str]) -> tuple[int, ...] | None:
    """Return which of all columns what was fitted to some of them keeps; None if it makes new ones."""
    try:
        kept = [str(name) for name in selector.get_feature_names_out(given)]
    except (AttributeError, TypeError, ValueError):
        return None
    position = {name: j for j, name in enumerate(names)}
    return tuple(position[name] for name in kept) if all(name in position for name in kept) else None
