"""Suboptimal dynamic programming for the graph score: SDP-1 and ASDP (paper 004, Section 3.2).

Both minimise ``Σ_{i∈S} linear_i + Σ_{i<j∈S} pairwise_ij`` over non-empty sets S. Vertex i keeps a set S_i
that ends in i and its score s_i; a traversal of the vertices in one direction improves them from the sets
of the vertices before. One matrix-vector product per vertex, ``E·1_{S_i}``, gives the sums between S_i and
all other sets, so a traversal of n vertices takes O(n³) steps instead of O(n⁴) (paper 004, Theorem 3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pyfsel.core.arrays import Reals
from pyfsel.errors import InputError
from pyfsel.problem.checks import integer_in, one_of

PREFIXES = "prefixes"
EMPTY = "empty"
ONE_PASS = "one-pass"
INITIALISATIONS = (PREFIXES, EMPTY, ONE_PASS)
LARGEST_EXACT_SUM = 2**53  # of integers in floats
PATIENCE = 3  # traversals without a lower score, which end the search


class Traversal(NamedTuple):
    """What is known after one pass over the vertices: the lowest score of a vertex, and a set with it."""

    score: int
    features: tuple[int, ...]


@dataclass(frozen=True)
class DynamicProgrammingRun:
    """A set of low graph score and how it came about.

    Parameters
    ----------
    history : tuple of Traversal
        The initialisation, if it gives a set, and then every traversal; their scores never rise
        (paper 004, Theorem 1).
    n_iterations : int
        Number of traversals after the initialisation.
    """

    history: tuple[Traversal, ...]
    n_iterations: int = 0

    @property
    def score(self) -> int:
        """The lowest score."""
        return self.history[-1].score

    @property
    def features(self) -> tuple[int, ...]:
        """The set with this score."""
        return self.history[-1].features


def sdp_1(linear: ArrayLike, pairwise: ArrayLike) -> DynamicProgrammingRun:
    """Find a set of low graph score in a single forward pass (paper 004, Eq. 6, 7 and 11).

    Parameters
    ----------
    linear : array-like of int, shape (n,)
        ``w·(Δ − shiftΔ)`` of each feature, in integers.
    pairwise : array-like of int, shape (n, n)
        ``(1 − w)·(P − shiftP)`` of each pair, symmetric; the diagonal is ignored.

    Returns
    -------
    DynamicProgrammingRun

    Raises
    ------
    InputError
        If sums leave 53 bits.

    Examples
    --------
    >>> sdp_1([-3, -2, -2], [[0, 5, 2], [5, 0, -1], [2, -1, 0]]).features
    (1, 2)
    """
    state = _State(*_in_floats(linear, pairwise))
    state.pass_once()
    return DynamicProgrammingRun((state.traversal(),))


def asdp(
    linear: ArrayLike,
    pairwise: ArrayLike,
    *,
    initialisation: str = ONE_PASS,
    max_iterations: int = 100,
    expired: Callable[[], bool] = lambda: False,
    on_improvement: Callable[[tuple[int, ...]], None] = lambda features: None,
) -> DynamicProgrammingRun:
    """Find a set of low graph score by traversals in alternating directions (paper 004, Alg. 1 and 2).

    Parameters
    ----------
    linear, pairwise
        As for `sdp_1`.
    initialisation : {"one-pass", "prefixes", "empty"}
        What the vertices hold at first: the sets of `sdp_1`, the sets of all features up to the vertex
        (Eq. 15), or nothing (Eq. 4). After the first two, which are forward passes, the first traversal is
        backwards: a vertex' set must lie on its other side. With "empty" it is forwards, and every vertex
        extends the set of lowest score before it (Eq. 13 with S_i = ∅).
    max_iterations : int
        Largest number of traversals, at least 1.
    expired : callable
        Asked before every vertex; the search ends when it returns True, with the last finished pass.
    on_improvement : callable
        Takes every better set.

    Returns
    -------
    DynamicProgrammingRun
        Deterministic; ties go to the set reached first.

    Raises
    ------
    InputError
        As `sdp_1`, or if an option is not allowed.

    Examples
    --------
    >>> run = asdp([-3, -2, -2], [[0, 5, 2], [5, 0, -1], [2, -1, 0]])
    >>> run.features, run.score, [traversal.score for traversal in run.history]
    ((1, 2), -5, [-5, -5, -5, -5])
    """
    one_of("initialisation", initialisation, INITIALISATIONS)
    integer_in("max_iterations", max_iterations, 1, None)
    state = _State(*_in_floats(linear, pairwise))
    history: list[Traversal] = []
    if initialisation != EMPTY:
        state.take_prefixes() if initialisation == PREFIXES else state.pass_once()
        history.append(state.traversal())
        on_improvement(history[-1].features)
    n_initial = len(history)
    forward, unchanged = n_initial == 0, 0
    while len(history) - n_initial < max_iterations and unchanged < PATIENCE:
        if not state.traverse(forward, expired if history else lambda: False):
            break
        history.append(state.traversal())
        is_better = len(history) == 1 or history[-1].score < history[-2].score
        unchanged = 0 if is_better else unchanged + 1
        if is_better:
            on_improvement(history[-1].features)
        forward = not forward
    return DynamicProgrammingRun(tuple(history), len(history) - n_initial)


class _State:
    """The attributes of all vertices: row i of `member` is S_i as 0/1, ``score[i]`` is s_i.

    Everything is kept in floats, for the products of matrices; as integers of at most 53 bits they are exact.
    """

    def __init__(self, linear: Reals, pairwise: Reals) -> None:
        self.linear = linear
        self.pairwise = pairwise
        self.n = len(linear)
        self.score = np.zeros(self.n)
        self.member = np.zeros((self.n, self.n))

    def take_prefixes(self) -> None:
        """Give every vertex all features up to itself (Eq. 15)."""
        self.member = np.tri(self.n)
        self.score = np.cumsum(self.linear + np.tril(self.pairwise, -1).sum(axis=1))

    def pass_once(self) -> None:
        """Extend, for every vertex, the set that gives it the lowest score (Eq. 11 and 6)."""
        for i in range(self.n):
            candidates = self.score[:i] + self.member[:i] @ self.pairwise[i]
            self._extend(i, self._lowest(candidates, slice(0, i), forward=True))

    def traverse(self, forward: bool, expired: Callable[[], bool]) -> bool:
        """Process all vertices in one direction (Alg. 1); return False if the time ended before."""
        score, member = self.score.copy(), self.member.copy()
        predicted = np.full(self.n, np.inf)
        predicted_set = np.zeros_like(self.member)
        for i in range(self.n) if forward else reversed(range(self.n)):
            if expired():
                self.score, self.member = score, member
                return False
            self._process(i, forward, predicted, predicted_set)
        return True

    def _process(self, i: int, forward: bool, predicted: Reals, predicted_set: Reals) -> None:
        done = slice(0, i) if forward else slice(i + 1, self.n)
        old_set, old_score = self.member[i].copy(), self.score[i]
        joined = self.score[done] + self.member[done] @ (self.pairwise @ old_set)
        best = self._lowest(joined, done, forward)
        best_set = np.zeros(self.n) if best is None else self.member[best]
        assert not (best_set @ old_set), "the two sets to be joined share a vertex"
        joined_score = old_score + (0.0 if best is None else joined[best - done.start])
        self._extend(i, best)
        if predicted[i] < self.score[i]:
            self.score[i] = predicted[i]
            self.member[i] = predicted_set[i]
        if not old_set.any():
            return
        members = np.flatnonzero(old_set)
        end = members[-1 if forward else 0]
        if joined_score < predicted[end]:
            predicted[end] = joined_score
            predicted_set[end] = best_set + old_set

    @staticmethod
    def _lowest(candidates: Reals, done: slice, forward: bool) -> int | None:
        """Return the vertex of the lowest candidate, None for the guard (0), ties in order of traversal."""
        if len(candidates) == 0 or candidates.min() >= 0:
            return None
        position = candidates.argmin() if forward else len(candidates) - 1 - candidates[::-1].argmin()
        return int(done.start + position)

    def _extend(self, i: int, before: int | None) -> None:
        """Let S_i be the set of a vertex before it, or of the guard, and i (Eq. 6 and 14)."""
        if before is None:
            self.member[i] = 0.0
            self.score[i] = self.linear[i]
        else:
            self.score[i] = self.score[before] + self.linear[i] + self.member[before] @ self.pairwise[i]
            self.member[i] = self.member[before]
        self.member[i, i] = 1.0

    def traversal(self) -> Traversal:
        """Return the lowest score and its set (Eq. 7)."""
        best = int(self.score.argmin())
        features = tuple(np.flatnonzero(self.member[best]).tolist())
        return Traversal(int(self.score[best]), features)


def _in_floats(linear: ArrayLike, pairwise: ArrayLike) -> tuple[Reals, Reals]:
    lin, pairs = np.array(linear, dtype=np.float64), np.array(pairwise, dtype=np.float64)
    np.fill_diagonal(pairs, 0.0)
    if np.abs(lin).sum() + np.abs(pairs).sum() > LARGEST_EXACT_SUM:
        raise InputError("pairwise: sums can exceed 2**53; use a smaller scale")
    return lin, pairs
