"""All sets in the order of a Gray code, each from the one before by one flip, in exact integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

import numpy as np

from pyfsel.algorithms.graph_score.instance import Instance
from pyfsel.core.binding import Ints, in_core

FEATURES_PER_CALL = 16  # 65,536 sets, after which the clock is asked


def lowest_by_flips(instance: Instance, allow_empty: bool) -> tuple[int, tuple[int, ...]]:
    """Return the lowest score, and its set of the whole instance.

    `allow_empty` says whether all free features may be left out; if not, and there are none, the score is
    above 2⁶¹.
    """
    lowest = np.empty(2, np.int64)
    find_lowest(instance.linear.copy(), instance.pairwise, allow_empty, lowest)
    score, mask = lowest.tolist()
    chosen = np.array([bool(mask >> i & 1) for i in range(len(instance.free))], dtype=bool)
    return score + instance.constant, instance.features_of(chosen)


@in_core
def find_lowest(
    gains: Annotated[Ints, "n"],
    pairwise: Annotated[Ints, "n", "n"],
    allow_empty: bool,
    lowest: Annotated[Ints, "2"],
) -> None:
    """Write the lowest score and its set; the gains, linear at first, are changed."""


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
        score, features = lowest_by_flips(part, len(part.inside) > 0)
        if features and (best is None or score < best):
            best = score
            yield best, features
        if expired():
            return
