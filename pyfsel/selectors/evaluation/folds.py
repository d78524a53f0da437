"""One fold: selectors and estimators fitted on its training rows, and scored on the held-out ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError, NoSetsError
from pyfsel.measures.tables.model_tables import FoldTables, ModelColumns, encoding_of, fitted
from pyfsel.measures.tables.times import SURVIVAL
from pyfsel.measures.threads import one_thread
from pyfsel.selectors.conventions import TargetMixin
from pyfsel.selectors.evaluation.held_out import ALL_FEATURES, VOTE
from pyfsel.selectors.evaluation.intervals import Clusters
from pyfsel.selectors.evaluation.models import Predictor
from pyfsel.selectors.evaluation.survival import concordance_of
from pyfsel.selectors.evaluation.voting import Voting
from pyfsel.selectors.splits import SplitRows

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class EncodedRows:
    """A table as models and selectors get it, and what is known of its rows.

    Parameters
    ----------
    columns : ModelColumns
    y : array
        Codes of classes, or numbers, or times with events.
    task, missing, scoring : str
        As in `pyfsel.evaluate`.
    weights, groups, times : array, shape (n_rows,), optional
    gap : float
        Training ends this long before the first held-out row.
    n_dropped : int
        Rows that were left out because of missing values.
    identifiers : tuple of str
        Columns that number or name the rows, which some rows alone may not show. No model gets them, and
        sets hold those only that are forced.
    """

    columns: ModelColumns
    y: NDArray[Any]
    task: str
    missing: str
    scoring: str
    weights: NDArray[np.float64] | None = None
    groups: NDArray[Any] | None = None
    times: NDArray[np.float64] | None = None
    gap: float = 0.0
    n_dropped: int = 0
    identifiers: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """The features, as selectors get them."""
        return self.columns.frame

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all features."""
        return self.columns.names

    @property
    def usable(self) -> list[int]:
        """The columns that are no identifiers."""
        return [j for j, name in enumerate(self.names) if name not in self.identifiers]

    @property
    def strata(self) -> NDArray[Any]:
        """What folds and halves hold in equal shares: classes, or whether the event happened."""
        return self.y["event"].astype(int) if self.task == SURVIVAL else self.y

    def to_split(self, chosen: NDArray[np.intp]) -> SplitRows:
        """Return what decides which of some rows are held out together."""
        strata = None if self.task == "regression" else self.strata
        strata, groups, times = (
            None if one is None else one[chosen] for one in (strata, self.groups, self.times)
        )
        return SplitRows(len(chosen), strata, groups, times, self.gap)


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
    """One set that was selected: its name, its columns, or the tables of columns that are made again."""

    name: str
    features: tuple[int, ...] | None
    quality: float = np.nan
    votes: str | None = None
    made: tuple[Any, Any] | None = None


def score_fold(
    rows: EncodedRows, selectors: Mapping[str, Any], models: Mapping[str, Predictor], fold: Fold
) -> list[dict[str, Any]]:
    """Return one row for each set and model, as `HeldOut.folds` has them.

    What is odd about the rows of a fold is not said: it was said of the table. Several threads would only
    wait for each other in models of so few rows.
    """
    with one_thread(), catch_warnings():
        simplefilter("ignore")
        return _scored(rows, selectors, models, fold)


def _scored(
    rows: EncodedRows, selectors: Mapping[str, Any], models: Mapping[str, Predictor], fold: Fold
) -> list[dict[str, Any]]:
    found = [_Selected(ALL_FEATURES, tuple(rows.usable))]
    for name, selector in selectors.items():
        found += _selected(rows, name, _seeded(selector, fold.seed), fold)
    weights = None if rows.weights is None else rows.weights[fold.train]
    told = []
    for model_name, one_model in models.items():
        model = _seeded(one_model.model, fold.seed)
        tables = FoldTables(rows.columns, model, fold.train, fold.test, one_model.is_scaled)
        voters: dict[str, list[tuple[Any, Any]]] = {}
        for one in found:
            X_train, X_test = tables(one.features) if one.features is not None else one.made or ((), ())
            trained = fitted(tables.model(one.features or ()), X_train, rows.y[fold.train], weights)
            told.append(_row(rows, fold, one.name, model_name, trained, X_test, one))
            if one.votes is not None:
                voters.setdefault(one.votes, []).append((trained, X_test))
        for name, several in voters.items():
            if len(several) > 1:
                vote = Voting([voter for voter, _ in several])
                tables_of = [held_out for _, held_out in several]
                told.append(_row(rows, fold, name, model_name, vote, tables_of, None))
    return told


