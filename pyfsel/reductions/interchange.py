"""Knowledge before solving: which features are interchangeable, and how often features can be used."""

from __future__ import annotations

from math import comb

import numpy as np

from pyfsel.problem.instance import Instance
from pyfsel.problem.linear_rows import mentioned_features
from pyfsel.problem.values import by_quality, objective_of


def interchangeable_classes(problem: Instance) -> list[list[int]]:
    """Return the classes of features that differ in nothing but their quality, each best first.

    Permuting the features of a class maps solutions to solutions: the features stand in the same previous
    sets, cost the same, no conflict, group or other side constraint names them, and the objective is a sum of
    qualities. By the rearrangement inequality some optimum of sum-aggregation therefore uses a better feature
    of a class at least as often as a worse one. Several sets that must each have a minimum quality have no
    such classes: a permutation can take from one set what it gives to another.

    Returns
    -------
    list of lists of int
        A partition of the features, in the order of their best members.

    Examples
    --------
    >>> problem = Instance(
    ...     quality=[3, 5, 4, 1], n_sets=1, k=2, max_shared=1, previous=[[0, 3]]
    ... )
    >>> interchangeable_classes(problem)
    [[1, 2], [0, 3]]
    """
    each_is_limited = problem.min_quality is not None and problem.n_sets > 1
    if not objective_of(problem).is_sum or each_is_limited:
        return [[j] for j in by_quality(problem)]
    apart = set(np.unique(problem.conflicts).tolist()) | mentioned_features(problem)
    costs = problem.costs if problem.budget is not None else None
    classes: dict[tuple[object, ...], list[int]] = {}
    for j in by_quality(problem):
        membership = tuple(number for number, s in enumerate(problem.previous) if j in s)
        cost = () if costs is None else (int(costs[j]),)
        key = ("itself", j) if j in apart else ("alike", *cost, *membership)
        classes.setdefault(key, []).append(j)
    return list(classes.values())


def prefix_limits(n_features: int, n_sets: int, k: int, max_shared: int) -> list[int]:
    """Return how often any t features can be used by the sets together, for t = 1..n_features.

    No max_shared + 1 features lie in two sets, so ``Σ_S C(x_S, m+1) ≤ C(t, m+1)``, where x_S of the t
    features are in set S; the sum is convex, hence smallest when the uses are spread evenly.

    Returns
    -------
    list of int, length n_features
        If the last one is below ``n_sets · k``, no solution exists.

    Examples
    --------
    >>> prefix_limits(4, n_sets=2, k=3, max_shared=1)
    [2, 3, 4, 6]
    """
    limits = []
    uses = 0
    for t in range(1, n_features + 1):
        most = n_sets * min(k, t)
        while uses < most and _overlaps_needed(uses + 1, n_sets, max_shared) <= comb(t, max_shared + 1):
            uses += 1
        limits.append(uses)
    return limits


def _overlaps_needed(uses: int, n_sets: int, max_shared: int) -> int:
    share, larger = divmod(uses, n_sets)
    return larger * comb(share + 1, max_shared + 1) + (n_sets - larger) * comb(share, max_shared + 1)


def most_by_counting(n_features: int, k: int, max_shared: int) -> int:
    """Return how many sets of a size can pairwise share at most `max_shared` features (Johnson's bound).

    The sets with a given feature, without it, are sets of one feature less that share one less. Larger sets
    count like subsets of them. Equal sets must not be allowed: ``max_shared < k``.

    References
    ----------
    Johnson, "A new upper bound for error-correcting codes", IRE Transactions on Information Theory 8, 1962.

    Examples
    --------
    >>> most_by_counting(7, 3, 1), most_by_counting(8, 3, 0)
    (7, 2)
    """
    if n_features < k:
        return 0
    with_one_feature = 1
    if max_shared > 0:
        with_one_feature = most_by_counting(n_features - 1, k - 1, max_shared - 1)
    return n_features * with_one_feature // k
