"""How many features? Held-out scores of each number on the same folds, and what dissimilarity costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from pyfsel.errors import InputError, PyfselError, warn
from pyfsel.interface.evaluation import Evaluation
from pyfsel.problem.checks import integer_in, list_of, number_of, share
from pyfsel.problem.rules import as_dissimilarity
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.display import Facts, SetsTable, number_or_dash
from pyfsel.results.plots import COLOURS, GREY, legend_below
from pyfsel.selectors.alternatives import selector_or_default
from pyfsel.selectors.evaluation.evaluate import draw_scores
from pyfsel.selectors.evaluation.folds import Fold, Validation, held_out
from pyfsel.selectors.evaluation.held_out import HeldOut
from pyfsel.selectors.evaluation.model_rows import EvaluationRows, Named, models_of, read_rows, told_selector
from pyfsel.selectors.evaluation.sentences import (
    ALL_FEATURES,
    VOTE,
    Record,
    of_few_groups,
    range_text,
    score_cells,
    score_word,
    stability_cell,
)
from pyfsel.selectors.splits import numbers_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS: Facts = [
    ("choice", "the smallest size within one standard error of the best score (Breiman et al. 1984)"),
]
KEPT = "score score_low score_high stability n_folds n_rows often_selected"


@dataclass
class Besides:
    """Finds more things next to a result, one after another, and remembers what could not be found.

    No error and no Ctrl-C there loses the result.

    Parameters
    ----------
    interrupted : bool
        Whether Ctrl-C has left out the rest.
    missing : list of str
        What was left out, with the reason.

    Examples
    --------
    >>> from pyfsel.errors import InputError
    >>> def find():
    ...     raise InputError("cv=5: 2 rows only")
    >>> more = Besides()
    >>> more.find("held-out scores", find), more.missing
    (None, ['held-out scores (cv=5: 2 rows only)'])
    """

    interrupted: bool = False
    missing: list[str] = field(default_factory=list)

    @property
    def stop_reason(self) -> StopReason:
        """Why the search for more has ended."""
        return StopReason.INTERRUPTED if self.interrupted else StopReason.FINISHED

    def cautions(self, what: str) -> list[str]:
        """Return cautions about what is missing after Ctrl-C, and what could not be found."""
        found = [f"Interrupted: {what} are missing"] if self.interrupted else []
        return found + [f"Left out: {text}" for text in self.missing]

    def find(self, words: str, find: Callable[[], Any]) -> Any:
        """Return what a function finds, which has a `stop_reason`; None if that is left out."""
        found = None
        if not self.interrupted:
            try:
                found = find()
                self.interrupted = str(found.stop_reason) == StopReason.INTERRUPTED
            except PyfselError as error:
                self.missing.append(f"{words} ({error})")
            except KeyboardInterrupt:
                self.interrupted = True
        return found


@dataclass(frozen=True, eq=False)
class Sizes:
    """Held-out scores of one set of each size, and what follows from them.

    Parameters
    ----------
    found : HeldOut
        Of sets named ``k=5 0``, and of all features.
    """

    found: HeldOut

    @cached_property
    def rows(self) -> dict[int, Record]:
        """What is said of each size, ascending."""
        rows = [row for row in self.found.summary if row["set"] != ALL_FEATURES]
        return {int(row["set"].removeprefix("k=").removesuffix(" 0")): row for row in rows}

    @property
    def best(self) -> int:
        """The size with the best mean score, the smallest of equals."""
        return max(self.rows, key=lambda k: self.rows[k]["score"])

    @cached_property
    def standard_error(self) -> float:
        """The error of the best score, as one repeat has it: s of all folds over √(folds of a repeat)."""
        row = self.rows[self.best]
        n_repeats = self.found.folds["repeat"].nunique()
        return float(np.nan_to_num(row["score_std"]) / np.sqrt(row["n_folds"] / n_repeats))

    @property
    def recommended(self) -> int:
        """The smallest size whose score is within one standard error of the best one."""
        least = self.rows[self.best]["score"] - self.standard_error
        return next(k for k, row in self.rows.items() if row["score"] >= least)

    @property
    def headline(self) -> str:
        """The recommendation in one sentence."""
        chosen, best, rows = self.recommended, self.best, self.rows
        level = self.found.rows.by_chance(self.found.scoring)
        if level is not None and not any(row["score_low"] > level for row in rows.values()):
            return f"No size is shown to predict better than chance ({level:.3g})"
        enough = f"{number_of(chosen, 'feature')} {'is' if chosen == 1 else 'are'} enough"
        text = f"{enough}: {score_word(self.found.scoring)} {rows[chosen]['score']:.3f}; "
        if chosen == best:
            return f"{text}no other size scores better"
        error = f"within 1 standard error ({self.standard_error:.3f})"
        return f"{text}best {rows[best]['score']:.3f} with {best}, {error}"

    def cautions(self) -> Iterator[str]:
        """Yield what to know before the size is used."""
        if len(self.rows) > 1 and self.recommended == max(self.rows):
            yield "The largest size that was compared is recommended: larger ones may score better"
        yield from of_few_groups(self.found.rows.n_groups)

    def table(self) -> SetsTable:
        """Return a row per size."""
        scoring = self.found.scoring
        heads = ["k", score_word(scoring).replace(" ", "\n"), "95% interval", "stability", ""]
        table = SetsTable(heads, [""], "features in most folds")
        marks = {self.best: "best score", self.recommended: "recommended"}
        for k, row in self.rows.items():
            cells = [str(k), *score_cells(row, scoring), stability_cell(row["stability"]), marks.get(k, "")]
            table.add_row(cells, row["often_selected"])
        return table

    def figure(self) -> Figure:
        """Draw the held-out scores of each size, and which is recommended."""
        labels = {row["set"]: str(k) for k, row in self.rows.items()}
        chosen = {self.rows[self.recommended]["set"]: COLOURS[1]}
        figure = draw_scores(self.found, labels, chosen, "features of the set")
        (axes,) = figure.axes
        least, said = self.rows[self.best]["score"] - self.standard_error, "one standard error below the best"
        axes.axhline(least, color=GREY, linewidth=1, linestyle="--", label=said)
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
    sample_weight: Any = None,
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
        One model, of those that `evaluate` accepts: linear, neighbours, tree, forest or boosting. In Python
        also an estimator.
    k : sequence of int
        The sizes to compare, at least two. Those larger than the table are left out, with a warning.
    dissimilarity : sequence of float
        The thresholds, from 0 to 1, of which the cost in held-out score is shown for the recommended size.
    nested : bool
        Whether to score the choice itself, which is repeated in each outer fold and takes as long each time.
    scoring : str, optional
        Name of a score of scikit-learn; by default "balanced_accuracy", "r2" or "concordance".
    cv : int, splitter, iterable of pairs of rows, or "time:COLUMN:GAP"
        Number of folds, or folds forward in time by a column of the table, which is then not a feature.
    repeats : int
        How often the rows are split.
    groups, sample_weight
        As for `pyfsel.evaluate`.
    random_state : int
        The seed of the folds, the selectors and the models.
    n_jobs : int, optional
        Folds at the same time; -1 means all cores.

    Returns
    -------
    Evaluation
        `recommended` is the size; `to_frame` has a row per size, ``details["prices"]`` one per threshold.
        Prices or the nested choice that turn out to be impossible are left out, and a caution says why.

    Raises
    ------
    InputError
        As `pyfsel.evaluate`, and for sizes or thresholds that are not allowed.
    NoSetsError
        As `pyfsel.evaluate`, if no size has a set.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> choose_k(X, y, k=[1, 3, 5], dissimilarity=(), repeats=1).recommended
    5
    """
    asked = Validation(cv, repeats, random_state=random_state, n_jobs=n_jobs)
    selector = selector_or_default(selector)
    thresholds = [share("dissimilarity", one) for one in list_of("dissimilarity", dissimilarity)]
    if isinstance(model, (Mapping, list, tuple)) and len(model) > 1:
        raise InputError("model: several are given. choose_k compares sizes with one model")
    rows = read_rows(X, y, {"": selector}, cv=cv, scoring=scoring, groups=groups, sample_weight=sample_weight)
    selector, n_sets, models = (
        told_selector(_sized(selector, 1), rows),
        selector.n_sets,
        models_of(model, rows),
    )
    single = {f"k={size}": _sized(selector, size) for size in _that_exist(k, len(rows.usable))}
    by_size = Sizes(held_out(rows, single, models, asked, is_strict=False))
    more = Besides(by_size.found.stop_reason is StopReason.INTERRUPTED)
    prices, own = pd.DataFrame(), None
    if thresholds and n_sets > 1:
        several = {f"d={tau:g}": _sized(selector, by_size.recommended, n_sets, tau) for tau in thresholds}
        found = more.find("dissimilarity", lambda: held_out(rows, several, models, asked, is_strict=False))
        if found is not None:
            prices = _prices(found, thresholds)
    if nested:
        chosen = {"chosen": ChosenSize({k: single[f"k={k}"] for k in by_size.rows}, asked)}
        own = more.find("nested", lambda: held_out(rows, chosen, models, replace(asked, repeats=1)))
    return _evaluation(by_size, prices, own, more)


