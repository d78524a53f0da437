"""How many compatible sets can hold a feature, by the features beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.bits import as_words, count_bits
from pyfsel.algorithms.columns.sets.allowed import AllowedSets
from pyfsel.algorithms.columns.sets.listed import ListedSets
from pyfsel.algorithms.compiled import compiled
from pyfsel.reductions.interchange import most_by_counting

if TYPE_CHECKING:
    from numpy.typing import NDArray


def use_limits(sets: AllowedSets, n_sets: int) -> NDArray[np.int64]:
    """Return how many of so many compatible sets can hold each feature at most, shape (n,)."""
    n = len(sets.quality)
    by_others = limits_by_others(n, n_sets, sets.set_size, sets.max_overlap)
    limits = np.full(n, by_others[n - 1])
    if isinstance(sets, ListedSets):
        everything = np.arange(len(sets.members), dtype=np.int32)
        limit_uses(sets.members, as_words(sets.members, n), everything, by_others, limits)
    return limits


def limits_by_others(n_features: int, n_sets: int, set_size: int, max_overlap: int) -> NDArray[np.int64]:
    """Return how many compatible sets can hold a feature at most, by how many others there are beside it.

    Without the feature, the sets that hold it are sets of one feature less that share one less.

    Returns
    -------
    array of shape (n_features,)

    Examples
    --------
    >>> limits_by_others(10, n_sets=4, set_size=3, max_overlap=1).tolist()
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    """
    others = range(n_features)
    if max_overlap == 0:
        limits = [1 if m >= set_size - 1 else 0 for m in others]
    elif max_overlap >= set_size:
        limits = [n_sets if m >= set_size - 1 else 0 for m in others]
    else:
        limits = [min(n_sets, most_by_counting(m, set_size - 1, max_overlap - 1)) for m in others]
    return np.array(limits, dtype=np.int64)


@compiled
def limit_uses(
    members: NDArray[np.int32],
    words: NDArray[np.uint64],
    listed: NDArray[np.int32],
    by_others: NDArray[np.int64],
    limits: NDArray[np.int64],
) -> None:
    """Lower limits on the uses of features, shape (n,), to what the listed sets allow."""
    beside = np.zeros((len(limits), words.shape[1]), dtype=np.uint64)
    for one in listed:
        for p in range(members.shape[1]):
            for word in range(words.shape[1]):
                beside[members[one, p], word] |= words[one, word]
    for j in range(len(limits)):
        held = np.uint64(0)
        for word in range(words.shape[1]):
            held += count_bits(beside[j, word])
        limit = by_others[np.int64(held) - 1] if held > 0 else 0
        limits[j] = min(limits[j], limit)
