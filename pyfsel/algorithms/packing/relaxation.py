"""Prices of features from a linear program over some sets: how good compatible ones can be at most."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from pyfsel.core.arrays import Ints
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet

PENALTY = 4  # times the largest value of a set: what a missing set costs, more than any set can bring in
LARGEST_PRICES = 2**60  # of all uses of all features together: within 64 bits, with the values of all sets


def most_uses(problem: Instance) -> int:
    """Return the number of sets that can contain the same feature."""
    return problem.n_sets if problem.max_shared else 1


def most_shared(problem: Instance) -> int:
    """Return the number of features that all pairs of sets together may share."""
    return problem.max_shared * comb(problem.n_sets, 2)


class FeaturePrices(NamedTuple):
    """Integer prices of the uses of features and of shared features.

    Attributes
    ----------
    features : array of int, shape (n_features,)
        What a set pays for each feature; not negative.
    overlap : int
        What each feature that a pair of sets shares costs; not negative.
    """

    features: Ints
    overlap: int

    def brought_in(self, problem: Instance) -> int:
        """Return an upper bound on what the uses of features bring in, less what sharing costs."""
        gains = self.features[:, None] - self.overlap * np.arange(most_uses(problem))
        return int(np.maximum(0, gains).sum()) + self.overlap * most_shared(problem)


def relax(
    problem: Instance, sets: Sequence[FeatureSet], values: Sequence[int], unit: int
) -> tuple[FeaturePrices, int]:
    """Solve the linear program over some sets; return prices, and what a further set has to weigh more than.

    It has a share λ_S of each set, ``Σ λ_S = n_sets``, and u_jv, the share of a use of feature j next to v
    others, ``Σ_{S∋j} λ_S ≤ Σ_v u_jv`` and ``Σ v·u_jv ≤ max_shared·C(n_sets, 2)``; it maximises
    ``Σ v(S)·λ_S``. Sets that are missing because too few are known can be bought at a high price.

    Parameters
    ----------
    problem : Instance
    sets : sequence of feature sets
    values : sequence of int
    unit : int
        Values are divided by it, so the solver's numbers are of the order of one.

    Examples
    --------
    >>> problem = Instance([0, 0], n_sets=2, k=1, max_shared=0)
    >>> prices, level = relax(problem, [(0,), (1,)], [5, 4], unit=1)
    >>> prices.brought_in(problem) + 2 * level
    9
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, hstack, identity, kron, vstack

    n, uses = problem.n_features, most_uses(problem)
    columns, rows = np.repeat(np.arange(len(sets)), [len(s) for s in sets]), np.concatenate(sets)
    inside = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, len(sets)))
    used = kron(identity(n), -np.ones((1, uses)))
    beside = np.concatenate([np.zeros(len(sets)), np.tile(np.arange(uses), n), [0]])
    one_each = np.concatenate([np.ones(len(sets)), np.zeros(n * uses), [1]])
    worth = np.array(values, dtype=float) / unit
    missing = PENALTY * max(1.0, float(np.abs(worth).max()))
    solved = linprog(
        np.concatenate([-worth, np.zeros(n * uses), [missing]]),
        A_ub=vstack([csr_matrix(beside), hstack([inside, used, csr_matrix((n, 1))])]).tocsr(),
        b_ub=[most_shared(problem), *np.zeros(n)],
        A_eq=csr_matrix(one_each),
        b_eq=[problem.n_sets],
        bounds=[(0, None)] * len(sets) + [(0, 1)] * (n * uses) + [(0, None)],
        method="highs",
    )
    largest = LARGEST_PRICES // max(n * uses, most_shared(problem))
    duals = np.clip(np.rint(-solved.ineqlin.marginals * unit), 0, largest).astype(np.int64)
    level = int(np.floor(-solved.eqlin.marginals[0] * unit))
    return FeaturePrices(duals[1:], int(duals[0])), level
