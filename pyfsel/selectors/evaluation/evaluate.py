"""Do the sets generalise? Held-out scores of selections that are repeated inside each training fold.

Sets that were selected with all rows have seen the rows that a score is computed on: such a score is too
high, however the model itself is validated. Here the held-out rows are seen neither by the measure nor by the
model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pyfsel.interface.evaluation import Evaluation
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import StopReason
from pyfsel.results.display import Bar, Facts, SetsTable, number_or_dash
from pyfsel.results.plots import COLOURS, GREY, new_figure
from pyfsel.selectors.evaluation.folds import Validation, scored
from pyfsel.selectors.evaluation.held_out import ALL_FEATURES, VOTE, HeldOut
from pyfsel.selectors.evaluation.models import score_word
from pyfsel.selectors.evaluation.rows import Rows, read_rows, selectors_of
from pyfsel.selectors.evaluation.statistics import (
    FEW_FOLDS,
    MARGIN,
    NOT_SHOWN,
    SAYINGS,
    HeldOutRows,
    kind_of,
    range_text,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS: Facts = [
    (
        "intervals",
        "95%, of the mean over folds; of proportions Wilson's (1927), by as many rows as there are",
    ),
    ("differences", "on the same folds, corrected for overlapping training sets (Nadeau and Bengio 2003)"),
    ("comparisons", "corrected for their number (Holm 1979); margins one-sided at 5%"),
    ("stability", "1 if all folds select the same features, about 0 if by chance (Nogueira et al. 2018)"),
]
FEW_GROUPS = 20
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
        "linear" (logistic or ridge regression; of times until an event a Cox model with a ridge penalty) and
        "neighbours" on standardised features, "tree", "forest", or "boosting" by histograms. Models are
        cloned. One that looks at columns, by a `ColumnTransformer` or as ``categorical_features``, gets
        yours; all others get one-hot columns.
    scoring : str, optional
        Name of a score of scikit-learn; "balanced_accuracy" or "r2" unless given. Of times until an event it
        is "concordance", of which 1/2 is chance.
    cv : int, splitter, iterable of pairs of training and held-out rows, or "time:COLUMN:GAP"
        Number of folds, stratified by class, or by whether the event happened. "time:COLUMN" are folds
        forward in time by a column of `X`, which is then not a feature: the first half of the rows only
        trains, and models are trained on earlier rows than each held-out block, by more than the gap (of
        dates in days). Groups are not kept apart then.
    repeats : int
        How often the rows are split; each repeat has its own seed for selectors and models.
    groups : array-like, shape (n_rows,), optional
        Rows of one group, such as a patient, stay on one side of each split; selectors of this package get
        them as well. Intervals use as many rows as their design effect leaves.
    sample_weight : array-like, shape (n_rows,), optional
        Given to the models, which must accept weights, to the score, and to selectors of this package.
    margin : float
        Of each set it is *shown*, *refuted* or *not shown* that it scores at most this much less than the
        first one.
    random_state : int
    n_jobs : int, optional
        Folds at the same time.

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
        If an argument or the table is not allowed, or no fold has a set.
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
    return _evaluation(scored(rows, selectors, model, asked), rows)


def _evaluation(found: HeldOut, rows: Rows) -> Evaluation:
    """Return held-out scores as they are shown."""
    names, n = found.set_names, found.rows
    groups = "" if n.n_groups is None else f" of {n.n_groups:,} groups"
    dropped = rows.table.n_dropped
    left_out = f" ({dropped:,} rows with missing values left out)" if dropped else ""
    muted = dict.fromkeys((ALL_FEATURES, VOTE), GREY)
    labels = {name: name for name in names}
    return Evaluation(
        question="evaluate",
        headline=_headline(found),
        claim=_claim(found, is_forward=rows.table.times is not None),
        frame=pd.DataFrame(found.summary),
        runs=found.with_names(),
        tables=_tables(found),
        cautions=tuple(_cautions(found)),
        facts=[("rows", f"{n.n_rows:,} held-out{groups}{left_out}"), *METHODS],
        details={
            "task": rows.table.task,
            "scoring": found.scoring,
            "n_folds": found.n_folds,
            "n_rows": n.n_rows,
            "n_dropped": dropped,
            "n_groups": n.n_groups,
            "reference": names[0],
            "margin": found.margin,
        },
        stop_reason=found.stop_reason,
        draw=partial(draw_scores, found, labels, muted, "feature set (dots: folds, lines: means)"),
    )


def _subject(name: str) -> str:
    return f"set {name}" if name.isdecimal() else "the vote" if name == VOTE else name


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def sentence(text: str) -> str:
    """Return a text with a capital letter, unless it begins with a name."""
    return f"{text[0].upper()}{text[1:]}" if text.startswith(("set", "the ")) else text


def said_of_sets(groups: Mapping[str, Sequence[str]]) -> str:
    """Return what is said of sets, by what is said, in one sentence; "" if nothing is.

    Examples
    --------
    >>> said_of_sets({"stable": ["0", "2"], "not stable": ["1"], "unknown": []})
    'Sets 0 and 2 are stable; set 1 is not stable'
    """
    said = []
    for what, names in groups.items():
        if len(names) == 1:
            said.append(f"{_subject(names[0])} is {what}")
        elif names:
            are_numbers = all(map(str.isdecimal, names))
            several = f"sets {_listed(names)}" if are_numbers else _listed([*map(_subject, names)])
            said.append(f"{several} are {what}")
    return sentence("; ".join(said))


def _by_kind(found: HeldOut) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of sets with the first model, by what is shown of them, as `kind_of` has it."""
    others = found.summary[1 : len(found.set_names)]
    return {kind: [row for row in others if kind_of(row) == kind] for kind in SAYINGS}


