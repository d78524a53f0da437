"""One loop over folds: select in the training rows, fit models there, score them on the held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter, warn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsel.errors import InputError, NoSetsError
from pyfsel.measures.tables.model_tables import FoldTables, fitted
from pyfsel.measures.tables.times import SURVIVAL
from pyfsel.measures.threads import one_thread
from pyfsel.problem.checks import finite_number, integer_in, number_of_jobs, seed, shown
from pyfsel.results.answer import StopReason
from pyfsel.results.counting import counted
from pyfsel.results.jobs import finished
from pyfsel.selectors.conventions import TargetMixin
from pyfsel.selectors.evaluation.held_out import ALL_FEATURES, VOTE, HeldOut, owner_of
from pyfsel.selectors.evaluation.models import Predictor, Voting, seeded
from pyfsel.selectors.evaluation.rows import Rows, models_of, told_selector
from pyfsel.selectors.evaluation.statistics import MARGIN, HeldOutRows, cluster_sums
from pyfsel.selectors.evaluation.survival import concordance_of
from pyfsel.selectors.splits import reusable


@dataclass(frozen=True)
class Fold:
    """The numbers of the rows of a fold, and the seed of what is fitted on them."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    repeat: int
    fold: int
    seed: int


@dataclass(frozen=True)
class Validation:
    """How sets are validated: arguments of `pyfsel.evaluate`, which describes them."""

    cv: Any = 5
    repeats: int = 4
    margin: float = MARGIN
    random_state: int = 0
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        integer_in("repeats", self.repeats, 1, None)
        if finite_number("margin", self.margin) < 0:
            raise InputError(f"margin={shown(self.margin)}: is below 0. Give 0 or more")
        object.__setattr__(self, "random_state", seed("random_state", self.random_state))
        object.__setattr__(self, "cv", reusable(self.cv))
        number_of_jobs("n_jobs", self.n_jobs)

    def folds(self, rows: Rows, chosen: NDArray[np.intp] | None = None) -> list[Fold]:
        """Return the folds of each repeat, once if they are always the same.

        Copies of folds, counted as if they were others, would make intervals too narrow.

        Parameters
        ----------
        rows : Rows
        chosen : array of int, optional
            The rows that are split; all unless given.
        """
        places = np.arange(len(rows.y)) if chosen is None else chosen
        found: list[Fold] = []
        for repeat in range(self.repeats):
            number = self.random_state + repeat
            splits = rows.to_split(places).splits(self.cv, number)
            if repeat and all(
                np.array_equal(places[test], one.test) for (_, test), one in zip(splits, found, strict=False)
            ):
                break
            found += [
                Fold(places[train], places[test], repeat, fold, number)
                for fold, (train, test) in enumerate(splits)
            ]
        return found


