"""Prices of shared features, taken from the qualities where all sets but one are known."""

from __future__ import annotations

import numpy as np

from pyfsel.problem.instance import Instance
from pyfsel.problem.values import objective_of, overlap_price


def without_prices(problem: Instance) -> Instance:
    """Return a problem with the same sets, of the same integer objectives, that has no prices if it can.

    For one set, a feature costs the same whatever else the set holds: the price, once for each previous set
    that has it. Where the value is the sum of the qualities these can be lowered by that, unless a least
    value is requested, which is one without prices.

    Examples
    --------
    >>> problem = Instance([9, 8, 7], 1, 2, 2, previous=[(0, 1), (0, 2)], shared_price=3)
    >>> without_prices(problem).quality.tolist()
    [3, 5, 4]
    """
    price = overlap_price(problem)
    if not price or problem.n_sets > 1 or not objective_of(problem).is_sum or problem.min_quality is not None:
        return problem
    known = np.zeros(problem.n_features, dtype=np.int64)
    for members in problem.previous:
        known[list(members)] += 1
    return problem.replace(quality=problem.quality - price * known, exact_quality=None, shared_price=0)
