"""All sets in the order of a Gray code, each from the one before by one flip, in exact integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

import numpy as np

from pyfsel.core import Ints, in_core

if TYPE_CHECKING:
    from pyfsel.algorithms.graph_score.instance import Instance

FEATURES_PER_CALL = 16


def lowest_by_flips(linear: Ints, pairwise: Ints, allow_empty: bool) -> tuple[int, int]:
    """Return the lowest score of a set, without the constant, and the set as a bit mask.

    Without features there is only the empty set; if it is not allowed the score is 2⁶² and the mask 0.
    """
    lowest = np.empty(2, np.int64)
    find_lowest(linear.copy(), pairwise, allow_empty, lowest)
    return int(lowest[0]), int(lowest[1])


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
        score, mask = lowest_by_flips(part.linear, part.pairwise, len(part.inside) > 0)
        chosen = np.array([bool(mask >> i & 1) for i in range(len(part.free))], dtype=bool)
        features = part.features_of(chosen)
        if features and (best is None or score + part.constant < best):
            best = score + part.constant
            yield best, features
        if expired():
            return
