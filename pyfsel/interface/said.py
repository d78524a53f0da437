"""Statements in addition to the proof: headline, cautions, sampling error, details."""

import math
from collections.abc import Iterator

from pyfsel.interface.problem import Problem
from pyfsel.interface.scores import Pairs
from pyfsel.problem.checks import number_of
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import PAIRS_MEASURED, Status, StopReason
from pyfsel.results.claims import loses_nothing
from pyfsel.results.display import Facts, listed_names, side_constraint_texts
from pyfsel.results.result import Result
from pyfsel.results.sampling import selection_text

MOST_GROUPS = 3
GOALS = {"sum": " with the largest total quality", "min": " with the largest minimum quality"}


def headline_of(result: Result, problem: Problem) -> str:
    """Return what was found, in one sentence."""
    instance, found = result.problem, len(result.sets)
    if not found:
        return nothing_found(problem, result.status)
    count = number_of(found, "feature set")
    if found < instance.n_sets:
        count = f"{found} of {instance.n_sets} feature sets"
    goal = GOALS.get(problem.search, "") if found > 1 else ""
    if result.status is not Status.OPTIMAL:
        goal = goal.replace("the largest", "a large")
    if not goal and _all_tie(result):
        count = count.replace("feature", "equally good feature")
    return f"{count} of {instance.sizes_text}{goal}{problem.origin}"


def nothing_found(problem: Problem, status: Status, that: str = "") -> str:
    """Return that no sets exist, or only that none were found; `that` is what they would do."""
    instance = problem.instance
    number = f"{instance.n_sets} " if instance.n_sets > 1 else ""
    known = "exist" if status is Status.INFEASIBLE else "were found"
    return f"No {number}feature sets of {instance.sizes_text}{that} {known}{problem.origin}"


def _all_tie(result: Result) -> bool:
    return len(result.sets) > 1 and len(set(result.qualities)) == 1


def all_cautions(
    problem: Problem,
    result: Result | None,
    *cautions: str,
    named: set[int] | None = None,
    compared: bool = False,
) -> tuple[str, ...]:
    """Return what to know before the sets of an answer are used, the most important first.

    Parameters
    ----------
    problem : Problem
        If it is of a table, what misleads there comes first.
    result : Result or None
        The sets.
    *cautions : str
        Of this answer.
    named : set of int, optional
        The features that the answer names, if others than its sets have.
    compared : bool
        Whether to say which sets say the same as set 0.
    """
    misleading, near, alike = list[str](), Pairs(), list[str]()
    sets = () if result is None else result.sets
    inside = {j for members in sets for j in members} if named is None else named
    if problem.scores is not None:
        misleading, near, alike = problem.scores.cautions(problem.instance, sets, inside, compared=compared)
    own = cautions_of(problem.instance if result is None else result.problem, inside, near)
    tied = ["These sets tie, so their order is arbitrary"] if result is not None and _all_tie(result) else []
    return tuple(dict.fromkeys((*misleading, *cautions, *own, *tied, *alike)))


def cautions_of(instance: Instance, inside: set[int], near: Pairs) -> Iterator[str]:
    """Yield what to know of features before they are used; `near` are pairs of near-duplicates."""
    if groups := _near_groups(instance, inside, near) if near else []:
        alike = {j for pair in near for j in pair} & inside
        more = "" if len(groups) <= MOST_GROUPS else f" and {len(groups) - MOST_GROUPS} more groups"
        yield (
            f"{len(alike)} of these {len(inside)} features are near-duplicates: "
            f'{"; ".join(groups[:MOST_GROUPS])}{more}. To count each group once: near_duplicates="merge"'
        )
    if instance.copies:
        merged = [(j, instance.copies_of(j)) for j in sorted(inside)]
        named = [f"{instance.feature_names[j]} for {listed_names(others)}" for j, others in merged if others]
        more = " and others" if len(named) > MOST_GROUPS else ""
        stand = f": {'; '.join(named[:MOST_GROUPS])}{more}" if named else ""
        best = ", the best of them" if loses_nothing(instance) else ""
        yield f'Near-duplicates count as one feature{best}{stand}. To count each: near_duplicates="note"'
    if instance.evidence is not None:
        weak = len(instance.evidence.not_above_chance(inside))
        if weak:
            yield (
                f"{weak} of these features (marked *) {'is' if weak == 1 else 'are'} not significant "
                "(permutation test, family-wise error 5%)"
            )
        out = {*instance.evidence.not_above_chance().tolist()} & {*instance.forbidden}
        if instance.evidence.are_left_out and out:
            yield (
                f"Not significant and left out: {len(out)} of the {instance.n_features} features. "
                'To allow them: chance="mark"'
            )


