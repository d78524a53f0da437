"""What the HTML page of the report shows; the template escapes every text of the user."""

from __future__ import annotations

from importlib.metadata import version
from importlib.resources import files
from math import isfinite, isnan
from typing import Any

import numpy as np

from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.problem.values import objective_of
from pyfsel.problem.wording import number_of
from pyfsel.questions.atlas import DEFAULT_LOSS, Atlas
from pyfsel.results.answer import Status
from pyfsel.results.claims import Scope
from pyfsel.results.copies import copies_text, loses_nothing
from pyfsel.results.display import (
    aligned,
    number_text,
    percent,
    shows_raw,
    side_constraint_texts,
    unit_text,
    unit_word,
)
from pyfsel.results.pages import templates
from pyfsel.results.result import Result
from pyfsel.results.sampling import sampling_facts
from pyfsel.selectors.choose_k import Sizes
from pyfsel.selectors.evaluation.held_out import ALL_FEATURES, VOTE, HeldOut
from pyfsel.selectors.evaluation.intervals import range_text
from pyfsel.selectors.report.figures import Dot, Interval, intervals, line_of_dots
from pyfsel.selectors.report.findings import MOST_RELATIVES, Findings, copy_groups_of

MOST_STABLE = 12  # features in the table of stability, a screenful
TEMPLATE = "page.html.jinja"


def page(found: Findings) -> str:
    """Return the page.

    Parameters
    ----------
    found : Findings

    Returns
    -------
    str
        HTML in UTF-8 that needs nothing else; light or dark as the reader's device, and printable.
    """
    from markupsafe import Markup

    environment = templates("pyfsel.selectors")
    environment.filters |= {"number": number_text, "percent": percent}
    style = files("pyfsel.selectors.report").joinpath("style.css").read_text(encoding="utf-8")
    result = found.result
    shown = {
        "title": f"{_several(len(result.sets), 'feature set')} for {found.target or found.title}",
        "sought": _what_was_sought(result),
        "tiles": _tiles(found),
        "sets": _sets(found),
        "relatives": _relatives(found),
        "trade_off": _trade_off(found),
        "near": _near(found.near),
        "held_out": _held_out(found.evaluation),
        "how_many": _how_many(found.choice),
        "stability": _stability(found.evaluation),
        "rules": side_constraint_texts(result.problem),
        "proof": _proof(result),
        "objective_title": OBJECTIVES[result.problem.objective].title,
    }
    return environment.get_template(TEMPLATE).render(
        shown,
        found=found,
        result=result,
        problem=result.problem,
        evaluation=found.evaluation,
        style=Markup(style),
        version=version("pyfsel"),
    )


def _several(number: int, noun: str) -> str:
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
    count = words[number] if number < len(words) else str(number)
    return f"{count} {noun}{'' if number == 1 else 's'}"


def _what_was_sought(result: Result) -> str:
    if result.search == "sequential":
        return "The first is the best set; each further one the best that differs enough from those before."
    best = "sum" if result.problem.aggregate == "sum" else "worst set"
    return f"All were chosen together, so that their {best} is as good as possible."


def _tiles(found: Findings) -> list[tuple[str, str, str]]:
    result = found.result
    tiles = []
    if not result.sets:
        tiles.append(("warn", "None", "no sets were found"))
    elif result.claim.scope is Scope.NONE:
        tiles.append(("warn", "Not proved", "better sets may exist"))
    else:
        what = "each set, given the earlier ones" if result.claim.scope is Scope.EACH else "all sets together"
        one = result.problem.n_sets == 1
        tiles.append(("good", "Proved", f"{'the set' if one else what}, for these numbers and rules"))
    relative = [share for share in result.relative_qualities[1:] if not isnan(share)]
    if relative:
        tiles.append(
            (
                "",
                f"{100 * min(relative):.0f} %",
                "of the first set’s quality is what the weakest alternative keeps",
            )
        )
    if result.sets:
        used = len({j for members in result.sets for j in members})
        tiles.append(("", str(used), f"different features in {number_of(len(result.sets), 'set')}"))
    if found.evaluation is not None:
        rows = {row["set"]: row for row in found.evaluation.summary}
        best = max((row["score"] for name, row in rows.items() if name != ALL_FEATURES), default=None)
        if best is not None:
            name = found.evaluation.scoring.replace("_", " ")
            tiles.append(
                ("", f"{best:.3f}", f"best held-out {name}; all features: {rows[ALL_FEATURES]['score']:.3f}")
            )
    else:
        groups = copy_groups_of(found.relatives)
        copies = sum(len(group.members) for group in groups)
        tiles.append(("warn" if copies else "", str(copies), "of them are copies of each other"))
    return tiles


