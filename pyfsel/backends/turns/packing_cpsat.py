"""Packing and CP-SAT in turn: what one of them proves at once can take the other very long."""

from __future__ import annotations

from pyfsel.backends.base import Backend
from pyfsel.backends.cpsat.backend import CpSat
from pyfsel.backends.packing import Packing
from pyfsel.backends.turns.turns import Turn, solve_in_turns
from pyfsel.problem.problem import Problem
from pyfsel.results.answer import Answer
from pyfsel.results.control import Control

PACKING_SECONDS = 1.0
CPSAT_SECONDS = 4.0


class PackingCpSat(Backend):
    """Packing for a second, CP-SAT for four from the sets found, and both again for three times as long."""

    name = "packing-cpsat"
    summary = "packing for a second, CP-SAT for four, and again for longer, each from the sets found so far"
    side_constraints = Packing.side_constraints

    def __init__(self) -> None:
        self.packing = Packing()
        self.cpsat = CpSat()
        self.basis = (*self.packing.basis, *self.cpsat.basis)

    def missing(self) -> str | None:
        return self.packing.missing() or self.cpsat.missing()

    def version(self) -> str | None:
        return self.cpsat.version()

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        return self.packing.refusal(problem, formulation) or self.cpsat.refusal(problem, formulation)

    def solve(self, problem: Problem, control: Control) -> Answer:
        packing = Turn(self.packing.name, self.packing.solve, PACKING_SECONDS)
        cpsat = Turn(self.cpsat.name, self.cpsat.solve, CPSAT_SECONDS)
        return solve_in_turns(problem, control, [packing, cpsat])
