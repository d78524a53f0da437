"""A table as models and selectors get it, and selectors and models by the names that the user gave them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from pyfsel.core.arrays import Array, Indices
from pyfsel.errors import InputError, warn
from pyfsel.measures.tables.look import identifiers, misleading, say_what_is_odd, say_what_numbers_rows
from pyfsel.measures.tables.model_tables import ModelColumns, encoding_of, require_weighted
from pyfsel.measures.tables.rows import with_rows
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.measures.tables.target import SURVIVAL, UNSUPERVISED
from pyfsel.problem.checks import is_a, one_of, shown
from pyfsel.problem.names import feature_numbers
from pyfsel.problem.rules import Constraints
from pyfsel.selectors.conventions import TargetMixin
from pyfsel.selectors.evaluation.models import MODELS, check_scoring_name, model_of
from pyfsel.selectors.splits import SplitRows, split_times

DEFAULT_SCORING = {"classification": "balanced_accuracy", "regression": "r2", SURVIVAL: "concordance"}
Named = dict[str, Any]
"""Selectors or models, by name."""
MODEL_TEXT = f"one of {', '.join(MODELS)}, or an estimator, or a dict or list of them"


@dataclass(frozen=True, eq=False)
class EvaluationRows:
    """A table as models and selectors get it.

    Parameters
    ----------
    table : Table
        With weights, groups and times of the rows.
    missing, scoring : str
        As in `pyfsel.evaluate`.
    usable : list of int
        The columns that do not number or name the rows, which some rows alone may not show. No model gets
        the others, and sets contain those only that are forced.
    """

    table: Table
    missing: str
    scoring: str
    usable: list[int]

    @cached_property
    def columns(self) -> ModelColumns:
        """The features before they are encoded for a model."""
        return ModelColumns.of(self.table)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all features."""
        return self.table.feature_names

    @cached_property
    def y(self) -> Array:
        """Codes of classes, or numbers, or times with events."""
        return self.table.target

    @property
    def strata(self) -> Array | None:
        """What folds and halves have in equal proportions: classes, or whether the event happened."""
        if self.table.task == "regression":
            return None
        return self.table.y if self.table.events is None else self.table.events.astype(int)

    def to_split(self, chosen: Indices) -> SplitRows:
        """Return what decides which of some rows are held out together."""
        known = {"strata": self.strata, "groups": self.table.groups, "times": self.table.times}
        own = {name: one[chosen] for name, one in known.items() if one is not None}
        return SplitRows(len(chosen), gap=self.table.time_gap, table=self.table, **own)

    def fit(self, selector: Any, chosen: Indices) -> Any:
        """Fit a selector to some rows.

        Selectors of this package get the user's columns, and what is known of each row and they accept.
        Others get the features without identifiers, mostly as numbers without missing values.
        """
        table, frame, y = self.table, self.columns.frame.iloc[chosen], self.y[chosen]
        if isinstance(selector, TargetMixin):
            given = {"sample_weight": table.weights, "groups": table.groups, "times": table.times}
            known = selector.get_metadata_routing().fit.requests
            of_rows = {what: one[chosen] for what, one in given.items() if one is not None and what in known}
            return selector.fit(frame, y, **of_rows)
        frame = frame.iloc[:, self.usable]
        if encoding_of(selector, self.columns) != "frame":
            frame = pd.DataFrame(self.columns.filled(chosen, self.usable), columns=frame.columns)
        return selector.fit(frame, y)


def read_rows(
    X: Any,
    y: Any,
    selectors: Named,
    *,
    cv: Any = None,
    scoring: str | None = None,
    groups: Any = None,
    sample_weight: Any = None,
) -> EvaluationRows:
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
    say_what_is_odd(misleading(table))
    named = identifiers(table)
    say_what_numbers_rows(table, named)
    if table.task == UNSUPERVISED:
        raise InputError("y: is missing; held-out scores need a target")
    scoring = DEFAULT_SCORING[table.task] if scoring is None else scoring
    is_a("scoring", scoring, str, "the name of a score")
    if table.task == SURVIVAL:
        one_of("scoring", scoring, [DEFAULT_SCORING[SURVIVAL]])
    else:
        check_scoring_name(scoring)
    usable = np.flatnonzero(~named).tolist()
    return EvaluationRows(with_rows(table, sample_weight, groups, times, gap), missing, scoring, usable)


def _said(word: str, default: str, selectors: Named) -> Any:
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


def selectors_of(selector: Any) -> Named:
    """Return selectors by name; one alone that finds several sets has none."""
    found = _named("selector", selector, "a selector, or a dict or list of them", "fit transform get_params")
    is_alone = len(found) == 1 and not isinstance(selector, Mapping)
    return {"": selector} if is_alone and hasattr(selector, "n_sets") else found


def named_models(model: Any) -> Named:
    """Return models by name, as the user gave them."""
    return _named("model", model, MODEL_TEXT, "fit get_params", MODELS)


def models_of(model: Any, rows: EvaluationRows) -> Named:
    """Return models by name, as they are fitted in each fold."""
    found = {name: model_of(one, rows.table.task) for name, one in named_models(model).items()}
    for name, one in found.items() if rows.table.weights is not None else ():
        require_weighted(name, one)
    return found


def _named(argument: str, given: Any, expected: str, methods: str, words: tuple[str, ...] = ()) -> Named:
    """Return what the user gave by name: the keys of a dict, or the names of the classes."""
    found: Named = {}
    if isinstance(given, Mapping):
        found = {str(name): one for name, one in given.items()}
        if not all(map(str.strip, found)):
            raise InputError(f"{argument}: a name is empty. Give each {argument} a name")
    else:
        for one in given if isinstance(given, (list, tuple)) else [given]:
            name = one if isinstance(one, str) else type(one).__name__
            alike = sum(other.partition(" (")[0] == name for other in found)
            found[f"{name} ({alike + 1})" if alike else name] = one
    for one in [*found.values()] or [given]:
        is_word = isinstance(one, str) and one in words
        has_methods = not isinstance(one, type) and all(hasattr(one, name) for name in methods.split())
        if not is_word and not has_methods:
            raise InputError(f"{argument}={shown(one)}: is not known. Expected {expected}")
    return found


def told_selector(selector: Any, rows: EvaluationRows) -> Any:
    """Return the selector with what a fold may not show: gaps, task and identifiers of the whole table."""
    selector, given = clone(selector), selector.get_params(deep=False)
    if given.get("task") == "auto":
        selector.set_params(task=rows.table.task)
    if given.get("missing") == "error" and rows.missing != "drop":
        selector.set_params(missing=rows.missing)
    usable = {*rows.usable}
    if "constraints" in given and len(usable) < len(rows.names):
        rules = given["constraints"] or Constraints()
        usable |= {*feature_numbers("forced", list(rules.forced), rows.names)}
        out = [name for j, name in enumerate(rows.names) if j not in usable]
        selector.set_params(constraints__forbidden=[*rules.forbidden, *out])
    size, n = given.get("k"), len(usable)
    if isinstance(size, int) and size > n:
        warn(f"k={size}: the table has {n} features; sets have {n}")
        selector.set_params(k=n)
    return selector