def _sets(found: Findings) -> dict[str, Any] | None:
    result, problem = found.result, found.result.problem
    if not result.sets:
        return None
    alone = problem.quality_floats * problem.unit_factor
    strength = np.abs(alone) if objective_of(problem).is_signed else np.maximum(alone, 0)
    union = sorted({j for s in result.sets for j in s}, key=lambda j: (-strength[j], -alone[j], j))
    most = max((strength[j] for j in union), default=0) or 1.0
    texts = aligned([float(alone[j]) for j in union], 3)
    letters = {name: group.letter for group in copy_groups_of(found.relatives) for name, _ in group.members}
    by_chance = set() if problem.evidence is None else set(problem.evidence.not_above_chance(union).tolist())
    rows = [
        {
            "name": problem.feature_names[j],
            "letter": letters.get(problem.feature_names[j]),
            "copies": problem.copies_of(j)[:3],
            "is_forced": j in problem.forced,
            "is_by_chance": j in by_chance,
            "is_shared": sum(j in members for members in result.sets) > 1,
            "held": [j in members for members in result.sets],
            "share": 100 * strength[j] / most,
            "text": text,
        }
        for j, text in zip(union, texts, strict=True)
    ]
    return {
        "rows": rows,
        "feet": _set_feet(result),
        "unit": unit_word(problem) or "quality",
        "meaning": unit_text(problem) if problem.quality_unit else f"{problem.objective} quality",
    }


def _set_feet(result: Result) -> list[tuple[str, list[str]]]:
    problem = result.problem
    rows = [("quality", aligned(result.qualities, 3))]
    if shows_raw(problem):
        rows.append((f"in {unit_word(problem)}", aligned(result.raw_qualities, 3)))
    if result.sampling is not None:
        rows.append(("±", [f"{problem.unit_factor * margin:.2g}" for margin in result.sampling.margins]))
    relative = ["–" if isnan(r) else f"{100 * r:.1f} %" for r in result.relative_qualities]
    rows.append(("relative to set 0", relative))
    if result.costs is not None:
        rows.append(("cost", [f"{cost:.10g}" for cost in result.costs]))
    return rows


def _relatives(found: Findings) -> dict[str, Any]:
    result = found.result
    pairs = [pair for pair in found.relatives if not pair.is_copy]
    more = len(pairs) - MOST_RELATIVES
    told = copies_text(result.problem, result.sets, result.near_copies)
    return {
        "groups": copy_groups_of(found.relatives),
        "pairs": pairs[:MOST_RELATIVES],
        "more": number_of(more, "more pair") if more > 0 else "",
        "copies": told.partition(". copies=")[0],
    }


def _trade_off(found: Findings) -> dict[str, Any] | None:
    every = found.trade_off.cells if found.trade_off else []
    cells = [cell for cell in every if cell.is_complete and isfinite(cell.relative_quality)]
    if len(cells) < 2:
        return None
    chosen = found.result.problem.max_overlap
    dots = [
        Dot(
            float(cell.taus[0]),
            cell.relative_quality,
            f"asked for: {cell.relative_quality:.0%}",
            cell.max_overlap == chosen,
        )
        for cell in cells
    ]
    smallest = "worst" if found.result.problem.aggregate == "min" else "average"
    figure = line_of_dots(
        dots,
        "how different any two sets must be (1: nothing shared)",
        f"{smallest} quality, relative to the best single set",
        "Quality against dissimilarity",
    )
    return {"figure": figure, "has_gaps": not all(cell.is_complete for cell in every)}


def _near(near: Atlas | None) -> dict[str, Any] | None:
    if near is None or near.proved is not Status.OPTIMAL:
        return None
    shares = zip(near.problem.feature_names, near.feature_shares, strict=near.is_complete)
    often = sorted((row for row in shares if row[1]), key=lambda row: -row[1])
    return {"loss": percent(DEFAULT_LOSS), "rows": often[:MOST_STABLE], "n_more": len(often) - MOST_STABLE}


