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
    """Return the groups of near-duplicates as text: the features in the sets, then their near-duplicates."""
    if not near_copies:
        return []
    import networkx as nx

    inside, found = {j for members in sets for j in members}, []
    for group in nx.connected_components(nx.Graph(near_copies)):
        members = sorted(group)
        shown = problem.names_of(tuple(j for j in members if j in inside))
        others = problem.names_of(tuple(j for j in members if j not in inside))
        like = f" (like {listed_names(others)})" if others else ""
        found.append((-len(shown), f"{' ≈ '.join(shown)}{like}"))
    return [text for _, text in sorted(found, key=lambda entry: entry[0])]
