"""Qualities that are uniformly distributed."""

from __future__ import annotations

import numpy as np

from pyfsel.bench.instances.registry import LARGEST_QUALITY, Generated, Request, family


@family(
    "uniform",
    "independent qualities, uniformly distributed",
    "narrows the range of the qualities: at 0 from 0 to the largest, at 1 the best thousandth of it",
)
def uniform(request: Request, rng: np.random.Generator) -> Generated:
    """Return a univariate problem."""
    lowest = int(0.999 * request.difficulty * LARGEST_QUALITY)
    return Generated(request.problem(rng.integers(lowest, LARGEST_QUALITY + 1, request.features_or(50))))