def _held_out_score(rows: EncodedRows, model: Any, X_test: Any, fold: Fold) -> float:
    from sklearn.metrics import get_scorer

    scorer = concordance_of if rows.task == SURVIVAL else get_scorer(rows.scoring)
    weights = {} if rows.weights is None else {"sample_weight": rows.weights[fold.test]}
    try:
        return float(scorer(model, X_test, rows.y[fold.test], **weights))
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"scoring={rows.scoring!r}: does not fit this {rows.task} ({error})") from error


def _row(
    rows: EncodedRows,
    fold: Fold,
    name: str,
    model_name: str,
    model: Any,
    X_test: Any,
    one: _Selected | None,
) -> dict[str, Any]:
    return {
        "repeat": fold.repeat,
        "fold": fold.fold,
        "set": name,
        "model": model_name,
        "score": _held_out_score(rows, model, X_test, fold),
        "quality": np.nan if one is None else one.quality,
        "features": None if one is None else one.features,
        "n_train": len(fold.train),
        "n_test": len(fold.test),
        **_clusters(rows, model, X_test, fold),
    }


def _clusters(rows: EncodedRows, model: Any, X_test: Any, fold: Fold) -> dict[str, Any]:
    """Return how much held-out rows of one group resemble each other; nothing without groups."""
    if rows.groups is None:
        return {}
    if rows.task == SURVIVAL:
        return dict.fromkeys(("between", "within", "n_groups", "squares"), np.nan)
    y, predicted = rows.y[fold.test], model.predict(X_test)
    if rows.task == "classification":
        hits, counts = (predicted == y).astype(np.float64), np.bincount(y)
        parts = (hits - (np.bincount(y, hits) / np.maximum(1, counts))[y]) / counts[y]
        parts *= len(y) / len(counts)
    else:
        parts = (predicted - y) ** 2 / max(float(np.var(y)), np.finfo(float).tiny)
    found = Clusters.of(parts, rows.groups[fold.test])
    return {name: getattr(found, name) for name in ("between", "within", "n_groups", "squares")}


def _seeded(model: Any, seed: int) -> Any:
    from sklearn.base import clone

    seeds = {name: seed for name in model.get_params() if name.endswith("random_state")}
    return clone(model).set_params(**seeds)


def _selected(rows: EncodedRows, name: str, selector: Any, fold: Fold) -> list[_Selected]:
    """Return the sets that a selector finds in the training rows, none if it finds none."""
    try:
        if not isinstance(selector, TargetMixin):
            return [_selected_by_other(rows, name, selector, fold)]
        fitted_sets(rows, selector, fold.train)
    except NoSetsError:
        return []
    before = f"{name} " if name else ""
    if hasattr(selector, "sets_"):
        return [
            _Selected(f"{before}{number}", tuple(one.indices), one.quality, f"{before}{VOTE}")
            for number, one in enumerate(selector.sets_)
        ]
    return [_Selected(name, tuple(selector.get_support(indices=True).tolist()))]


def _selected_by_other(rows: EncodedRows, name: str, selector: Any, fold: Fold) -> _Selected:
    """Return the set of a selector of another package, which gets numbers unless it takes columns itself."""
    import pandas as pd

    names = [rows.names[j] for j in rows.usable]
    if encoding_of(selector, rows.columns) == "frame":
        tables = [rows.frame[names].iloc[some] for some in (fold.train, fold.test)]
    else:
        parts = rows.columns.filled(fold.train, fold.test, rows.usable)
        tables = [pd.DataFrame(part, columns=names) for part in parts]
    selector.fit(tables[0], rows.y[fold.train])
    features = _columns(selector, names, list(rows.names))
    made = None if features is not None else (selector.transform(tables[0]), selector.transform(tables[1]))
    return _Selected(name, features, made=made)


def fitted_sets(rows: EncodedRows, selector: Any, chosen: NDArray[np.intp]) -> Any:
    """Fit a selector of this package to some rows, with what is said of them that it takes, and return it."""
    given = {"sample_weight": rows.weights, "groups": rows.groups, "times": rows.times}
    known = selector.get_metadata_routing().fit.requests
    metadata = {
        what: by_row[chosen] for what, by_row in given.items() if by_row is not None and what in known
    }
    return selector.fit(rows.frame.iloc[chosen], rows.y[chosen], **metadata)


def _columns(selector: Any, given: list[str], names: list[str]) -> tuple[int, ...] | None:
    """Return which of all columns what was fitted to some of them keeps; None if it makes new ones."""
    try:
        kept = [str(name) for name in selector.get_feature_names_out(given)]
    except (AttributeError, TypeError, ValueError):
        return None
    position = {name: j for j, name in enumerate(names)}
    return tuple(position[name] for name in kept) if all(name in position for name in kept) else None
