"""The inner loops of the semidefinite bound: the mixing method, Lagrange terms, and separation.

The relaxation is ``min ⟨C, V·Vᵀ⟩`` over matrices V with rows of length 1. The mixing method (Wang, Chang and
Kolter, 2017) minimises over one row after another, which is a closed formula.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIGNS = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])


@compiled
def mix(C: NDArray[np.float64], V: NDArray[np.float64], sweeps: int, tolerance: float) -> NDArray[np.float64]:
    """Improve V in place and return y, the multipliers of the unit lengths: ``Σ y ≈ ⟨C, V·Vᵀ⟩``.

    Parameters
    ----------
    C : array of float, shape (n, n)
        Symmetric with zero diagonal.
    V : array of float, shape (n, r)
        Rows of length 1.
    sweeps : int
        Largest number of passes over the rows.
    tolerance : float
        Stop when a pass improves the value by less than this share of it.
    """
    n, r = V.shape
    y = np.zeros(n)
    direction = np.empty(r)
    last = np.inf
    for _ in range(sweeps):
        total = 0.0
        for i in range(n):
            direction[:] = 0.0
            for j in range(n):
                c = C[i, j]
                if c != 0.0:
                    for z in range(r):
                        direction[z] += c * V[j, z]
            length = 0.0
            for z in range(r):
                length += direction[z] * direction[z]
            length = np.sqrt(length)
            y[i] = -length
            total -= length
            if length > 0.0:
                for z in range(r):
                    V[i, z] = -direction[z] / length
        if last - total < tolerance * abs(total):
            break
        last = total
    return y


@compiled
def add_triangles(
    C: NDArray[np.float64], triangles: NDArray[np.int64], multipliers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return C less the Lagrange terms of triangle inequalities.

    A row (i, j, k, s) of `triangles` stands for ``±X_ij ± X_ik ± X_jk ≥ −1`` with the signs of ``SIGNS[s]``.
    """
    result = C.copy()
    for t in range(len(triangles)):
        i, j, k, s = triangles[t]
        half = multipliers[t] / 2
        for a, b, sign in ((i, j, SIGNS[s, 0]), (i, k, SIGNS[s, 1]), (j, k, SIGNS[s, 2])):
            result[a, b] -= sign * half
            result[b, a] -= sign * half
    return result


@compiled
def excess(X: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return by how much X violates each triangle inequality; negative where it satisfies it with slack."""
    result = np.empty(len(triangles))
    for t in range(len(triangles)):
        i, j, k, s = triangles[t]
        result[t] = -1.0 - SIGNS[s, 0] * X[i, j] - SIGNS[s, 1] * X[i, k] - SIGNS[s, 2] * X[j, k]
    return result


@compiled
def violated(
    X: NDArray[np.float64], least: float, most: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the triangle inequalities that X violates by more than `least`, and by how much.

    At most `most` of them: the first ones met.
    """
    n = len(X)
    rows = np.empty((most, 4), np.int64)
    amounts = np.empty(most)
    count = 0
    for i in range(n):
        for j in range(i):
            for k in range(j):
                for s in range(4):
                    amount = -1.0 - SIGNS[s, 0] * X[i, j] - SIGNS[s, 1] * X[i, k] - SIGNS[s, 2] * X[j, k]
                    if amount > least and count < most:
                        rows[count, 0], rows[count, 1], rows[count, 2], rows[count, 3] = i, j, k, s
                        amounts[count] = amount
                        count += 1
    return rows[:count], amounts[:count]
