"""Do the sets generalise? Held-out scores of selections that are repeated inside each training fold.

Sets that were selected with all rows have seen the rows that a score is computed on: such a score is too
high, however the model itself is validated. Here the held-out rows are seen neither by the measure nor by the
model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from pyfsel.interface.evaluation import Evaluation
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import StopReason
from pyfsel.results.display import Bar, Facts, SetsTable, number_or_dash
from pyfsel.results.plots import COLOURS, GREY, new_figure
from pyfsel.selectors.evaluation.held_out import ALL_FEATURES, VOTE, HeldOut
from pyfsel.selectors.evaluation.intervals import FEW_FOLDS, MARGIN, NOT_SHOWN, SAYINGS, range_text
from pyfsel.selectors.evaluation.scored import Validation, read_rows, scored, selectors_of

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
        about the margin, and ``compared`` says it in words. ``often_selected`` are the features that more
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
    asked = Validation(scoring, cv, repeats, margin, random_state, n_jobs)
    selectors = selectors_of(selector)
    of_rows = {"groups": groups, "sample_weight": sample_weight}
    rows = read_rows(X, y, selectors, cv=cv, scoring=scoring, **of_rows)
    return evaluation_of(scored(rows, selectors, model, asked))


def evaluation_of(found: HeldOut) -> Evaluation:
    """Return held-out scores as they are shown."""
    return Evaluation(
        question="evaluate",
        headline=_headline(found),
        claim=_claim(found),
        frame=pd.DataFrame(found.summary),
        runs=found.with_names(),
        tables=[_table(found)],
        cautions=tuple(cautions_of(found)),
        facts=[("rows", str(found.rows)), *METHODS],
        details={
            "task": found.task,
            "scoring": found.scoring,
            "n_folds": found.n_folds,
            "n_rows": found.rows.n_rows,
            "n_dropped": found.rows.n_dropped,
            "n_groups": found.rows.n_groups,
            "reference": found.reference,
            "margin": found.margin,
        },
        stop_reason=found.stop_reason,
        draw=partial(_figure, found),
    )


def score_word(scoring: str) -> str:
    """Return the name of a score in words."""
    return {"r2": "R²"}.get(scoring, scoring.replace("_", " "))


def _subject(name: str) -> str:
    return f"set {name}" if name.isdecimal() else "the vote" if name == VOTE else name


def listed(words: Sequence[str]) -> str:
    """Return words with commas, and "and" before the last."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _subjects(names: Sequence[str]) -> str:
    """Return names in words: set 1; sets 1 and 2; set 1 and the vote."""
    numbers = [name for name in names if name.isdecimal()]
    others = [_subject(name) for name in names if not name.isdecimal()]
    if len(numbers) > 1 and not others:
        return f"sets {listed(numbers)}"
    return listed([*map(_subject, numbers), *others])


