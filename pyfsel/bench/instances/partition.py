"""Hard problems with min-aggregation: balanced number partitioning with a known optimum."""

from __future__ import annotations

from math import comb, log10

import numpy as np

from pyfsel.bench.instances.hardness import PartitioningProblem, planted
from pyfsel.bench.instances.instance_families import Generated, Request, family
from pyfsel.errors import InputError

LARGEST_PART_SUM = 10**11


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
