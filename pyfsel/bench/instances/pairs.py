"""Families of problems with pairs of features: redundancies of mRMR, conflicts of FCBF."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsel.bench.instances.instance_families import LARGEST_QUALITY, Generated, Request, family
from pyfsel.errors import InputError
from pyfsel.problem import values
from pyfsel.problem.objectives import FeatureSet

BLOCK_SIZE = 6


@family(
    "block-redundancy",
    "mRMR with blocks of about six features: much redundancy within a block, little between blocks",
    "makes the good features the redundant ones (blocks of high quality), and blurs the blocks",
)
def block_redundancy(request: Request, rng: np.random.Generator) -> Generated:
    """Return an mRMR problem."""
    n = request.features_or(40)
    block = rng.permutation(np.arange(n) % max(1, n // BLOCK_SIZE))
    strength = rng.random(block.max() + 1)
    own = rng.random(n)
    quality = request.difficulty * strength[block] + (1 - request.difficulty) * own
    within = (block[:, None] == block[None, :]) * strength[block][:, None]
    noise = rng.random((n, n)) * (0.1 + 0.4 * request.difficulty)
    redundancy = np.clip(0.6 * within + np.triu(noise, 1) + np.triu(noise, 1).T, 0, 1)
    np.fill_diagonal(redundancy, 0)
    problem = request.problem(
        np.rint(quality * LARGEST_QUALITY).astype(np.int64),
        objective="mrmr",
        pairs=np.rint(redundancy * LARGEST_QUALITY).astype(np.int64),
    )
    return Generated(problem, facts={"blocks": block.tolist()})


@family(
    "planted-alternatives",
    "mRMR with disjoint sets planted that have the largest quality and no redundancy inside, among decoys",
    "brings the quality of the decoys near to the largest and the redundancy outside the planted sets near "
    "to 0",
)
def planted_alternatives(request: Request, rng: np.random.Generator) -> Generated:
    """Return an mRMR problem; no set is better than each planted one, whatever the aggregation."""
    owner = _planted(request, 2 * request.n_sets * request.k, rng)
    n = len(owner)
    decoy = owner < 0
    quality = np.full(n, LARGEST_QUALITY)
    nearness = 0.2 + 0.75 * request.difficulty
    quality[decoy] = (LARGEST_QUALITY * nearness * rng.random(decoy.sum())).astype(np.int64)
    upper = np.triu(rng.integers(1, 2 + int(LARGEST_QUALITY * (1.01 - request.difficulty)), (n, n)), 1)
    upper[(owner[:, None] == owner[None, :]) & ~decoy[:, None]] = 0
    problem = request.problem(quality, objective="mrmr", pairs=upper + upper.T)
    sets = _sets_of(owner)
    return Generated(problem, optimum=values.total(problem, sets), solution=sets)


@family(
    "near-infeasible-fcbf",
    "FCBF with disjoint sets planted that have no conflict inside, and conflicts between most other pairs",
    "share of the other pairs that are in conflict, from a half to all; at 1 only the planted sets are left, "
    "so the optimum is known (if sets may not be equal)",
)
def near_infeasible(request: Request, rng: np.random.Generator) -> Generated:
    """Return an FCBF problem that has a solution."""
    owner = _planted(request, request.n_sets * request.k * 3 // 2, rng)
    n = len(owner)
    together = (owner[:, None] == owner[None, :]) & (owner[:, None] >= 0)
    conflict = np.triu(~together & (rng.random((n, n)) < 0.5 + request.difficulty / 2), 1)
    conflicts = tuple((int(i), int(j)) for i, j in np.argwhere(conflict))
    quality = rng.integers(0, LARGEST_QUALITY + 1, n)
    problem = request.problem(quality, objective="fcbf", conflicts=conflicts)
    sets = _sets_of(owner)
    only = request.difficulty == 1 and request.overlap < request.k and request.k > 1
    return Generated(problem, optimum=values.total(problem, sets) if only else None, solution=sets)


def _planted(request: Request, usual: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return for each feature the number of the planted set that holds it, or −1; the sets are disjoint."""
    needed = request.n_sets * request.k
    n = request.features_or(usual)
    if n < needed:
        raise InputError(f"n_features={n}: must be at least {needed} to plant disjoint sets")
    owner = np.full(n, -1)
    owner[rng.permutation(n)[:needed]] = np.arange(needed) // request.k
    return owner


def _sets_of(owner: NDArray[np.int64]) -> tuple[FeatureSet, ...]:
    return tuple(tuple(np.flatnonzero(owner == s).tolist()) for s in range(owner.max() + 1))
