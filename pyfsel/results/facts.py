"""What only the curious need to know of a result: what was requested, and how it was searched for."""

from __future__ import annotations

import math

from pyfsel.problem.instance import Instance
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import PAIRS_MEASURED
from pyfsel.results.display import Facts, side_constraint_texts
from pyfsel.results.result import Result
from pyfsel.results.sampling import selection_text


def question_facts(result: Result) -> Facts:
    """Return what was asked, and how the sets were searched for."""
    problem, facts = result.problem, []
    sizes = f"of {problem.sizes_text} out of {problem.n_features} features"
    smaller = "" if problem.shared_weight is None else ", fewer if they are smaller"
    alone = problem.n_sets == 1 and not problem.previous
    who = "any two share" if problem.n_sets > 1 else f"shares with {_known_sets(problem)}"
    limit = f"{who} at most {problem.max_shared}{smaller}"
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
    steps = {f"model {number}": step.model_claim for number, step in enumerate(result.steps)}
    claims = {**steps, "model": result.model_claim, "again": result.confirmation}
    facts += [(name, str(claim)) for name, claim in claims.items() if claim is not None]
    facts += selection_text(problem, result.sampling)
    if result.message:
        facts.append(("note", result.message))
    return facts


def _prover(result: Result) -> str:
    return "" if result.proved_by in (None, result.backend) else f"; proved by {result.proved_by}"


def _known_sets(problem: Instance) -> str:
    known = len(problem.previous)
    return "the known set" if known == 1 else f"each of {known} known sets"
