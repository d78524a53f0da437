"""mRMR with a known optimum: alternatives without redundancy among decoys."""

from __future__ import annotations

import numpy as np

from pyfsel.bench.instances.registry import LARGEST_QUALITY, Generated, Request, family
from pyfsel.errors import InputError
from pyfsel.problem import values


@family(
    "planted-alternatives",
    "mRMR with disjoint sets planted that have the largest quality and no redundancy inside, besides decoys",
    "brings the quality of the decoys near to the largest and the redundancy outside the planted sets near "
    "to 0",
)
def planted_alternatives(request: Request, rng: np.random.Generator) -> Generated:
    """Return an mRMR problem; no set is better than each planted one, whatever the aggregation."""
    needed = request.n_sets * request.k
    n = request.features_or(2 * needed)
    if n < needed:
        raise InputError(f"n_features={n}: must be at least {needed} to plant disjoint sets")
    owner = np.full(n, -1)
    owner[rng.permutation(n)[:needed]] = np.arange(needed) // request.k
    decoy = owner < 0
    quality = np.full(n, LARGEST_QUALITY)
    nearness = 0.2 + 0.75 * request.difficulty
    quality[decoy] = (LARGEST_QUALITY * nearness * rng.random(decoy.sum())).astype(np.int64)
    upper = np.triu(rng.integers(1, 2 + int(LARGEST_QUALITY * (1.01 - request.difficulty)), (n, n)), 1)
    upper[(owner[:, None] == owner[None, :]) & ~decoy[:, None]] = 0
    problem = request.problem(quality, objective="mrmr", redundancy=upper + upper.T)
    sets = tuple(tuple(np.flatnonzero(owner == s).tolist()) for s in range(request.n_sets))
    return Generated(problem, optimum=values.total(problem, sets), solution=sets)
