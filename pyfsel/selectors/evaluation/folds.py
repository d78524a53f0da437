"""One loop over folds: select in the training rows, fit models there, score them on the held-out rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd

from pyfsel.core.arrays import Array, Indices, Reals
from pyfsel.errors import InputError, NoSetsError, warn
from pyfsel.measures.arrays import one_thread
from pyfsel.measures.contingency import effective_rows
from pyfsel.measures.tables.model_tables import FoldTables, fitted
from pyfsel.measures.tables.target import SURVIVAL
from pyfsel.problem.checks import finite_number, integer_in, number_of_jobs, seed, shown
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.jobs import all_done
from pyfsel.selectors.evaluation.held_out import HeldOut
from pyfsel.selectors.evaluation.model_rows import EvaluationRows, Named
from pyfsel.selectors.evaluation.models import Voting, concordance_of, seeded, words_of_others
from pyfsel.selectors.evaluation.sentences import ALL_FEATURES, VOTE, Record
from pyfsel.selectors.evaluation.statistics import MARGIN, HeldOutRows, cluster_sums
from pyfsel.selectors.splits import reusable


@dataclass(frozen=True)
class Fold:
    """The numbers of the rows of a fold, and the seed of what is fitted on them."""

    train: Indices
    test: Indices
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
        object.__setattr__(self, "random_state", seed(self.random_state))
        object.__setattr__(self, "cv", reusable(self.cv))
        number_of_jobs(self.n_jobs)

    def folds(self, rows: EvaluationRows, chosen: Indices | None = None) -> list[Fold]:
        """Return the folds of each repeat, once if they are always the same.

        Copies of folds, counted as if they were others, would make intervals too narrow.

        Parameters
        ----------
        rows : EvaluationRows
        chosen : array of int, optional
            The rows that are split; all unless given.
        """
        places = np.arange(len(rows.y)) if chosen is None else chosen
        found: list[Fold] = []
        for repeat in range(self.repeats):
            number = self.random_state + repeat
            splits = [
                Fold(places[train], places[test], repeat, fold, number)
                for fold, (train, test) in enumerate(rows.to_split(places).splits(self.cv, number))
            ]
            if found and all(
                np.array_equal(new.test, old.test) for new, old in zip(splits, found, strict=False)
            ):
                break
            found += splits
        return found


def held_out(
    rows: EvaluationRows,
    selectors: Named,
    models: Named,
    asked: Validation,
    *,
    chosen: Indices | None = None,
    is_strict: bool = True,
) -> HeldOut:
    """Score the sets of selectors on held-out rows of all folds, or after Ctrl-C of the finished ones.

    Parameters
    ----------
    rows : EvaluationRows
    selectors, models : mappings by name
    asked : Validation
    chosen : array of int, optional
        The rows that are split; all unless given.
    is_strict : bool
        Whether a selector that suits no fold is an error, or left out with a warning.
    """
    folds = asked.folds(rows, chosen)
    tasks = [(rows, selectors, models, fold) for fold in folds]
    done, stop_reason = all_done("folds", score_fold, tasks, asked.n_jobs)
    every = [record for number in sorted(done) for record in done[number]]
    found = pd.DataFrame([record for record in every if "error" not in record])
    failed = {record["selector"]: record["error"] for record in reversed(every) if "error" in record}
    known = {*found.get("selector", ())}
    lacking = [_lacking(name, failed.get(name)) for name in selectors if name not in known]
    if found.empty and stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt("No fold with a set is finished, so nothing is scored")
    if found.empty or (lacking and is_strict):
        raise (InputError if failed else NoSetsError)(lacking[0])
    for text in lacking:
        warn(f"left out: {text}")
    if found.duplicated(["repeat", "fold", "set", "model"]).any():
        raise InputError(f"selector: names of sets are not unique: {', '.join(found['set'].unique())}")
    rank = {name: number for number, name in enumerate([*selectors, ALL_FEATURES])}
    order = found.assign(rank=found["selector"].map(rank)).sort_values(["rank", "place"], kind="stable")
    return HeldOut(
        found.drop(columns=["selector", "place"]),
        list(dict.fromkeys(order["set"])),
        rows.names,
        rows.scoring,
        _rested_on(rows, np.unique(np.concatenate([folds[number].test for number in done]))),
        asked.margin,
        stop_reason,
    )


def _lacking(name: str, error: str | None) -> str:
    """Return in words that a selector suits no fold; its error may name what is wrong itself."""
    where = f"selector={name}" if name else "selector"
    if error is None:
        return f"{where}: finds no set in any fold"
    return error if error.startswith(name) else f"{where}: {error}"


def _rested_on(rows: EvaluationRows, tested: Indices) -> HeldOutRows:
    """Return what scores rest on; of rows with weights, how many of equal weight would be as exact."""
    split, of_rows = rows.to_split(tested), rows.table.weights
    weights = np.ones(len(tested)) if of_rows is None else of_rows[tested]
    kinds = () if split.strata is None else np.unique(split.strata)
    of_kinds = [weights[split.strata == kind] for kind in kinds]
    if rows.table.task == SURVIVAL:
        del of_kinds[0]  # a concordance rests on events
    return HeldOutRows(
        len(tested),
        tuple(effective_rows(one) for one in of_kinds if one.any()),
        None if split.groups is None else len(np.unique(split.groups)),
        n_effective=effective_rows(weights),
    )


@contextmanager
def quietly() -> Iterator[None]:
    """Say nothing of the rows of one fold, which was said of the table, and use one thread.

    Several threads would only wait for each other in models of so few rows.
    """
    with one_thread(), catch_warnings():
        simplefilter("ignore")
        yield


def score_fold(rows: EvaluationRows, selectors: Named, models: Named, fold: Fold) -> list[Record]:
    """Return a record for each set and model, as `HeldOut.folds` has them, and one for each error.

    A selector may not suit the rows of one fold: near-duplicates are merged to fewer features, for example.
    One with a `choice` says itself which selector it is in these rows.
    """
    every = {"selector": ALL_FEATURES, "place": 0, "set": ALL_FEATURES, "quality": np.nan}
    sets, errors = [every | {"features": tuple(rows.usable)}], list[Record]()
    with quietly():
        for name, selector in selectors.items():
            try:
                own = selector.choice(rows, models, fold) if hasattr(selector, "choice") else selector
                sets += _selected(rows, name, seeded(own, fold.seed), fold.train)
            except NoSetsError:
                continue
            except InputError as error:
                errors.append({"selector": name, "error": str(error)})
        asked = models if len(sets) > 1 else {}
        scores = [one for name, model in asked.items() for one in _scored(rows, sets, name, model, fold)]
        return scores + errors


def _selected(rows: EvaluationRows, name: str, selector: Any, chosen: Indices) -> list[Record]:
    """Return the sets that a selector finds in some rows."""
    with words_of_others("cannot be fitted"):
        rows.fit(selector, chosen)
    before, own = f"{name} " if name else "", {"selector": name}
    if hasattr(selector, "sets_"):
        return [
            own | {"place": i, "set": f"{before}{i}", "quality": one.quality, "features": tuple(one.indices)}
            for i, one in enumerate(selector.sets_)
        ]
    kept = [str(one) for one in selector.get_feature_names_out()]
    if not set(rows.names) >= set(kept):
        raise InputError("makes new columns. Only selectors of features can be evaluated")
    features = tuple(rows.names.index(one) for one in kept)
    if not features:
        raise InputError("keeps no feature")
    return [own | {"place": 0, "set": name, "quality": np.nan, "features": features}]


def _scored(
    rows: EvaluationRows, sets: Sequence[Record], model_name: str, model: Any, fold: Fold
) -> Iterator[Record]:
    """Yield a record for each set, and for the votes of several of a selector, with one model."""
    weights = None if rows.table.weights is None else rows.table.weights[fold.train]
    tables = FoldTables(rows.columns, seeded(model, fold.seed), fold.train, fold.test)
    shared = {
        "repeat": fold.repeat,
        "fold": fold.fold,
        "model": model_name,
        "n_train": len(fold.train),
        "n_test": len(fold.test),
    }
    voters: dict[str, list[tuple[Any, Any]]] = {}
    for one in sets:
        X_train, X_test = tables(one["features"])
        with words_of_others(f"model={model_name}"):
            trained = fitted(tables.model(one["features"]), X_train, rows.y[fold.train], weights)
        voters.setdefault(one["selector"], []).append((trained, X_test))
        yield shared | one | _on_held_out(rows, trained, X_test, fold)
    for name, several in voters.items():
        if len(several) > 1:
            trained, parts = zip(*several, strict=True)
            vote = {
                "selector": name,
                "place": np.inf,
                "set": f"{name} {VOTE}".strip(),
                "quality": np.nan,
                "features": None,
            }
            yield shared | vote | _on_held_out(rows, Voting(trained), parts, fold)


def _on_held_out(rows: EvaluationRows, model: Any, X_test: Any, fold: Fold) -> Record:
    """Return the held-out score of a model, and with groups how much the rows of one resemble each other."""
    from sklearn.metrics import get_scorer

    table, y = rows.table, rows.y[fold.test]
    scorer = concordance_of if table.task == SURVIVAL else get_scorer(rows.scoring)
    weights = {} if table.weights is None else {"sample_weight": table.weights[fold.test]}
    with words_of_others(f"scoring={rows.scoring!r}: does not fit this {table.task}"):
        score = {"score": float(scorer(model, X_test, y, **weights))}
    if table.groups is None or table.task == SURVIVAL:
        return score
    return score | cluster_sums(_parts(table.task, y, model.predict(X_test)), table.groups[fold.test])


def _parts(task: str, y: Array, predicted: Array) -> Reals:
    """Return the part that each row has in a score."""
    if task != "classification":
        return (predicted - y) ** 2 / max(float(np.var(y)), np.finfo(float).tiny)
    hits, counts = (predicted == y).astype(np.float64), np.bincount(y)
    rates = np.bincount(y, hits) / np.maximum(1, counts)
    return np.asarray((hits - rates[y]) / counts[y] * len(y) / len(counts))
