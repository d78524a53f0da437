"""The inner loops of the semidefinite bound: the mixing method, Lagrange terms, and separation.

The relaxation is ``min ⟨C, V·Vᵀ⟩`` over matrices V with rows of length 1. The mixing method (Wang, Chang and
Kolter, 2017) minimises over one row after another, which is a closed formula.

A row (i, j, k, s) of triangles stands for ``±X_ij ± X_ik ± X_jk ≥ −1`` with the signs of ``SIGNS[s]``.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from pyfsel.core import Ints, Reals, in_core

SIGNS = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])


@in_core
def mix(
    C: Annotated[Reals, "n", "n"],
    V: Annotated[Reals, "n", "r"],
    y: Annotated[Reals, "n"],
    direction: Annotated[Reals, "r"],
    sweeps: int,
    tolerance: float,
) -> None:
    """Improve V in place and write y, the multipliers of the unit lengths: ``Σ y ≈ ⟨C, V·Vᵀ⟩``.

    Parameters
    ----------
    C : array of float, shape (n, n)
        Symmetric with zero diagonal.
    V : array of float, shape (n, r)
        Rows of length 1.
    y : array of float, shape (n,)
    direction : array of float, shape (r,)
        Room to work in.
    sweeps : int
        Largest number of passes over the rows.
    tolerance : float
        Stop when a pass improves the value by less than this share of it.
    """


def add_triangles(C: Reals, triangles: Ints, multipliers: Reals) -> Reals:
    """Return C less the Lagrange terms of triangle inequalities."""
    n, result = len(C), C.copy()
    halves = SIGNS[triangles[:, 3]] * (multipliers / 2)[:, None]
    rows, columns = triangles[:, [0, 1, 0, 2, 1, 2]], triangles[:, [1, 0, 2, 0, 2, 1]]
    np.subtract.at(result.reshape(-1), (rows * n + columns).ravel(), np.repeat(halves, 2, axis=1).ravel())
    return result


def excess(X: Reals, triangles: Ints) -> Reals:
    """Return by how much X violates each triangle inequality; negative where it satisfies it with slack."""
    i, j, k, s = triangles.T
    return np.asarray(-1.0 - SIGNS[s, 0] * X[i, j] - SIGNS[s, 1] * X[i, k] - SIGNS[s, 2] * X[j, k])


def violated(X: Reals, least: float, most: int) -> tuple[Ints, Reals]:
    """Return the triangle inequalities that X violates by more than `least`, and by how much.

    At most `most` of them: the first ones met.
    """
    rows, amounts = np.empty((most, 4), np.int64), np.empty(most)
    count = find_violated(X, least, rows, amounts)
    return rows[:count], amounts[:count]


@in_core
def find_violated(
    X: Annotated[Reals, "n", "n"],
    least: float,
    rows: Annotated[Ints, "most", "4"],
    amounts: Annotated[Reals, "most"],
) -> int:
    """Write what `violated` returns, and return how many there are."""
