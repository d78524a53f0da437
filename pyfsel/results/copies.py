"""Near-duplicates among the features of sets, in words."""

from __future__ import annotations

from collections.abc import Sequence

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import objective_of
from pyfsel.results.display import listed_names


def loses_nothing(problem: Instance) -> bool:
    """Return whether an optimum among representatives is one among all columns (`pyfsel.problem.copies`)."""
    objective = objective_of(problem)
    return objective.is_sum and not objective.has_conflicts and problem.costs is None


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
