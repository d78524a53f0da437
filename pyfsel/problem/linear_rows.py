"""Side constraints as linear rows over the features, and what sets cost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from pyfsel.problem.fields import Group
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import least_value
from pyfsel.problem.values import objective_of


class Row(NamedTuple):
    """``low ≤ Σ coefficients[i] · selected[features[i]] ≤ high`` for every set; None means no limit."""

    name: str
    features: tuple[int, ...]
    coefficients: tuple[int, ...]
    low: int | None
    high: int | None


def side_rows(problem: Instance) -> Iterator[Row]:
    """Yield the linear constraints that forced and forbidden features, groups and the budget are.

    The minimum quality is not among them: it limits the objective's own value.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance(quality=[3, 2, 1], n_sets=1, k=2, max_shared=2, forbidden=[0])
    >>> next(side_rows(problem))
    Row(name='forbidden', features=(0,), coefficients=(1,), low=0, high=0)
    """
    for j in problem.forced:
        yield Row("forced", (j,), (1,), 1, 1)
    for j in problem.forbidden:
        yield Row("forbidden", (j,), (1,), 0, 0)
    for number, group in enumerate(problem.groups):
        yield from _group_rows(f"groups[{number}]", group)
    if problem.costs is not None and problem.budget is not None:
        costs = tuple(problem.costs.tolist())
        yield Row("budget", tuple(range(len(costs))), costs, None, problem.budget)


def _group_rows(name: str, group: Group) -> Iterator[Row]:
    members, size = group.features, len(group.features)
    low = group.at_least or None
    high = None if group.at_most == size else group.at_most
    if low is not None or high is not None:
        yield Row(name, members, (1,) * size, low, high)
    if group.all_or_none:
        for one, other in pairwise(members):
            yield Row(name, (one, other), (1, -1), 0, 0)


def mentioned_features(problem: Instance) -> set[int]:
    """Return the features that a constraint on features or groups distinguishes from others."""
    return {*problem.forced, *problem.forbidden, *(j for group in problem.groups for j in group.features)}


def resized(problem: Instance, k: int, quality: Any = None, **changes: Any) -> Instance:
    """Return the problem for another (largest) number of features per set.

    The integer of the minimum quality is another one where the values of sets grow with their size, as in
    mRMR. Without the number that was given it is converted from the old one, and excludes no set that reaches
    that number; sets that are less than one unit of the old size below it remain.

    Parameters
    ----------
    problem : Instance
    k : int
    quality : float, optional
        The minimum quality as it was given, on the scale of the user's numbers.
    **changes
        Other fields.

    Raises
    ------
    InputError
        If the other side constraints do not allow this size.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> apart = {"n_sets": 1, "max_shared": 1, "objective": "mrmr", "pairs": [[0, 1], [1, 0]]}
    >>> problem = Instance([1, 1], k=1, min_quality=1, **apart)
    >>> resized(problem, 2).min_quality, resized(problem, 2, quality=1.0).min_quality
    (1, 2)
    """
    least, factor = problem.min_quality, objective_of(problem).factor
    if least is not None:
        least = (least - 1) * factor(k) // factor(problem.k) + 1
    if not problem.has_size_range:
        changes.setdefault("k_min", None)
    sized = problem.replace(k=k, min_quality=least, **changes)
    return sized if quality is None else sized.replace(min_quality=least_value(sized, quality))


def largest_cost(problem: Instance) -> int:
    """Return an upper bound on what is spent on a set, or exceeds the budget by one; 0 without a budget."""
    if problem.costs is None or problem.budget is None:
        return 0
    return int(np.abs(problem.costs).sum()) + 1


def largest_quality_row(problem: Instance) -> int:
    """Return an upper bound on the sum of the row of the minimum quality, 0 without one."""
    if problem.min_quality is None:
        return 0
    objective = objective_of(problem)
    # A fraction is a relevance that is divided by at least 1.
    per_feature, per_pair = (1, 0) if objective.is_fraction else objective.weights(problem.k)
    most = per_feature * int(np.abs(problem.quality).sum())
    if problem.pairs is not None:
        most += per_pair * int(np.abs(problem.pairs).sum()) // 2
    return most + min(abs(problem.min_quality), problem.largest_total + 1)


def within_reach(problem: Instance) -> Instance:
    """Return the problem with a budget and a minimum quality no larger than it matters.

    Solvers of few bits so take any limit on numbers that fit.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance([3, 2], n_sets=1, k=1, max_shared=1, costs=[4, 1], budget=2**40)
    >>> within_reach(problem).budget
    5
    """
    changes: dict[str, int] = {}
    if problem.costs is not None and problem.budget is not None:
        reached = int(np.abs(problem.costs).sum())
        changes["budget"] = min(max(problem.budget, -reached - 1), reached)
    if problem.min_quality is not None:
        reached = problem.largest_total
        changes["min_quality"] = min(max(problem.min_quality, -reached), reached + 1)
    return problem.replace(**changes) if changes else problem
