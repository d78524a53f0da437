"""Packing and CP-SAT in turn, for disjoint sets with the largest minimum number partitioning too."""

from __future__ import annotations

from pyfsel.backends.cpsat import CpSat
from pyfsel.backends.packing import Packing
from pyfsel.backends.partition import Partition
from pyfsel.backends.turns.turns import TakingTurns

PACKING_SECONDS = 1.0  # in the first round; most proofs of packing take less, those of CP-SAT more
CPSAT_SECONDS = 4.0


class PackingCpSat(TakingTurns):
    """Packing for a second, CP-SAT for four from the sets found, and both again for three times as long."""

    name = "packing-cpsat"
    summary = "packing for a second, CP-SAT for four, and again for longer, each from the sets found so far"
    side_constraints = Packing.side_constraints
    kinds = (Packing, CpSat)
    seconds = (PACKING_SECONDS, CPSAT_SECONDS)


class PartitionPackingCpSat(TakingTurns):
    """Each for a second, and again for three times as long.

    Where the minimum can be the mean, a partitioning that shows it is found at once; where the features are
    so few or so unlike that it cannot, packing enumerates the few sets that are good enough, or CP-SAT proves
    by its reasons for conflicts that many equal features cannot be dealt better.
    """

    name = "partition-packing-cpsat"
    summary = "number partitioning, packing and CP-SAT in turn, for disjoint sets with the largest minimum"
    objectives = Partition.objectives
    kinds = (Partition, Packing, CpSat)
    seconds = (1.0, 1.0, 1.0)
