"""Which features a sum of qualities under conflicts does not need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsel.problem.instance import Instance
from pyfsel.problem.values import by_quality
from pyfsel.reductions.conflicts import clique_partition, conflict_matrix


def needed_features(problem: Instance) -> NDArray[np.bool_]:
    """Return the features without which a sum of qualities under conflicts keeps its optimum.

    A feature is needless if no set can hold it: what it does not conflict with splits into too few cliques to
    fill a set. And it is needless if more features dominate it (`_domination`)
    than one solution can use in addition to it. Then one of them is unused, and exchanged for it in all sets:
    no set gets worse, and as no set had the other one, what two sets share stays as it was. Each exchange
    moves to better ranks, so it comes to an end, and all needless features can go at once.

    A solution uses fewer than n_sets·k other features. Of a clique of the conflict graph it uses at
    most one in each set, and none in a set with a feature that conflicts with the whole clique.

    Features of previous sets are kept, and at least as many as a set has.

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
    dominates = _domination(problem, conflict)
    needed = _fitting(problem, conflict, order)
    for j in np.flatnonzero(needed):
        dominators = order[dominates[order, j]]
        needed[j] = len(dominators) < problem.n_sets * problem.k and not (
            _has_clique(conflict, dominators[conflict[dominators, j]], problem.n_sets)
            or _has_clique(conflict, dominators, problem.n_sets + 1)
        )
    needed[[j for members in problem.previous for j in members]] = True
    needed[order[~needed[order]][: max(0, problem.k - int(needed.sum()))]] = True
    return needed


def _domination(problem: Instance, conflict: NDArray[np.bool_]) -> NDArray[np.bool_]:
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
    dominates: NDArray[np.bool_] = rank[:, None] < rank[None, :]
    dominates &= apart @ (1 - apart).T - apart == 0
    dominates &= previous @ (1 - previous).T == 0
    return dominates


def _fitting(problem: Instance, conflict: NDArray[np.bool_], order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which features are compatible with enough cliques in addition to their own to fill a set."""
    part = clique_partition(conflict, order)
    holds = np.zeros((problem.n_features, problem.n_features), dtype=np.float32)
    holds[np.arange(problem.n_features), part] = 1
    compatible = (~conflict).astype(np.float32)
    fitting: NDArray[np.bool_] = (compatible @ holds > 0).sum(axis=1) >= problem.k
    return fitting


def _has_clique(conflict: NDArray[np.bool_], features: NDArray[np.intp], size: int) -> bool:
    """Return whether taking features in this order, where they conflict with all before, makes a clique."""
    for _ in range(size):
        if len(features) == 0:
            return False
        features = features[conflict[features[0], features]]
    return True
