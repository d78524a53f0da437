"""The report: what is solved for it, and its page, whose template escapes every text of the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.base import clone

from pyfsel.bench.report.figures import svg_of
from pyfsel.errors import InputError, NoSetsError
from pyfsel.explore import atlas, sweep
from pyfsel.interface.answer import Answer
from pyfsel.interface.evaluation import Evaluation
from pyfsel.interface.scores import Scores
from pyfsel.measures.relations import RELATED, SetRelations, relations
from pyfsel.problem.checks import file_path, number_of
from pyfsel.problem.text_files import write_text
from pyfsel.problem.values import objective_of
from pyfsel.results.display import aligned, side_constraint_texts, templates
from pyfsel.selectors.alternatives import selector_or_default
from pyfsel.selectors.choose_k import Besides
from pyfsel.selectors.choose_k import choose_k as compare_sizes
from pyfsel.selectors.evaluation.evaluate import evaluate
from pyfsel.selectors.evaluation.model_rows import named_models
from pyfsel.selectors.evaluation.sentences import listed, range_text, score_word
from pyfsel.selectors.splits import is_number_of_folds, split_times

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure

SMALL_LOSS = 0.05
TEMPLATE = "page.html.jinja"
SUFFIXES = (".html", ".htm")
NEAR_SECONDS = 20.0
"""For nearly best sets, of which an interval is enough."""


@dataclass
class Findings:
    """All that a report is about.

    Parameters
    ----------
    answer : Answer
    scores : Scores
    name, target : str
        Of the table and of what is predicted; "" if unknown.
    evaluation : Evaluation or None
        Held-out scores.
    sizes : Evaluation or None
        Held-out scores of sets of several sizes.
    trade_off : Answer or None
        Quality against dissimilarity, for the same number of sets.
    near : Answer or None
        Single sets that are nearly as good as the best one.
    more : Besides
        What was left out.
    """

    answer: Answer
    scores: Scores
    name: str
    target: str
    evaluation: Evaluation | None = None
    sizes: Evaluation | None = None
    trade_off: Answer | None = None
    near: Answer | None = None
    more: Besides = field(default_factory=Besides)

    @cached_property
    def relations(self) -> list[SetRelations]:
        """How much the sets say the same."""
        place = {name: j for j, name in enumerate(self.scores.names)}
        return relations(self.scores.table, [[place[name] for name in one] for one in self.answer.sets])


def _drawn(draw: Callable[[], Figure], title: str) -> Markup:
    from markupsafe import Markup

    return Markup(svg_of(draw(), title))


def page(found: Findings) -> str:
    """Return the page: HTML in UTF-8 that needs nothing else, light or dark, and printable."""
    from markupsafe import Markup

    environment = templates("pyfsel.selectors")
    environment.filters |= {"percent": "{:.0%}".format, "number_of": number_of}
    style = files("pyfsel.selectors.report").joinpath("style.css").read_text(encoding="utf-8")
    answer, instance = found.answer, found.answer.problem.instance
    return environment.get_template(TEMPLATE).render(
        found=found,
        answer=answer,
        rules=side_constraint_texts(instance),
        sentences=_sentences(found),
        sets=_sets(found),
        cautions=answer.cautions,
        features=[] if answer.question == "model" else _features(answer),
        trade_off=_trade_off(found),
        held_out=_scored(found.evaluation, "Held-out scores with intervals"),
        how_many=_scored(found.sizes, "Held-out scores by number of features"),
        details=_details(found),
        style=Markup(style),
    )


def _sentences(found: Findings) -> list[str]:
    """Return the answer: held-out scores, what was left out, and which new features are related to set 0."""
    said, new = [], [one for one in found.relations if one.n_new]
    alone = [str(number) for number, one in enumerate(found.relations) if one.n_new and not one.n_related]
    if alone:
        sets = f"{'sets' if len(alone) > 1 else 'set'} {listed(alone)}"
        said = [
            f"No new feature of {sets} is related to set 0 (absolute rank correlation at least {RELATED:g})"
        ]
    if new and all(one.n_new == one.n_related for one in new):
        said = ["Each new feature of the alternatives is related to set 0"]
    first = found.answer.headline if found.evaluation is None else found.evaluation.headline
    left_out = found.more.cautions("parts of this page")
    return [first, *left_out, *said, *(f"Objective: {text}" for _, text in found.answer.problem.chosen)]


def _scored(evaluation: Evaluation | None, title: str) -> dict[str, Any] | None:
    """Return a figure of scores, and what a table says of each with the first model, by its name."""
    if evaluation is None:
        return None
    frame, scoring = evaluation.to_frame(), evaluation.details["scoring"]
    if "model" in frame:
        frame = frame[frame["model"] == frame["model"][0]]
    frame["ends"] = [
        range_text(low, high, scoring)
        for low, high in zip(frame["score_low"], frame["score_high"], strict=True)
    ]
    return {
        "name": score_word(scoring),
        "figure": _drawn(evaluation.plot, title),
        "rows": frame.to_dict("records"),
    }


def _sets(found: Findings) -> dict[str, Any]:
    """Return what tables show in addition to the names of features: which are not significant, qualities."""
    answer, instance = found.answer, found.answer.problem.instance
    weak = [] if instance.evidence is None else instance.evidence.not_above_chance().tolist()
    if answer.sets and answer[0].quality > 0:
        qualities, unit = [f"{one.relative:.0%}" for one in answer], "% of set 0"
    else:
        qualities, unit = aligned([one.quality for one in answer], 3), answer.problem.unit or "quality"
    return {"weak": {instance.feature_names[j] for j in weak}, "qualities": qualities, "unit": unit}


def _features(answer: Answer) -> list[Mapping[str, Any]]:
    """Return what each feature of the sets carries by itself, and which sets have it."""
    instance, members = answer.problem.instance, [one.indices for one in answer]
    alone = instance.quality_floats
    strength = np.abs(alone) if objective_of(instance).is_signed else np.maximum(alone, 0)
    used = sorted({j for one in members for j in one}, key=lambda j: (-strength[j], -alone[j], j))
    texts = aligned([float(alone[j]) for j in used], 3) if used else []
    return [
        {
            "name": instance.feature_names[j],
            "others": instance.copies_of(j)[:3],
            "is_forced": j in instance.forced,
            "held": [j in one for one in members],
            "share": 100 * strength[j] / (strength[used[0]] or 1.0),
            "text": text,
        }
        for j, text in zip(used, texts, strict=True)
    ]


def _trade_off(found: Findings) -> dict[str, Any] | None:
    if found.trade_off is None:
        return None
    every = found.trade_off.to_frame()
    cells = every[(every["n_found"] == every["n_sets"]) & every["relative"].map(isfinite)]
    if len(cells) < 2:
        return None
    cheap = cells.loc[cells["relative"] >= 1 - SMALL_LOSS, "dissimilarity"]
    loss = f"The sets lose at most {SMALL_LOSS:.0%} up to a dissimilarity of {cheap.max():.2g}."
    return {
        "figure": _drawn(found.trade_off.plot, "Quality against dissimilarity"),
        "loss": loss if len(cheap) else "",
        "is_partial": len(cells) < len(every),
    }


def _details(found: Findings) -> list[tuple[str, str]]:
    answer = found.answer
    facts = [*answer.details.get("facts", ())]
    facts += [] if found.evaluation is None else found.evaluation.facts
    facts.append(("solver", f"{answer.solver}, {answer.runtime:.1f} s"))
    return [*facts, ("pyfsel", version("pyfsel"))]


def report(
    path: str | Path,
    X: Any,
    y: Any,
    selector: Any = None,
    *,
    model: Any = "linear",
    cv: Any = 5,
    choose_k: bool = False,
    groups: Any = None,
    sample_weight: Any = None,
    name: str = "",
) -> Answer:
    """Write one page about the sets of a table.

    The page needs no other files: it can be sent, printed, and read on a phone. It begins with what the sets
    score on held-out rows; then come the sets, what to know before they are used, what is proved, and what
    dissimilarity costs.

    Parameters
    ----------
    path : str or Path
        Of the page; it ends in .html.
    X : DataFrame or array, shape (n_rows, n_features)
    y : array or Series, shape (n_rows,)
    selector : AlternativeFeatureSelector, optional
        Unfitted; it is cloned.
    model : estimator or name
        The model of the held-out scores: linear, neighbours, tree, forest or boosting. In Python also an
        estimator.
    cv : int, splitter, iterable of pairs of rows, or "time:COLUMN:GAP"
        Number of folds, or folds forward in time by a column of the table, which is then not a feature; 0
        leaves out the held-out scores, which take most of the time.
    choose_k : bool
        Whether to compare sets of other sizes as well.
    groups, sample_weight : array-like, shape (n_rows,), optional
        As for `pyfsel.evaluate`.
    name : str
        Of the table, for the title.

    Returns
    -------
    Answer
        Without sets if there are none; the page says so.

    Raises
    ------
    InputError
        If an argument or the table is not allowed.
    KeyboardInterrupt
        After Ctrl-C; the page has what was found until then, if the sets were found.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> report("wine.html", X, y, cv=3, name="wine").status  # doctest: +SKIP
    <Status.OPTIMAL: 'OPTIMAL'>
    """
    place = file_path(path)
    if place.suffix.lower() not in SUFFIXES:
        raise InputError(f"path={str(path)!r}: does not end in .html. Try: {place.stem}.html")
    if not place.absolute().parent.is_dir():
        raise InputError(f"path={str(path)!r}: the folder {str(place.parent)!r} does not exist")
    selector = clone(selector_or_default(selector))
    named_models(model)
    table, times, _ = split_times(X, cv)
    is_scored = type(cv) is not int or cv != 0  # False says nothing about folds
    if is_scored and times is None:
        is_number_of_folds(cv)
    of_rows = {"groups": groups, "sample_weight": sample_weight}
    try:
        selector.fit(table, y, **of_rows)
        answer: Answer = selector.answer_
    except NoSetsError as error:
        answer = error.answer
    if name:
        answer.problem.origin += f" of {name}"
        answer = replace(answer, headline=f"{answer.headline} of {name}")
    found = Findings(answer, selector.scores_, name, str(getattr(y, "name", None) or ""))
    more = found.more
    with catch_warnings():
        simplefilter("ignore", UserWarning)  # fitting has said it
        if answer.sets:
            problem, limit = answer.problem, selector.time_limit
            asked = {"n_jobs": selector.n_jobs, "random_state": selector.random_state, "cv": cv}
            asked |= {"model": model, **of_rows}
            solving = {"solver": selector.solver, "time_limit": limit}
            near = solving | {"time_limit": NEAR_SECONDS if limit is None else min(limit, NEAR_SECONDS)}
            has_numbers = answer.question != "model"
            if has_numbers and problem.n_sets > 1 and not problem.instance.has_size_range:
                found.trade_off = more.find(
                    "what dissimilarity costs", lambda: sweep(problem, n_sets=[problem.n_sets], **solving)
                )
            if has_numbers:
                found.near = more.find("nearly best sets", lambda: atlas(problem, **near))
            if is_scored:
                found.evaluation = more.find("held-out scores", lambda: evaluate(X, y, selector, **asked))
            if choose_k:
                found.sizes = more.find(
                    "other sizes", lambda: compare_sizes(X, y, selector, **asked, dissimilarity=())
                )
    write_text(place, page(found))
    if more.interrupted:
        raise KeyboardInterrupt(f"{place}: has what was found until then")
    return answer