def _near_groups(instance: Instance, inside: set[int], near: Pairs) -> list[str]:
    """Return the groups of near-duplicates as text: the features in the sets, then their near-duplicates."""
    import networkx as nx

    found = []
    for group in nx.connected_components(nx.Graph(near)):
        members, others = (
            instance.names_of(tuple(sorted(some))) for some in (group & inside, group - inside)
        )
        like = f" (like {listed_names(others)})" if others else ""
        found.append((-len(members), f"{' ≈ '.join(members)}{like}"))
    return [text for _, text in sorted(found, key=lambda entry: entry[0])]


def in_full(instance: Instance, claim: str) -> str:
    """Return a claim, with the words that near-duplicates were merged, if they were."""
    if not instance.copies:
        return claim
    if loses_nothing(instance):
        return f"{claim} Near-duplicates count as one."
    return f"{claim} Of each group of near-duplicates only one was considered."


def sampling_error(result: Result, problem: Problem) -> str:
    """Return the sampling error of set 0 in words; "" if nobody knows."""
    sampling = result.sampling
    if sampling is None or not sampling.margins:
        return ""
    unit = f" {problem.unit} (" if problem.unit else f" ({problem.instance.objective}, "
    error, rivals = f"{sampling.margins[0]:#.2g}".rstrip("."), sampling.rivals  # two digits, as in 0.060
    text = f"Set 0 has {result.qualities[0]:.3g} ± {error}{unit}95% interval)"
    if rivals is None:
        return text
    if rivals == 0:
        return f"{text}; every other set of its size is significantly worse"
    least = "" if sampling.all_compared else "at least "
    others = "other set of its size is" if rivals == 1 else "other sets of its size are"
    return f"{text}; {least}{rivals:,} {others} not significantly different"


def question_facts(result: Result) -> Facts:
    """Return what was requested, and how the sets were searched for."""
    problem, known = result.problem, len(result.problem.previous)
    asked = f"{number_of(problem.n_sets, 'set')} of {problem.sizes_text} out of {problem.n_features} features"
    who = "shares with the known set" if known == 1 else f"shares with each of {known} known sets"
    if problem.n_sets > 1 or known:
        smaller = "" if problem.shared_weight is None else ", fewer if they are smaller"
        who = "any two share" if problem.n_sets > 1 else who
        asked += f", {who} at most {problem.max_shared}{smaller}"
    prover = "" if result.proved_by in (None, result.backend) else f"; proved by {result.proved_by}"
    measured = result.statistics.get(PAIRS_MEASURED)
    if measured is not None:
        measured = f"{measured:,} redundancies; there are {math.comb(problem.n_features, 2):,} pairs"
    facts = {
        "asked": asked,
        "each set": "; ".join(side_constraint_texts(problem)),
        "search": f"{result.search} by {result.backend}, {result.runtime:.2f} s{prover}",
        "measured": measured,
        **{f"model {number}": step.model_claim for number, step in enumerate(result.steps)},
        "model": result.model_claim,
        "again": result.confirmation,
    }
    said = [(name, str(text)) for name, text in facts.items() if text]
    is_apart = result.message and result.stop_reason is not StopReason.ERROR  # else it is a caution
    note = [("note", result.message)] if is_apart else []
    return [*said, *selection_text(result.sampling), *note]
