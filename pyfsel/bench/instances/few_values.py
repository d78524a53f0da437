"""Qualities with many ties."""

from __future__ import annotations

import numpy as np

from pyfsel.bench.instances.registry import LARGEST_QUALITY, Generated, Request, family

MOST_VALUES = 12
FEWEST_VALUES = 2


@family(
    "few-values",
    "few distinct qualities, so that there are many ties and symmetries",
    "lowers the number of distinct qualities, from 12 to 2",
)
def few_values(request: Request, rng: np.random.Generator) -> Generated:
    """Return a univariate problem."""
    n_values = round(MOST_VALUES + request.difficulty * (FEWEST_VALUES - MOST_VALUES))
    values = np.sort(rng.choice(LARGEST_QUALITY, n_values, replace=False)) + 1
    return Generated(request.problem(rng.choice(values, request.features_or(50))))
