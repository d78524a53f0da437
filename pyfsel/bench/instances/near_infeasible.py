"""FCBF with so many conflicts that hardly any solution is left."""

from __future__ import annotations

import numpy as np

from pyfsel.bench.instances.registry import LARGEST_QUALITY, Generated, Request, family
from pyfsel.errors import InputError
from pyfsel.problem import values


@family(
    "near-infeasible-fcbf",
    "FCBF with disjoint sets planted that have no conflict inside, and conflicts between most other pairs",
    "share of the other pairs that are in conflict, from a half to all; at 1 only the planted sets are left, "
    "so that the optimum is known (if sets may not be equal)",
)
def near_infeasible(request: Request, rng: np.random.Generator) -> Generated:
    """Return an FCBF problem that has a solution."""
    needed = request.n_sets * request.k
    n = request.features_or(needed + needed // 2)
    if n < needed:
        raise InputError(f"n_features={n}: must be at least {needed} to plant disjoint sets")
    order = rng.permutation(n)
    owner = np.full(n, -1)
    owner[order[:needed]] = np.arange(needed) // request.k
    together = (owner[:, None] == owner[None, :]) & (owner[:, None] >= 0)
    conflict = np.triu(~together & (rng.random((n, n)) < 0.5 + request.difficulty / 2), 1)
    conflicts = tuple((int(i), int(j)) for i, j in np.argwhere(conflict))
    quality = rng.integers(0, LARGEST_QUALITY + 1, n)
    problem = request.problem(quality, objective="fcbf", conflicts=conflicts)
    sets = tuple(tuple(np.flatnonzero(owner == s).tolist()) for s in range(request.n_sets))
    only = request.difficulty == 1 and request.overlap < request.k and request.k > 1
    return Generated(problem, optimum=values.total(problem, sets) if only else None, solution=sets)