def _headline(found: HeldOut) -> str:
    first, *others = found.summary[: len(found.set_names)]
    ends = range_text(first["score_low"], first["score_high"], found.scoring)
    what = f"({score_word(found.scoring)}, 95% interval {ends})"
    groups = {
        SAYINGS[kind].format(margin=found.margin): [
            row["set"] for row in rows if row["set"] not in (ALL_FEATURES, VOTE)
        ]
        for kind, rows in _by_kind(found).items()
    }
    every = [
        f"All {len(found.names)} features: {one['score']:.3f}" for one in others if one["set"] == ALL_FEATURES
    ]
    parts = [f"{sentence(_subject(first['set']))} scores {first['score']:.3f} {what}", said_of_sets(groups)]
    return ". ".join(filter(None, [*parts, *every]))


def _claim(found: HeldOut, is_forward: bool) -> str:
    models, n = found.models, len(found.summary) - len(found.models)
    text = (
        f"{number_of(found.n_folds, 'fold')} of {found.rows.n_rows:,} rows, {_listed(models)} "
        f"model{'' if len(models) == 1 else 's'}; each selection saw only its training rows."
    )
    if n:
        several = f" and {n} comparisons" if n > 1 else ""
        text += f" Intervals of differences allow for overlapping training sets{several}."
    if is_forward:
        text += " Training rows are earlier than held-out ones; groups are not kept apart."
    return text


def _cautions(found: HeldOut) -> Iterator[str]:
    """Yield what to know before the scores are used."""
    if found.stop_reason is StopReason.INTERRUPTED:
        yield "Interrupted: the other folds are missing"
    level, with_model = found.rows.by_chance(found.scoring), len(found.models) > 1
    blind = [row for row in found.summary if level is not None and row["score_low"] <= level]
    if blind:
        names = [f"{row['set']} with {row['model']}" if with_model else row["set"] for row in blind]
        yield f"Not shown to predict better than chance ({level:.3g}): {', '.join(names)}"
    unknown = _by_kind(found)[NOT_SHOWN]
    if unknown:
        known = [row for row in unknown if not isnan(row["rows_needed"])]
        needed = [f"{_subject(row['set'])} about {_two_digits(row['rows_needed'])}" for row in known]
        more = f". To show it, if it is true, takes more rows: {'; '.join(needed)}" if needed else ""
        yield f'"Not shown" does not mean worse, nor equal{more}'
    if found.n_folds < FEW_FOLDS:
        yield f"{number_of(found.n_folds, 'fold')} make wide intervals; more repeats make them narrower"
    rows = found.summary[: len(found.set_names)]
    fewer = [f"{_subject(row['set'])} in {row['n_folds']}" for row in rows if row["n_folds"] < found.n_folds]
    if fewer:
        yield f"Found in fewer than {found.n_folds} folds: {', '.join(fewer)}"
    yield from of_few_groups(found.rows)


def _two_digits(number: float) -> str:
    return f"{float(f'{number:.1e}'):,.0f}"


def of_few_groups(rows: HeldOutRows) -> Iterator[str]:
    """Yield a caution if there are few groups."""
    if rows.n_groups is not None and rows.n_groups < FEW_GROUPS:
        yield f"The rows are of only {rows.n_groups} groups, so the intervals are wide and uncertain"


def score_cells(row: Mapping[str, Any], scoring: str) -> list[str]:
    """Return the mean score of a row with its interval."""
    ends = range_text(row["score_low"], row["score_high"], scoring)
    return [Bar(number_or_dash(row["score"]), row["score"]), ends]


def _tables(found: HeldOut) -> list[SetsTable]:
    """Return the table of scores, and the table of features, which would leave no room for it."""
    several = ["model"] if len(found.models) > 1 else []
    against = f"against\n{_subject(found.set_names[0])}"
    within = f"at most\n{found.margin:g} worse"
    heads = ["set", *several, score_word(found.scoring).replace(" ", "\n"), "95% interval", against, within]
    scores = SetsTable([*heads, "stability"], [*several, against, within])
    features = SetsTable(["set"], names_head="features in most folds")
    for number, row in enumerate(found.summary):
        stable = row["stability"]
        difference = range_text(row["difference_low"], row["difference_high"], "difference", dash="")
        cells = [row["set"], *(row[name] for name in several), *score_cells(row, found.scoring), difference]
        scores.add_row([*cells, row["verdict"], Bar(number_or_dash(stable, ".2f"), stable)], [])
        if row["often_selected"] and number < len(found.set_names):
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
    rows = {row["set"]: row for row in found.summary[: len(found.set_names)]}
    for position, name in enumerate(labels):
        row, scores, colour = rows[name], found.scores_of(name), colours.get(name, COLOURS[0])
        spread = position + 0.3 * np.linspace(-0.5, 0.5, len(scores))
        axes.plot(spread, scores, "o", color=colour, alpha=0.45, markersize=4)
        axes.plot([position - 0.32, position + 0.32], [row["score"]] * 2, color=colour, linewidth=2.5)
        axes.plot([position] * 2, [row["score_low"], row["score_high"]], color=colour, linewidth=1.2)
    every = found.folds["score"]
    low, high = axes.get_ylim()
    most = MOST_WIDE * (float(np.ptp(every)) or 1)
    axes.set_ylim(max(low, every.min() - most), min(high, every.max() + most))
    axes.set_xticks(range(len(labels)), labels.values(), rotation=0 if len(labels) < 8 else 60)
    axes.set_ylabel(f"held-out {score_word(found.scoring)}")
    axes.set_xlabel(head)
    axes.grid(axis="y", color=GRID)
    return figure
