"""Packing for a second, then CP-SAT: what one of them proves at once can take the other very long."""

from __future__ import annotations

import time
from dataclasses import replace

from pyfsel import objectives
from pyfsel.backends.base import Backend, Control
from pyfsel.backends.cpsat import CpSat
from pyfsel.backends.packing import Packing
from pyfsel.objectives import FeatureSet
from pyfsel.problem import Problem
from pyfsel.result import Answer, StopReason

PACKING_SECONDS = 1.0
PACKING_SHARE = 0.5


class PackingCpSat(Backend):
    """Packing for a second, or half the time if that is less; then CP-SAT from the sets that it found."""

    name = "packing-cpsat"
    summary = "packing for a second, then CP-SAT from the sets that it found"
    side_constraints = Packing.side_constraints

    def __init__(self) -> None:
        self.packing = Packing()
        self.cpsat = CpSat()

    def missing(self) -> str | None:
        return self.packing.missing() or self.cpsat.missing()

    def version(self) -> str | None:
        return self.cpsat.version()

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        return self.packing.refusal(problem, formulation) or self.cpsat.refusal(problem, formulation)

    def solve(self, problem: Problem, control: Control) -> Answer:
        answer = self.packing.solve(problem, replace(control, deadline=packing_deadline(control)))
        if answer.stop_reason is StopReason.FINISHED:
            return answer
        rest = replace(control, hint=better_hint(problem, control.hint, answer.sets))
        answer = self.cpsat.solve(problem, rest)
        control.compile_seconds = rest.compile_seconds
        return answer


def packing_deadline(control: Control) -> float:
    """Return when packing is to give way to CP-SAT."""
    remaining = control.remaining()
    seconds = PACKING_SECONDS if remaining is None else min(PACKING_SECONDS, PACKING_SHARE * remaining)
    return time.monotonic() + seconds


def better_hint(
    problem: Problem, one: tuple[FeatureSet, ...] | None, other: tuple[FeatureSet, ...] | None
) -> tuple[FeatureSet, ...] | None:
    """Return the better of two solutions, either of which may be missing."""
    known = [sets for sets in (one, other) if sets is not None]
    return max(known, key=lambda sets: objectives.total(problem, sets), default=None)
