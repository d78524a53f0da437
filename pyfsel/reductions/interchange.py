"""What is known before solving: which features are interchangeable, and how often features can be used."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.rows import mentioned_features
from pyfsel.problem.values import by_quality, objective_of
from pyfsel.reductions.conflicts import conflict_matrix


def interchangeable_classes(problem: Instance) -> list[list[int]]:
    """Return the classes of features that differ in nothing but their quality, each best first.

    Permuting the features of a class maps solutions to solutions: the features stand in the same previous
    sets, cost the same, no conflict, group or other side constraint names them, and the objective is a sum of
    qualities. By the rearrangement inequality some optimum of sum-aggregation therefore uses a better feature
    of a class at least as often as a worse one. Several sets that must each have a least quality have no such
    classes: a permutation can take from one set what it gives to another.

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
    apart = set(np.unique(np.asarray(problem.conflicts)).tolist()) | mentioned_features(problem)
    costs = problem.costs if problem.budget is not None else None
    classes: dict[tuple[object, ...], list[int]] = {}
    for j in by_quality(problem):
        membership = tuple(number for number, s in enumerate(problem.previous) if j in s)
        cost = () if costs is None else (int(costs[j]),)
        key = ("itself", j) if j in apart else ("alike", *cost, *membership)
        classes.setdefault(key, []).append(j)
    return list(classes.values())


def dominated_pairs(problem: Instance) -> list[tuple[int, int]]:
    """Return pairs (i, j) of features such that j may be exchanged for the better i in any set without i.

    That is so if i is not worse, conflicts with nothing but j that j does not conflict with, is in no
    previous set without j, costs no more, and no side constraint names one of the two. Sets that are to be
    alike in quality have no such pairs: a better set can be too good. Closed neighbourhoods
    generalise interchangeability, which needs no conflicts at all; in FCBF the worse features conflict with
    more, so many pairs are like this.

    Some optimum, of the sum and of the minimum, has a set with i and without j wherever it has one with j
    and without i. Otherwise exchange j for i in all sets with j and without i: no set gets worse, and as no
    set with i alone is there, what any two share stays as it was. This moves features to better ranks, so it
    comes to an end; and since the exchange of interchangeable features that orders their counts does so as
    well, both are valid together. In particular, i is in some set if j is.

    Returns
    -------
    list of pairs of int
        Best features first, without pairs that follow a path of two others.

    Examples
    --------
    >>> problem = Instance(
    ...     quality=[4, 3, 2], n_sets=2, k=1, max_shared=0, objective="fcbf", conflicts=[(1, 2)]
    ... )
    >>> dominated_pairs(problem)
    [(0, 1), (1, 2)]
    """
    dominates = domination(problem)
    steps = dominates.astype(np.float32)
    order = by_quality(problem)
    direct = (dominates & (steps @ steps == 0))[np.ix_(order, order)]
    return [(order[i], order[j]) for i, j in np.argwhere(direct)]


def domination(problem: Instance) -> NDArray[np.bool_]:
    """Return all pairs of `dominated_pairs` and those that follow, shape (n, n): whether i dominates j.

    Examples
    --------
    >>> problem = Instance(
    ...     quality=[4, 3, 2], n_sets=2, k=1, max_shared=0, objective="fcbf", conflicts=[(1, 2)]
    ... )
    >>> np.argwhere(domination(problem)).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    n = problem.n_features
    can_be_too_good = problem.aggregate == "difference"
    if can_be_too_good or not objective_of(problem).is_sum:
        return np.zeros((n, n), dtype=bool)
    rank = np.empty(n, dtype=np.intp)
    rank[by_quality(problem)] = np.arange(n)
    dominates: NDArray[np.bool_] = rank[:, None] < rank[None, :]
    conflict = conflict_matrix(problem).astype(np.float32)
    dominates &= conflict @ (1 - conflict).T - conflict == 0
    previous = np.zeros((n, len(problem.previous)), dtype=np.float32)
    for p, members in enumerate(problem.previous):
        previous[list(members), p] = 1
    dominates &= previous @ (1 - previous).T == 0
    if problem.costs is not None and problem.budget is not None:
        dominates &= problem.costs[:, None] <= problem.costs[None, :]
    apart = list(mentioned_features(problem))
    dominates[apart] = False
    dominates[:, apart] = False
    return dominates


def rearranged(problem: Instance, sets: Sequence[FeatureSet]) -> list[FeatureSet]:
    """Return a solution, at least as good, that keeps to the rules of classes and dominated pairs.

    Two features change places where a rule is broken: in a class, for sums and for one set, if the worse one
    is used more often; in a dominated pair if the better one is only used beside the worse one, which is also
    used without it.

    Examples
    --------
    >>> problem = Instance(quality=[5, 4, 3, 1], n_sets=2, k=2, max_shared=1)
    >>> rearranged(problem, [(1, 3), (2, 3)])
    [(0, 1), (0, 2)]
    """
    columns = [{s for s, members in enumerate(sets) if j in members} for j in range(problem.n_features)]
    in_classes = [pair for members in interchangeable_classes(problem) for pair in pairwise(members)]
    pairs = dominated_pairs(problem)
    changed = True
    while changed:
        changed = False
        for better, worse in in_classes if problem.aggregate == "sum" or problem.n_sets == 1 else ():
            if len(columns[worse]) > len(columns[better]):
                columns[better], columns[worse] = columns[worse], columns[better]
                changed = True
        for better, worse in pairs:
            if columns[better] < columns[worse]:
                columns[better], columns[worse] = columns[worse], columns[better]
                changed = True
    return [tuple(j for j, column in enumerate(columns) if s in column) for s in range(len(sets))]


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
    """Return how many sets of a size can pairwise share at most so many of the features (Johnson's bound).

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
