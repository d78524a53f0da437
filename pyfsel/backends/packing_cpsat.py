"""Packing for about a second, then CP-SAT from the sets and the bound that packing has found."""

from __future__ import annotations

from dataclasses import replace

from pyfsel.backends.base import Backend
from pyfsel.backends.cpsat import CpSat
from pyfsel.backends.packing import Packing
from pyfsel.problem.instance import Instance
from pyfsel.results.answer import PROVED_BY, Answer, StopReason
from pyfsel.results.control import Control

PACKING_SECONDS = 1.0  # most proofs of packing need less, most proofs of CP-SAT more
PACKING_SHARE = 0.5  # of a shorter time limit


class PackingCpSat(Backend):
    """Packing proves at once what CP-SAT needs long for, or does not prove; then CP-SAT goes on.

    Which of the two has finished the proof is in the statistics of the answer, as `proved_by`.
    """

    name = "packing-cpsat"
    summary = "packing for a second, then CP-SAT from the sets found so far"
    side_constraints = Packing.side_constraints
    basis = (*Packing.basis, *CpSat.basis)
    packages = CpSat.packages

    def __init__(self) -> None:
        self.packing, self.cpsat = Packing(), CpSat()

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        return self.packing.refusal(problem, formulation) or self.cpsat.refusal(problem, formulation)

    def solve(self, problem: Instance, control: Control) -> Answer:
        left = control.remaining()
        seconds = PACKING_SECONDS if left is None else min(PACKING_SECONDS, PACKING_SHARE * left)
        packed = self.packing.solve(problem, replace(control, limits=control.limits.within(seconds)))
        if packed.stop_reason is StopReason.FINISHED:
            return _proved_by(self.packing, packed)
        known = replace(control, hint=packed.sets or control.hint, known_bound=_lower(packed.bound, control))
        answer = self.cpsat.solve(problem, known)
        control.compile_seconds += known.compile_seconds
        if answer.stop_reason is StopReason.FINISHED:
            return _proved_by(self.cpsat, answer)
        sets, bound = answer.sets or known.hint, _lower(answer.bound, known)
        return Answer.unproved(sets, bound, answer.stop_reason, answer.statistics, answer.message)


def _proved_by(member: Backend, answer: Answer) -> Answer:
    return replace(answer, statistics={**answer.statistics, PROVED_BY: member.name})


def _lower(bound: int | None, control: Control) -> int | None:
    """Return the lower one of a bound and the known one, either of which may be missing."""
    return min((b for b in (bound, control.known_bound) if b is not None), default=None)
