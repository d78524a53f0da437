"""Held-out scores of several feature sets, fold by fold: intervals, differences, stability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pyfsel.results.answer import StopReason
from pyfsel.selectors.evaluation.statistics import (
    MARGIN,
    NOT_COMPARED,
    TINY,
    HeldOutRows,
    compared,
    design_effect,
    membership,
    score_interval,
    stability_interval,
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
        0-based, None if several sets vote or columns are made again. With groups of rows also what
        `cluster_sums` returns. Folds in which a set could not be found have no row for it.
    names : tuple of str
        Of the features.
    scoring : str
        Name of the score; larger is better.
    rows : HeldOutRows
    margin : float
        A set that scores at most this much less than the reference is not worse.
    stop_reason : StopReason
    """

    folds: pd.DataFrame
    names: tuple[str, ...]
    scoring: str
    rows: HeldOutRows
    margin: float = MARGIN
    stop_reason: StopReason = StopReason.FINISHED

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

    @cached_property
    def by_set(self) -> dict[Any, pd.DataFrame]:
        """The rows of each set and model, by repeat and fold."""
        return dict(iter(self.folds.set_index(["repeat", "fold"]).groupby(["set", "model"])))

    def scores_of(self, name: str) -> list[float]:
        """Return the held-out scores of a set with the first model, one per fold."""
        scores: list[float] = self.by_set[name, self.models[0]]["score"].tolist()
        return scores

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """One row per model and set, see `pyfsel.evaluate`; each is compared with the first set."""
        own, apart = {}, {}
        for model in self.models:
            base = self.by_set[self.set_names[0], model]["score"]
            for name in self.set_names:
                folds, key = self.by_set[name, model], (name, model)
                effect = (
                    design_effect(folds.sum(numeric_only=True), len(folds)) if "between" in folds else None
                )
                rows = replace(self.rows, design_effect=effect)
                own[key] = {"set": name, "model": model, **self._summary_of(folds, rows)}
                both = folds.loc[folds.index.intersection(base.index)]
                difference = (both["score"] - base[both.index]).to_numpy()
                apart[key] = np.where(np.abs(difference) < TINY, 0.0, difference), _ratio(both), rows
        others = {key: one for key, one in apart.items() if key[0] != self.set_names[0]}
        differences = compared(others, self.scoring, self.margin)
        return [row | differences.get(key, NOT_COMPARED) for key, row in own.items()]

    def _summary_of(self, folds: pd.DataFrame, rows: HeldOutRows) -> dict[str, Any]:
        """Return what is said of one set with one model."""
        scores, selections = folds["score"], folds["features"].dropna().tolist()
        chosen = membership([] if folds["set"].iloc[0] == ALL_FEATURES else selections, len(self.names))
        counts = chosen.sum(axis=0)
        often = np.argsort(-counts, kind="stable")[: int((2 * counts > len(selections)).sum())]
        low, high = score_interval(scores.tolist(), _ratio(folds), self.scoring, rows)
        return {
            "n_folds": len(scores),
            "n_rows": self.rows.n_rows,
            "n_features": float(np.mean([len(one) for one in selections])) if selections else np.nan,
            "score": float(scores.mean()),
            "score_std": float(scores.std()),
            "score_low": low,
            "score_high": high,
            "quality": float(folds["quality"].mean()),
            "stability": stability_interval(chosen)[0],
            "often_selected": [self.names[j] for j in often],
        }

    def with_names(self) -> pd.DataFrame:
        """Return the folds with the names of the features in place of their numbers."""
        named = [
            None if members is None else [self.names[j] for j in members]
            for members in self.folds["features"]
        ]
        return self.folds.assign(features=pd.Series(named, dtype=object))


def _ratio(folds: pd.DataFrame) -> float:
    """Return the number of held-out rows per training row."""
    return float((folds["n_test"] / folds["n_train"]).mean())


def owner_of(name: str) -> str:
    """Return the selector whose set this is: the text before its number."""
    owner, _, last = name.rpartition(" ")
    return owner if last.isdecimal() or last == VOTE else name
