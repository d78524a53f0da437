"""Held-out scores of several feature sets, fold by fold: intervals, differences, stability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pyfsel.results.answer import StopReason
from pyfsel.selectors.evaluation.intervals import (
    MARGIN,
    TINY,
    Clusters,
    Difference,
    HeldOutRows,
    differences,
    score_interval,
)

ALL_FEATURES = "all"
VOTE = "vote"


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out scores of each feature set, fold by fold.

    Parameters
    ----------
    folds : DataFrame
        One row per repeat, fold, set and model: ``repeat, fold, set, model, score, quality, features,
        n_train, n_test``. ``set`` is "0" for the original set, "1" for the first alternative, …, "vote" for
        the votes of these, "all" for all features, and the name of any other selector. ``features`` are
        0-based, None if several sets vote or columns are made again. With groups of rows also the
        fields of `intervals.Clusters`. Folds in which a set could not be found have no row for it.
    names : tuple of str
        Of the features.
    scoring : str
        Name of the score; larger is better.
    task : {"classification", "regression", "survival"}
    rows : HeldOutRows
    stop_reason : StopReason
    margin : float
        A set that scores at most this much less than the reference is not worse.
    """

    folds: pd.DataFrame
    names: tuple[str, ...]
    scoring: str
    task: str
    rows: HeldOutRows
    stop_reason: StopReason = StopReason.FINISHED
    margin: float = MARGIN

    @property
    def n_folds(self) -> int:
        """The number of finished folds of all repeats together."""
        return len(self.folds.drop_duplicates(["repeat", "fold"]))

    @cached_property
    def set_names(self) -> list[str]:
        """Names of the sets: by selector, the original one first, the vote last; all features at the end."""
        found = list(dict.fromkeys(self.folds["set"]))
        owners = list(dict.fromkeys(map(owner_of, found)))

        def order(name: str) -> tuple[bool, int, bool, int, str]:
            return name == ALL_FEATURES, owners.index(owner_of(name)), name.endswith(VOTE), len(name), name

        return sorted(found, key=order)

    @cached_property
    def models(self) -> list[str]:
        """Names of the models, in the order given."""
        return list(dict.fromkeys(self.folds["model"]))

    @property
    def reference(self) -> str:
        """Name of the set that the others are compared with: the original one of the first selector."""
        return self.set_names[0]

    def rows_of(self, name: str, model: str | None = None) -> pd.DataFrame:
        """Return the rows of a set; with the first model unless one is named."""
        chosen = self.models[0] if model is None else model
        return self.folds[(self.folds["set"] == name) & (self.folds["model"] == chosen)]

    def scores_of(self, name: str, model: str | None = None) -> list[float]:
        """Return the held-out scores of a set, one per fold."""
        return [float(score) for score in self.rows_of(name, model)["score"]]

    def selections_of(self, name: str) -> list[tuple[int, ...]]:
        """Return what was selected for this set, one set of indices per fold."""
        return [members for members in self.rows_of(name)["features"] if members is not None]

    @cached_property
    def differences(self) -> dict[tuple[str, str], Difference]:
        """How each set, by name and model, differs from `reference`, on the folds that have both."""
        found = {}
        for model in self.models:
            base = self._by_fold(self.reference, model)
            for name in self.set_names[1:]:
                other = self._by_fold(name, model)
                both = other.index.intersection(base.index)
                apart = (other.loc[both, "score"] - base.loc[both, "score"]).to_numpy()
                ratio = (other.loc[both, "n_test"] / other.loc[both, "n_train"]).mean()
                found[name, model] = (np.where(np.abs(apart) < TINY, 0.0, apart), float(ratio))
        return differences(found, self.margin)

    def _by_fold(self, name: str, model: str) -> pd.DataFrame:
        return self.rows_of(name, model).set_index(["repeat", "fold"])

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """One row per model and set, see `pyfsel.evaluate`."""
        return [self._summary_of(name, model) for model in self.models for name in self.set_names]

    def _summary_of(self, name: str, model: str) -> dict[str, Any]:
        folds = self.rows_of(name, model)
        scores, selections = self.scores_of(name, model), self.selections_of(name)
        ratio = float((folds["n_test"] / folds["n_train"]).mean())
        rows = replace(self.rows, design_effect=_design_effect(folds))
        low, high = score_interval(scores, ratio, self.scoring, rows)
        apart = self.differences.get((name, model))
        is_selection = name != ALL_FEATURES and bool(selections)
        return {
            "set": name,
            "model": model,
            "n_folds": len(scores),
            "n_rows": self.rows.n_rows,
            "n_features": float(np.mean([len(members) for members in selections])) if selections else np.nan,
            "score": float(np.mean(scores)),
            "score_std": float(np.std(scores, ddof=1)) if len(scores) > 1 else np.nan,
            "score_low": low,
            "score_high": high,
            "difference": np.nan if apart is None else apart.mean,
            "difference_low": np.nan if apart is None else apart.low,
            "difference_high": np.nan if apart is None else apart.high,
            "p_value": np.nan if apart is None else apart.p_value,
            "verdict": "" if apart is None else apart.verdict_of(self.scoring, rows),
            "compared": "" if apart is None else apart.text(self.scoring, rows),
            "quality": float(folds["quality"].mean()),
            "stability": stability_index(selections, len(self.names)) if is_selection else np.nan,
            "often_selected": self.often_selected(selections) if is_selection else [],
        }

    def often_selected(self, selections: Sequence[Sequence[int]]) -> list[str]:
        """Return the features in more than half of the selections, the most frequent first."""
        chosen = np.zeros(len(self.names), dtype=int)
        for members in selections:
            chosen[list(members)] += 1
        order = np.argsort(-chosen, kind="stable")
        return [self.names[j] for j in order if 2 * chosen[j] > len(selections)]

    def with_names(self) -> pd.DataFrame:
        """Return the folds with the names of the features in place of their numbers."""
        named = [
            None if members is None else [self.names[j] for j in members]
            for members in self.folds["features"]
        ]
        return self.folds.assign(features=pd.Series(named, dtype=object))

    def no_better_than_chance(self) -> tuple[float, list[str]] | None:
        """Return what chance scores and the sets not shown to score more; None if chance is unknown."""
        level = self.rows.by_chance(self.scoring)
        if level is None:
            return None
        several = len(self.models) > 1
        return level, [
            f"{row['set']} with {row['model']}" if several else row["set"]
            for row in self.summary
            if row["score_low"] <= level
        ]


