"""Held-out scores of several feature sets, fold by fold, and how stable their selection is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from pyfsel.results.answer import StopReason

ALL_FEATURES = "all"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Held-out scores of each feature set, fold by fold.

    Parameters
    ----------
    folds : DataFrame
        One row per repeat, fold and set: ``repeat, fold, set, score, quality, features`` (0-based indices).
        ``set`` is "0" for the original set, "1" for the first alternative, …, and "all" for all features.
        Folds in which a set could not be found have no row for it.
    feature_names : tuple of str
    scoring : str
        Name of the score; larger is better.
    n_folds : int
        Number of folds of all repeats together; of the finished ones if the evaluation was interrupted.
    task : {"classification", "regression"}
    stop_reason : StopReason
        FINISHED or INTERRUPTED.
    """

    folds: pd.DataFrame
    feature_names: tuple[str, ...]
    scoring: str
    n_folds: int
    task: str
    stop_reason: StopReason = StopReason.FINISHED
    all_features: str = ALL_FEATURES

    @property
    def set_names(self) -> list[str]:
        """Names of the sets, the original one first and all features last."""
        return list(dict.fromkeys(sorted(self.folds["set"], key=lambda s: (s == ALL_FEATURES, len(s), s))))

    def scores_of(self, name: str) -> list[float]:
        """Return the held-out scores of a set, one per fold."""
        return [float(score) for score in self.folds.loc[self.folds["set"] == name, "score"]]

    def selections_of(self, name: str) -> list[tuple[int, ...]]:
        """Return what was selected for this set, one set of indices per fold."""
        return list(self.folds.loc[self.folds["set"] == name, "features"])

    @cached_property
    def _summary(self) -> list[dict[str, Any]]:
        rows = []
        for name in self.set_names:
            scores, selections = self.scores_of(name), self.selections_of(name)
            is_selection = name != ALL_FEATURES
            chosen = np.zeros(len(self.feature_names), dtype=int)
            for members in selections:
                chosen[list(members)] += 1
            often = [j for j in np.argsort(-chosen, kind="stable") if chosen[j] > len(selections) / 2]
            rows.append(
                {
                    "set": name,
                    "n_folds": len(scores),
                    "score": float(np.mean(scores)),
                    "score_std": float(np.std(scores, ddof=1)) if len(scores) > 1 else np.nan,
                    "quality": float(self.folds.loc[self.folds["set"] == name, "quality"].mean()),
                    "stability": stability(selections, len(self.feature_names)) if is_selection else np.nan,
                    "jaccard": mean_jaccard(selections) if is_selection else np.nan,
                    "often_selected": [self.feature_names[j] for j in often] if is_selection else [],
                }
            )
        return rows

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set: mean and deviation of the scores, quality on the training folds, stability.

        ``often_selected`` names the features that more than half of the folds selected for this set.
        """
        return pd.DataFrame(self._summary)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the summary, and every fold."""
        folds = self.folds.to_dict("records")
        for row in folds:
            row["features"] = [self.feature_names[j] for j in row["features"]]
        return {
            "task": self.task,
            "scoring": self.scoring,
            "n_folds": self.n_folds,
            "stop_reason": str(self.stop_reason),
            "sets": [_plain(row) for row in self._summary],
            "folds": [_plain(row) for row in folds],
        }


def stability(selections: Sequence[Sequence[int]], n_features: int) -> float:
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
    >>> stability([(0, 1), (0, 1), (0, 1)], 4)
    1.0
    """
    m = len(selections)
    if m < 2:
        return float("nan")
    chosen = np.zeros((m, n_features))
    for row, members in enumerate(selections):
        chosen[row, list(members)] = 1
    mean_size = chosen.sum(axis=1).mean()
    by_chance = mean_size / n_features * (1 - mean_size / n_features)
    if by_chance == 0:
        return float("nan")
    return float(1 - chosen.var(axis=0, ddof=1).mean() / by_chance)


def mean_jaccard(selections: Sequence[Sequence[int]]) -> float:
    """Return the mean Jaccard similarity of all pairs of selections; NaN with fewer than two.

    Examples
    --------
    >>> mean_jaccard([(0, 1), (0, 2)])
    0.3333333333333333
    """
    pairs = [(set(a), set(b)) for a, b in combinations(selections, 2)]
    return float(np.mean([len(a & b) / len(a | b) for a, b in pairs])) if pairs else float("nan")


def _plain(row: Any) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and np.isnan(value) else value for name, value in row.items()
    }
