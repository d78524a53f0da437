"""What the HTML page of the report shows; the template escapes every text of the user."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from math import isfinite, isnan
from typing import Any

import numpy as np

from pyfsel.interface.answer import Answer
from pyfsel.interface.evaluation import Evaluation
from pyfsel.problem.values import objective_of
from pyfsel.problem.wording import number_of
from pyfsel.results.display import aligned, side_constraint_texts
from pyfsel.results.pages import templates
from pyfsel.selectors.evaluation.evaluate import score_word
from pyfsel.selectors.evaluation.held_out import ALL_FEATURES, VOTE
from pyfsel.selectors.evaluation.statistics import range_text
from pyfsel.selectors.report.figures import Dot, Interval, intervals, line_of_dots
from pyfsel.selectors.report.findings import Findings

MOST_SHOWN = 12  # features in a table, a screenful
SMALL_LOSS = 0.05
TEMPLATE = "page.html.jinja"


def page(found: Findings) -> str:
    """Return the page: HTML in UTF-8 that needs nothing else, light or dark, and printable."""
    from markupsafe import Markup

    environment = templates("pyfsel.selectors")
    environment.filters |= {"percent": "{:.0%}".format}
    style = files("pyfsel.selectors.report").joinpath("style.css").read_text(encoding="utf-8")
    return environment.get_template(TEMPLATE).render(
        found=found,
        answer=found.answer,
        title=_title(found),
        about=_about(found),
        sentences=_sentences(found),
        sets=_sets(found),
        cautions=_cautions(found),
        proof=_proof(found.answer),
        features=_features(found),
        trade_off=_trade_off(found),
        near=_near(found.near),
        held_out=_held_out(found),
        how_many=_how_many(found.sizes),
        details=_details(found),
        style=Markup(style),
    )


def _title(found: Findings) -> str:
    sets, wanted = len(found.answer.sets), found.answer.problem.n_sets
    count = f"{sets} of {wanted}" if 0 < sets < wanted else f"{sets or 'No'}"
    noun = "feature set" if count == "1" else "feature sets"
    return f"{count} {noun} for {found.target or found.name or 'the table'}"


def _about(found: Findings) -> str:
    rows, features = found.scores.n_rows, len(found.scores.names)
    return f"{found.name or 'Table'}: {rows:,} rows, {number_of(features, 'feature')}"


def _sentences(found: Findings) -> list[str]:
    """Return the answer: what the sets score on held-out rows, and which measure something else."""
    first = found.answer.headline if found.evaluation is None else found.evaluation.headline
    pairs = list(zip(found.relations.new, found.relations.related, strict=True))[1:]
    said = list(found.of_relations(is_related=False))
    if pairs and all(new == related for new, related in pairs):
        said = ["No alternative measures something else than set 0"]
    return [first, *said, *(f"Objective: {text}" for _, text in found.answer.problem.chosen)]


def _scores_of(found: Findings) -> dict[str, dict[str, Any]]:
    """Return the held-out scores of the sets, with the first model."""
    if found.evaluation is None:
        return {}
    frame = found.evaluation.to_frame()
    return {row["set"]: row for row in frame[frame["model"] == frame["model"][0]].to_dict("records")}


def _sets(found: Findings) -> dict[str, Any] | None:
    """Return what the table of the sets shows beside their names."""
    answer, scores, instance = found.answer, _scores_of(found), found.answer.problem.instance
    if not answer.sets:
        return None
    is_share = answer[0].quality > 0
    used = {j for one in answer for j in one.indices}
    weak = [] if instance.evidence is None else instance.evidence.not_above_chance(used).tolist()
    scoring = "" if found.evaluation is None else found.evaluation.details["scoring"]
    numbers = aligned([one.quality for one in answer], 3)
    return {
        "weak": {instance.feature_names[j] for j in weak},
        "qualities": [f"{one.relative:.0%}" for one in answer] if is_share else numbers,
        "unit": "% of set 0" if is_share else answer.problem.unit or "quality",
        "score": score_word(scoring),
        "scores": [scores.get(str(number)) for number in range(len(answer))],
        "ends": lambda row: range_text(row["score_low"], row["score_high"], scoring),
    }


def _cautions(found: Findings) -> list[tuple[str, str]]:
    """Return what to know before the sets are used, each with the word of the terminal."""
    parts = [found.answer.cautions, found.of_relations(is_related=True)]
    parts += [] if found.evaluation is None else [found.evaluation.cautions]
    error = found.answer.details.get("sampling_error", "")
    return [("CHECK", text) for part in parts for text in part] + ([("ERROR", error)] if error else [])


def _proof(answer: Answer) -> list[str]:
    """Return the sentence of the terminal, and what else is certain."""
    said = [answer.claim]
    if answer.problem.instance.copies and answer.proved:
        said.append("It is proved among one representative of each group of near-duplicates.")
    return [*said, "Every set was verified by a program that does not know how it was found."]


def _features(found: Findings) -> dict[str, Any] | None:
    """Return what each feature of the sets carries by itself, and which sets have it."""
    answer, instance = found.answer, found.answer.problem.instance
    members = [one.indices for one in answer]
    used = sorted({j for one in members for j in one})
    if not used:
        return None
    alone = instance.quality_floats
    strength = np.abs(alone) if objective_of(instance).is_signed else np.maximum(alone, 0)
    used.sort(key=lambda j: (-strength[j], -alone[j], j))
    most = strength[used[0]] or 1.0
    rows = [
        {
            "name": instance.feature_names[j],
            "others": instance.copies_of(j)[:3],
            "is_forced": j in instance.forced,
            "is_shared": sum(j in one for one in members) > 1,
            "held": [j in one for one in members],
            "share": 100 * strength[j] / most,
            "text": text,
        }
        for j, text in zip(used, aligned([float(alone[j]) for j in used], 3), strict=True)
    ]
    return {"rows": rows, "unit": answer.problem.unit or "quality", "rules": side_constraint_texts(instance)}


def _trade_off(found: Findings) -> dict[str, Any] | None:
    if found.trade_off is None:
        return None
    every = found.trade_off.to_frame()
    cells = every[(every["n_found"] == every["n_sets"]) & every["relative"].map(isfinite)]
    if len(cells) < 2:
        return None
    chosen = found.answer.problem.instance.max_shared
    dots = [
        Dot(
            row["dissimilarity"],
            row["relative"],
            f"requested: {row['relative']:.0%}",
            row["shared"] == chosen,
        )
        for row in cells.to_dict("records")
    ]
    figure = line_of_dots(
        dots,
        "how different any two sets are at least (1: they share no feature)",
        "quality of the sets, relative to the best set",
        "Quality against dissimilarity",
    )
    cheap = [dot.x for dot in dots if dot.y >= 1 - SMALL_LOSS]
    loss = (
        f"The sets lose at most {SMALL_LOSS:.0%} up to a dissimilarity of {max(cheap):.2g}." if cheap else ""
    )
    return {"figure": figure, "loss": loss, "is_partial": len(cells) < len(every)}


def _near(near: Answer | None) -> dict[str, Any] | None:
    if near is None:
        return None
    frame = near.to_frame()
    often = frame[frame["share"] > 0].sort_values("share", ascending=False, kind="stable")["share"]
    return {"rows": list(often.head(MOST_SHOWN).items()), "n_more": len(often) - MOST_SHOWN}


def _held_out(found: Findings) -> dict[str, Any] | None:
    rows = [(_named(name), name, row, not name.isdecimal()) for name, row in _scores_of(found).items()]
    return _drawn(found.evaluation, rows, "Held-out scores with intervals")


def _how_many(sizes: Evaluation | None) -> dict[str, Any] | None:
    rows: list[Any] = [] if sizes is None else sizes.to_frame().to_dict("records")
    chosen = None if sizes is None else sizes.recommended
    named = [(number_of(row["k"], "feature"), f"k={row['k']} 0", row, row["k"] != chosen) for row in rows]
    return _drawn(sizes, named, "Held-out scores by number of features")


def _drawn(
    evaluation: Evaluation | None, rows: Sequence[tuple[str, str, dict[str, Any], bool]], title: str
) -> dict[str, Any] | None:
    """Return a figure and a table of scores, each with a label, the name of its set, and if it is muted."""
    if evaluation is None:
        return None
    scoring, folds = evaluation.details["scoring"], evaluation.folds()
    of_sets = folds[folds["model"] == folds["model"][0]].groupby("set")["score"]
    drawn = []
    for label, name, row, is_muted in rows:
        low, high = row["score_low"], row["score_high"]
        scores = of_sets.get_group(name).tolist()
        drawn.append(
            Interval(label, row["score"], low, high, range_text(low, high, scoring), scores, is_muted)
        )
    name = score_word(scoring)
    compared = [row.get("compared", "") for _, _, row, _ in rows]
    figure = intervals(drawn, f"{name} on held-out rows", title)
    return {"name": name, "figure": figure, "rows": list(zip(drawn, compared, strict=True))}


def _named(name: str) -> str:
    words = {ALL_FEATURES: "all features", VOTE: "all sets vote"}
    return words.get(name, f"set {name}" if name.isdecimal() else name)


def _details(found: Findings) -> list[tuple[str, str]]:
    answer = found.answer
    bounds = [
        f"set {number}: {one.quality:.5g}, at most {one.high:.5g}"
        for number, one in enumerate(answer)
        if one.high is not None and not isnan(one.high)
    ]
    unit = f" ({answer.problem.unit})" if answer.problem.unit else ""
    facts = [("bounds", "; ".join(bounds) + unit)] if bounds else []
    facts += [(name, text) for name, text in answer.details.get("facts", ()) if name != "bounds"]
    facts += [] if found.evaluation is None else found.evaluation.facts
    facts.append(("solver", f"{answer.solver}, {answer.runtime:.1f} s"))
    facts += [("left out", text) for text in found.missing]
    facts += [("left out", "what Ctrl-C interrupted")] if found.interrupted else []
    return [*facts, ("pyfsel", version("pyfsel"))]
