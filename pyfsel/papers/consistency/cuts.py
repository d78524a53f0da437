"""From rows to sets of features that every solution must hit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.papers.consistency.problem import ConsistencyProblem

MOST_PAIRS = 30_000_000  # of rows, compared in NumPy
MOST_SETS = 500  # minimal difference sets to begin with; others come when they are violated
Cut = frozenset[int]


def row_pairs(problem: ConsistencyProblem) -> int:
    """Return the number of pairs of patterns that `minimal_difference_sets` looks at."""
    n = len(problem.patterns)
    return n * (n - 1) // 2


def minimal_difference_sets(problem: ConsistencyProblem, most: int | None = None) -> list[Cut]:
    """Return the minimal ones of the sets of features in which two rows of different classes differ.

    A set is consistent, with rate 0, if and only if it hits all of them.

    Parameters
    ----------
    problem : ConsistencyProblem
    most : int, optional
        Stop as soon as there are more of them than this: what is returned then are the minimal ones of the
        pairs seen so far, which still have to be hit, but hitting them is not enough.

    Raises
    ------
    InputError
        If equal rows have different classes, so no set is consistent.

    Examples
    --------
    >>> from pyfsel.papers.consistency import consistency_problem
    >>> rows = consistency_problem([[0, 0, 5], [0, 1, 5], [1, 0, 6]], [0, 1, 1])
    >>> [sorted(members) for members in minimal_difference_sets(rows)]
    [[1], [0, 2]]
    """
    if problem.inconsistent_rows(range(problem.n_features)):
        raise InputError("X: holds equal rows of different classes; no feature set is consistent")
    classes = problem.counts.argmax(axis=1)
    minimal = np.empty((0, -(-problem.n_features // 64)), dtype=np.uint64)
    for row, pattern in enumerate(problem.patterns):
        others = problem.patterns[:row][classes[:row] != classes[row]]
        new = _without_supersets(_packed(others != pattern), minimal)
        if len(new):
            minimal = _minimal(np.concatenate([minimal, new]))
        if most is not None and len(minimal) > most:
            break
    members = _unpacked(minimal)[:, : problem.n_features]
    return sorted((frozenset(np.flatnonzero(row).tolist()) for row in members), key=_by_size)


def _packed(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return each row as bits of words of 64."""
    padded = np.zeros((len(rows), -(-rows.shape[1] // 64) * 64), dtype=bool)
    padded[:, : rows.shape[1]] = rows
    return np.packbits(padded, axis=1).view(np.uint64)


def _unpacked(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1)


def _by_size(cut: Cut) -> tuple[int, list[int]]:
    return len(cut), sorted(cut)


def _without_supersets(sets: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.uint64]:
    for members in known:
        if not len(sets):
            break
        sets = sets[((sets & members) != members).any(axis=1)]
    return sets


def _minimal(sets: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the sets that contain no other one, small ones first."""
    sets = np.unique(sets, axis=0)
    sets = sets[np.argsort(_unpacked(sets).sum(axis=1), kind="stable")]
    position = 0
    while position < len(sets):
        rest = sets[position + 1 :]
        rest = rest[((rest & sets[position]) != sets[position]).any(axis=1)]
        sets = np.concatenate([sets[: position + 1], rest])
        position += 1
    return sets


def cut_of(problem: ConsistencyProblem, features: Iterable[int], order: Iterable[int]) -> Cut:
    """Return the complement of a largest superset that is not consistent enough.

    Parameters
    ----------
    problem : ConsistencyProblem
    features : iterable of int
        A set that is not consistent enough.
    order : iterable of int
        All features, in the order in which they are tried.
    """
    largest = set(features)
    for j in order:
        if j not in largest and not problem.is_consistent(largest | {j}):
            largest.add(j)
    return frozenset(range(problem.n_features)) - largest


def disjoint_cuts(problem: ConsistencyProblem) -> Iterator[Cut]:
    """Yield cuts that have no feature in common, until their union is consistent enough."""
    union: set[int] = set()
    while not problem.is_consistent(union):
        cut = cut_of(problem, union, range(problem.n_features))
        yield cut
        if not cut:
            return
        union |= cut


def reduced(problem: ConsistencyProblem, features: Iterable[int]) -> tuple[int, ...]:
    """Return a smallest part of a consistent set: no single feature of it can be left out."""
    chosen = sorted(features)
    for j in list(chosen):
        rest = [i for i in chosen if i != j]
        if problem.is_consistent(rest):
            chosen = rest
    return tuple(chosen)
