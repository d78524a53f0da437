"""Sets as bits in machine words, for the core."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

WORD = 64


def as_words(sets: NDArray[np.int32], n_features: int) -> NDArray[np.uint64]:
    """Return sets of features as bits, shape (m, ⌈n_features/64⌉)."""
    words = np.zeros((len(sets), -(-n_features // WORD)), dtype=np.uint64)
    rows = np.arange(len(sets))
    for column in sets.T:
        words[rows, column // WORD] |= np.uint64(1) << (column % WORD).astype(np.uint64)
    return words