def _that_exist(given: Sequence[int], n: int) -> list[int]:
    """Return the sizes that a table of n features has, ascending; at least two."""
    sizes = sorted({integer_in("k", size, 1, None) for size in list_of("k", given)})
    if len(sizes) < 2:
        raise InputError(f"k={sizes}: is one size. Give at least two different sizes")
    if sizes[1] > n:
        raise InputError(f"k={sizes}: the table has {n} features. Give two sizes of at most {n}")
    beyond = [size for size in sizes if size > n]
    if beyond:
        warn(f"k: the table has {n} features; {', '.join(map(str, beyond))} left out")
    return [size for size in sizes if size <= n]


class ChosenSize(BaseEstimator):  # type: ignore[misc]
    """The selector of the size that is chosen again within the training rows of each fold.

    Parameters
    ----------
    by_size : mapping of int to selectors
    asked : Validation
        How the sizes are compared.
    """

    def __init__(self, by_size: Mapping[int, Any], asked: Validation) -> None:
        self.by_size = by_size
        self.asked = asked

    def choice(self, rows: EvaluationRows, models: Named, fold: Fold) -> Any:
        """Return the selector that held-out scores within the training rows of a fold recommend.

        These rows are split as all rows are, unless the user's folds have the numbers of all rows.
        """
        cv = self.asked.cv
        is_numbered = not isinstance(cv, str) and numbers_rows(cv)
        inner = replace(self.asked, cv=5 if is_numbered else cv, random_state=fold.seed, n_jobs=None)
        named = {f"k={size}": one for size, one in self.by_size.items()}
        found = held_out(rows, named, models, inner, chosen=fold.train, is_strict=False)
        if found.stop_reason is not StopReason.FINISHED:
            raise KeyboardInterrupt
        return self.by_size[Sizes(found).recommended]


