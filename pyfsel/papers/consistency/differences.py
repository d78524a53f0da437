"""The minimal ones of the sets of features in which two rows of different classes differ."""

from __future__ import annotations

import numpy as np

from pyfsel.core.arrays import Bools, Ints, Words
from pyfsel.papers.consistency.distinct_rows import ConsistencyProblem

WORD = 64
MOST_WORDS = 20_000_000  # of all pairs of rows
MOST_COMPARED = 4000
N_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)
"""The number of bits that are set in each byte."""


def n_words(problem: ConsistencyProblem) -> int:
    """Return how many words the differences of all pairs of rows take."""
    n_pairs = len(problem.patterns) * (len(problem.patterns) - 1) // 2
    return n_pairs * -(-problem.n_features // WORD)


def minimal_differences(rows: Ints, classes: Ints) -> Words:
    """Return the minimal difference sets of all pairs of rows of different classes, small ones first.

    A set of features is consistent, with rate 0, if and only if it hits all of them. Each is compared with
    the `MOST_COMPARED` smallest of them only: if there are more, some that are returned may contain another.
    What hits them all is the same.

    Parameters
    ----------
    rows : array of int, shape (n_rows, n_features)
    classes : array of int, shape (n_rows,)

    Returns
    -------
    array of uint64, shape (n_sets, ⌈n_features/64⌉)
        Bit j of the words of a set is feature j. An empty set says that no set is consistent.

    Examples
    --------
    >>> words = minimal_differences(np.array([[0, 0, 5], [0, 1, 5], [1, 0, 6]]), np.array([0, 1, 1]))
    >>> words.tolist(), as_sets(words)
    ([[2], [5]], [(1,), (0, 2)])
    """
    found = _differences(rows, classes)
    different = np.unique(found.ravel())[:, None] if found.shape[1] == 1 else np.unique(found, axis=0)
    ascending = different[np.argsort(N_BITS[different.view(np.uint8)].sum(axis=1), kind="stable")]
    return np.asarray(ascending[_is_minimal(ascending)])


def as_sets(words: Words) -> list[tuple[int, ...]]:
    """Return the features of each set, ascending."""
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")
    return [tuple(np.flatnonzero(row).tolist()) for row in bits]


def _differences(rows: Ints, classes: Ints) -> Words:
    width = -(-rows.shape[1] // WORD)
    found = [np.empty((0, width), dtype=np.uint64)]
    for first in range(1, len(rows)):
        differ = rows[:first][classes[:first] != classes[first]] != rows[first]
        packed = np.zeros((len(differ), width * WORD // 8), dtype=np.uint8)
        packed[:, : -(-rows.shape[1] // 8)] = np.packbits(differ, axis=1, bitorder="little")
        found.append(packed.view("<u8"))
    return np.concatenate(found)


def _is_minimal(ascending: Words) -> Bools:
    """Return which sets contain none that stands before them and is minimal itself."""
    kept = np.empty((ascending.shape[1], MOST_COMPARED), dtype=np.uint64)
    n_kept = 0
    result = np.zeros(len(ascending), dtype=np.bool_)
    for i, words in enumerate(ascending):
        inside = np.ones(n_kept, dtype=np.bool_)
        for smaller, word in zip(kept[:, :n_kept], words, strict=True):
            inside &= smaller & word == smaller
        if not inside.any():
            result[i] = True
            if n_kept < MOST_COMPARED:
                kept[:, n_kept] = words
                n_kept += 1
    return result
