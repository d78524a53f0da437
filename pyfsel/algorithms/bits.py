"""Sets as bits in machine words."""

from __future__ import annotations

import numpy as np

from pyfsel.core.arrays import Ints, ShortInts, Words

WORD = 64


def as_words(sets: ShortInts, n_features: int) -> Words:
    """Return sets of features as bits, shape (m, ⌈n_features/64⌉)."""
    words = np.zeros((len(sets), -(-n_features // WORD)), dtype=np.uint64)
    rows = np.arange(len(sets))
    for column in sets.T:
        words[rows, column // WORD] |= np.uint64(1) << (column % WORD).astype(np.uint64)
    return words


def count_bits(words: Words) -> Ints:
    """Return the number of bits that are set in each word, in the shape of the words."""
    if hasattr(np, "bitwise_count"):  # since NumPy 2
        counts: Ints = np.bitwise_count(words).astype(np.int64)
        return counts
    bits = np.unpackbits(np.ascontiguousarray(words)[..., None].view(np.uint8), axis=-1)
    return np.asarray(bits.sum(axis=-1, dtype=np.int64))
