"""Selection repeated inside each training fold, and models scored on the held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from warnings import warn

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from pyfsel.errors import InputError
from pyfsel.measures.tables.look import say_what_is_odd
from pyfsel.measures.tables.model_tables import ModelColumns, require_weighted
from pyfsel.measures.tables.rows import row_values, with_rows
from pyfsel.measures.tables.rows_alike import identifiers, say_what_numbers_rows
from pyfsel.measures.tables.table import prepare
from pyfsel.measures.tables.times import SURVIVAL, UNSUPERVISED
from pyfsel.problem.checks import finite_number, integer_in, number_of_jobs, one_of, seed, shown
from pyfsel.problem.names import feature_numbers
from pyfsel.problem.rules import Constraints
from pyfsel.results.answer import StopReason
from pyfsel.results.counting import counted
from pyfsel.results.jobs import finished
from pyfsel.selectors.evaluation.folds import EncodedRows, Fold, score_fold
from pyfsel.selectors.evaluation.held_out import HeldOut, owner_of
from pyfsel.selectors.evaluation.intervals import MARGIN, HeldOutRows
from pyfsel.selectors.evaluation.models import MODELS, Predictor, check_scoring_name, predictor
from pyfsel.selectors.splits import Split, reusable, split_times

DEFAULT_SCORING = {"classification": "balanced_accuracy", "regression": "r2", SURVIVAL: "concordance"}
MODEL_TEXT = f"one of {', '.join(MODELS)}, or an estimator, or a dict or list of them"


@dataclass(frozen=True)
class Validation:
    """How sets are validated: arguments of `pyfsel.evaluate`, which describes them."""

    scoring: str | None = None
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

    def splits(self, rows: EncodedRows, chosen: NDArray[np.intp] | None = None) -> list[Fold]:
        """Return the folds of each repeat, once if they are always the same.

        Copies of folds, counted as if they were others, would make intervals too narrow.

        Parameters
        ----------
        rows : EncodedRows
        chosen : array of int, optional
            The rows that are split; all unless given.
        """
        places = np.arange(len(rows.y)) if chosen is None else chosen
        found: list[Fold] = []
        first: list[Split] = []
        for repeat in range(self.repeats):
            number = self.random_state + repeat
            splits = rows.to_split(places).splits(self.cv, number)
            if repeat and _are_equal(splits, first):
                break
            first = first or splits
            found += [
                Fold(places[train], places[test], repeat, fold, number)
                for fold, (train, test) in enumerate(splits)
            ]
        return found


def _are_equal(splits: Sequence[Split], others: Sequence[Split]) -> bool:
    return len(splits) == len(others) and all(
        np.array_equal(test, other) for (_, test), (_, other) in zip(splits, others, strict=True)
    )


def read_rows(
    X: Any,
    y: Any,
    selectors: Mapping[str, Any],
    *,
    cv: Any = None,
    scoring: str | None = None,
    groups: Any = None,
    sample_weight: Any = None,
) -> EncodedRows:
    """Return the table as models and selectors get it, read as the selectors specify.

    Parameters
    ----------
    X, y
    selectors : mapping of str to selectors
        Their `task` and `missing` say how the table is read.
    cv : str, optional
        ``"time:COLUMN:GAP"``: that column is then not a feature.
    scoring, groups, sample_weight
        As for `pyfsel.evaluate`.
    """
    X, times, gap = split_times(X, cv)
    missing, task = _said("missing", "error", selectors), _said("task", "auto", selectors)
    table = prepare(X, y, task=task, missing=missing, dates="number").dense()
    say_what_is_odd(table)
    named = identifiers(table)
    say_what_numbers_rows(table, named)
    if table.task == UNSUPERVISED:
        raise InputError("y: is missing; held-out scores need a target")
    scoring = scoring or DEFAULT_SCORING[table.task]
    if table.task == SURVIVAL:
        one_of("scoring", scoring, [DEFAULT_SCORING[SURVIVAL]])
    else:
        check_scoring_name(scoring)
    table = with_rows(table, sample_weight, None, times, gap)
    return EncodedRows(
        ModelColumns.of(table),
        table.target,
        table.task,
        missing,
        scoring,
        table.weights,
        None if groups is None else row_values("groups", groups, table),
        table.times,
        table.time_gap,
        table.n_dropped,
        tuple(name for name, is_one in zip(table.feature_names, named, strict=True) if is_one),
    )


def _said(word: str, default: str, selectors: Mapping[str, Any]) -> Any:
    """Return how the selectors, or their steps, say that the table is read.

    Raises
    ------
    InputError
        If two of them specify different things.
    """
    given = [item for one in selectors.values() for item in one.get_params().items()]
    said = {value for name, value in given if name.rpartition("__")[2] == word and isinstance(value, str)}
    said -= {default}
    if len(said) > 1:
        those = " and ".join(map(repr, sorted(said)))
        raise InputError(f"{word}: {those} are specified by selectors. Choose one for the table")
    return said.pop() if said else default


def scored(
    rows: EncodedRows, selectors: Mapping[str, Any], model: Any, asked: Validation, is_strict: bool = True
) -> HeldOut:
    """Score the sets of selectors on held-out rows."""
    selectors = {name: told_selector(one, rows) for name, one in selectors.items()}
    given = (rows, selectors, models_of(model, rows))
    return held_out(rows, score_fold, given, asked.splits(rows), asked, is_strict)


def held_out(
    rows: EncodedRows,
    score: Callable[..., Any],
    given: tuple[Any, ...],
    folds: list[Fold],
    asked: Validation,
    is_strict: bool = True,
) -> HeldOut:
    """Return the scores of all folds, or after Ctrl-C of the finished ones.

    Parameters
    ----------
    rows : EncodedRows
    score : callable
        Returns the rows of a fold, from what is `given` and the fold.
    given : tuple
    folds : list of Fold
    asked : Validation
    is_strict : bool
        Whether a selector that suits no fold is an error, or left out with a warning.
    """
    tasks = [(*given, fold) for fold in folds]
    done, stop_reason = all_done("folds", score, tasks, asked.n_jobs)
    every = [row for number in sorted(done) for row in done[number]]
    found = [row for row in every if "error" not in row]
    owners = {owner_of(row["set"]) for row in found}
    failed = {row["set"]: row["error"] for row in reversed(every) if "error" in row}
    lacking = [
        error if error.startswith(name) else f"{name}: {error}"
        for name, error in failed.items()
        if name not in owners
    ]
    if not found and stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    if lacking and (is_strict or not found):
        raise InputError(lacking[0])
    if not found:
        raise InputError("selector: finds no set in any fold")
    for text in lacking:
        warn(f"left out: {text}", stacklevel=4)
    tested = np.unique(np.concatenate([folds[number].test for number in done]))
    scoring, margin = rows.scoring, asked.margin
    return HeldOut(
        pd.DataFrame(found), rows.names, scoring, rows.task, _rested_on(rows, tested), stop_reason, margin
    )


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


def _rested_on(rows: EncodedRows, tested: NDArray[np.intp]) -> HeldOutRows:
    is_class = rows.task == "classification"
    counts = tuple(np.unique(rows.y[tested], return_counts=True)[1].tolist()) if is_class else ()
    if rows.task == SURVIVAL:  # what a concordance rests on
        counts = (int(rows.strata[tested].sum()),)
    n_groups = None if rows.groups is None else len(np.unique(rows.groups[tested]))
    return HeldOutRows(len(tested), counts, n_groups, rows.n_dropped, is_forward=rows.times is not None)


def selectors_of(selector: Any) -> dict[str, Any]:
    """Return selectors by name; one alone that finds several sets has none."""
    found = _named("selector", selector, _is_selector, "a selector, or a dict or list of them")
    if isinstance(selector, Mapping) or len(found) > 1 or not hasattr(selector, "n_sets"):
        return found
    return {"": selector}


def models_of(model: Any, rows: EncodedRows) -> dict[str, Predictor]:
    """Return models by name, as they are fitted in each fold."""
    named = _named("model", model, _is_model, MODEL_TEXT)
    found = {name: predictor(one, rows.task) for name, one in named.items()}
    if rows.weights is not None:
        for name, one in found.items():
            require_weighted(name, one.model)
    return found


def _named(argument: str, given: Any, is_one: Callable[[Any], bool], what: str) -> dict[str, Any]:
    """Return what the user gave by name: the keys of a dict, or the names of the classes."""
    if isinstance(given, Mapping):
        found = {str(name): one for name, one in given.items()}
    else:
        found = {}
        for one in list(given) if isinstance(given, (list, tuple)) else [given]:
            name = one if isinstance(one, str) else type(one).__name__
            alike = sum(other == name or other.startswith(f"{name} (") for other in found)
            found[f"{name} ({alike + 1})" if alike else name] = one
    if not found or not all(map(is_one, found.values())):
        wrong = next((one for one in found.values() if not is_one(one)), given)
        raise InputError(f"{argument}={shown(wrong)}: is not known. Expected {what}")
    return found


def _is_selector(given: Any) -> bool:
    return not isinstance(given, type) and all(
        hasattr(given, name) for name in ("fit", "transform", "get_params")
    )


def _is_model(given: Any) -> bool:
    if isinstance(given, str):
        return given in MODELS
    return not isinstance(given, type) and hasattr(given, "fit") and hasattr(given, "get_params")


def told_selector(selector: Any, rows: EncodedRows) -> Any:
    """Return the selector told what a fold may not show: gaps, task and identifiers of the whole table."""
    selector, given = clone(selector), selector.get_params(deep=False)
    if given.get("task") == "auto":
        selector.set_params(task=rows.task)
    if given.get("missing") == "error" and rows.missing != "drop":
        selector.set_params(missing=rows.missing)
    usable = {rows.names[j] for j in rows.usable}
    if "constraints" in given and rows.identifiers:
        rules = given["constraints"] or Constraints()
        usable |= {rows.names[j] for j in feature_numbers("forced", list(rules.forced), rows.names)}
        out = [name for name in rows.names if name not in usable]
        selector.set_params(constraints__forbidden=[*rules.forbidden, *out])
    size, n = given.get("k"), len(usable)
    if isinstance(size, int) and size > n:
        warn(f"k={size}: the table has {n} features; sets have {n}", stacklevel=3)
        selector.set_params(k=n)
    return selector
