"""All sets in the order of a Gray code, each from the one before by one flip, in exact integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.algorithms.graph_score.instance import Instance

FEATURES_PER_CALL = 16


@compiled
def lowest_by_flips(
    linear: NDArray[np.int64], pairwise: NDArray[np.int64], allow_empty: bool
) -> tuple[int, int]:
    """Return the lowest score of a set, without the constant, and the set as a bit mask.

    Without features there is only the empty set; if it is not allowed the score is 2⁶² and the mask 0.
    """
    n = len(linear)
    gains = linear.copy()
    score, mask = 0, 0
    best, best_mask = (0, 0) if allow_empty else (2**62, 0)
    for step in range(1, 1 << n):
        i = 0
        while not (step >> i) & 1:
            i += 1
        if (mask >> i) & 1:
            score -= gains[i]
            gains -= pairwise[i]
        else:
            score += gains[i]
            gains += pairwise[i]
        mask ^= 1 << i
        if score < best:
            best, best_mask = score, mask
    return best, best_mask


def lowest_set(
    instance: Instance, *, expired: Callable[[], bool] = lambda: False
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield sets of falling score, the last of which is optimal unless `expired` has become true.

    All but the last 16 features are decided in all ways, the rest goes through the Gray code at once.
    """
    n = len(instance.free)
    first = max(0, n - FEATURES_PER_CALL)
    best: int | None = None
    for number in range(1 << first):
        inside = [i for i in range(first) if number >> i & 1]
        part = instance.decide(inside, set(range(first)) - set(inside))
        score, mask = lowest_by_flips(part.linear, part.pairwise, len(part.inside) > 0)
        chosen = np.array([bool(mask >> i & 1) for i in range(len(part.free))], dtype=bool)
        features = part.features_of(chosen)
        if features and (best is None or score + part.constant < best):
            best = score + part.constant
            yield best, features
        if expired():
            return
