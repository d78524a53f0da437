"""Held-out scores of several feature sets, fold by fold: intervals, differences, stability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from pyfsel.results.backend_answer import StopReason
from pyfsel.selectors.evaluation.sentences import ALL_FEATURES, Record
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


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out scores of each feature set, fold by fold.

    Parameters
    ----------
    folds : DataFrame
        One row per repeat, fold, set and model: ``repeat, fold, set, model, score, quality, features,
        n_train, n_test``. ``set`` is "0" for the original set, "1" for the first alternative, …, "vote" for
        the votes of these, "all" for all features, and the name of any other selector. ``features`` are
        0-based, None if several sets vote. With groups of rows also what `cluster_sums` returns. Folds in
        which a set could not be found have no row for it.
    set_names : list of str
        By selector, the original set first, the vote last; all features at the end.
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
    set_names: list[str]
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
    def models(self) -> list[str]:
        """Names of the models, in the order given."""
        return list(dict.fromkeys(self.folds["model"]))

    @property
    def rows_of_sets(self) -> list[Record]:
        """The summary with the first model."""
        return self.summary[: len(self.set_names)]

    @cached_property
    def summary(self) -> list[Record]:
        """One row per model and set, see `pyfsel.evaluate`; each is compared with the first set."""
        by_set = dict(iter(self.folds.set_index(["repeat", "fold"]).groupby(["set", "model"])))
        own, apart = {}, {}
        for key in [(name, model) for model in self.models for name in self.set_names]:
            folds, base = by_set[key], by_set[self.set_names[0], key[1]]["score"]
            effect = design_effect(folds.sum(numeric_only=True)) if "of_groups" in folds else None
            rows = replace(self.rows, design_effect=effect)
            own[key] = {"set": key[0], "model": key[1], **self._summary_of(folds, rows)}
            both = folds.loc[folds.index.intersection(base.index)]
            difference = (both["score"] - base[both.index]).to_numpy()
            apart[key] = np.where(np.abs(difference) < TINY, 0.0, difference), _ratio(both), rows
        others = {key: one for key, one in apart.items() if key[0] != self.set_names[0]}
        differences = compared(others, self.scoring, self.margin)
        return [row | differences.get(key, NOT_COMPARED) for key, row in own.items()]

    def _summary_of(self, folds: pd.DataFrame, rows: HeldOutRows) -> Record:
        """Return what is said of one set with one model."""
        scores, selections = folds["score"], folds["features"].dropna().tolist()
        is_selected = folds["set"].iloc[0] != ALL_FEATURES
        chosen = membership(selections if is_selected else [], len(self.names))
        counts = chosen.sum(axis=0)
        often = np.argsort(-counts, kind="stable")[: int((2 * counts > len(selections)).sum())]
        low, high = score_interval(scores.tolist(), _ratio(folds), self.scoring, rows)
        return {
            "n_folds": len(scores),
            "n_rows": self.rows.n_rows,
            "n_features": float(np.mean([*map(len, selections)])) if selections else np.nan,
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
        named = self.folds["features"].map(lambda some: [self.names[j] for j in some], na_action="ignore")
        return self.folds.assign(features=named)


def _ratio(folds: pd.DataFrame) -> float:
    """Return the number of held-out rows per training row."""
    return float((folds["n_test"] / folds["n_train"]).mean())
