"""How many features? Held-out scores of each number on the same folds, and the price of dissimilarity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack
from warnings import warn

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from pyfsel.errors import InputError
from pyfsel.problem.checks import integer_in, is_a, list_of, share
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import StopReason
from pyfsel.results.display import Bar, Part, SetsTable, Shown, number_or_dash
from pyfsel.results.plots import COLOURS, GREY, legend_below, new_figure
from pyfsel.selectors.alternatives import AlternativeFeatureSelector
from pyfsel.selectors.evaluation.evaluate import (
    Validation,
    encoded_rows,
    evaluated,
    options_of,
    told_selector,
)
from pyfsel.selectors.evaluation.intervals import range_text
from pyfsel.selectors.evaluation.result import ALL_FEATURES, Evaluation, without_nan
from pyfsel.selectors.several_sets import SeveralSetsMixin

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = tuple(range(1, 11))
TAUS = (0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, eq=False)
class Choice(Shown):
    """How well sets of each size predict, the size that is recommended, and what dissimilarity costs for it.

    Parameters
    ----------
    evaluation : Evaluation
        Of one set of each size, named ``k=5``, and of all features.
    priced : Evaluation or None
        Of several sets of the size that is recommended, at each threshold; named ``tau=0.6``.
    nested : Evaluation or None
        Of the whole choice, made again in each fold.
    """

    evaluation: Evaluation
    priced: Evaluation | None = None
    nested: Evaluation | None = None

    @cached_property
    def sizes(self) -> pd.DataFrame:
        """One row per size, ascending: mean held-out score, its 95% interval, stability, folds."""
        rows = self.evaluation.to_frame()
        rows = rows[rows["set"] != ALL_FEATURES]
        sizes = [int(name.partition("=")[2].split()[0]) for name in rows["set"]]
        kept = ["score", "score_low", "score_high", "stability", "n_folds", "n_rows", "often_selected"]
        return rows[kept].assign(set_size=sizes).set_index("set_size").sort_index()

    @property
    def stop_reason(self) -> StopReason:
        """FINISHED or INTERRUPTED."""
        parts = [one for one in (self.evaluation, self.priced, self.nested) if one is not None]
        stopped = [one.stop_reason for one in parts if one.stop_reason is not StopReason.FINISHED]
        return stopped[0] if stopped else StopReason.FINISHED

    @property
    def best_size(self) -> int:
        """The size whose mean score is the best, the smallest of equals."""
        return int(self.sizes.index.to_numpy()[self.sizes["score"].to_numpy().argmax()])

    @property
    def standard_error(self) -> float:
        """That of the best score as cross-validation reports it: s of all folds over √(folds of a repeat)."""
        scores = self.evaluation.scores_of(_set_of(self.best_size))
        n_repeats = self.evaluation.folds["repeat"].nunique()
        return float(np.std(scores, ddof=1) / np.sqrt(len(scores) / n_repeats)) if len(scores) > 1 else 0.0

    @property
    def set_size(self) -> int:
        """The smallest size whose score is within one standard error of the best one: the recommendation."""
        near = self.sizes["score"] >= self.sizes["score"].max() - self.standard_error
        return int(self.sizes.index[near].min())

    @cached_property
    def prices(self) -> pd.DataFrame:
        """One row per threshold: quality of the sets relative to the first one, and held-out scores.

        ``mean_score`` and ``worst_score`` are over the sets, ``vote_score`` is that of all together; of the
        folds that have all sets.
        """
        found: list[dict[str, Any]] = []
        folds = None if self.priced is None else self.priced.folds
        names = [] if folds is None else list(dict.fromkeys(folds["set"]))
        for tau in dict.fromkeys(name.rpartition(" ")[0] for name in names if name != ALL_FEATURES):
            assert folds is not None
            own = folds[folds["set"].str.rpartition(" ")[0] == tau]
            is_vote = own["set"].str.endswith("vote")
            means = own[~is_vote].groupby("set")["score"].mean()
            quality = own[~is_vote].pivot_table("quality", ["repeat", "fold"], "set")
            relative = quality.div(quality[f"{tau} 0"], axis=0).mean(axis=1)
            vote = own.loc[is_vote, "score"].mean()
            found.append(
                {
                    "tau": float(tau.partition("=")[2]),
                    "n_sets": len(means),
                    "relative_quality": float(relative.mean()),
                    "mean_score": float(means.mean()),
                    "worst_score": float(means.min()),
                    "vote_score": float(vote),
                }
            )
        return pd.DataFrame(found)

    @property
    def recommendation(self) -> str:
        """The size in one sentence, and what it rests on."""
        best, chosen = self.best_size, self.set_size
        scores = self.sizes["score"]
        of, rows = self.evaluation, f"{self.evaluation.rows.n_rows:,} rows"
        what = f"{of.scoring} {scores[chosen]:.3f}, {of.n_folds} folds of {rows}"
        level = of.rows.by_chance(of.scoring)
        if level is not None and self.sizes["score_low"].max() <= level:
            what += f"; no size is shown to predict better than chance, {level:.3g}"
        if chosen == best:
            return f"{number_of(chosen, 'feature')}: no other size scored better ({what})"
        return (
            f"{number_of(chosen, 'feature')}: the smallest size within one standard error "
            f"({self.standard_error:.3f}) of the best score, {scores[best]:.3f} with {best} ({what})"
        )

    @property
    def nested_text(self) -> str:
        """What the choice itself scores on rows that it has not seen, "" unless that was asked for."""
        if self.nested is None:
            return ""
        row = self.nested.to_dict()["sets"][0]
        ends = range_text(row["score_low"], row["score_high"], self.nested.scoring)
        return (
            f"with the size chosen anew in each of {self.nested.n_folds} outer folds: {row['score']:.3f} "
            f"({ends}), {row['n_features']:.3g} features on average"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return `sizes`."""
        return self.sizes

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        evaluations = {"evaluation": self.evaluation, "priced": self.priced, "nested": self.nested}
        return {
            "set_size": self.set_size,
            "best_size": self.best_size,
            "standard_error": self.standard_error,
            "recommendation": self.recommendation,
            "scoring": self.evaluation.scoring,
            "stop_reason": str(self.stop_reason),
            "sizes": [without_nan(row) for row in self.sizes.reset_index().to_dict("records")],
            "prices": [without_nan(row) for row in self.prices.to_dict("records")],
            **{name: None if one is None else one.to_dict() for name, one in evaluations.items()},
        }

    def plot(self) -> Figure:
        """Draw the held-out score of each size with its interval, and which is recommended.

        Returns
        -------
        matplotlib.figure.Figure
        """
        figure, (axes,) = new_figure(max(4.6, 0.45 * len(self.sizes) + 2.2), 3.6)
        sizes, score = self.sizes.index.to_numpy(), self.sizes["score"].to_numpy()
        below, above = score - self.sizes["score_low"], self.sizes["score_high"] - score
        axes.errorbar(sizes, score, [below, above], fmt="o-", color=COLOURS[0], markersize=4, linewidth=1)
        least = score.max() - self.standard_error
        axes.axhline(
            least, color=GREY, linewidth=1, linestyle="--", label="one standard error below the best"
        )
        best, chosen = self.best_size, self.set_size
        if best != chosen:
            axes.plot(best, score.max(), "o", color=COLOURS[2], markersize=8, label=f"best score: {best}")
        axes.plot(
            chosen,
            self.sizes["score"][chosen],
            "D",
            color=COLOURS[1],
            markersize=9,
            label=f"recommended: {chosen}",
        )
        axes.set_xlabel("features of the set")
        axes.set_ylabel(f"held-out {self.evaluation.scoring}")
        axes.set_xticks(sizes if len(sizes) < 16 else sizes[:: len(sizes) // 10])
        legend_below(figure, axes)
        return figure

    def parts(self, overlap_rule: str = "") -> list[Part]:
        """Return what is shown of it: the recommendation, a row per size, and one per threshold."""
        legend = "The interval is of the mean score; those of one column are of the same folds."
        if self.stop_reason is StopReason.INTERRUPTED:
            legend += " Interrupted; other folds are missing."
        return [f"{self.recommendation}.", self._sizes_table(), *self._prices_parts(), legend]

    def _sizes_table(self) -> SetsTable:
        scoring = self.evaluation.scoring
        heads = ["k", f"held-out\n{scoring}", "95 %\ninterval", "stability", ""]
        table = SetsTable(heads, [""], "in most folds")
        marks = {self.best_size: "best score", self.set_size: "recommended"}
        if self.set_size == self.best_size:
            marks = {self.set_size: "recommended, best score"}
        for row in self.sizes.reset_index().to_dict("records"):
            k = row["set_size"]
            ends = range_text(row["score_low"], row["score_high"], scoring)
            stable = number_or_dash(row["stability"], ".2f")
            cells = [str(k), Bar(f"{row['score']:.3f}", row["score"]), ends, stable, marks.get(k, "")]
            table.add_row(cells, row["often_selected"])
        return table

    def _prices_parts(self) -> list[Part]:
        parts: list[Part] = []
        if len(self.prices):
            heads = ["tau", "sets", "quality of\nthe best set", "mean\nscore", "worst\nscore"]
            prices = SetsTable(heads, names_head="all sets\nvote")
            for row in self.prices.to_dict("records"):
                quality = f"{100 * row['relative_quality']:.1f} %"
                scores = [f"{row[name]:.3f}" for name in ("mean_score", "worst_score")]
                vote = f"{row['vote_score']:.3f}" if row["n_sets"] > 1 else "–"
                prices.add_row([f"{row['tau']:g}", str(row["n_sets"]), quality, *scores], [vote])
            parts += [f"The price of dissimilarity with k = {self.set_size}:", prices]
        if self.nested_text:
            parts.append(f"The choice itself, {self.nested_text}.")
        return parts


def choose(
    X: Any,
    y: Any,
    selector: Any = None,
    estimator: Any = "linear",
    *,
    set_sizes: Sequence[int] = SIZES,
    taus: Sequence[float] = TAUS,
    nested: bool = False,
    **options: Unpack[Validation],
) -> Choice:
    """Choose how many features a set should hold, by held-out scores; say what dissimilarity would cost.

    One set of each size is selected in the training rows of the same folds. The smallest size whose score is
    within one standard error of the best one is recommended (Breiman et al., "Classification and Regression
    Trees", 1984); a dissimilarity threshold never is: that is a question of what the sets are for.

    Parameters
    ----------
    X, y
        As for `pyfsel.evaluate`.
    selector : AlternativeFeatureSelector, optional
        Its `n_features_to_select` and `tau` are replaced, its `n_alternatives` holds for `taus`.
    estimator : estimator or name
        As for `pyfsel.evaluate`, one only.
    set_sizes : sequence of int
        At least two. Those larger than the table are left out, with a warning.
    taus : sequence of float
        Thresholds whose price is told; () for none.
    nested : bool
        Whether to score the choice itself, made again in each of `n_splits` outer folds; that takes as long
        again for each of them.
    **options
        As for `pyfsel.evaluate`. With `state_file` a choice that was interrupted goes on.

    Returns
    -------
    Choice

    Raises
    ------
    InputError
        As `pyfsel.evaluate`, and for sizes or thresholds that are not allowed.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> choice = choose(X, y, set_sizes=[1, 3, 5], taus=(), n_repeats=1)
    >>> choice.set_size, choice.best_size
    (5, 5)
    """
    asked = options_of(options)
    selector = AlternativeFeatureSelector() if selector is None else selector
    is_a("selector", selector, AlternativeFeatureSelector, "an AlternativeFeatureSelector")
    sizes = sorted({integer_in("set_sizes", size, 1, None) for size in list_of("set_sizes", set_sizes)})
    if len(sizes) < 2:
        raise InputError(f"set_sizes={sizes}: must hold at least two different sizes")
    thresholds = [share("taus", tau) for tau in list_of("taus", taus)]
    if isinstance(estimator, (Mapping, list, tuple)) and len(estimator) > 1:
        raise InputError("estimator: must be one only")
    rows = encoded_rows(X, y, asked, selector)
    n = len(rows.usable)
    if sizes[1] > n:
        raise InputError(f"set_sizes={sizes}: must hold two of at most {n}, the number of features")
    beyond = [size for size in sizes if size > n]
    if beyond:
        warn(f"set_sizes: the table has {n} features; {', '.join(map(str, beyond))} left out", stacklevel=2)
    sizes = [size for size in sizes if size <= n]
    selector = told_selector(_sized(selector, sizes[0], selector.n_alternatives), rows)
    single = {f"k={k}": _sized(selector, k) for k in sizes}
    by_size = evaluated(rows, single, estimator, asked)
    found = Choice(by_size)
    several = {
        f"tau={tau:g}": _sized(selector, found.set_size, selector.n_alternatives, tau) for tau in thresholds
    }
    priced = outer = None
    if several and selector.n_alternatives and found.stop_reason is StopReason.FINISHED:
        priced = evaluated(rows, several, estimator, asked)
    if nested and Choice(by_size, priced).stop_reason is StopReason.FINISHED:
        inner: Validation = {**asked, "task": by_size.task, "state_file": None, "n_jobs": None}
        once: Validation = {**asked, "n_repeats": 1}
        chooser = _SizeChooser(selector, estimator, sizes, inner)
        outer = evaluated(rows, chooser, estimator, once)
    return Choice(by_size, priced, outer)


class _SizeChooser(SeveralSetsMixin, BaseEstimator):  # type: ignore[misc]
    """Selects one set, of a size that it chooses by held-out scores within the rows that it is fitted to."""

    __metadata_request__fit: ClassVar[dict[str, Any]] = {"sample_weight": None, "groups": None, "times": None}

    def __init__(self, selector: Any, estimator: Any, set_sizes: Sequence[int], options: Any) -> None:
        self.selector = selector
        self.estimator = estimator
        self.set_sizes = set_sizes
        self.options = options

    def fit(self, X: Any, y: Any, **metadata: Any) -> Self:
        asked = {**self.options, "groups": None, "sample_weight": None, "times": None, **metadata}
        if metadata.pop("times", None) is not None:
            asked["cv"] = None
        chosen = choose(X, y, self.selector, self.estimator, set_sizes=self.set_sizes, taus=(), **asked)
        selector = _sized(self.selector, chosen.set_size)
        told = {"task": asked["task"]}
        if selector.missing == "error" and asked["missing"] != "drop":
            told["missing"] = asked["missing"]
        selector.set_params(**told).fit(X, y, **metadata)
        self.feature_sets_, self.qualities_ = selector.feature_sets_, selector.qualities_
        return self


def _sized(selector: Any, k: int, n_alternatives: int = 0, tau: float | None = None) -> Any:
    changes: dict[str, Any] = {"n_features_to_select": k, "n_alternatives": n_alternatives}
    if tau is not None:
        changes |= {"tau": tau, "max_overlap": None}
    return clone(selector).set_params(**changes)


def _set_of(size: int) -> str:
    return f"k={size} 0"
