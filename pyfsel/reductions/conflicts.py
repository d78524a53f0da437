"""The graph of conflicting features."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pyfsel.problem.instance import Instance


def conflict_matrix(problem: Instance) -> NDArray[np.bool_]:
    """Return which features conflict, symmetric, shape (n, n).

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance(
    ...     quality=[3, 2], n_sets=1, k=1, max_shared=0, objective="fcbf", conflicts=[(0, 1)]
    ... )
    >>> conflict_matrix(problem).tolist()
    [[False, True], [True, False]]
    """
    conflict = np.zeros((problem.n_features, problem.n_features), dtype=bool)
    first, second = np.asarray(problem.conflicts).T
    conflict[first, second] = conflict[second, first] = True
    return conflict


def clique_partition(conflict: NDArray[np.bool_], order: Iterable[int]) -> NDArray[np.intp]:
    """Partition features greedily, in this order, into cliques of the conflict graph.

    A set holds at most one feature of each clique.

    Parameters
    ----------
    conflict : array of bool, shape (n, n)
        Symmetric.
    order : iterable of int
        The n features.

    Returns
    -------
    array of shape (n,)
        The number of the clique of each feature.

    Examples
    --------
    >>> conflict = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    >>> clique_partition(conflict, [0, 1, 2]).tolist()
    [0, 0, 1]
    """
    n = len(conflict)
    part = np.empty(n, dtype=np.intp)
    fits = np.ones((n, n), dtype=bool)
    for j in order:
        part[j] = np.argmax(fits[:, j])
        fits[part[j]] &= conflict[j]
    return part
