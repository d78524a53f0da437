"""Qualities of groups of features that measure nearly the same."""

from __future__ import annotations

import numpy as np

from pyfsel.bench.instances.registry import LARGEST_QUALITY, Generated, Request, family


@family(
    "correlated",
    "groups of about five features with similar qualities",
    "makes the qualities of a group more alike: they differ by up to 1 − difficulty, half of it either way",
)
def correlated(request: Request, rng: np.random.Generator) -> Generated:
    """Return a univariate problem."""
    n = request.features_or(50)
    group = rng.integers(0, max(1, n // 5), n)
    level = rng.random(group.max() + 1)[group]
    spread = (1 - request.difficulty) * (rng.random(n) - 0.5)
    quality = np.rint(np.clip(level + spread, 0, 1) * LARGEST_QUALITY).astype(np.int64)
    return Generated(request.problem(quality), facts={"groups": group.tolist()})
