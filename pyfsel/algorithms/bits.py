"""Sets as bits in machine words, for compiled loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


WORD = 64


def as_words(sets: NDArray[np.int32], n_features: int) -> NDArray[np.uint64]:
    """Return sets of features as bits, shape (m, ⌈n_features/64⌉)."""
    words = np.zeros((len(sets), -(-n_features // WORD)), dtype=np.uint64)
    rows = np.arange(len(sets))
    for column in sets.T:
        words[rows, column // WORD] |= np.uint64(1) << (column % WORD).astype(np.uint64)
    return words


@compiled
def count_bits(word: np.uint64) -> np.uint64:
    """Return the number of ones of a 64-bit word."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@count_bits.in_python
def _count_bits(word: np.uint64) -> np.uint64:
    return np.uint64(int(word).bit_count())
