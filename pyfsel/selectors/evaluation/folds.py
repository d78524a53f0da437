"""One fold: selectors and estimators fitted on its training rows, and scored on the held-out ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd
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
    """One set that was selected, and the name under which it votes with others."""

    name: str
    features: tuple[int, ...]
    quality: float = np.nan
    votes: str = ""


def score_fold(
    rows: EncodedRows, selectors: Mapping[str, Any], models: Mapping[str, Predictor], fold: Fold
) -> list[dict[str, Any]]:
    """Return one row for each set and model, as `HeldOut.folds` has them, and one for each error.

    A selector may not suit the rows of one fold: near-duplicates are merged to fewer features, for example.
    What is odd about the rows of a fold is not said: it was said of the table. Several threads would only
    wait for each other in models of so few rows.
    """
    with one_thread(), catch_warnings():
        simplefilter("ignore")
        found, errors = [_Selected(ALL_FEATURES, tuple(rows.usable))], []
        for name, selector in selectors.items():
            try:
                found += _selected(rows, name, _seeded(selector, fold.seed), fold)
            except InputError as error:
                errors.append({"set": name, "error": str(error)})
        if len(found) == 1:
            return errors
        told = [row for name, model in models.items() for row in _scored(rows, found, name, model, fold)]
        return told + errors


def _scored(
    rows: EncodedRows, found: Iterable[_Selected], model_name: str, predictor: Predictor, fold: Fold
) -> Iterator[dict[str, Any]]:
    """Yield a row for each set, and for the votes of several, with one model."""
    weights = None if rows.weights is None else rows.weights[fold.train]
    model = _seeded(predictor.model, fold.seed)
    tables = FoldTables(rows.columns, model, fold.train, fold.test, predictor.is_scaled)
    shared = {"repeat": fold.repeat, "fold": fold.fold, "model": model_name}
    shared |= {"n_train": len(fold.train), "n_test": len(fold.test)}
    voters: dict[str, list[tuple[Any, Any]]] = {}
    for one in found:
        X_train, X_test = tables(one.features)
        trained = fitted(tables.model(one.features), X_train, rows.y[fold.train], weights)
        own = {"set": one.name, "quality": one.quality, "features": one.features}
        yield shared | own | _held_out(rows, trained, X_test, fold)
        if one.votes:
            voters.setdefault(one.votes, []).append((trained, X_test))
    for name, several in voters.items():
        if len(several) > 1:
            vote, parts = Voting([one for one, _ in several]), [part for _, part in several]
            own = {"set": name, "quality": np.nan, "features": None}
            yield shared | own | _held_out(rows, vote, parts, fold)


def _held_out(rows: EncodedRows, model: Any, X_test: Any, fold: Fold) -> dict[str, Any]:
    """Return the held-out score of a model, and with groups how much the rows of one resemble each other."""
    from sklearn.metrics import get_scorer

    scorer = concordance_of if rows.task == SURVIVAL else get_scorer(rows.scoring)
    weights = {} if rows.weights is None else {"sample_weight": rows.weights[fold.test]}
    try:
        score = {"score": float(scorer(model, X_test, rows.y[fold.test], **weights))}
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"scoring={rows.scoring!r}: does not fit this {rows.task} ({error})") from error
    if rows.groups is None:
        return score
    if rows.task == SURVIVAL:
        return score | dict.fromkeys((each.name for each in fields(Clusters)), np.nan)
    parts = _parts(rows.task, rows.y[fold.test], model.predict(X_test))
    return score | asdict(Clusters.of(parts, rows.groups[fold.test]))


def _parts(task: str, y: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
    """Return the part that each row has in a score."""
    if task != "classification":
        return np.asarray((predicted - y) ** 2 / max(float(np.var(y)), np.finfo(float).tiny))
    hits, counts = (predicted == y).astype(np.float64), np.bincount(y)
    rates = np.bincount(y, hits) / np.maximum(1, counts)
    return np.asarray((hits - rates[y]) / counts[y] * len(y) / len(counts))


def _seeded(model: Any, seed: int) -> Any:
    from sklearn.base import clone

    seeds = {name: seed for name in model.get_params() if name.endswith("random_state")}
    return clone(model).set_params(**seeds)


def _selected(rows: EncodedRows, name: str, selector: Any, fold: Fold) -> list[_Selected]:
    """Return the sets that a selector finds in the training rows, none if it finds none."""
    usable = [rows.names[j] for j in rows.usable]
    try:
        if isinstance(selector, TargetMixin):
            fitted_sets(rows, selector, fold.train)
        elif encoding_of(selector, rows.columns) == "frame":
            selector.fit(rows.frame[usable].iloc[fold.train], rows.y[fold.train])
        else:
            numbers = rows.columns.filled(fold.train, rows.usable)
            selector.fit(pd.DataFrame(numbers, columns=usable), rows.y[fold.train])
    except NoSetsError:
        return []
    if hasattr(selector, "sets_"):
        before = f"{name} " if name else ""
        return [
            _Selected(f"{before}{number}", tuple(one.indices), one.quality, f"{before}{VOTE}")
            for number, one in enumerate(selector.sets_)
        ]
    position = {one: j for j, one in enumerate(rows.names)}
    kept = [str(one) for one in selector.get_feature_names_out()]
    if not position.keys() >= set(kept):
        raise InputError(f"selector={name}: makes new columns. Only selectors of features can be evaluated")
    return [_Selected(name, tuple(position[one] for one in kept))]


def fitted_sets(rows: EncodedRows, selector: Any, chosen: NDArray[np.intp]) -> Any:
    """Fit a selector of this package to some rows, with what is said of them that it takes, and return it."""
    given = {"sample_weight": rows.weights, "groups": rows.groups, "times": rows.times}
    known = selector.get_metadata_routing().fit.requests
    metadata = {
        what: by_row[chosen] for what, by_row in given.items() if by_row is not None and what in known
    }
    return selector.fit(rows.frame.iloc[chosen], rows.y[chosen], **metadata)
