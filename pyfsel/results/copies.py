"""Notes on copies: which columns of an answer are nearly equal, which were merged, what its proofs cover."""

from __future__ import annotations

from collections.abc import Sequence

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import objective_of
from pyfsel.problem.wording import number_of
from pyfsel.results.display import listed_names

MOST_GROUPS = 5


def copies_text(problem: Instance, sets: Sequence[FeatureSet], near_copies: Sequence[tuple[int, int]]) -> str:
    """Return a note on the copies in some sets and on what their proofs cover; "" if there are none.

    Parameters
    ----------
    problem : Instance
    sets : sequence of feature sets
    near_copies : sequence of pairs of int
        As in `pyfsel.results.result.Result`.

    Examples
    --------
    >>> problem = Instance([3, 2], n_sets=1, k=1, max_shared=1, feature_names=["a", "b"])
    >>> copies_text(problem, [(0,)], [(0, 1)]).partition(":")[0]
    'a (like b)'
    """
    if problem.copies:
        return _merged(problem, sets)
    if not near_copies:
        return ""
    return (
        f"{_some(near_groups(problem, sets, near_copies))}: nearly equal columns that count as different "
        "features; proved among all of them. near_duplicates='merge' counts each group as one"
    )


def _merged(problem: Instance, sets: Sequence[FeatureSet]) -> str:
    inside = sorted({j for members in sets for j in members if problem.copies_of(j)})
    named = [" or ".join([problem.feature_names[j], *problem.copies_of(j)]) for j in inside]
    number = len(problem.copies)
    stand = f"{number_of(number, 'column')} {'stands' if number == 1 else 'stand'}"
    nothing = ", which loses nothing here" if loses_nothing(problem) else ""
    return (
        f"{_some(named)}{'; ' if named else ''}{stand} behind others, a group of copies counts as one "
        f"feature; proved among one representative of each group{nothing}"
    )


def loses_nothing(problem: Instance) -> bool:
    """Return whether an optimum among representatives is one among all columns (`pyfsel.problem.copies`)."""
    objective = objective_of(problem)
    return objective.is_sum and not objective.has_conflicts and problem.costs is None


def _some(texts: list[str]) -> str:
    more = len(texts) - MOST_GROUPS
    return "; ".join(texts[:MOST_GROUPS]) + (f"; and {more} more groups" if more > 0 else "")


def near_groups(
    problem: Instance, sets: Sequence[FeatureSet], near_copies: Sequence[tuple[int, int]]
) -> list[str]:
    """Return the groups of near copies as text: the columns in the sets, then those like them."""
    inside = {j for members in sets for j in members}
    found = []
    for members in _connected(near_copies):
        shown = problem.names_of(tuple(j for j in members if j in inside))
        others = problem.names_of(tuple(j for j in members if j not in inside))
        like = f" (like {listed_names(others)})" if others else ""
        found.append((-len(shown), f"{' ≈ '.join(shown)}{like}"))
    return [text for _, text in sorted(found, key=lambda entry: entry[0])]


def _connected(pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the connected components of a graph with these edges, each sorted."""
    group_of: dict[int, set[int]] = {}
    for pair in pairs:
        group = set().union(*(group_of.get(j, {j}) for j in pair))
        group_of |= dict.fromkeys(group, group)
    return list({min(group): sorted(group) for group in group_of.values()}.values())
