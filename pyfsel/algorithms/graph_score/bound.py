"""The semidefinite bound with triangle inequalities, made safe against the rounding of floats.

With x = (1 + z)/2 and a further entry z₀ = 1 the score of a set becomes ``⟨C, z·zᵀ⟩ + constant``, all entries
of z being −1 or 1. For any y, and any multipliers γ ≥ 0 of triangle inequalities, whose terms turn C into C̃,

    ⟨C, z·zᵀ⟩ ≥ Σ y + N·min(0, λ_min(C̃ − diag y)) − Σ γ        (N entries of z),

so a bound needs no exact solution of the relaxation, only a true lower bound on one eigenvalue. That is the
computed eigenvalue less `EIGENVALUE_MARGIN`·N·ε times the norms of all matrices that go into it, well above
what the backward stable symmetric eigenvalue solver of LAPACK can lose; sums get a margin of the same kind.

The relaxation is ``min ⟨C, V·Vᵀ⟩`` over matrices V with rows of length 1. The mixing method (Wang, Chang and
Kolter, 2017) minimises over one row after another, which is a closed formula. A row (i, j, k, s) of triangles
stands for ``±X_ij ± X_ik ± X_jk ≥ −1`` with X = V·Vᵀ and the signs of ``SIGNS[s]``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, inf, sqrt
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.graph_score.instance import Instance
from pyfsel.core.binding import Ints, Reals, in_core

EIGENVALUE_MARGIN = 20
EPSILON = float(np.finfo(np.float64).eps)
# What follows only decides how quickly the bound rises, and is by trial: every bound is made safe in the end.
FIRST_SWEEPS, SWEEPS, SWEEPS_PER_CALL, TOLERANCE = 200, 40, 10, 1e-5  # few sweeps where V is nearly right
PRODUCTS_PER_CALL = 10**7  # of numbers: some milliseconds
SEPARATE_EVERY = 4  # steps: new inequalities need some before their multipliers say what they are worth
LEAST_EXCESS = 0.02  # of a violated inequality, and the slack of one that is kept
MOST_EXCESSES = 50_000  # from which the worst are taken
NEW_TRIANGLES_PER_ROW = 3
SMALLEST_STEP = 0.02
OVERSHOOT = 1.1  # of the step that would reach the target if the bound were linear
MOMENTUM = 0.6
PATIENCE = 4  # steps without progress, a thousandth of the gap, before they get shorter
SHORTER = 0.7
LOOK_BACK = 10  # steps by whose progress it is judged whether the target is within reach


@dataclass
class Triangles:
    """Triangle inequalities with their multipliers, on the positions of a relaxation.

    Parameters
    ----------
    rows : array of int, shape (m, 4)
        As the module's text says.
    multipliers : array of float, shape (m,)
    """

    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 4), np.int64))
    multipliers: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def moved(self, position: NDArray[np.int64]) -> Triangles:
        """Return those whose entries all have a new position; `position` holds −1 for the others."""
        rows = self.rows.copy()
        rows[:, :3] = position[self.rows[:, :3]]
        kept = (rows[:, :3] >= 0).all(axis=1)
        return Triangles(rows[kept], self.multipliers[kept])


@dataclass
class Relaxation:
    """The relaxation of an instance, with everything that a later, smaller one can start from.

    Parameters
    ----------
    C : array of float, shape (N, N)
        N is the number of free features and one more, entry 0, which stands for the constant 1.
    constant : float
    V : array of float, shape (N, r)
        The current solution, rows of length 1.
    triangles : Triangles
    bound : float
        A safe lower bound on the score of all sets of the instance; −inf at first.
    """

    C: NDArray[np.float64]
    constant: float
    V: NDArray[np.float64]
    triangles: Triangles
    bound: float = -inf

    @classmethod
    def of(cls, instance: Instance, rng: np.random.Generator) -> Relaxation:
        """Return the relaxation of an instance with a random start."""
        n = len(instance.free)
        # some optimum has at most this rank, about √(2N) (Barvinok 1995, Pataki 1998)
        V = rng.normal(size=(n + 1, ceil(sqrt(2 * (n + 1))) + 1))
        V /= np.linalg.norm(V, axis=1, keepdims=True)
        return cls(*_matrix(instance), V, Triangles())

    def shrink(self, instance: Instance, before: Instance) -> Relaxation:
        """Return the relaxation of an instance that is what is left of the one `before`."""
        kept = np.isin(before.free, instance.free)
        entries = np.flatnonzero(np.concatenate([[True], kept]))
        position = np.full(len(self.C), -1, dtype=np.int64)
        position[entries] = np.arange(len(entries))
        return Relaxation(
            *_matrix(instance), self.V[entries].copy(), self.triangles.moved(position), self.bound
        )

    @property
    def undecided(self) -> NDArray[np.float64]:
        """How far each free feature is from being decided: −1 is out, 1 is in, shape (n,)."""
        return np.asarray(self.V[1:] @ self.V[0])

    def round(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Return a choice among the free features by a random hyperplane."""
        side = self.V @ rng.normal(size=self.V.shape[1])
        return np.asarray(side[1:] * side[0] > 0)

    def tighten(self, target: float, iterations: int, expired: Callable[[], bool]) -> None:
        """Raise the bound by subgradient steps on the multipliers, until it is above `target`.

        It also ends after so many iterations, when there is no hope of reaching `target` in these, or when
        `expired` becomes true.
        """
        steps = _Steps(self, target, expired)
        history = []
        for iteration in range(iterations):
            steps.evaluate(FIRST_SWEEPS if iteration == 0 else SWEEPS)
            history.append(steps.best)
            if steps.best > target or steps.step < SMALLEST_STEP or expired():
                break
            if iteration >= LOOK_BACK:
                gained = history[-1] - history[-1 - LOOK_BACK]
                if history[-1] + gained / LOOK_BACK * (iterations - iteration) < target - gained:
                    break
            if iteration % SEPARATE_EVERY == 0:
                steps.separate()
            if not steps.move():
                break
        self.triangles = steps.best_triangles
        self.bound = max(self.bound, steps.best)


