"""Families of univariate problems: how the qualities of features are distributed."""

from __future__ import annotations

import numpy as np

from pyfsel.bench.instances.instance_families import LARGEST_QUALITY, Generated, Request, family

MOST_VALUES = 12
FEWEST_VALUES = 2


@family(
    "uniform",
    "independent qualities, uniformly distributed",
    "narrows the range of the qualities: at 0 from 0 to the largest, at 1 the best thousandth of it",
)
def uniform(request: Request, rng: np.random.Generator) -> Generated:
    """Return a univariate problem."""
    lowest = int(0.999 * request.difficulty * LARGEST_QUALITY)
    return Generated(request.problem(rng.integers(lowest, LARGEST_QUALITY + 1, request.features_or(50))))


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


@family(
    "few-values",
    "few distinct qualities: many ties and symmetries",
    "lowers the number of distinct qualities, from 12 to 2",
)
def few_values(request: Request, rng: np.random.Generator) -> Generated:
    """Return a univariate problem."""
    n_values = round(MOST_VALUES + request.difficulty * (FEWEST_VALUES - MOST_VALUES))
    values = np.sort(rng.choice(LARGEST_QUALITY, n_values, replace=False)) + 1
    return Generated(request.problem(rng.choice(values, request.features_or(50))))