def all_done(
    what: str, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> tuple[dict[int, Any], StopReason]:
    """Return what a function makes of each task, by its number; after Ctrl-C of the finished ones."""
    done: dict[int, Any] = {}
    try:
        with (
            closing(finished(function, enumerate(tasks), n_jobs)) as running,
            closing(counted(what, running, len(tasks))) as steps,
        ):
            for number, found in steps:
                done[number] = found
    except KeyboardInterrupt:
        return done, StopReason.INTERRUPTED
    return done, StopReason.FINISHED


def scored(
    rows: Rows, selectors: Mapping[str, Any], model: Any, asked: Validation, is_strict: bool = True
) -> HeldOut:
    """Score the sets of selectors on held-out rows."""
    told = {name: told_selector(one, rows) for name, one in selectors.items()}
    given = (rows, told, models_of(model, rows))
    return held_out(score_fold, given, asked.folds(rows), asked, is_strict)


def held_out(
    score: Callable[..., Any],
    given: tuple[Any, ...],
    folds: Sequence[Fold],
    asked: Validation,
    is_strict: bool = True,
) -> HeldOut:
    """Return the scores of all folds, or after Ctrl-C of the finished ones.

    Parameters
    ----------
    score : callable
        Returns the records of a fold, from what is `given` and the fold.
    given : tuple
        The rows come first.
    folds : sequence of Fold
    asked : Validation
    is_strict : bool
        Whether a selector that suits no fold is an error, or left out with a warning.
    """
    done, stop_reason = all_done("folds", score, [(*given, fold) for fold in folds], asked.n_jobs)
    every = [record for number in sorted(done) for record in done[number]]
    found = [record for record in every if "error" not in record]
    owners = {owner_of(record["set"]) for record in found}
    failed = {record["set"]: record["error"] for record in reversed(every) if "error" in record}
    lacking = [
        error if error.startswith(name) else f"{name}: {error}"
        for name, error in failed.items()
        if name not in owners
    ]
    if not found and stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    if not found or (lacking and is_strict):
        raise InputError([*lacking, "selector: finds no set in any fold"][0])
    for text in lacking:
        warn(f"left out: {text}", stacklevel=4)
    rows, tested = given[0], np.unique(np.concatenate([folds[number].test for number in done]))
    return HeldOut(
        pd.DataFrame(found), rows.names, rows.scoring, _rested_on(rows, tested), asked.margin, stop_reason
    )


def _rested_on(rows: Rows, tested: NDArray[np.intp]) -> HeldOutRows:
    counts: tuple[int, ...] = ()
    if rows.strata is not None:
        own = np.bincount(rows.strata[tested])
        # a concordance rests on events
        counts = (int(own[1:].sum()),) if rows.table.task == SURVIVAL else tuple(own[own > 0].tolist())
    groups = rows.table.groups
    return HeldOutRows(len(tested), counts, None if groups is None else len(np.unique(groups[tested])))


@dataclass(frozen=True)
class _Selected:
    """One set that was selected, and the name under which it votes with others."""

    name: str
    features: tuple[int, ...]
    quality: float = np.nan
    votes: str = ""


@contextmanager
def quietly() -> Iterator[None]:
    """Say nothing of the rows of one fold, which was said of the table, and use one thread.

    Several threads would only wait for each other in models of so few rows.
    """
    with one_thread(), catch_warnings():
        simplefilter("ignore")
        yield


def score_fold(
    rows: Rows, selectors: Mapping[str, Any], models: Mapping[str, Predictor], fold: Fold
) -> list[dict[str, Any]]:
    """Return a record for each set and model, as `HeldOut.folds` has them, and one for each error.

    A selector may not suit the rows of one fold: near-duplicates are merged to fewer features, for example.
    """
    with quietly():
        found, errors = [_Selected(ALL_FEATURES, tuple(rows.usable))], []
        for name, selector in selectors.items():
            try:
                found += _selected(rows, name, seeded(selector, fold.seed), fold.train)
            except NoSetsError:
                continue
            except InputError as error:
                errors.append({"set": name, "error": str(error)})
        models = models if len(found) > 1 else {}
        told = [one for name, model in models.items() for one in _scored(rows, found, name, model, fold)]
        return told + errors


def _selected(rows: Rows, name: str, selector: Any, chosen: NDArray[np.intp]) -> list[_Selected]:
    """Return the sets that a selector finds in some rows."""
    if isinstance(selector, TargetMixin):
        rows.fit(selector, chosen)
    else:
        selector.fit(rows.features_for(selector, chosen), rows.y[chosen])
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


def _scored(
    rows: Rows, found: Sequence[_Selected], model_name: str, predictor: Predictor, fold: Fold
) -> Iterator[dict[str, Any]]:
    """Yield a record for each set, and for the votes of several, with one model."""
    weights = None if rows.table.weights is None else rows.table.weights[fold.train]
    model = seeded(predictor.model, fold.seed)
    tables = FoldTables(rows.columns, model, fold.train, fold.test, predictor.is_scaled)
    shared = {"repeat": fold.repeat, "fold": fold.fold, "model": model_name}
    shared |= {"n_train": len(fold.train), "n_test": len(fold.test)}
    voters: dict[str, list[tuple[Any, Any]]] = {}
    for one in found:
        X_train, X_test = tables(one.features)
        trained = fitted(tables.model(one.features), X_train, rows.y[fold.train], weights)
        own = {"set": one.name, "quality": one.quality, "features": one.features}
        yield shared | own | _on_held_out(rows, trained, X_test, fold)
        voters.setdefault(one.votes, []).append((trained, X_test))
    for name, several in voters.items():
        if name and len(several) > 1:
            trained, parts = zip(*several, strict=True)
            own = {"set": name, "quality": np.nan, "features": None}
            yield shared | own | _on_held_out(rows, Voting(trained), parts, fold)


def _on_held_out(rows: Rows, model: Any, X_test: Any, fold: Fold) -> dict[str, Any]:
    """Return the held-out score of a model, and with groups how much the rows of one resemble each other."""
    from sklearn.metrics import get_scorer

    table, y = rows.table, rows.y[fold.test]
    scorer = concordance_of if table.task == SURVIVAL else get_scorer(rows.scoring)
    weights = {} if table.weights is None else {"sample_weight": table.weights[fold.test]}
    try:
        score = {"score": float(scorer(model, X_test, y, **weights))}
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"scoring={rows.scoring!r}: does not fit this {table.task} ({error})") from error
    if table.groups is None or table.task == SURVIVAL:
        return score
    return score | cluster_sums(_parts(table.task, y, model.predict(X_test)), table.groups[fold.test])


def _parts(task: str, y: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
    """Return the part that each row has in a score."""
    if task != "classification":
        return np.asarray((predicted - y) ** 2 / max(float(np.var(y)), np.finfo(float).tiny))
    hits, counts = (predicted == y).astype(np.float64), np.bincount(y)
    rates = np.bincount(y, hits) / np.maximum(1, counts)
    return np.asarray((hits - rates[y]) / counts[y] * len(y) / len(counts))
