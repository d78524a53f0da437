"""Do the sets generalise? Held-out scores of selections that are repeated inside each training fold.

Sets that were selected with all rows have seen the rows that a score is computed on: such a score is too
high, however the model itself is validated. Here the held-out rows are seen neither by the measure nor by the
model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pyfsel.interface.evaluation import Evaluation
from pyfsel.problem.checks import number_of
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.display import Facts, SetsTable
from pyfsel.results.plots import COLOURS, GREY, new_figure
from pyfsel.selectors.evaluation.folds import Validation, held_out
from pyfsel.selectors.evaluation.held_out import HeldOut
from pyfsel.selectors.evaluation.model_rows import models_of, read_rows, selectors_of, told_selector
from pyfsel.selectors.evaluation.sentences import (
    ALL_FEATURES,
    NOT_SHOWN,
    SAYINGS,
    VOTE,
    kind_of,
    listed,
    of_few_groups,
    range_text,
    said_of_sets,
    score_cells,
    score_word,
    sentence,
    stability_cell,
    subject,
)
from pyfsel.selectors.evaluation.statistics import FEW_FOLDS, MARGIN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS: Facts = [
    (
        "intervals",
        "95%, of the mean over folds; of proportions Wilson's (1927), by the effective number of rows",
    ),
    ("differences", "on the same folds, corrected for overlapping training sets (Nadeau and Bengio 2003)"),
    ("comparisons", "corrected for their number (Holm 1979); margins one-sided at 5%"),
    ("stability", "1 if all folds select the same features, about 0 if by chance (Nogueira et al. 2018)"),
]
GRID = "#e5e7eb"
MOST_WIDE = 4
"""Intervals that are longer than this many times the range of the scores end beyond the figure."""


def evaluate(
    X: Any,
    y: Any,
    selector: Any,
    model: Any = "linear",
    *,
    scoring: str | None = None,
    cv: Any = 5,
    repeats: int = 4,
    groups: Any = None,
    sample_weight: Any = None,
    margin: float = MARGIN,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Evaluation:
    """Score feature sets on rows that their selection has not seen.

    In every fold each selector is fitted on the training rows; for each of its sets, and for all features,
    each model is fitted on the same rows and scored on the held-out ones. Several sets of one selector also
    vote: the mean of the predictions of their models is one more row. All are compared with the first set on
    the same folds. Ctrl-C ends the evaluation; the finished folds are returned.

    Parameters
    ----------
    X : DataFrame or array, shape (n_rows, n_features)
        Categories and text become one-hot columns inside the folds, rare categories together; selectors of
        other packages, which accept numbers only, get integer codes.
    y : array or Series, shape (n_rows,)
    selector : selector, pipeline, or dict or list of them
        Unfitted; they are cloned. An estimator with `sets_` gives a row for each set; any other transformer
        of scikit-learn that selects features, such as `SelectKBest` or `RFE`, one row. Their `task` and
        `missing`, if they have these, say how the table is read.
    model : estimator, {"linear", "neighbours", "tree", "forest", "boosting"}, or dict or list of them
        "linear" (logistic or ridge regression, for times until an event a Cox model with a ridge penalty) and
        "neighbours" on standardised features; "tree", "forest", or "boosting" by histograms; several with
        commas between. In Python also your own models, which are cloned. A model that selects columns by name
        or dtype gets your columns, and all others get one-hot columns.
    scoring : str, optional
        Name of a score of scikit-learn; by default "balanced_accuracy" or "r2". For times until an event it
        is "concordance", which is 0.5 by chance.
    cv : int, splitter, iterable of pairs of training and held-out rows, or "time:COLUMN:GAP"
        Number of folds, stratified by class, or by whether the event happened. "time:COLUMN" makes folds
        forward in time by a column of the table, which is then not a feature: models are trained on rows that
        are earlier than the held-out block by more than GAP (for dates: days), and the first half of the rows
        is never held out. Groups are not kept apart then.
    repeats : int
        How often the rows are split; each repeat has its own seed for selectors and models.
    groups : array-like, shape (n_rows,), optional
        Rows of one group, such as a patient, stay on one side of each split; selectors of this package get
        them as well. Intervals use as many rows as their design effect leaves.
    sample_weight : array-like, shape (n_rows,), optional
        Given to the models, which must accept weights, to the score, and to selectors of this package.
    margin : float
        The loss of score that does not matter: the verdict is whether a set is shown to score at most this
        much less than the first one.
    random_state : int
        The seed of the folds, the selectors and the models.
    n_jobs : int, optional
        Folds at the same time; -1 means all cores.

    Returns
    -------
    Evaluation
        `to_frame` has one row per set and model. ``score_low`` and ``score_high`` are the 95% interval of the
        mean score, ``difference`` is that to the first set, with its interval and p-value; ``verdict`` is
        about the margin, ``compared`` says it in words, and ``rows_needed`` is how many rows would show that
        equal sets are equal within the margin. ``often_selected`` are the features that more
        than half of the folds selected.

    Raises
    ------
    InputError
        If an argument or the table is not allowed, or a selector suits no fold.
    NoSetsError
        If a selector finds no set in any fold.
    KeyboardInterrupt
        After Ctrl-C, if no finished fold has a set.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = evaluate(X, y, {"two": SelectKBest(k=2), "three": SelectKBest(k=3)}, cv=3)
    >>> found.to_frame()["set"].tolist()
    ['two', 'three', 'all']
    """
    selectors = selectors_of(selector)
    asked = Validation(cv, repeats, margin, random_state, n_jobs)
    rows = read_rows(X, y, selectors, cv=cv, scoring=scoring, groups=groups, sample_weight=sample_weight)
    told = {name: told_selector(one, rows) for name, one in selectors.items()}
    found, table = held_out(rows, told, models_of(model, rows), asked), rows.table
    names, n = found.set_names, found.rows
    of_groups = f" of {n.n_groups:,} groups" if n.n_groups else ""
    dropped = f" ({table.n_dropped:,} rows with missing values left out)" if table.n_dropped else ""
    labels, greys = {name: name for name in names}, dict.fromkeys((ALL_FEATURES, VOTE), GREY)
    return Evaluation(
        question="evaluate",
        headline=_headline(found),
        claim=_claim(found, is_forward=table.times is not None),
        frame=pd.DataFrame(found.summary),
        runs=found.with_names(),
        tables=_tables(found),
        cautions=tuple(_cautions(found)),
        facts=[("rows", f"{n.n_rows:,} held-out{of_groups}{dropped}"), *METHODS],
        details={
            "task": table.task,
            "scoring": found.scoring,
            "n_folds": found.n_folds,
            "n_rows": n.n_rows,
            "n_dropped": table.n_dropped,
            "n_groups": n.n_groups,
            "reference": names[0],
            "margin": margin,
        },
        stop_reason=found.stop_reason,
        draw=lambda: draw_scores(found, labels, greys, "feature set (dots: folds, lines: means)"),
    )


def _headline(found: HeldOut) -> str:
    first, *others = found.rows_of_sets
    ends = range_text(first["score_low"], first["score_high"], found.scoring)
    groups: dict[str, list[str]] = {text.format(margin=found.margin): [] for text in SAYINGS.values()}
    every = []
    for row in others:
        if row["set"] == ALL_FEATURES:
            every = [f"All {len(found.names)} features: {row['score']:.3f}"]
        elif row["set"] != VOTE:
            groups[SAYINGS[kind_of(row)].format(margin=found.margin)].append(row["set"])
    scores = f"scores {first['score']:.3f} ({score_word(found.scoring)}, 95% interval {ends})"
    parts = [f"{sentence(subject(first['set']))} {scores}", said_of_sets(groups), *every]
    return ". ".join(filter(None, parts))


def _claim(found: HeldOut, is_forward: bool) -> str:
    models, n = found.models, len(found.summary) - len(found.models)
    several = f" and {n} comparisons" if n > 1 else ""
    text = (
        f"{number_of(found.n_folds, 'fold')} of {found.rows.n_rows:,} rows, {listed(models)} "
        f"model{'' if len(models) == 1 else 's'}; each selection saw only its training rows."
    )
    if n:
        text += (
            f" Intervals of differences are two-sided and allow for overlapping training sets{several}; "
            "what is shown is tested one-sided, so its interval may begin lower."
        )
    if is_forward:
        text += " Training rows are earlier than held-out ones; groups are not kept apart."
    return text


def _cautions(found: HeldOut) -> Iterator[str]:
    """Yield what to know before the scores are used."""
    rows, n_folds = found.rows_of_sets, found.n_folds
    if found.stop_reason is StopReason.INTERRUPTED:
        yield "Interrupted: the other folds are missing"
    level, with_model = found.rows.by_chance(found.scoring), len(found.models) > 1
    blind = [row for row in found.summary if level is not None and row["score_low"] <= level]
    if blind:
        names = [f"{row['set']} with {row['model']}" if with_model else row["set"] for row in blind]
        yield f"Not shown to predict better than chance ({level:.3g}): {', '.join(names)}"
    unknown = [row for row in rows[1:] if kind_of(row) == NOT_SHOWN]
    if unknown:
        needed = [
            f"{subject(row['set'])} about {float(format(n, '.1e')):,.0f}"
            for row in unknown
            if not isnan(n := row["rows_needed"])
        ]
        more = f". To show it, if it is true, takes more rows: {'; '.join(needed)}" if needed else ""
        yield f'"Not shown" does not mean worse, nor equal{more}'
    if n_folds < FEW_FOLDS:
        yield f"{number_of(n_folds, 'fold')} make wide intervals; more repeats make them narrower"
    fewer = [f"{subject(row['set'])} in {row['n_folds']}" for row in rows if row["n_folds"] < n_folds]
    if fewer:
        yield f"Found in fewer than {n_folds} folds: {', '.join(fewer)}"
    yield from of_few_groups(found.rows.n_groups)


def _tables(found: HeldOut) -> list[SetsTable]:
    """Return the table of scores, and the table of features, which would leave no room for it."""
    several = ["model"] if len(found.models) > 1 else []
    against = f"against\n{subject(found.set_names[0])}"
    within = f"at most\n{found.margin:g} worse"
    heads = ["set", *several, score_word(found.scoring).replace(" ", "\n"), "95% interval", against, within]
    scores = SetsTable([*heads, "stability"], [*several, against, within])
    features = SetsTable(["set"], names_head="features in most folds")
    for row in found.summary:
        difference = range_text(row["difference_low"], row["difference_high"], "difference", dash="")
        cells = [row["set"], *(row[name] for name in several), *score_cells(row, found.scoring), difference]
        scores.add_row([*cells, row["verdict"], stability_cell(row["stability"])], [])
    for row in found.rows_of_sets:
        if row["often_selected"]:
            features.add_row([row["set"]], row["often_selected"])
    return [scores, features]


def draw_scores(found: HeldOut, labels: Mapping[str, str], colours: Mapping[str, str], head: str) -> Figure:
    """Draw the held-out scores of sets: every fold as a dot, the mean and its interval as lines.

    Parameters
    ----------
    found : HeldOut
    labels, colours : mapping of str to str
        By the names of the sets; colours only of those that differ.
    head : str
        What the labels are.
    """
    figure, (axes,) = new_figure(max(4.2, 0.75 * len(labels) + 1.8), 3.6)
    rows = {row["set"]: row for row in found.rows_of_sets}
    folds = found.folds[found.folds["model"] == found.models[0]].groupby("set")["score"]
    for position, name in enumerate(labels):
        row, scores, colour = rows[name], folds.get_group(name), colours.get(name, COLOURS[0])
        spread = position + 0.3 * np.linspace(-0.5, 0.5, len(scores))
        axes.plot(spread, scores, "o", color=colour, alpha=0.45, markersize=4)
        axes.hlines(row["score"], position - 0.32, position + 0.32, color=colour, linewidth=2.5)
        axes.vlines(position, row["score_low"], row["score_high"], color=colour, linewidth=1.2)
    every = found.folds["score"]
    most = MOST_WIDE * (float(np.ptp(every)) or 1)
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, every.min() - most), min(high, every.max() + most))
    axes.set_xticks(range(len(labels)), labels.values(), rotation=0 if len(labels) < 8 else 60)
    axes.set_ylabel(f"held-out {score_word(found.scoring)}")
    axes.set_xlabel(head)
    axes.grid(axis="y", color=GRID)
    return figure
