"""Do the sets generalise? Selection inside cross-validation: held-out scores and stability.

Sets that were selected with all rows have seen the rows that a score is computed on: such a score is too
high, however the estimator itself is validated. Here the selection is repeated inside each training fold,
and the held-out rows are seen neither by the measure nor by the estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any, Unpack
from warnings import warn

import numpy as np
import pandas as pd

from pyfsel.errors import InputError
from pyfsel.measures.tables.look import identifiers, say_what_is_odd, say_what_numbers_rows
from pyfsel.measures.tables.model_tables import ModelColumns, require_weighted
from pyfsel.measures.tables.rows import row_values, with_rows
from pyfsel.measures.tables.table import MISSING, Reading, prepare
from pyfsel.measures.tables.times import SURVIVAL, UNSUPERVISED
from pyfsel.problem.checks import (
    finite_number,
    integer_in,
    list_of,
    number_of_jobs,
    one_of,
    only_known,
    seed,
    shown,
)
from pyfsel.problem.names import feature_numbers
from pyfsel.results.answer import StopReason
from pyfsel.results.counting import counted
from pyfsel.results.jobs import finished
from pyfsel.selectors.conventions import READING, TargetMixin
from pyfsel.selectors.evaluation.finished_folds import FinishedFolds
from pyfsel.selectors.evaluation.folds import EncodedRows, Fold, score_fold
from pyfsel.selectors.evaluation.intervals import MARGIN, HeldOutRows
from pyfsel.selectors.evaluation.models import ESTIMATORS, Predictor, predictor
from pyfsel.selectors.evaluation.result import ALL_FEATURES, Evaluation
from pyfsel.selectors.several_sets import SeveralSetsMixin
from pyfsel.selectors.splits import Split, reusable, split_times

DEFAULT_SCORING = {"classification": "balanced_accuracy", "regression": "r2", SURVIVAL: "concordance"}
ESTIMATOR_TEXT = f"one of {', '.join(ESTIMATORS)}, or an estimator, or a dict or list of them"


class Validation(Reading, total=False):
    """How a table is read and selectors are validated: arguments of `evaluate`, which describes them."""

    scoring: str | None
    n_splits: int
    n_repeats: int
    cv: Any
    groups: Any
    sample_weight: Any
    times: Any
    gap: float
    margin: float
    random_state: int
    n_jobs: int | None
    state_file: Any


DEFAULTS = Validation(
    task="auto",
    missing="error",
    dates="error",
    scoring=None,
    n_splits=5,
    n_repeats=4,
    cv=None,
    groups=None,
    sample_weight=None,
    times=None,
    gap=0.0,
    margin=MARGIN,
    random_state=0,
    n_jobs=None,
    state_file=None,
)


def options_of(options: Validation) -> Validation:
    """Return options with the defaults of those not given; raise `InputError` for one that is not allowed.

    Raises
    ------
    TypeError
        If there is no such option.
    """
    only_known("evaluate", Validation, options)
    asked: Validation = {**DEFAULTS, **options}
    one_of("missing", asked["missing"], MISSING)
    asked["random_state"] = seed("random_state", asked["random_state"])
    number_of_jobs("n_jobs", asked["n_jobs"])
    asked["n_repeats"] = integer_in("n_repeats", asked["n_repeats"], 1, None)
    asked["n_splits"] = integer_in("n_splits", asked["n_splits"], 2, None)
    for name in ("margin", "gap"):
        if finite_number(name, asked[name]) < 0:
            raise InputError(f"{name}={shown(asked[name])}: is below 0. Give 0 or more")
    return asked


def evaluate(
    X: Any, y: Any, selector: Any, estimator: Any = "linear", **options: Unpack[Validation]
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
        Categories and text become one-hot columns inside the folds, rare categories together; selectors of
        other packages, which accept numbers only, get integer codes.
    y : array or Series, shape (n_rows,)
    selector : selector, pipeline, or dict or list of them
        Unfitted; they are cloned. Those of this package give a row for each set; any other transformer of
        scikit-learn that selects features, such as `SelectKBest` or `RFE`, one row. The keys of a dict are
        their names, otherwise they are named after their class, and the sets of one alone by numbers.
    estimator : scikit-learn estimator, one of `ESTIMATORS`, or dict or list of them
        "linear" (logistic or ridge regression; of times until an event a Cox model with a ridge penalty)
        and "neighbours" on standardised features, "tree", "forest", or "boosting" by histograms, which
        accepts categories and missing values as they are. They are cloned.
        One that looks at columns, by a `ColumnTransformer` or as ``categorical_features``, gets yours; all
        others get what is written above of `X`.
    scoring : str, optional
        Name of a score of scikit-learn; "balanced_accuracy" or "r2" unless given. Of times until an event it
        is "concordance", of which 1/2 is chance.
    n_splits : int
        Folds, stratified by class, or by whether the event happened; 5 unless given.
    n_repeats : int
        How often the rows are split, 4 unless given; each repeat also has its own seed for selectors and
        estimators.
    cv : splitter of scikit-learn, or iterable of pairs of training and held-out rows, optional
        Instead of `n_splits`; with `n_repeats` its splits are drawn that often, but only once if they are
        always the same.
        ``"time:COLUMN"`` or ``"time:COLUMN:GAP"``: folds forward in time by a column of `X`, which is then
        no feature.
    groups : array-like, shape (n_rows,), optional
        Rows of one group, such as a patient, stay on one side of each split; selectors of this package get
        them as well. Intervals use as many rows as their design effect leaves.
    times : array-like, shape (n_rows,), optional
        When each row was measured, as numbers or dates. The first half of the rows only trains, the others
        are held out in `n_splits` blocks, and models are trained on earlier rows than each block. Groups are
        not kept apart then.
    gap : float
        Training ends this long before the first held-out row; of dates in days.
    margin : float
        A set that scores at most this much less than the first one is not worse; 0.02 unless given.
    sample_weight : array-like, shape (n_rows,), optional
        Given to the estimators, which must take weights, to the score, and to selectors of this package.
    task : {"auto", "classification", "regression"}
    missing : {"error", "drop", "impute", "category"}
        "drop" leaves out rows with gaps, here and in the score. "impute": they are filled in with the
        training rows' median or most frequent category. "category": a missing value is a category of its own,
        or for numbers a column of its own. Selectors that have not been told otherwise get the same word.
    dates : {"error", "number"}
        As in `pyfsel.measures.prepare`.
    random_state : int
    n_jobs : int, optional
        Folds at the same time.
    state_file : path, optional
        Where finished folds are kept, and looked for: what was interrupted goes on.

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
    asked = options_of(options)
    return evaluated(encoded_rows(X, y, asked, selector), selector, estimator, asked)


def evaluated(rows: EncodedRows, selector: Any, estimator: Any, asked: Validation) -> Evaluation:
    """Score feature sets as `evaluate` does, of a table that is read already."""
    named_selectors = _named("selector", selector, _is_selector, "a selector, or a dict or list of them")
    if not isinstance(selector, Mapping) and len(named_selectors) == 1:
        named_selectors = {
            "" if isinstance(one, SeveralSetsMixin) else name: one for name, one in named_selectors.items()
        }
    named_estimators = _named("estimator", estimator, _is_estimator, ESTIMATOR_TEXT)
    selectors = {name: told_selector(one, rows) for name, one in named_selectors.items()}
    estimators = {name: predictor(one, rows.task) for name, one in named_estimators.items()}
    if rows.weights is not None:
        for name, one in estimators.items():
            require_weighted(name, one.model)
    jobs = [
        Fold(train, test, repeat, number, asked["random_state"] + repeat)
        for repeat, splits in enumerate(_repeats(rows, asked))
        for number, (train, test) in enumerate(splits)
    ]
    kept = FinishedFolds(asked["state_file"], (rows, selectors, estimators))
    folds, stop_reason = _finished((rows, selectors, estimators), jobs, kept, asked["n_jobs"])
    found = [row for fold_rows in folds for row in fold_rows]
    if all(row["set"] == ALL_FEATURES for row in found):
        if stop_reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        raise InputError(f"selector={shown(selector)}: finds no set in any fold")
    done = {(row["repeat"], row["fold"]) for row in found}
    tested = np.unique(np.concatenate([job.test for job in jobs if (job.repeat, job.fold) in done]))
    is_class = rows.task == "classification"
    counts = tuple(np.unique(rows.y[tested], return_counts=True)[1].tolist()) if is_class else ()
    if rows.task == SURVIVAL:  # what a concordance rests on
        counts = (int(rows.strata[tested].sum()),)
    n_groups = None if rows.groups is None else len(np.unique(rows.groups[tested]))
    held_out = HeldOutRows(len(tested), counts, n_groups, rows.n_dropped, is_forward=rows.times is not None)
    names = rows.names
    return Evaluation(
        pd.DataFrame(found),
        names,
        rows.scoring,
        len(folds),
        rows.task,
        held_out,
        stop_reason,
        margin=asked["margin"],
    )


def encoded_rows(X: Any, y: Any, asked: Validation, selector: Any = ()) -> EncodedRows:
    """Return the table as models and selectors get it, read as the options or the selectors specify."""
    missing, dates = (_said(word, asked, selector) for word in READING)
    X, times, gap = split_times(X, asked["cv"])
    if times is None:
        times, gap = asked["times"], asked["gap"]
    table = prepare(X, y, task=asked["task"], missing=missing, dates=dates).dense()
    say_what_is_odd(table)
    named = identifiers(table)
    say_what_numbers_rows(table, named)
    if table.task == UNSUPERVISED:
        raise InputError("y: is missing; held-out scores need a target")
    scoring = asked["scoring"] or DEFAULT_SCORING[table.task]
    _check_scoring(scoring, table.task)
    table = with_rows(table, asked["sample_weight"], None, times, gap)
    groups = asked["groups"]
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


def _said(word: str, asked: Validation, selector: Any) -> str:
    """Return how the table is read: by the option or by the selectors, whichever specifies it.

    Raises
    ------
    InputError
        If two of them specify different things.
    """
    listed = selector.values() if isinstance(selector, Mapping) else selector
    parts = [
        part for one in (listed if isinstance(listed, Iterable) else [listed]) for part in _own_parts(one)
    ]
    given: Any = asked
    said = {given[word], *(getattr(part, word) for part in parts if hasattr(part, word))} - {"error"}
    if len(said) > 1:
        those = " and ".join(map(repr, sorted(said)))
        raise InputError(
            f"{word}: {those} are specified, by the option or by selectors. Choose one for the table"
        )
    return said.pop() if said else "error"


def _own_parts(selector: Any) -> list[Any]:
    """Return the selectors of this package among a selector and what it holds."""
    if isinstance(selector, type) or not hasattr(selector, "get_params"):
        return []
    held = selector.get_params().values()
    return [part for part in (selector, *held) if isinstance(part, TargetMixin)]


def _finished(
    data: tuple[EncodedRows, Mapping[str, Any], Mapping[str, Predictor]],
    jobs: Sequence[Fold],
    kept: FinishedFolds,
    n_jobs: int | None,
) -> tuple[list[list[dict[str, Any]]], StopReason]:
    """Return the rows of each fold that was finished, in the order of the folds, and why it ended."""
    known = {number: kept.of(job) for number, job in enumerate(jobs)}
    folds = [found for found in known.values() if found is not None]
    stop_reason = StopReason.FINISHED
    tasks = [(number, (*data, jobs[number])) for number, found in known.items() if found is None]
    try:
        with (
            closing(finished(score_fold, tasks, n_jobs)) as scored,
            closing(counted("folds", scored, len(jobs), len(folds))) as steps,
        ):
            for number, found in steps:
                folds.append(found)
                kept.add(jobs[number], found)
    except KeyboardInterrupt:
        stop_reason = StopReason.INTERRUPTED
    folds.sort(key=lambda found: (found[0]["repeat"], found[0]["fold"]))
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


def told_selector(selector: Any, rows: EncodedRows) -> Any:
    """Return the selector told what a fold may not show: gaps, task and identifiers of the whole table."""
    from sklearn.base import clone

    selector, given = clone(selector), selector.get_params(deep=False)
    if given.get("task") == "auto":
        selector.set_params(task=rows.task)
    if given.get("missing") == "error" and rows.missing != "drop":
        selector.set_params(missing=rows.missing)
    names, usable = rows.names, rows.usable
    if "forbidden" in given and rows.identifiers:
        forced = feature_numbers("forced", given["forced"], names)
        usable = sorted({*usable, *forced})
        out = [name for j, name in enumerate(names) if j not in usable]
        selector.set_params(forbidden=[*list_of("forbidden", given["forbidden"]), *out])
    size, n = given.get("n_features_to_select"), len(usable)
    if isinstance(size, int) and size > n:
        warn(f"n_features_to_select={size}: the table has {n} features; sets hold {n}", stacklevel=3)
        selector.set_params(n_features_to_select=n)
    return selector


def _repeats(rows: EncodedRows, asked: Validation) -> list[list[Split]]:
    """Return the splits of each repeat, once if they are always the same.

    Copies of folds, counted as if they were others, would make intervals too narrow.
    """
    cv = None if isinstance(asked["cv"], str) and rows.times is not None else reusable(asked["cv"])
    found: list[list[Split]] = []
    for repeat in range(asked["n_repeats"]):
        splits = rows.to_split.splits(asked["n_splits"] if cv is None else cv, asked["random_state"] + repeat)
        if repeat and len(splits) == len(found[0]):
            pairs = zip(splits, found[0], strict=True)
            if all(np.array_equal(test, first) for (_, test), (_, first) in pairs):
                break
        found.append(splits)
    return found


def _check_scoring(scoring: str, task: str) -> None:
    from sklearn.metrics import get_scorer_names

    if task == SURVIVAL:
        one_of("scoring", scoring, [DEFAULT_SCORING[task]])
        return
    if scoring not in get_scorer_names():
        raise InputError(f"scoring={scoring!r}: must be a score of scikit-learn, such as accuracy or r2")
