"""Number partitioning, packing and CP-SAT in turn, for disjoint sets with the largest minimum."""

from __future__ import annotations

from pyfsel.backends.base import Backend
from pyfsel.backends.cpsat.backend import CpSat
from pyfsel.backends.packing import Packing
from pyfsel.backends.partition import Partition
from pyfsel.backends.turns.turns import Turn, solve_in_turns
from pyfsel.problem.problem import Problem
from pyfsel.results.answer import Answer
from pyfsel.results.control import Control

SECONDS = 1.0


class PartitionPackingCpSat(Backend):
    """Each for a second, and again for three times as long.

    Where the minimum can be the mean, a partitioning that shows it is found at once; where the features are
    so few or so unlike that it cannot, packing enumerates the few sets that are good enough, or CP-SAT proves
    by its reasons for conflicts that many equal features cannot be dealt better.
    """

    name = "partition-packing-cpsat"
    summary = "number partitioning, packing and CP-SAT in turn, for disjoint sets with the largest minimum"
    objectives = Partition.objectives

    def __init__(self) -> None:
        self.members = (Partition(), Packing(), CpSat())
        self.basis = tuple(part for member in self.members for part in member.basis)

    def missing(self) -> str | None:
        return next((lack for member in self.members if (lack := member.missing())), None)

    def version(self) -> str | None:
        return self.members[0].version()

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        refusals = (member.refusal(problem, formulation) for member in self.members)
        return next(filter(None, refusals), None)

    def solve(self, problem: Problem, control: Control) -> Answer:
        turns = [Turn(member.name, member.solve, SECONDS) for member in self.members]
        return solve_in_turns(problem, control, turns)
