"""How a result looks: tables, text, and the display of a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import PAIRS_MEASURED
from pyfsel.results.claims import QUALITY, Terms, aggregate_text, claim_of
from pyfsel.results.copies import copies_text
from pyfsel.results.display import (
    Bar,
    Facts,
    Part,
    SetsTable,
    aligned,
    number_text,
    shows_raw,
    side_constraint_texts,
    unit_text,
    unit_word,
)
from pyfsel.results.sampling import marked_names, sampling_facts
from pyfsel.results.verified import VerifiedSets

MOST_SHOWN_OVERLAPS = 8


def result_parts(result: VerifiedSets, overlap_rule: str = "", best: float | None = None) -> list[Part]:
    """Return what is shown of a result: the sets, and under them what is proved.

    Parameters
    ----------
    result : Result
    overlap_rule : str
        What the limit on shared features comes from, such as "dice dissimilarity ≥ 0.6".
    best : float, optional
        The quality to which those of the sets are related, if that is not the first set's.
    """
    return [*sets_table(result, best), _facts(result, overlap_rule)]


def _spaced(result: VerifiedSets, numbers: Iterable[int]) -> str:
    width = len(str(result.problem.max_overlap))
    return " ".join(f"{number:{width}}" for number in numbers)


def _heads(result: VerifiedSets, best: float | None) -> list[str]:
    cost = [] if result.problem.costs is None else ["cost"]
    raw = [unit_word(result.problem)] if shows_raw(result.problem) else []
    margin = [] if result.sampling is None else ["±"]
    relative = "relative" if best is None else "of the\nbest set"
    return ["set", "quality", *raw, *margin, relative, *cost, _shared_head(result)]


def _relative(result: VerifiedSets, best: float | None) -> list[float]:
    if best is None:
        return result.relative_qualities
    return [quality / best if best > 0 else math.nan for quality in result.qualities]


def _shared_head(result: VerifiedSets) -> str:
    if _shows_each_overlap(result):
        return f"shared\nwith {_spaced(result, range(len(result.sets) - 1))}"
    return "most\nshared"


def _shows_each_overlap(result: VerifiedSets) -> bool:
    return 1 < len(result.sets) <= MOST_SHOWN_OVERLAPS and not result.problem.previous_sets


def _rows(result: VerifiedSets, best: float | None) -> Iterator[tuple[Any, ...]]:
    """Yield the cells of each set: texts, and last the names of its features."""
    qualities, relative = aligned(result.qualities), _relative(result, best)
    costs = [[f"{cost:.10g}"] for cost in result.costs or ()] or [[] for _ in result.sets]
    largest_overlaps = result.largest_overlaps
    factor = result.problem.unit_factor
    raw = aligned([factor * q for q in result.qualities], 4) if shows_raw(result.problem) else []
    margins = [] if result.sampling is None else [f"{factor * m:.2g}" for m in result.sampling.margins]
    for number, members in enumerate(result.sets):
        if _shows_each_overlap(result):
            overlaps = [len({*members} & {*earlier}) for earlier in result.sets[:number]]
            shared = f"     {_spaced(result, overlaps)}"
        else:
            shared = str(largest_overlaps[number])
        share = relative[number]
        percent = Bar("–" if math.isnan(share) else f"{100 * share:.1f} %", share)
        own = (qualities[number], *raw[number : number + 1], *margins[number : number + 1])
        yield str(number), *own, percent, *costs[number], shared, marked_names(result.problem, members)


def sets_table(result: VerifiedSets, best: float | None = None) -> list[SetsTable]:
    """Return the table of the sets, a row each, if there are some.

    With `best` they are related to the quality of the best set.
    """
    table = SetsTable(_heads(result, best), left=(_shared_head(result),))
    seen: set[str] = set()
    for number, *cells, names in _rows(result, best):
        new = [number != "0" and name not in seen for name in names]
        table.add_row([number, *cells], names, new)
        seen |= set(names)
    return [table] if result.sets else []


def _facts(result: VerifiedSets, overlap_rule: str) -> Facts:
    facts = [("status", status_text(result)), *proof_facts(result)]
    if result.objective is not None and not result.is_stepwise:
        facts.append(("objective", f"{number_text(result.objective)}, the {_aggregate(result)}"))
    claims = {f"model {number}": step.model_claim for number, step in enumerate(result.steps)}
    claims["model"] = result.model_claim
    facts += [(name, str(claim)) for name, claim in claims.items() if claim is not None]
    if result.sets and result.problem.quality_unit:
        facts.append(("quality", unit_text(result.problem)))
    facts += sampling_facts(result.problem, result.sets, result.sampling)
    return facts + question_facts(result, overlap_rule)


def status_text(result: VerifiedSets, terms: Terms = QUALITY) -> str:
    """Return the status and what is proved."""
    return f"{result.status}  {claim_of(result, terms)}"


def proof_facts(result: VerifiedSets) -> Facts:
    """Return which backends proved and confirmed the claims, and what is certified, if asked for."""
    facts = [] if result.certificate is None else [("certificate", str(result.certificate))]
    if result.confirmation is not None:
        what = "steps " if result.steps else ""
        proved = f"{what}proved by {result.proved_by or result.backend}, {result.confirmation}"
        facts.insert(0, ("proof", proved))
    return facts


def question_facts(result: VerifiedSets, overlap_rule: str) -> Facts:
    """Return what was asked, and how the sets were searched for."""
    problem, facts = result.problem, []
    rule = f" ({overlap_rule})" if overlap_rule else ""
    sizes = f"of {problem.sizes_text} out of {problem.n_features} features"
    smaller = "" if problem.overlap_factor is None else ", fewer if they are smaller"
    alone = problem.n_sets == 1 and not problem.previous_sets
    who = "any two share" if problem.n_sets > 1 else f"shares with {_known_sets(problem)}"
    limit = f"{who} at most {problem.max_overlap}{smaller}{rule}"
    number = number_of(problem.n_sets, "set")
    facts.append(("asked", f"{number} {sizes}" if alone else f"{number} {sizes}, {limit}"))
    conditions = side_constraint_texts(problem)
    if conditions:
        facts.append(("each set", "; ".join(conditions)))
    facts.append(("search", f"{result.search} by {result.backend}, {result.runtime:.2f} s{_prover(result)}"))
    measured = result.statistics.get(PAIRS_MEASURED)
    if measured is not None:
        facts.append(
            ("measured", f"{measured:,} redundancies; there are {math.comb(problem.n_features, 2):,} pairs")
        )
    copies = copies_text(problem, result.sets, result.near_copies)
    if copies:
        facts.append(("copies", copies))
    if result.message:
        facts.append(("note", result.message))
    return facts


def _prover(result: VerifiedSets) -> str:
    return "" if result.proved_by in (None, result.backend) else f"; proved by {result.proved_by}"


def _known_sets(problem: Instance) -> str:
    known = len(problem.previous_sets)
    return "the known set" if known == 1 else f"each of {known} known sets"


def _aggregate(result: VerifiedSets) -> str:
    name = result.problem.criterion or result.problem.objective
    if len(result.sets) == 1:
        return f"{name} quality of the set{_priced(result)}"
    return f"{aggregate_text(result.problem)} of the {name} qualities{_priced(result)}"


def _priced(result: VerifiedSets) -> str:
    """Return what the overlap of the sets takes from the objective, in words."""
    shared = values.n_priced(result.problem, result.sets)
    price = number_text(result.problem.overlap_cost / result.problem.scale)
    return f", minus {price} for each of {number_of(shared, 'shared feature')}" if shared else ""