def _sized(selector: Any, k: int, n_sets: int = 1, tau: float | None = None) -> Any:
    changes: dict[str, Any] = {"k": k, "n_sets": n_sets}
    if tau is not None:
        rule = as_dissimilarity(selector.dissimilarity)
        changes["dissimilarity"] = replace(rule, at_least=tau, max_shared=None)
    return clone(selector).set_params(**changes)


def _prices(found: HeldOut, thresholds: Sequence[float]) -> pd.DataFrame:
    """Return, by threshold, the quality of the sets relative to the first one, and their held-out scores."""
    every, folds, rows = pd.DataFrame(found.summary), found.folds.copy(), []
    every[["of", "number"]] = every["set"].str.split(" ", expand=True)
    keys = [folds["set"].str.split(" ").str[0], folds["repeat"], folds["fold"]]
    folds["share"] = folds["quality"] / folds.groupby(keys)["quality"].transform("first")
    shares = folds.groupby(keys)["share"].mean().groupby(level=0).mean()  # some folds have fewer sets
    for tau in thresholds:
        own = every[every["of"] == f"d={tau:g}"]
        is_vote = own["number"] == VOTE
        sets, scores = own[~is_vote], own["score"]
        if len(sets):
            row = {"dissimilarity": tau, "n_sets": len(sets), "quality": shares[f"d={tau:g}"]}
            row |= {"mean_score": sets["score"].mean(), "worst_score": sets["score"].min()}
            rows.append(row | {"vote_score": scores[is_vote].mean()})
    return pd.DataFrame(rows)


def _prices_table(prices: pd.DataFrame, k: int) -> SetsTable:
    """Return the table of prices; thresholds between which nothing changes are one row."""
    table = SetsTable(["dissimilarity", "quality", "mean score", "worst score", "vote"], names_head="")
    found = [name for name in prices if name != "dissimilarity"]
    for _, alike in prices.groupby(found, sort=False, dropna=False):
        row, thresholds = alike.iloc[0], alike["dissimilarity"].map("{:g}".format)
        scores = (number_or_dash(row[name]) for name in ("mean_score", "worst_score", "vote_score"))
        told = f"of {number_of(int(row['n_sets']), 'set')} of {k}"
        between = " to ".join(thresholds.iloc[[0, -1]].unique())
        table.add_row([between, f"{100 * row['quality']:.0f}%", *scores], [told])
    return table


def _evaluation(sizes: Sizes, prices: pd.DataFrame, chosen: HeldOut | None, more: Besides) -> Evaluation:
    found, tables = sizes.found, [sizes.table()]
    claim = (
        f"{number_of(found.n_folds, 'held-out fold')} of {found.rows.n_rows:,} rows, {found.models[0]} "
        "model; selection repeated in each fold. Stability: 1 if all folds select the same features, 0 if "
        "as by chance."
    )
    nested = [] if chosen is None else chosen.summary[:1]
    for row in nested:
        ends = range_text(row["score_low"], row["score_high"], found.scoring)
        claim += (
            f" With the size chosen again in each of {number_of(row['n_folds'], 'outer fold')}: "
            f"{row['score']:.3f} ({ends}), {row['n_features']:.3g} features on average."
        )
    if len(prices):
        tables.append(_prices_table(prices, sizes.recommended))
    return Evaluation(
        question="choose_k",
        headline=sizes.headline,
        claim=claim,
        frame=pd.DataFrame(
            [{"k": k, **{name: row[name] for name in KEPT.split()}} for k, row in sizes.rows.items()]
        ),
        runs=found.with_names(),
        tables=tables,
        cautions=(*more.cautions("some folds"), *sizes.cautions()),
        recommended=sizes.recommended,
        facts=METHODS,
        details={
            "best": sizes.best,
            "standard_error": sizes.standard_error,
            "scoring": found.scoring,
            "prices": prices,
            "nested": pd.DataFrame(nested) if nested else None,
        },
        stop_reason=more.stop_reason,
        draw=sizes.figure,
    )
