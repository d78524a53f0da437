"""Packing for about a second, then CP-SAT from the sets and the bound that packing has found, then RC2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pyfsel.backends.base import Backend
from pyfsel.backends.by_model import CpSat, Rc2
from pyfsel.backends.own_searches import Packing
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import objective_of
from pyfsel.results.backend_answer import PROVED_BY, BackendAnswer, StopReason
from pyfsel.results.control import Control, Limits

PACKING_SECONDS = 1.0  # most proofs of packing need less, most proofs of CP-SAT more
PACKING_SHARE = 0.5  # of a shorter time limit
CPSAT_SECONDS = 10.0  # before others have their turn
LONG_SECONDS = 60.0  # of packing's second turn


class PackingCpSat(Backend):
    """Packing proves at once what CP-SAT needs long for, or does not prove; then CP-SAT goes on.

    What neither has proved goes to RC2 if it is the minimum of sums of qualities. Of 15 such minima of paper
    000 (Model Gain, five or six sets, at most two shared features) CP-SAT left four open after 300 s, and RC2
    proved each within 6 s (``benchmarks/experiment_000.py``). The backend that finished the proof is in the
    statistics, as `proved_by`.
    """

    name = "packing-cpsat"
    summary = "packing for a second, then CP-SAT from the sets found so far, then RC2 for minima"
    side_constraints = Packing.side_constraints
    basis = (*Packing.basis, *CpSat.basis)
    packages = CpSat.packages

    def __init__(self) -> None:
        self.packing, self.cpsat, self.rc2 = Packing(), CpSat(), Rc2()

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        return self.packing.refusal(problem, formulation) or self.cpsat.refusal(problem, formulation)

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        sets, bound = control.hint, control.known_bound
        for member, limits in self._turns(problem, control):
            known = replace(control, limits=limits, hint=sets, known_bound=bound)
            answer = member.solve(problem, known)
            if answer.stop_reason is StopReason.FINISHED:
                return replace(answer, statistics={**answer.statistics, PROVED_BY: member.name})
            bounds = [one for one in (answer.bound, bound) if one is not None]
            sets, bound = answer.sets or sets, min(bounds, default=None)
            if answer.stop_reason is not StopReason.TIME_LIMIT and member is not self.packing:
                break
        return BackendAnswer.unproved(sets, bound, answer.stop_reason, answer.statistics, answer.message)

    def rests_on(self, problem: Instance, formulation: str) -> frozenset[str]:
        rests_on = super().rests_on(problem, formulation)
        return rests_on.union(Rc2.basis) if _is_minimum_of_sums(problem) else rests_on

    def _turns(self, problem: Instance, control: Control) -> Iterator[tuple[Backend, Limits]]:
        """Yield packing, CP-SAT, and for the minimum of sums of qualities RC2, with their limits.

        If the sets are disjoint packing comes again before RC2: it proves within seconds the minimum of six
        FCBF sets on coil2000 that neither CP-SAT nor RC2 does (``benchmarks/experiment_000.py``, k = 5).
        """
        left = control.remaining()
        yield self.packing, control.limits.within(min(PACKING_SECONDS, PACKING_SHARE * left))
        if (
            left < 2 * CPSAT_SECONDS
            or not _is_minimum_of_sums(problem)
            or self.rc2.refusal(problem, control.formulation)
        ):
            yield self.cpsat, control.limits
            return
        yield self.cpsat, control.limits.within(CPSAT_SECONDS)
        if problem.max_shared == 0:
            yield self.packing, control.limits.within(min(LONG_SECONDS, PACKING_SHARE * left))
        yield self.rc2, control.limits


def _is_minimum_of_sums(problem: Instance) -> bool:
    return problem.aggregate == "min" and not objective_of(problem).has_pairs
