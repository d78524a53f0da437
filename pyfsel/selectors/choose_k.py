"""How many features? Held-out scores of each number on the same folds, and what dissimilarity costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self
from warnings import warn

import numpy as np
import pandas as pd
from sklearn.base import clone

from pyfsel.errors import InputError
from pyfsel.interface.evaluation import Evaluation
from pyfsel.problem.checks import integer_in, is_a, list_of, share
from pyfsel.problem.rules import as_dissimilarity
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import StopReason
from pyfsel.results.display import Bar, Facts, SetsTable, number_or_dash
from pyfsel.results.plots import COLOURS, GREY, legend_below, new_figure
from pyfsel.selectors.alternatives import AlternativeFeatureSelector
from pyfsel.selectors.evaluation.evaluate import score_word
from pyfsel.selectors.evaluation.folds import EncodedRows, Fold, score_fold
from pyfsel.selectors.evaluation.held_out import ALL_FEATURES, VOTE, HeldOut
from pyfsel.selectors.evaluation.intervals import range_text
from pyfsel.selectors.evaluation.models import Predictor
from pyfsel.selectors.evaluation.scored import (
    Validation,
    held_out,
    models_of,
    read_rows,
    scored,
    told_selector,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS: Facts = [
    ("choice", "the smallest size within one standard error of the best score (Breiman et al. 1984)"),
]


@dataclass(frozen=True, eq=False)
class Sizes:
    """Held-out scores of one set of each size, and what follows from them.

    Parameters
    ----------
    found : HeldOut
        Of sets named ``k=5 0``, and of all features.
    """

    found: HeldOut

    @classmethod
    def of(cls, rows: EncodedRows, selector: Any, model: Any, k: Sequence[int], asked: Validation) -> Self:
        """Score one set of each size that the table has, by a selector that was told what it needs."""
        single = {f"k={size}": _sized(selector, size) for size in _that_exist(k, len(rows.usable))}
        return cls(scored(rows, single, model, asked, is_strict=False))

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per size, ascending."""
        rows = [row for row in self.found.summary if row["set"] != ALL_FEATURES]
        sizes = [int(row["set"].partition("=")[2].split()[0]) for row in rows]
        kept = ["score", "score_low", "score_high", "stability", "n_folds", "n_rows", "often_selected"]
        return pd.DataFrame(rows, index=pd.Index(sizes, name="k"))[kept].sort_index()

    @property
    def best(self) -> int:
        """The size with the best mean score, the smallest of equals."""
        return int(self.frame.index.to_numpy()[self.frame["score"].to_numpy().argmax()])

    @cached_property
    def standard_error(self) -> float:
        """That of the best score as cross-validation reports it: s of all folds over √(folds of a repeat)."""
        scores = self.found.scores_of(f"k={self.best} 0")
        n_repeats = self.found.folds["repeat"].nunique()
        return float(np.std(scores, ddof=1) / np.sqrt(len(scores) / n_repeats)) if len(scores) > 1 else 0.0

    @property
    def recommended(self) -> int:
        """The smallest size whose score is within one standard error of the best one."""
        near = self.frame["score"] >= self.frame["score"].max() - self.standard_error
        return int(self.frame.index[near].min())

    @property
    def headline(self) -> str:
        """The recommendation in one sentence."""
        chosen, best, scores = self.recommended, self.best, self.frame["score"]
        level = self.found.rows.by_chance(self.found.scoring)
        if level is not None and not self.frame["score_low"].max() > level:
            return f"No size is shown to predict better than chance ({level:.3g})"
        enough = f"{number_of(chosen, 'feature')} {'is' if chosen == 1 else 'are'} enough"
        text = f"{enough}: {score_word(self.found.scoring)} {scores[chosen]:.3f}; "
        if chosen == best:
            return f"{text}no other size scores better"
        return (
            f"{text}best {scores[best]:.3f} with {best}, within 1 standard error ({self.standard_error:.3f})"
        )

    def cautions(self) -> Iterator[str]:
        """Yield what to know before the size is used."""
        if self.recommended == self.frame.index.max() and len(self.frame) > 1:
            yield "The largest size that was compared is recommended: larger ones may score better"
        yield from self.found.rows.few_groups

    def table(self) -> SetsTable:
        """Return a row per size."""
        scoring = self.found.scoring
        heads = ["k", score_word(scoring).replace(" ", "\n"), "95% interval", "stability", ""]
        table = SetsTable(heads, [""], "features in most folds")
        marks = {self.best: "best score", self.recommended: "recommended"}
        for k, row in zip(self.frame.index.tolist(), self.frame.to_dict("records"), strict=True):
            ends = range_text(row["score_low"], row["score_high"], scoring)
            stable = number_or_dash(row["stability"], ".2f")
            score = Bar(number_or_dash(row["score"]), row["score"])
            table.add_row([str(k), score, ends, stable, marks.get(k, "")], row["often_selected"])
        return table

    def figure(self) -> Figure:
        """Draw the held-out score of each size with its interval, and which is recommended."""
        frame, chosen = self.frame, self.recommended
        figure, (axes,) = new_figure(max(4.6, 0.45 * len(frame) + 2.2), 3.6)
        sizes, score = frame.index.to_numpy(), frame["score"]
        ends = [score - frame["score_low"], frame["score_high"] - score]
        axes.errorbar(sizes, score, ends, fmt="o-", color=COLOURS[0], markersize=4, linewidth=1)
        said = "one standard error below the best"
        axes.axhline(score.max() - self.standard_error, color=GREY, linewidth=1, linestyle="--", label=said)
        axes.plot(chosen, score[chosen], "D", color=COLOURS[1], markersize=9, label=f"recommended: {chosen}")
        axes.set_xlabel("features of the set")
        axes.set_ylabel(f"held-out {score_word(self.found.scoring)}")
        axes.set_xticks(sizes if len(sizes) < 16 else sizes[:: len(sizes) // 10])
        legend_below(figure, axes)
        return figure


def choose_k(
    X: Any,
    y: Any,
    selector: Any = None,
    model: Any = "linear",
    *,
    k: Sequence[int] = range(1, 11),
    dissimilarity: Sequence[float] = (0.2, 0.4, 0.6, 0.8, 1.0),
    nested: bool = False,
    scoring: str | None = None,
    cv: Any = 5,
    repeats: int = 4,
    groups: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Evaluation:
    """Recommend a set size by held-out scores, and price dissimilarity.

    One set of each size is selected in the training rows of the same folds. The smallest size whose score is
    within one standard error of the best one is recommended (Breiman et al., "Classification and Regression
    Trees", 1984); a dissimilarity never is: that is a question of what the sets are for.

    Parameters
    ----------
    X, y
        As for `pyfsel.evaluate`.
    selector : AlternativeFeatureSelector, optional
        Its `k` and `dissimilarity` are replaced; its `n_sets` is the number of sets that are priced.
    model : estimator or name
        As for `pyfsel.evaluate`, one only.
    k : sequence of int
        At least two sizes. Those larger than the table are left out, with a warning.
    dissimilarity : sequence of float
        Thresholds that are priced; () for none.
    nested : bool
        Whether to score the choice itself, made again in each of the folds; that takes as long again for each
        of them.
    scoring, cv, repeats, groups, random_state, n_jobs
        As for `pyfsel.evaluate`.

    Returns
    -------
    Evaluation
        `recommended` is the size; `to_frame` has a row per size, ``details["prices"]`` one per threshold.

    Raises
    ------
    InputError
        As `pyfsel.evaluate`, and for sizes or thresholds that are not allowed.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> choose_k(X, y, k=[1, 3, 5], dissimilarity=(), repeats=1).recommended
    5
    """
    asked = Validation(scoring, cv, repeats, random_state=random_state, n_jobs=n_jobs)
    selector = AlternativeFeatureSelector() if selector is None else selector
    is_a("selector", selector, AlternativeFeatureSelector, "an AlternativeFeatureSelector")
    thresholds = [share("dissimilarity", one) for one in list_of("dissimilarity", dissimilarity)]
    if isinstance(model, (Mapping, list, tuple)) and len(model) > 1:
        raise InputError("model: several are given. choose_k compares sizes with one model")
    rows = read_rows(X, y, {"": selector}, cv=cv, scoring=scoring, groups=groups)
    n_sets = selector.n_sets
    selector = told_selector(_sized(selector, 1, n_sets), rows)
    by_size = Sizes.of(rows, selector, model, k, asked)
    several = {f"d={tau:g}": _sized(selector, by_size.recommended, n_sets, tau) for tau in thresholds}
    done: list[HeldOut] = [by_size.found]
    prices, chosen = pd.DataFrame(), None
    if several and n_sets > 1 and _is_finished(done):
        done.append(scored(rows, several, model, asked))
        prices = _prices(done[-1], thresholds)
    if nested and _is_finished(done):
        single = {size: _sized(selector, size) for size in by_size.frame.index}
        given = (rows, single, models_of(model, rows), asked)
        once = Validation(scoring, cv, 1, random_state=random_state, n_jobs=n_jobs)
        chosen = held_out(rows, _nested_fold, given, once.splits(rows), once)
        done.append(chosen)
    return _evaluation(by_size, prices, chosen, _is_finished(done))


def _is_finished(done: Sequence[HeldOut]) -> bool:
    return all(one.stop_reason is StopReason.FINISHED for one in done)


def _that_exist(given: Sequence[int], n: int) -> list[int]:
    """Return the sizes that a table of n features has, ascending; at least two."""
    sizes = sorted({integer_in("k", size, 1, None) for size in list_of("k", given)})
    if len(sizes) < 2:
        raise InputError(f"k={sizes}: is one size. Give at least two different sizes")
    if sizes[1] > n:
        raise InputError(f"k={sizes}: the table has {n} features. Give two sizes of at most {n}")
    beyond = [size for size in sizes if size > n]
    if beyond:
        warn(f"k: the table has {n} features; {', '.join(map(str, beyond))} left out", stacklevel=4)
    return [size for size in sizes if size <= n]


def _nested_fold(
    rows: EncodedRows,
    single: Mapping[int, Any],
    models: Mapping[str, Predictor],
    asked: Validation,
    fold: Fold,
) -> list[dict[str, Any]]:
    """Return the rows of a fold of sets whose size was chosen by held-out scores within its training rows."""
    inner = Validation(asked.scoring, _within(asked.cv), asked.repeats, random_state=fold.seed)
    folds = inner.splits(rows, fold.train)
    named = {f"k={size}": one for size, one in single.items()}
    found = held_out(rows, score_fold, (rows, named, models), folds, inner, is_strict=False)
    if found.stop_reason is not StopReason.FINISHED:
        raise KeyboardInterrupt
    return score_fold(rows, {"chosen": single[Sizes(found).recommended]}, models, fold)


def _within(cv: Any) -> Any:
    """Return how the training rows of a fold are split: as all rows, unless these are numbered."""
    return cv if isinstance(cv, (int, str)) or hasattr(cv, "split") else 5


def _sized(selector: Any, k: int, n_sets: int = 1, tau: float | None = None) -> Any:
    changes: dict[str, Any] = {"k": k, "n_sets": n_sets}
    if tau is not None:
        rule = as_dissimilarity(selector.dissimilarity)
        changes["dissimilarity"] = replace(rule, at_least=tau, max_shared=None)
    return clone(selector).set_params(**changes)


def _prices(found: HeldOut, thresholds: Sequence[float]) -> pd.DataFrame:
    """Return, by threshold, the quality of the sets relative to the first one, and their held-out scores."""
    rows = []
    for tau in thresholds:
        own = found.folds[found.folds["set"].str.startswith(f"d={tau:g} ")]
        is_vote = own["set"].str.endswith(VOTE)
        scores = own[~is_vote].groupby("set")["score"].mean()
        quality = own[~is_vote].pivot_table("quality", ["repeat", "fold"], "set")
        rows.append(
            {
                "dissimilarity": tau,
                "n_sets": len(scores),
                "quality": float(quality.div(quality[f"d={tau:g} 0"], axis=0).mean(axis=1).mean()),
                "mean_score": float(scores.mean()),
                "worst_score": float(scores.min()),
                "vote_score": float(own.loc[is_vote, "score"].mean()),
            }
        )
    return pd.DataFrame(rows)


def _prices_table(prices: pd.DataFrame, k: int) -> SetsTable:
    table = SetsTable(["dissimilarity", "quality", "mean score", "worst score", "vote"], names_head="")
    for row in prices.to_dict("records"):
        scores = (number_or_dash(row[name]) for name in ("mean_score", "worst_score", "vote_score"))
        told = f"of {number_of(row['n_sets'], 'set')} of {k}"
        table.add_row([f"{row['dissimilarity']:g}", f"{100 * row['quality']:.0f}%", *scores], [told])
    return table


def _evaluation(sizes: Sizes, prices: pd.DataFrame, chosen: HeldOut | None, is_finished: bool) -> Evaluation:
    found = sizes.found
    claim = (
        f"{number_of(found.n_folds, 'held-out fold')} of {found.rows.n_rows:,} rows, {found.models[0]} "
        "model; selection repeated in each fold. Stability: 1 if all folds select the same features, 0 if "
        "as by chance."
    )
    if chosen is not None:
        row = chosen.summary[0]
        ends = range_text(row["score_low"], row["score_high"], chosen.scoring)
        claim += (
            f" With the size chosen again in each of {number_of(chosen.n_folds, 'outer fold')}: "
            f"{row['score']:.3f} ({ends}), {row['n_features']:.3g} features on average."
        )
    interrupted = [] if is_finished else ["Interrupted: some folds are missing"]
    priced = [_prices_table(prices, sizes.recommended)] if len(prices) else []
    return Evaluation(
        question="choose_k",
        headline=sizes.headline,
        claim=claim,
        frame=sizes.frame.reset_index(),
        runs=found.with_names(),
        tables=[sizes.table(), *priced],
        cautions=(*interrupted, *sizes.cautions()),
        recommended=sizes.recommended,
        facts=METHODS,
        details={
            "best": sizes.best,
            "standard_error": sizes.standard_error,
            "scoring": found.scoring,
            "prices": prices,
            "nested": None if chosen is None else pd.DataFrame(chosen.summary[:1]),
        },
        stop_reason=StopReason.FINISHED if is_finished else StopReason.INTERRUPTED,
        draw=partial(Sizes.figure, sizes),
    )
