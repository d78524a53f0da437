"""The graph of conflicting features."""

from __future__ import annotations

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
