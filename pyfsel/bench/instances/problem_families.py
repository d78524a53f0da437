"""Families of problems: qualities of features, pairs of features, and hard ones with a known optimum."""

from __future__ import annotations

from math import comb, log10

import numpy as np

from pyfsel.bench.instances.hardness import PartitioningProblem, planted
from pyfsel.bench.instances.instance_families import LARGEST_QUALITY, Generated, Request, family
from pyfsel.core.arrays import Ints
from pyfsel.errors import InputError
from pyfsel.problem import values
from pyfsel.problem.objectives import Family

MOST_VALUES = 12
FEWEST_VALUES = 2
BLOCK_SIZE = 6
LARGEST_PART_SUM = 10**11


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


def _planted(request: Request, usual: int, rng: np.random.Generator) -> Ints:
    """Return for each feature the number of the planted set that holds it, or −1; the sets are disjoint."""
    needed = request.n_sets * request.k
    n = request.features_or(usual)
    if n < needed:
        raise InputError(f"n_features={n}: must be at least {needed} to plant disjoint sets")
    owner = np.full(n, -1)
    owner[rng.permutation(n)[:needed]] = np.arange(needed) // request.k
    return owner


def _sets_of(owner: Ints) -> Family:
    return tuple(tuple(np.flatnonzero(owner == s).tolist()) for s in range(owner.max() + 1))


@family(
    "partition",
    "min-aggregation made from number partitioning (paper 000, Prop. 8-10) with a perfect partition planted",
    "lengthens the numbers: at 0 a few digits, so perfect partitions abound, at 1 enough digits that "
    "hardly any other one exists",
)
def partition(request: Request, rng: np.random.Generator) -> Generated:
    """Return a problem whose best sets all have the same sum of numbers.

    Without an overlap, features beyond those that fill the sets make the partitioning incomplete; with an
    overlap, all sets share that many very good features.
    """
    overlap = request.max_shared or 0
    part_size = request.k - overlap
    if part_size < 1:
        raise InputError(f"max_shared={overlap}: must be smaller than k={request.k} in the family partition")
    if request.search == "sum":
        raise InputError("search='sum': the family partition maximises the minimum only")
    needed = request.n_sets * part_size + overlap
    n_more = request.features_or(needed) - needed
    if n_more < 0 or (overlap and n_more):
        allowed = f"{needed}" if overlap else f"at least {needed}"
        raise InputError(f"n_features={request.n_features}: must be {allowed} in this shape of partition")
    part_sum = _part_sum(part_size, request)
    instance = planted(request.n_sets, part_size, part_sum, int(rng.integers(2**31)))
    made = PartitioningProblem.of(instance, n_more=n_more, overlap=overlap)
    return Generated(made.problem, optimum=made.target(part_sum))


def _part_sum(part_size: int, request: Request) -> int:
    """Return the planted sum: as many digits as there are partitions, times the difficulty."""
    partitions = sum(log10(comb(part_size * sets, part_size)) for sets in range(2, request.n_sets + 1))
    digits = min(log10(LARGEST_PART_SUM), request.difficulty * partitions / max(1, request.n_sets - 1))
    return int(4 * part_size * 10**digits)