def verdicts(found: HeldOut) -> dict[str, list[str]]:
    """Return the sets, with the first model, by what is shown of them in comparison with the first set."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in found.set_names[1:]:
        kind = found.differences[name, found.models[0]].kind(found.scoring, found.rows)
        groups[kind].append(name)
    return {kind: groups[kind] for kind in SAYINGS if groups[kind]}


def sentence(text: str) -> str:
    """Return a text with a capital letter, unless it begins with a name."""
    return f"{text[0].upper()}{text[1:]}" if text.startswith(("set", "the ")) else text


def _headline(found: HeldOut) -> str:
    first, *others = found.summary[: len(found.set_names)]
    what = _subject(first["set"])
    scoring, ends = (
        score_word(found.scoring),
        range_text(first["score_low"], first["score_high"], found.scoring),
    )
    parts = [f"{sentence(what)} scores {first['score']:.3f} ({scoring}, 95% interval {ends})"]
    said = []
    for kind, names in verdicts(found).items():
        own = [name for name in names if name not in (ALL_FEATURES, VOTE)]
        if own:
            verb = "is" if len(own) == 1 else "are"
            said.append(f"{_subjects(own)} {verb} {SAYINGS[kind].format(margin=found.margin)}")
    if said:
        text = "; ".join(said)
        parts.append(sentence(text))
    all_features = [row for row in others if row["set"] == ALL_FEATURES]
    parts += [f"All {len(found.names)} features: {row['score']:.3f}" for row in all_features]
    return ". ".join(parts)


def _claim(found: HeldOut) -> str:
    models = f"{listed(found.models)} model{'' if len(found.models) == 1 else 's'}"
    text = (
        f"{number_of(found.n_folds, 'fold')} of {found.rows.n_rows:,} rows, {models}; each selection saw "
        "only its training rows."
    )
    n = len(found.differences)
    if n:
        several = f" and {n} comparisons" if n > 1 else ""
        text += f" Intervals of differences allow for overlapping training sets{several}."
    if found.rows.is_forward:
        text += " Training rows are earlier than held-out ones; groups are not kept apart."
    return text


def cautions_of(found: HeldOut) -> Iterator[str]:
    """Yield what to know before the scores are used."""
    if found.stop_reason is StopReason.INTERRUPTED:
        yield "Interrupted: the other folds are missing"
    known = found.no_better_than_chance()
    if known is not None and known[1]:
        yield f"Not shown to predict better than chance ({known[0]:.3g}): {', '.join(known[1])}"
    unknown = verdicts(found).get(NOT_SHOWN)
    if unknown:
        differences = [found.differences[name, found.models[0]] for name in unknown]
        needed = [
            f"{_subject(name)} about {rows}"
            for name, one in zip(unknown, differences, strict=True)
            if (rows := one.rows_needed(found.scoring, found.rows))
        ]
        text = '"Not shown" does not mean worse, nor equal'
        if needed:
            text += f". To show it, if it is true, takes more rows: {'; '.join(needed)}"
        yield text
    if found.n_folds < FEW_FOLDS:
        yield f"{number_of(found.n_folds, 'fold')} make wide intervals; more repeats make them narrower"
    lacking = [row for row in found.summary[: len(found.set_names)] if row["n_folds"] < found.n_folds]
    if lacking:
        fewer = ", ".join(f"{_subject(row['set'])} in {row['n_folds']}" for row in lacking)
        yield f"Found in fewer than {found.n_folds} folds: {fewer}"
    yield from found.rows.few_groups


def _table(found: HeldOut) -> SetsTable:
    several = ["model"] if len(found.models) > 1 else []
    against = f"against\n{_subject(found.reference)}"
    within = f"at most\n{found.margin:g} worse"
    heads = ["set", *several, score_word(found.scoring).replace(" ", "\n"), "95% interval", against, within]
    table = SetsTable([*heads, "stability"], [*several, against, within], "features in most folds")
    for row in found.summary:
        stable = row["stability"]
        ends = range_text(row["difference_low"], row["difference_high"], "difference", dash="")
        table.add_row(
            [
                row["set"],
                *(row[name] for name in several),
                Bar(number_or_dash(row["score"]), row["score"]),
                range_text(row["score_low"], row["score_high"], found.scoring),
                ends,
                row["verdict"],
                Bar(number_or_dash(stable, ".2f"), stable),
            ],
            row["often_selected"],
        )
    return table


def _figure(found: HeldOut) -> Figure:
    """Draw the held-out scores of each set: every fold as a dot, the mean as a line."""
    names = found.set_names
    figure, (axes,) = new_figure(max(4.2, 0.75 * len(names) + 1.8), 3.6)
    for position, name in enumerate(names):
        scores = found.scores_of(name)
        spread = [position + 0.3 * (i / max(1, len(scores) - 1) - 0.5) for i in range(len(scores))]
        colour = GREY if name in (ALL_FEATURES, VOTE) else COLOURS[0]
        axes.plot(spread, scores, "o", color=colour, alpha=0.45, markersize=4)
        mean = sum(scores) / len(scores)
        axes.plot([position - 0.32, position + 0.32], [mean, mean], color=colour, linewidth=2.5)
    axes.set_xticks(range(len(names)), names, rotation=0 if len(names) < 8 else 60)
    axes.set_ylabel(f"held-out {score_word(found.scoring)}")
    axes.set_xlabel("feature set (dots: folds, lines: means)")
    axes.grid(axis="y", color="#e5e7eb")
    axes.set_axisbelow(True)
    return figure
