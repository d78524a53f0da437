"""Prices of features and pairs of them, from a linear program over some sets: bounds on compatible ones."""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from pyfsel.core.arrays import Array, Ints, Reals
from pyfsel.problem.instance import Instance

PENALTY = 4  # times k units, at least twice the largest value of a set: what a missing set costs
LARGEST_PRICES = 2**59  # of all uses of all features and pairs: within 64 bits, with the values of all sets
TOLERANCE = 1e-6  # of how often a pair is used


def most_uses(problem: Instance) -> int:
    """Return the number of sets that can contain the same feature."""
    return problem.n_sets if problem.max_shared else 1


def most_shared(problem: Instance) -> int:
    """Return the number of features that all pairs of sets together may share."""
    return problem.max_shared * comb(problem.n_sets, 2)


class Prices(NamedTuple):
    """Integer prices of the uses of features and of pairs of features, and of shared features.

    Attributes
    ----------
    problem : Instance
    features : array of int, shape (n_features,)
        What a set pays for each feature; not negative.
    overlap : int
        What each feature that a pair of sets shares costs; not negative.
    pairs : array of int, shape (n_pairs,)
        Of each pair that only one set can contain the number ``n_features · one + other``, one < other.
    of_pairs : array of int, shape (n_pairs,)
        What a set pays for each of these pairs; not negative.
    """

    problem: Instance
    features: Ints
    overlap: int
    pairs: Ints
    of_pairs: Ints

    def paid(self, sets: Array) -> tuple[Ints, Ints]:
        """Return what each of some sets, shape (m, k), pays, and how much of it for pairs."""
        of_pairs = np.zeros(len(sets), np.int64)
        for pair, price in zip(self.pairs, self.of_pairs, strict=True):
            one, other = divmod(pair, len(self.features))
            of_pairs += price * ((sets == one).any(axis=1) & (sets == other).any(axis=1))
        return self.features[sets].sum(axis=1) + of_pairs, of_pairs

    def brought_in(self) -> int:
        """Return an upper bound on what uses of features and of pairs bring in, less what sharing costs."""
        gains = self.features[:, None] - self.overlap * np.arange(most_uses(self.problem))
        sharing = self.overlap * most_shared(self.problem)
        return int(np.maximum(0, gains).sum() + self.of_pairs.sum()) + sharing


class Relaxation:
    """A linear program over some sets, whose dual values are prices.

    It has a share λ_S of each set, ``Σ λ_S ≤ most_sets``, and u_jv, the share of a use of feature j next to v
    others, ``Σ_{S∋j} λ_S ≤ Σ_v u_jv`` and ``Σ v·u_jv ≤ max_shared·C(n_sets, 2)``; it maximises
    ``Σ v(S)·λ_S``. Each that is missing of most_sets, as too few are known, costs a high price. If sets may
    share one feature, no pair of features lies in two of them: ``Σ_{S∋i,j} λ_S ≤ 1``. These rows come in
    when a pair is used more often, as most never are.

    Parameters
    ----------
    problem : Instance
    most_sets : int
        The largest sum of the shares: n_sets, or more than the other rows allow.

    Examples
    --------
    >>> problem = Instance([0, 0], n_sets=2, k=1, max_shared=0)
    >>> prices, level = Relaxation(problem, most_sets=2).solve(np.array([[0], [1]]), np.array([5, 4]))
    >>> prices.brought_in() + 2 * level
    9
    """

    def __init__(self, problem: Instance, most_sets: int) -> None:
        self.problem, self.most_sets = problem, most_sets
        self.pairs = np.zeros(0, np.int64)

    def solve(self, sets: Array, values: Ints) -> tuple[Prices, int]:
        """Return prices, and what a further set has to weigh more than.

        Parameters
        ----------
        sets : array of int, shape (m, k), ascending
        values : array of int, shape (m,)
        """
        one, other = np.triu_indices(sets.shape[1] if self.problem.max_shared == 1 else 0, 1)
        pairs = self.problem.n_features * sets[:, one] + sets[:, other]
        while True:
            prices, level, shares = self._solved(sets, pairs, values)
            held, places = np.unique(pairs, return_inverse=True)
            uses = np.bincount(places.ravel(), np.repeat(shares, len(one)))
            more = np.union1d(self.pairs, held[uses > 1 + TOLERANCE])
            if len(more) == len(self.pairs):
                return prices, level
            self.pairs = more

    def _solved(self, sets: Ints, pairs: Ints, values: Ints) -> tuple[Prices, int, Reals]:
        """Return prices, what a further set has to weigh more than, and the shares of the sets."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix

        problem = self.problem
        n, uses = problem.n_features, most_uses(problem)
        m, n_uses, n_rows = len(sets), n * uses, n + len(self.pairs)
        has_row = np.isin(pairs, self.pairs)
        rows = np.concatenate([sets.ravel(), n + np.searchsorted(self.pairs, pairs[has_row])])
        columns = np.concatenate([np.repeat(np.arange(m), sets.shape[1]), np.nonzero(has_row)[0]])
        used, beside = np.divmod(np.arange(n_uses), uses)
        numbers = np.concatenate([np.ones(m), beside, np.ones(len(rows)), -np.ones(n_uses)])
        rows = np.concatenate([np.repeat([0, 1], [m, n_uses]), rows + 2, used + 2])
        columns = np.concatenate([np.arange(m + n_uses), columns, m + np.arange(n_uses)])
        unit = max(1, int(np.abs(values).max()) // problem.k)  # a feature's price is of the order of one
        missing = PENALTY * problem.k
        solved = linprog(
            np.append(-values / unit - missing, np.zeros(n_uses)),
            A_ub=csr_matrix((numbers, (rows, columns)), shape=(n_rows + 2, m + n_uses)),
            b_ub=[self.most_sets, most_shared(problem), *np.zeros(n), *np.ones(len(self.pairs))],
            bounds=[(0, None)] * m + [(0, 1)] * n_uses,
            method="highs",
        )
        level, *duals = -solved.ineqlin.marginals * unit
        largest = LARGEST_PRICES // max(n_rows * uses, most_shared(problem))
        whole = np.clip(np.rint(duals), 0, largest).astype(np.int64)
        prices = Prices(problem, whole[1 : n + 1], int(whole[0]), self.pairs, whole[n + 1 :])
        return prices, int(np.floor(level - missing * unit)), solved.x[:m]
