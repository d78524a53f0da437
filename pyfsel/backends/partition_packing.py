"""Number partitioning and packing in turn, for disjoint sets with the largest minimum."""

from __future__ import annotations

from pyfsel.backends.base import Backend, Control
from pyfsel.backends.packing import Packing
from pyfsel.backends.partition import Partition
from pyfsel.backends.turns import Turn, solve_in_turns
from pyfsel.problem import Problem
from pyfsel.result import Answer

SECONDS = 1.0


class PartitionPacking(Backend):
    """Each for a second, and again for three times as long.

    Where the minimum can be the mean, a partitioning that shows it is found at once; where the features are
    so few or so unlike that it cannot, packing enumerates the few sets that are good enough.
    """

    name = "partition-packing"
    summary = "number partitioning and packing in turn, for disjoint sets with the largest minimum"
    objectives = Partition.objectives

    def __init__(self) -> None:
        self.partition = Partition()
        self.packing = Packing()

    def missing(self) -> str | None:
        return self.partition.missing() or self.packing.missing()

    def version(self) -> str | None:
        return self.partition.version()

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        return self.partition.refusal(problem, formulation) or self.packing.refusal(problem, formulation)

    def solve(self, problem: Problem, control: Control) -> Answer:
        turns = [Turn(self.partition.solve, SECONDS), Turn(self.packing.solve, SECONDS)]
        return solve_in_turns(problem, control, turns)