def _matrix(instance: Instance) -> tuple[NDArray[np.float64], float]:
    """Return C and the constant; all are multiples of 1/8 below 2⁵³, so nothing is rounded."""
    n = len(instance.free)
    C = np.zeros((n + 1, n + 1))
    C[1:, 1:] = instance.pairwise / 8
    C[0, 1:] = C[1:, 0] = instance.linear / 4 + instance.pairwise.sum(axis=1) / 8
    return C, float(instance.linear.sum() / 2 + instance.pairwise.sum() / 8 + instance.constant)


class _Steps:
    """Subgradient steps with a direction that remembers the earlier ones."""

    def __init__(self, relaxation: Relaxation, target: float, expired: Callable[[], bool]) -> None:
        self.relaxation = relaxation
        self.target = target
        self.expired = expired
        self.triangles = relaxation.triangles
        self.best_triangles = relaxation.triangles
        self.direction = np.zeros(len(self.triangles.rows))
        self.best = -inf
        self.value = -inf
        self.step = 1.0
        self.fruitless = 0

    def evaluate(self, sweeps: int) -> None:
        """Solve the relaxation with the current multipliers and keep the bound if it is better."""
        relaxation, triangles = self.relaxation, self.triangles
        shifted = add_triangles(relaxation.C, triangles.rows, triangles.multipliers)
        y = self._mix(shifted, sweeps)
        self.value = relaxation.constant + float(y.sum() - triangles.multipliers.sum())
        self.X = relaxation.V @ relaxation.V.T
        self.fruitless += 1
        if self.value > self.best:
            bound = safe_bound(shifted, y, triangles.multipliers, relaxation.constant)
            if bound > self.best:
                if self.target - bound < 0.999 * (self.target - self.best):
                    self.fruitless = 0
                self.best, self.best_triangles = bound, triangles
        if self.fruitless >= PATIENCE:
            self.step *= SHORTER
            self.fruitless = 0

    def _mix(self, C: NDArray[np.float64], sweeps: int) -> NDArray[np.float64]:
        """Call the mixing method for a few sweeps at a time, and look at the clock between them."""
        V, last = self.relaxation.V, inf
        y, direction = np.zeros(len(V)), np.empty(V.shape[1])
        at_once = min(SWEEPS_PER_CALL, 1 + PRODUCTS_PER_CALL // (C.size * V.shape[1]))
        for _ in range(0, sweeps, at_once):
            mix(C, V, y, direction, at_once, TOLERANCE)
            if self.expired() or last - y.sum() < TOLERANCE * abs(y.sum()):
                break
            last = float(y.sum())
        return y

    def separate(self) -> None:
        """Take in the most violated triangle inequalities and drop those that do nothing."""
        rows, amounts = violated(self.X, LEAST_EXCESS, MOST_EXCESSES)
        n, old = len(self.X), self.triangles
        worst = np.argsort(-amounts, kind="stable")[: NEW_TRIANGLES_PER_ROW * n]
        new = rows[worst]
        new = new[~np.isin(_numbers(new, n), _numbers(old.rows, n))]
        kept = (old.multipliers > 1e-9) | (excess(self.X, old.rows) > -LEAST_EXCESS)
        self.triangles = Triangles(
            np.concatenate([old.rows[kept], new]),
            np.concatenate([old.multipliers[kept], np.zeros(len(new))]),
        )
        self.direction = np.concatenate([self.direction[kept], excess(self.X, new)])

    def move(self) -> bool:
        """Step towards the multipliers that give the best bound; return False if there is no direction."""
        rows, multipliers = self.triangles.rows, self.triangles.multipliers
        slope = excess(self.X, rows)
        slope[(slope < 0) & (multipliers <= 0)] = 0.0  # these cannot get smaller
        self.direction = MOMENTUM * self.direction + (1 - MOMENTUM) * slope
        length = float(self.direction @ self.direction)
        if length < 1e-14:
            return False
        size = self.step * OVERSHOOT * max(self.target - self.value, 0.0) / length
        self.triangles = Triangles(rows, np.maximum(0.0, multipliers + size * self.direction))
        return True


def _numbers(rows: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    return np.asarray(((rows[:, 0] * n + rows[:, 1]) * n + rows[:, 2]) * 4 + rows[:, 3])


def safe_bound(
    shifted: NDArray[np.float64],
    y: NDArray[np.float64],
    multipliers: NDArray[np.float64],
    constant: float,
) -> float:
    """Return a lower bound that no rounding error can make too large (see the module's text).

    Examples
    --------
    >>> C = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> -2.000001 < safe_bound(C, np.array([-1.0, -1.0]), np.zeros(0), 0.0) <= -2
    True
    """
    from scipy.linalg import eigvalsh

    size = len(y)
    magnitude = float(np.linalg.norm(shifted) + np.linalg.norm(y) + np.abs(multipliers).sum())
    lowest = float(eigvalsh(shifted - np.diag(y), subset_by_index=(0, 0))[0])
    lowest -= EIGENVALUE_MARGIN * size * EPSILON * magnitude
    total = float(y.sum() - multipliers.sum()) + constant
    margin = (size + len(multipliers)) * EPSILON * (float(np.abs(y).sum()) + magnitude + abs(constant))
    return total + size * min(0.0, lowest) - margin


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
    rows, amounts, n, count = np.empty((most, 4), np.int64), np.empty(most), len(X), 0
    at_once = max(1, PRODUCTS_PER_CALL // (5 * n**2))
    for first in range(0, n, at_once):
        count = find_violated(X, least, first, min(n, first + at_once), count, rows, amounts)
    return rows[:count], amounts[:count]


@in_core
def find_violated(
    X: Annotated[Reals, "n", "n"],
    least: float,
    first: int,
    end: int,
    count: int,
    rows: Annotated[Ints, "most", "4"],
    amounts: Annotated[Reals, "most"],
) -> int:
    """Write what `violated` returns for some i after so many, and return how many there are."""
