"""How many features two sets may share: the one rule that models, searches and the verifier ask."""

from __future__ import annotations

from collections.abc import Collection

from pyfsel.problem.instance import Instance


def shared_limit(problem: Instance, size: int, other: int) -> int | None:
    """Return how many features two sets of these sizes may share; None if two such sets do not exist.

    A limit in proportion to sizes, such as for the Hamming distance, can be below 0 for small sets: then
    two sets of these sizes are not allowed at all, not even if they share nothing.

    Examples
    --------
    >>> far = {"shared_weight": 2, "size_weight": 1, "shared_constant": -3}
    >>> problem = Instance([3, 2, 1], n_sets=2, k=2, k_min=1, max_shared=2, **far)
    >>> shared_limit(problem, 2, 2), shared_limit(problem, 1, 1)
    (0, None)
    """
    limit = problem.max_shared
    if problem.shared_weight is not None and problem.size_weight is not None:
        sizes = 2 * min(size, other) if problem.shared_by_smaller else size + other
        limit = min(limit, (problem.size_weight * sizes + problem.shared_constant) // problem.shared_weight)
    return limit if limit >= 0 else None


def may_stand_together(problem: Instance, one: Collection[int], other: Collection[int]) -> bool:
    """Return whether two sets are dissimilar enough.

    Examples
    --------
    >>> problem = Instance([3, 2, 1], n_sets=2, k=2, max_shared=1)
    >>> may_stand_together(problem, (0, 1), (1, 2)), may_stand_together(problem, (0, 1), (1, 0))
    (True, False)
    """
    limit = shared_limit(problem, len(one), len(other))
    return limit is not None and len({*one} & {*other}) <= limit


def previous_limits(problem: Instance, size: int) -> list[int] | None:
    """Return how many features a set may share with each previous set; None if no set of this size may be.

    Examples
    --------
    >>> previous_limits(Instance([3, 2, 1], n_sets=1, k=2, max_shared=1, previous=[(0, 1)]), 2)
    [1]
    """
    limits = [shared_limit(problem, size, len(previous)) for previous in problem.previous]
    known = [limit for limit in limits if limit is not None]
    return known if len(known) == len(limits) else None


def may_be_equal(problem: Instance) -> bool:
    """Return whether two equal sets are allowed."""
    return any((shared_limit(problem, size, size) or 0) >= size for size in problem.sizes)
