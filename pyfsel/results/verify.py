"""The independent check of a solution; it knows the problem and the objective, and no solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from numbers import Integral
from typing import TypeGuard

import numpy as np

from pyfsel.errors import FalseClaimError
from pyfsel.problem import values
from pyfsel.problem.checks import number_of
from pyfsel.problem.dissimilarity import shared_limit
from pyfsel.problem.instance import Instance


def violations(problem: Instance, sets: Sequence[Iterable[int]]) -> list[str]:
    """Return what is wrong with a solution, one sentence each; an empty list means that it is feasible.

    Parameters
    ----------
    problem : Instance
    sets : sequence of iterables of int
        The feature sets, 0-based.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2, 1], n_sets=2, k=2, max_shared=1)
    >>> violations(problem, [(0, 1), (0, 1)])
    ['sets 0 and 1 share 2 features (x0, x1), at most 1 is allowed']
    """
    try:
        listed = [list(members) for members in sets]
    except TypeError:
        return [f"{sets!r} is not a sequence of feature sets"]
    found = []
    if len(listed) != problem.n_sets:
        found.append(f"{number_of(len(listed), 'set')} given, the problem asks for {problem.n_sets}")
    for number, members in enumerate(listed):
        found += _violations_of_one(problem, number, members)
    named = [
        (f"set {i}", {int(j) for j in members if _is_feature(problem, j)}) for i, members in enumerate(listed)
    ]
    if problem.max_shared == problem.k and problem.shared_weight is None:
        return found
    for (i, first), (j, second) in combinations(enumerate(s for _, s in named), 2):
        near = set(problem.with_relatives(first)) if len(problem.relatives) else first
        found += _overlap(problem, f"sets {i} and {j}", first, second, near)
    for number, previous in enumerate(problem.previous):
        for name, inside in named:
            found += _overlap(
                problem, f"{name} and previous set {number}", set(previous), inside, set(previous)
            )
    return found


def require_true(who: str, evidence: Sequence[str]) -> None:
    """Raise `FalseClaimError` if there is evidence against what somebody claims."""
    if evidence:
        raise FalseClaimError(f"{who}: {'; '.join(evidence)}")


def _is_feature(problem: Instance, member: object) -> TypeGuard[int]:
    if not isinstance(member, Integral) or isinstance(member, bool):
        return False
    return 0 <= int(member) < problem.n_features


def _violations_of_one(problem: Instance, number: int, members: list[int]) -> list[str]:
    found = []
    valid = [int(j) for j in members if _is_feature(problem, j)]
    inside = set(valid)
    if len(valid) < len(members):
        wrong = [j for j in members if not _is_feature(problem, j)]
        found.append(f"set {number} holds {wrong}, features are numbered 0 to {problem.n_features - 1}")
    if len(inside) < len(valid):
        found.append(f"set {number} holds a feature twice: {_called(problem, valid)}")
    if len(members) not in problem.sizes:
        found.append(f"set {number} has {number_of(len(members), 'feature')}, must have {problem.sizes_text}")
    conflicts = problem.conflicts
    found += [
        f"set {number} holds the conflicting features {_called(problem, pair, ' and ')}"
        for pair in conflicts[np.isin(conflicts, valid).all(axis=1)].tolist()
    ]
    found += _side_constraints(problem, number, inside)
    if problem.min_quality is not None and not found:
        found += _least_quality(problem, number, valid, problem.min_quality)
    return found


def _side_constraints(problem: Instance, number: int, inside: set[int]) -> list[str]:
    lacking, excess = set(problem.forced) - inside, set(problem.forbidden) & inside
    found = [f"set {number} lacks the forced feature {_called(problem, [j])}" for j in sorted(lacking)]
    found += [f"set {number} holds the forbidden feature {_called(problem, [j])}" for j in sorted(excess)]
    for i, group in enumerate(problem.groups):
        count, size = len(inside.intersection(group.features)), len(group.features)
        at_most = size if group.at_most is None else group.at_most
        holds = f"set {number} holds {number_of(count, 'feature')} of group {i}"
        if not group.at_least <= count <= at_most:
            found.append(f"{holds}, must hold {group.at_least} to {at_most}")
        if group.all_or_none and 0 < count < size:
            found.append(f"{holds}, must hold all {size} or none")
    if problem.costs is not None and problem.budget is not None:
        cost = sum(int(problem.costs[j]) for j in inside)
        if cost > problem.budget:
            unit = problem.cost_scale
            found.append(f"set {number} costs {cost / unit:.12g}, the budget is {problem.budget / unit:.12g}")
    return found


def _least_quality(problem: Instance, number: int, members: list[int], least: int) -> list[str]:
    value = values.value(problem, tuple(members))
    if value >= least:
        return []
    reached, needed = values.to_float(problem, value), values.to_float(problem, least)
    return [f"set {number} has the value {reached:.12g}, must have at least {needed:.12g}"]


def _overlap(problem: Instance, who: str, first: set[int], second: set[int], near: set[int]) -> list[str]:
    """Return whether the second set has too many features among those near the first, the earlier one."""
    shared, allowed = near & second, shared_limit(problem, len(first), len(second))
    if allowed is None:
        return [f"{who} have {len(first)} and {len(second)} features, too few to be dissimilar enough"]
    if len(shared) <= allowed:
        return []
    related = ", with relatives" if shared - first else ""
    counted = f"{number_of(len(shared), 'feature')} ({_called(problem, shared)}){related}"
    return [f"{who} share {counted}, at most {allowed} {'is' if allowed == 1 else 'are'} allowed"]


def _called(problem: Instance, features: Iterable[int], between: str = ", ") -> str:
    """List features by name."""
    return between.join(problem.feature_names[j] for j in sorted(features))
