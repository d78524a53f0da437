"""Qualities with few good features and many bad ones."""

from __future__ import annotations

import numpy as np

from pyfsel.bench.instances.registry import LARGEST_QUALITY, Generated, Request, family


@family(
    "exponential",
    "independent qualities, exponentially distributed: few good features, many bad ones",
    "flattens the distribution: each quality, relative to the best one, is raised to the power 1.05 − "
    "difficulty",
)
def exponential(request: Request, rng: np.random.Generator) -> Generated:
    """Return a univariate problem."""
    drawn = rng.exponential(size=request.features_or(50))
    flattened = (drawn / drawn.max()) ** (1.05 - request.difficulty)
    return Generated(request.problem(np.rint(flattened * LARGEST_QUALITY).astype(np.int64)))
