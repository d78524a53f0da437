"""The correlations of a problem in floats, and by how much they can be off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pyfsel.core.arrays import Reals
from pyfsel.problem.instance import Instance
from pyfsel.problem.least_squares import LARGEST_COEFFICIENTS, SENSITIVITY

ROUNDING = 2.0**-53


@dataclass(frozen=True)
class RegressionInstance:
    """What the tree works on.

    Attributes
    ----------
    gram : array of float, shape (n, n)
        Correlations, with 1 + ε on the diagonal.
    target : array of float, shape (n,)
    diagonal : array of float, shape (n,)
        D > 0 with `gram` − D positive definite.
    margin : float
        `gram` − D has no eigenvalue less than that.
    loss : float
        By how much a set that counts may explain more than the tree finds.
    most : float
        What no set that counts exceeds: about 1, unless the numbers are correlations of no table.
    """

    gram: Reals
    target: Reals
    diagonal: Reals
    margin: float
    loss: float
    most: float

    @classmethod
    def of(cls, problem: Instance) -> RegressionInstance:
        """Return the instance of a problem.

        Notes
        -----
        A step of elimination rounds a quotient, a product and a difference of numbers that are at most 1 in
        absolute value: k steps are off by less than 4(k + 1) roundings, the division by scale included.

        If e ≥ 0 on the diagonal makes the correlations of features and target together positive
        semidefinite, the Schur complement of the features is not negative: 2cᵀβ − βᵀ(G + eI)β ≤ 1 + e for
        every β. Without e that is at most e·B² more.
        """
        assert problem.pairs is not None
        n = problem.n_features
        gram = problem.pairs / problem.scale
        np.fill_diagonal(gram, 1.0)
        entry = 4 * (problem.k + 2) * ROUNDING
        margin = n * (entry + 16 * ROUNDING)
        added = max(0.0, 8 * margin - float(np.linalg.eigvalsh(gram)[0]))
        gram[np.diag_indices(n)] += added
        diagonal = _diagonal(gram, 2 * margin)
        loss = SENSITIVITY * entry + added * LARGEST_COEFFICIENTS**2
        target = problem.quality / problem.scale
        most = _largest(problem.pairs / problem.scale, target, margin)
        return cls(gram, target, diagonal, 2 * margin, loss, most)


def _largest(gram: Reals, target: Reals, margin: float) -> float:
    """Return a bound on R² with coefficients of at most B, by the least eigenvalue of all correlations."""
    joint = np.block([[gram, target[:, None]], [target, 1.0]])
    np.fill_diagonal(joint, 1.0)
    added = max(0.0, margin - float(np.linalg.eigvalsh(joint)[0]))
    return 1.0 + added * (1 + LARGEST_COEFFICIENTS**2)


def _diagonal(gram: Reals, margin: float) -> Reals:
    """Return D_j = κ / (G⁻¹)_jj with κ nearly as large as G − D ⪰ margin allows."""
    share = 1 / np.abs(np.diag(np.linalg.inv(gram)))
    root = np.sqrt(share)
    largest = 0.999 * float(np.linalg.eigvalsh(gram / root[:, None] / root)[0])
    factor = max(largest, margin)
    while np.linalg.eigvalsh(gram - np.diag(factor * share))[0] < margin:
        factor /= 2
    return factor * share
