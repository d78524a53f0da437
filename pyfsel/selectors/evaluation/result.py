"""Held-out scores of several feature sets, fold by fold, and how stable their selection is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pyfsel.results.answer import StopReason
from pyfsel.results.display import Bar, Part, SetsTable, Shown, number_or_dash
from pyfsel.results.plots import COLOURS, GREY, new_figure
from pyfsel.selectors.evaluation.intervals import (
    MARGIN,
    TINY,
    Clusters,
    Difference,
    HeldOutRows,
    differences,
    range_text,
    score_interval,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALL_FEATURES = "all"
VOTE = "vote"


@dataclass(frozen=True, eq=False)
class Evaluation(Shown):
    """Held-out scores of each feature set, fold by fold.

    Parameters
    ----------
    folds : DataFrame
        One row per repeat, fold, set and estimator: ``repeat, fold, set, estimator, score, quality, features,
        n_train, n_test``. ``set`` is "0" for the original set, "1" for the first alternative, …, "vote" for
        the votes of these, "all" for all features, and the name of any other selector. ``features`` are
        0-based, None where several sets vote or columns are made again. With groups of rows also ``between,
        within, n_groups, squares``, see `intervals.Clusters`. Folds in which a set could not be
        found have no row for it.
    feature_names : tuple of str
    scoring : str
        Name of the score; larger is better.
    n_folds : int
        Number of folds of all repeats together; of the finished ones if the evaluation was interrupted.
    task : {"classification", "regression"}
    rows : HeldOutRows
    stop_reason : StopReason
        FINISHED or INTERRUPTED.
    margin : float
        A set that scores at most this much less than the reference is not worse.
    """

    folds: pd.DataFrame
    feature_names: tuple[str, ...]
    scoring: str
    n_folds: int
    task: str
    rows: HeldOutRows
    stop_reason: StopReason = StopReason.FINISHED
    all_features: str = ALL_FEATURES
    margin: float = MARGIN

    @property
    def set_names(self) -> list[str]:
        """Names of the sets: by selector, the original one first, the vote last; all features at the end."""
        first = {name: place for place, name in enumerate(dict.fromkeys(self.folds["set"]))}
        owners = {name: _owner(name) for name in first}
        begin: dict[str, int] = {}
        for name, place in first.items():
            begin.setdefault(owners[name], place)

        def order(name: str) -> tuple[bool, int, bool, int, str]:
            owner = owners[name]
            return name == ALL_FEATURES, begin[owner], name.endswith(VOTE), len(name), name

        return sorted(first, key=order)

    @property
    def chance_text(self) -> str:
        """What is not shown to predict better than chance; "" if all is, or what chance scores is unknown."""
        level, several = self.rows.by_chance(self.scoring), len(self.estimators) > 1
        names = [
            f"{row['set']} with {row['estimator']}" if several else row["set"]
            for row in self._summary
            if level is not None and row["score_low"] <= level
        ]
        return f"not shown to predict better than chance ({level:.3g}): {', '.join(names)}" if names else ""

    @property
    def estimators(self) -> list[str]:
        """Names of the estimators, in the order given."""
        return list(dict.fromkeys(self.folds["estimator"]))

    def _rows_of(self, name: str, estimator: str | None) -> pd.DataFrame:
        chosen = self.estimators[0] if estimator is None else estimator
        return self.folds[(self.folds["set"] == name) & (self.folds["estimator"] == chosen)]

    def scores_of(self, name: str, estimator: str | None = None) -> list[float]:
        """Return the held-out scores of a set, one per fold; with the first estimator unless one is named."""
        return [float(score) for score in self._rows_of(name, estimator)["score"]]

    def selections_of(self, name: str) -> list[tuple[int, ...]]:
        """Return what was selected for this set, one set of indices per fold."""
        return [members for members in self._rows_of(name, None)["features"] if members is not None]

    @property
    def reference(self) -> str:
        """Name of the set that the others are compared with: the original one of the first selector."""
        return self.set_names[0]

    @cached_property
    def differences(self) -> dict[tuple[str, str], Difference]:
        """How each set, by name and estimator, differs from `reference`, on the folds that have both."""
        found = {}
        for estimator in self.estimators:
            base = self._by_fold(self.reference, estimator)
            for name in self.set_names[1:]:
                other = self._by_fold(name, estimator)
                both = other.index.intersection(base.index)
                apart = (other.loc[both, "score"] - base.loc[both, "score"]).to_numpy()
                ratio = (other.loc[both, "n_test"] / other.loc[both, "n_train"]).mean()
                found[name, estimator] = (np.where(np.abs(apart) < TINY, 0.0, apart), float(ratio))
        return differences(found, self.margin)

    def _by_fold(self, name: str, estimator: str) -> pd.DataFrame:
        return self._rows_of(name, estimator).set_index(["repeat", "fold"])

    @cached_property
    def _summary(self) -> list[dict[str, Any]]:
        return [self._summary_of(name, estimator) for estimator in self.estimators for name in self.set_names]

    def _summary_of(self, name: str, estimator: str) -> dict[str, Any]:
        folds = self._rows_of(name, estimator)
        scores, selections = self.scores_of(name, estimator), self.selections_of(name)
        is_selection = name != ALL_FEATURES and bool(selections)
        ratio = float((folds["n_test"] / folds["n_train"]).mean())
        rows = replace(self.rows, design_effect=_design_effect(folds))
        low, high = score_interval(scores, ratio, self.scoring, rows)
        apart = self.differences.get((name, estimator))
        chosen = np.zeros(len(self.feature_names), dtype=int)
        for members in selections:
            chosen[list(members)] += 1
        often = [j for j in np.argsort(-chosen, kind="stable") if chosen[j] > len(selections) / 2]
        return {
            "set": name,
            "estimator": estimator,
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
            "stability": stability(selections, len(self.feature_names)) if is_selection else np.nan,
            "often_selected": [self.feature_names[j] for j in often] if is_selection else [],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set and estimator: scores, differences, qualities in training folds, stability.

        ``score_low`` and ``score_high`` are the 95% interval of the mean score (`intervals.score_interval`).
        ``difference`` to the set `reference`, on the same folds, has the interval and the p-value that
        `intervals.differences` gives; ``verdict`` is whether the set scores at most `margin` less ("shown",
        "refuted" or "not shown"), and ``compared`` says it in words. ``n_rows`` rows were held out, and
        ``n_features`` is the mean size of the set.
        ``often_selected`` names the features that more than half of the folds selected for this set.
        """
        return pd.DataFrame(self._summary)

    def plot(self) -> Figure:
        """Draw the held-out scores of each set: every fold as a dot, the mean as a line.

        Returns
        -------
        matplotlib.figure.Figure
        """
        names = self.set_names
        figure, (axes,) = new_figure(max(4.2, 0.75 * len(names) + 1.8), 3.6)
        for position, name in enumerate(names):
            scores = self.scores_of(name)
            spread = [position + 0.3 * (i / max(1, len(scores) - 1) - 0.5) for i in range(len(scores))]
            colour = GREY if name in (self.all_features, VOTE) else COLOURS[0]
            axes.plot(spread, scores, "o", color=colour, alpha=0.45, markersize=4)
            mean = sum(scores) / len(scores)
            axes.plot([position - 0.32, position + 0.32], [mean, mean], color=colour, linewidth=2.5)
        axes.set_xticks(range(len(names)), names, rotation=0 if len(names) < 8 else 60)
        axes.set_ylabel(f"held-out {self.scoring}")
        axes.set_xlabel("feature set (dots: folds, lines: means)")
        axes.grid(axis="y", color="#e5e7eb")
        axes.set_axisbelow(True)
        return figure

    def parts(self, overlap_rule: str = "") -> list[Part]:
        """Return what is shown of it: a row per set, and what its numbers mean."""
        several = ["estimator"] if len(self.estimators) > 1 else []
        against = f"compared with {self.reference}"
        heads = ("set", "features", f"held-out\n{self.scoring}", "95 %\ninterval", against, "stability")
        table = SetsTable([*heads, *several], [against, *several], "selected in most folds")
        for row in self._summary:
            score, stable = f"{row['score']:.3f} ± {number_or_dash(row['score_std'])}", row["stability"]
            cells = (
                row["set"],
                number_or_dash(row["n_features"], ".3g"),
                Bar(score, row["score"]),
                range_text(row["score_low"], row["score_high"], self.scoring),
                row["compared"].replace("; ", ";\n"),
                Bar(number_or_dash(stable), stable),
            )
            table.add_row([*cells, *(row[name] for name in several)], row["often_selected"])
        return [table, self._legend()]

    def _legend(self) -> str:
        legend = (
            f"Mean ± standard deviation of {self.n_folds} folds on {self.rows}, and the interval of the "
            "mean; each selection saw only its training rows. Differences are of the same folds, corrected "
            "for overlapping training sets (Nadeau and Bengio 2003) and for the number of comparisons (Holm "
            f"1979); at most {self.margin:g} worse: one-sided at 5%. "
            "Stability: 1 if all folds select the same features, about 0 if they do so by chance "
            "(Nogueira et al. 2018)."
        )
        lacking = [row for row in self._summary if row["n_folds"] < self.n_folds]
        if lacking:
            fewer = ", ".join(f"{row['set']} in {row['n_folds']}" for row in lacking)
            legend += f" Found in fewer folds: {fewer}."
        if self.chance_text:
            legend += f" {self.chance_text[0].upper()}{self.chance_text[1:]}."
        if self.rows.is_forward:
            legend += " Training rows are earlier than held-out ones; groups are not kept apart."
        if self.stop_reason is StopReason.INTERRUPTED:
            legend += " Interrupted; the other folds are missing."
        return legend

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the summary, and every fold."""
        folds = self.folds.to_dict("records")
        for row in folds:
            row["features"] = (
                None if row["features"] is None else [self.feature_names[j] for j in row["features"]]
            )
        return {
            "task": self.task,
            "scoring": self.scoring,
            "n_folds": self.n_folds,
            "n_rows": self.rows.n_rows,
            "n_dropped": self.rows.n_dropped,
            "n_groups": self.rows.n_groups,
            "reference": self.reference,
            "margin": self.margin,
            "stop_reason": str(self.stop_reason),
            "sets": [without_nan(row) for row in self._summary],
            "folds": [without_nan(row) for row in folds],
        }


def _design_effect(folds: pd.DataFrame) -> float | None:
    """Return the design effect of the groups of rows, None without groups or if it is not known."""
    if "between" not in folds or folds["between"].isna().any():
        return None
    n_rows, n_groups = (int(folds[name].sum()) for name in ("n_test", "n_groups"))
    between, within, squares = (float(folds[name].sum()) for name in ("between", "within", "squares"))
    return Clusters(between, within, n_rows, n_groups, squares, len(folds)).design_effect


def _owner(name: str) -> str:
    """Return the selector whose set this is: what stands before its number."""
    owner, _, last = name.rpartition(" ")
    if last.isdecimal() or last == VOTE:
        return owner
    return name


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


def without_nan(row: Any) -> dict[str, Any]:
    """Return plain data with None in place of NaN, which JSON has not."""
    return {
        name: None if isinstance(value, float) and np.isnan(value) else value for name, value in row.items()
    }