def _design_effect(folds: pd.DataFrame) -> float | None:
    """Return the design effect of the groups of rows, None without groups or if it is not known."""
    names = [each.name for each in fields(Clusters)]
    if names[0] not in folds or folds[names].isna().any(axis=None):
        return None
    return Clusters(**folds[names].sum()).design_effect


def owner_of(name: str) -> str:
    """Return the selector whose set this is: the text before its number."""
    owner, _, last = name.rpartition(" ")
    return owner if last.isdecimal() or last == VOTE else name


def stability_index(selections: Sequence[Sequence[int]], n_features: int) -> float:
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
    >>> stability_index([(0, 1), (0, 1), (0, 1)], 4)
    1.0
    """
    if len(selections) < 2:
        return float("nan")
    chosen = membership(selections, n_features)
    density = chosen.mean()
    by_chance = density * (1 - density)
    return float(1 - chosen.var(axis=0, ddof=1).mean() / by_chance) if by_chance else float("nan")


def membership(selections: Sequence[Sequence[int]], n_features: int) -> np.ndarray[Any, Any]:
    """Return which features each selection contains as zeros and ones, shape (n_selections, n_features)."""
    chosen = np.zeros((len(selections), n_features))
    for row, members in enumerate(selections):
        chosen[row, list(members)] = 1
    return chosen
