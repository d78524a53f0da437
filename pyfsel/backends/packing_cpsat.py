"""Packing for about a second, CP-SAT from the sets and the bound that it found, packing again, then RC2."""

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
PACKING_SHARE = 0.5  # of a time limit at most
CPSAT_SECONDS = 10.0  # before others have their turn, if its limit is more than twice as long
LONG_SECONDS = 60.0  # of packing's second turn


class PackingCpSat(Backend):
    """Packing proves at once what CP-SAT needs long for, or does not prove; then CP-SAT goes on.

    If both have run out of time, packing has a longer turn, and what is left of the limit is CP-SAT's again.

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
        """Yield packing, CP-SAT, both again, or RC2 last for the minimum of sums of qualities, with limits.

        Packing's second turn is left out where sets may overlap and RC2 has its own. It proves within seconds
        the minimum of six FCBF sets on coil2000 that neither CP-SAT nor RC2 does, and sums of five and six
        FCBF sets that may share a feature on molecular_biology_promoters, of which CP-SAT leaves a gap of 4
        to 7% after 300 s (``benchmarks/experiment_000.py``, k = 5).
        """
        share = PACKING_SHARE * control.remaining()
        yield self.packing, control.limits.within(min(PACKING_SECONDS, share))
        last: Backend = self.cpsat
        if share > CPSAT_SECONDS:
            yield self.cpsat, control.limits.within(CPSAT_SECONDS)
            if _is_minimum_of_sums(problem) and not self.rc2.refusal(problem, control.formulation):
                last = self.rc2
            if not problem.max_shared or last is self.cpsat:
                yield self.packing, control.limits.within(min(LONG_SECONDS, share))
        yield last, control.limits


def _is_minimum_of_sums(problem: Instance) -> bool:
    return problem.aggregate == "min" and not objective_of(problem).has_pairs
