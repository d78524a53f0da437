"""Small concave functions above the weights of sets: the doubly nonnegative relaxation.

``docs/how/ksubgraph.md`` says why they are above.

NumPy only, and resumable: `improve` takes a number of steps.
"""

from __future__ import annotations

import numpy as np

from pyfsel.core.arrays import Bools, Ints, Reals

STEPS_AT_ONCE = 10  # before progress is measured, which takes a step's time itself
STEP_LENGTH = 1.6  # below (1 + √5)/2, up to which steps of this kind converge (Wen, Goldfarb and Yin)


class DoublyNonnegative:
    """The search for weights E + N and a diagonal d with a small ``½ x'(E + N − diag d)x + ½ d'x``.

    The matrix X = xx' of a set of k features has trace k, row sums k X_ii, is positive semidefinite and
    nowhere negative. The relaxation asks for the largest ``½ ⟨E, X⟩`` among all such X. Here its dual is
    solved by the alternating direction method (the boundary point method of Povh, Rendl and Wiegele,
    Computing 78, 2006; with the step length of Wen, Goldfarb and Yin, Mathematical Programming Computation 2,
    2010): in turns it takes the best multipliers y of the equations, the nearest positive semidefinite Z and
    the nearest N ≥ 0 in ``−E = A(y) + Z + N``, and moves X by what remains. It need not converge: any N ≥ 0
    and any d are allowed, and what uses them makes up for the part of Z that is not positive semidefinite.

    Parameters
    ----------
    weights : array of int, shape (n, n)
        E, symmetric.
    apart : array of bool, shape (n, n)
        Pairs that no set holds: there N may be negative.
    k : int
        k, at least 3 and less than n.

    Attributes
    ----------
    bound : float
        About the largest value of the best function so far: what its N and d prove but for rounding.
    raised : array of float, shape (n, n)
        Its N.
    diagonal : array of float, shape (n,)
        Its d.
    steps : int
        How many were taken.
    """

    def __init__(self, weights: Ints, apart: Bools, k: int) -> None:
        n = len(weights)
        self._scale = float(max(np.abs(weights).max(), 1))
        self._costs = weights / -self._scale
        np.fill_diagonal(self._costs, 0)
        self._free = apart & ~np.eye(n, dtype=np.bool_)
        self._set_size = k
        self._penalty = k / n
        self._X = np.full((n, n), k * (k - 1) / (n * (n - 1)))
        np.fill_diagonal(self._X, k / n)
        self._Z, self._N = np.zeros((n, n)), np.zeros((n, n))
        products = np.full((n + 1, n + 1), 0.5)
        np.fill_diagonal(products, (n - 1) / 2 + (1 - k) ** 2)
        products[0, 1:] = products[1:, 0] = 1 - k
        products[0, 0] = n
        self._inverse = np.linalg.inv(products)
        self._gaps = [np.inf]
        self.bound, self.steps = np.inf, 0
        self.raised, self.diagonal = np.zeros((n, n)), np.zeros(n)

    def improve(self, target: float) -> float:
        """Take some steps; return which share of the gap to the target these and some before closed.

        That is 0 where the bound is below the target.
        """
        for _ in range(STEPS_AT_ONCE):
            y = self._multipliers()
            rest = self._costs - self._combined(y)
            self._Z = positive_part(rest - self._N - self._X / self._penalty)
            self._N = rest - self._Z - self._X / self._penalty
            np.maximum(self._N, 0, out=self._N, where=~self._free)
            self._X -= STEP_LENGTH * self._penalty * (rest - self._Z - self._N)
        self.steps += STEPS_AT_ONCE
        self._take(y, rest)
        before = self._gaps[max(0, len(self._gaps) - 2)]
        self._gaps.append(self.bound - target)
        if self._gaps[-1] <= 0:
            return 0.0
        return 1 - self._gaps[-1] / before

    def _multipliers(self) -> Reals:
        """Return the best multipliers: of the trace, then of the row sums."""
        return self._inverse @ (self._sides(self._costs - self._Z - self._N) - self._missed() / self._penalty)

    def _sides(self, matrix: Reals) -> Reals:
        """Return the left sides of the equations: the trace, and row sums less k times the diagonal."""
        diagonal = matrix.diagonal()  # x_i times Σ x = k: the row sum of i is k times its diagonal entry
        return np.append(diagonal.sum(), matrix.sum(axis=1) - self._set_size * diagonal)

    def _missed(self) -> Reals:
        """Return by how much X misses the equations."""
        missed = self._sides(self._X)
        missed[0] -= self._set_size
        return missed

    def _combined(self, y: Reals) -> Reals:
        """Return the matrices of the equations, times their multipliers."""
        rows = y[1:]
        combined = (rows[:, None] + rows) / 2
        combined[np.diag_indices_from(combined)] += y[0] - self._set_size * rows
        return combined

    def _take(self, y: Reals, rest: Reals) -> None:
        """Take the present function if it is the best so far."""
        bends = max(0.0, -float(np.linalg.eigvalsh(rest - self._N)[0]))
        bound = self._scale * self._set_size * (bends - y[0]) / 2
        if bound < self.bound:
            self.bound = bound
            self.raised = self._scale * (self._N + self._N.T) / 2
            self.diagonal = self._scale * (self._set_size * y[1:] - y[0]) - self.raised.diagonal()
            np.fill_diagonal(self.raised, 0)


def positive_part(matrix: Reals) -> Reals:
    """Return the nearest positive semidefinite matrix to a symmetric one."""
    values, vectors = np.linalg.eigh(matrix)
    positive = values > 0
    part: Reals = (vectors[:, positive] * values[positive]) @ vectors[:, positive].T
    return part
