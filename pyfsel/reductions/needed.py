"""Which features a sum of qualities under conflicts does not need."""

from __future__ import annotations

import numpy as np

from pyfsel.core.arrays import Bools, Indices
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import by_quality, conflict_matrix


def needed_features(problem: Instance) -> Bools:
    """Return the features without which a sum of qualities under conflicts keeps its optimum.

    A feature is needless if it conflicts with a clique of n_sets features that dominate it (`_domination`).
    A set uses at most one feature of the clique, and a set with the feature none. So a solution with the
    feature leaves one of the clique unused, which is exchanged for it in all sets: no set gets worse, and as
    no set had the other one, what two sets share stays as it was. Each exchange moves to better ranks, so it
    comes to an end, and all needless features can go at once.

    Features of previous sets are kept, and at least as many as a set has.

    Two more rules were tried: cliques that do not conflict with the feature, and features that conflict with
    too many others to be in any set. No instance of the library is solved much faster by them.

    Parameters
    ----------
    problem : Instance
        With an objective that is a sum of qualities, and without side constraints.

    Returns
    -------
    array of bool, shape (n,)

    Examples
    --------
    Each of two sets holds one of the features 0, 1 and 2 at most, so the worst is not needed.

    >>> problem = Instance(
    ...     quality=[9, 8, 7, 2, 1], n_sets=2, k=2, max_shared=1, objective="fcbf",
    ...     conflicts=[(0, 1), (0, 2), (1, 2)],
    ... )
    >>> needed_features(problem).tolist()
    [True, True, False, True, True]
    """
    order = np.array(by_quality(problem))
    conflict = conflict_matrix(problem)
    dominates = _domination(problem, conflict) & conflict
    cliques = (_clique(conflict, order[dominates[order, j]]) for j in range(problem.n_features))
    needed = np.array([size < problem.n_sets for size in cliques])
    needed[[j for members in problem.previous for j in members]] = True
    needed[order[~needed[order]][: max(0, problem.k - int(needed.sum()))]] = True
    return needed


def _domination(problem: Instance, conflict: Bools) -> Bools:
    """Return whether feature i dominates j, shape (n, n): j may be exchanged for i in any set without i.

    Feature i is better, or as good and before j. It conflicts with nothing but j that j does not conflict
    with, and it is in no previous set without j.
    """
    n = problem.n_features
    rank = np.empty(n, dtype=np.intp)
    rank[by_quality(problem)] = np.arange(n)
    apart = conflict.astype(np.float32)
    previous = np.zeros((n, len(problem.previous)), dtype=np.float32)
    for p, members in enumerate(problem.previous):
        previous[list(members), p] = 1
    dominates = rank[:, None] < rank[None, :]
    dominates &= apart @ (1 - apart).T - apart == 0
    dominates &= previous @ (1 - previous).T == 0
    return dominates


def _clique(conflict: Bools, features: Indices) -> int:
    """Return how many features, taken in this order where they conflict with all before, make a clique."""
    size = 0
    while len(features):
        features = features[conflict[features[0], features]]
        size += 1
    return size