def _held_out(evaluation: HeldOut | None) -> dict[str, Any] | None:
    if evaluation is None:
        return None
    told = [row for row in evaluation.summary if row["model"] == evaluation.models[0]]
    rows = [
        _interval(evaluation, _named(row["set"]), row["set"], row, not row["set"].isdecimal()) for row in told
    ]
    name = evaluation.scoring.replace("_", " ")
    figure = intervals(rows, f"{name} on rows that were not seen", "Held-out scores with intervals")
    compared = [data["compared"] or "the others are compared with it" for data in told]
    level, below = evaluation.no_better_than_chance() or (0.0, [])
    chance = f"Not shown to predict better than chance ({level:.3g}): {', '.join(below)}." if below else ""
    return {"name": name, "figure": figure, "rows": list(zip(rows, compared, strict=True)), "chance": chance}


def _how_many(choice: Sizes | None) -> dict[str, Any] | None:
    if choice is None:
        return None
    rows = []
    for k in choice.frame.index.tolist():
        row: dict[str, Any] = choice.frame.loc[k].to_dict()
        label, is_muted = number_of(k, "feature"), k != choice.recommended
        rows.append(_interval(choice.found, label, f"k={k} 0", row, is_muted))
    name = choice.found.scoring.replace("_", " ")
    figure = intervals(rows, f"{name} on rows that were not seen", "Held-out scores by number of features")
    return {"name": name, "figure": figure, "rows": [(row, "") for row in rows]}


def _named(name: str) -> str:
    return {ALL_FEATURES: "all features", VOTE: "all sets vote"}.get(
        name, f"set {name}" if name.isdecimal() else name
    )


def _interval(evaluation: HeldOut, label: str, name: str, row: dict[str, Any], is_muted: bool) -> Interval:
    low, high = row["score_low"], row["score_high"]
    text = range_text(low, high, evaluation.scoring)
    return Interval(label, row["score"], low, high, text, evaluation.scores_of(name), is_muted)


def _stability(evaluation: HeldOut | None) -> dict[str, Any] | None:
    if evaluation is None:
        return None
    names = [name for name in evaluation.set_names if name.isdecimal()]
    selections = [evaluation.selections_of(name) for name in names]
    shares = {
        j: [sum(j in members for members in found) / len(found) for found in selections]
        for j in range(len(evaluation.names))
    }
    often = sorted((j for j in shares if any(shares[j])), key=lambda j: (-max(shares[j]), j))
    stable = {row["set"]: row["stability"] for row in evaluation.summary}
    return {
        "names": names,
        "rows": [(evaluation.names[j], shares[j]) for j in often[:MOST_STABLE]],
        "n_more": len(often) - MOST_STABLE,
        "indices": [None if isnan(stable[name]) else stable[name] for name in names],
    }


def _proof(result: Result) -> list[tuple[str, str]]:
    """Return statements, each with words that stand out before it."""
    problem = result.problem
    is_settled = result.claim.scope is not Scope.NONE
    items = [(f"{result.status}.", str(result.claim))]
    if problem.copies and is_settled:
        more = ", which loses nothing here" if loses_nothing(problem) else ""
        items.append(("", f"It is proved among one representative of each group of copies{more}."))
    elif is_settled:
        items.append(("", "It is proved among all columns as they are: copies count as different features."))
    if result.certificate is not None:
        items.append(("", f"What others can check without pyfsel: {result.certificate}."))
    if result.confirmation is not None:
        items.append(("", f"A second, independent proof: {result.confirmation}."))
    for name, text in sampling_facts(problem, result.sets, result.sampling):
        items.append(("", f"{name.capitalize()}: {text}."))
    checked = "Every set was checked again by a program that knows nothing of how it was found"
    items.append(("", f"{checked}, and its quality computed anew."))
    about = "All this is about the numbers in this table. They are estimates from a sample: what is best here"
    meant = "need not be the cause of anything, and held-out scores tell how well the sets predict."
    items.append(("", f"{about} {meant}"))
    return items
