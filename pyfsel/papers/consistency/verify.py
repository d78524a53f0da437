"""The independent check: groups of equal rows by a dictionary, nothing shared with the search."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pyfsel.problem.side_constraints import checked_features
from pyfsel.problem.wording import number_of

if TYPE_CHECKING:
    from pyfsel.papers.consistency.problem import ConsistencyProblem


def inconsistency_rate(problem: ConsistencyProblem, features: Iterable[int]) -> float:
    """Return the inconsistency rate of a feature set (paper 001, Eq. 2).

    Examples
    --------
    >>> from pyfsel.papers.consistency import consistency_problem
    >>> inconsistency_rate(consistency_problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]), [1])
    0.25
    """
    chosen = checked_features("features", features, problem.n_features)
    groups: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for pattern, counts in zip(problem.patterns.tolist(), problem.counts.tolist(), strict=True):
        groups[tuple(pattern[j] for j in chosen)].update(dict(enumerate(counts)))
    inconsistent = sum(group.total() - max(group.values()) for group in groups.values())
    return inconsistent / problem.n_rows


def consistency_violations(problem: ConsistencyProblem, features: Sequence[int]) -> list[str]:
    """Return what is wrong with a feature set, one sentence each; an empty list means that it is feasible."""
    found = []
    chosen = set(features)
    if len(chosen) < len(features) or not chosen <= set(range(problem.n_features)):
        return [f"{list(features)} must be different features from 0 to {problem.n_features - 1}"]
    inconsistent = round(inconsistency_rate(problem, features) * problem.n_rows)
    if inconsistent > problem.max_inconsistent:
        found.append(f"{inconsistent} rows are inconsistent, at most {problem.max_inconsistent} are allowed")
    for previous in problem.previous_sets:
        shared, sizes = len(chosen & set(previous)), len(chosen) + len(previous)
        if shared == len(previous):
            found.append(f"it contains the previous set {list(previous)}")
        if problem.overlap_factor * shared > problem.size_factor * sizes:
            too_many = number_of(shared, "feature")
            found.append(f"it shares {too_many} with the previous set {list(previous)}: too many")
    return found
