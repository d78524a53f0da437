"""From results to contradictions: what solvers claim, held against all verified sets, in integers.

Sets refute a claim if they obey the rules of its problem and are worth more than it allows. They come from
the other runs, from greedy heuristics, and from how an instance was constructed. All of that is without a
solver and able only to refute; `pyfsel.solving.confirm` makes proofs again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pyfsel.algorithms.heuristics import start_solution
from pyfsel.problem import values
from pyfsel.problem.objectives import Family
from pyfsel.results.backend_answer import PROVED, Status, StopReason
from pyfsel.results.result import Result
from pyfsel.results.verify import violations
from pyfsel.solving.sequential import statements

GREEDY, CONSTRUCTION = "a greedy search", "its construction"


class RunOutcome(StrEnum):
    """What came of a run instead of a status; after an ERROR there may be a result, found before."""

    UNSUPPORTED = "unsupported"
    MISSING = "missing"
    ERROR = "error"
    FALSE_CLAIM = "false claim"


@dataclass(frozen=True)
class ContenderRun:
    """One contender on one instance: its verified result, or why there is none.

    `optimum` is the integer optimum of its problem by construction, if that is known.
    """

    instance: str
    contender: str
    exact: bool
    result: Result | None
    outcome: RunOutcome | None = None
    message: str = ""
    optimum: int | None = None

    @property
    def status(self) -> str:
        """The status of the result, or the outcome: ``error`` after a crash, whatever was found before."""
        return str(self.outcome if self.result is None else outcome_of(self.result))

    @property
    def said(self) -> str:
        """What it says of how it went."""
        return self.message or (self.result.message if self.result else "")


@dataclass(frozen=True)
class Contradiction:
    """Statements of which at least one is false, with the evidence in integers.

    `kind` is "optimum" (a better verified value than a claimed optimum), "infeasible" (a verified solution
    against claimed infeasibility), "bound" (a bound below a verified value) or "claim" (the answer of one
    contender is false in itself).
    """

    instance: str
    kind: str
    contender: str
    against: str
    evidence: str


def outcome_of(result: Result) -> Status | RunOutcome:
    """Return what a run with this result counts as: a crash counts as an error, whatever was found before.

    A custom model has a question of its own, so what it claims of that counts; its sets are verified, and
    the claim says nothing of the problem.
    """
    if result.stop_reason is StopReason.ERROR:
        return RunOutcome.ERROR
    return result.status if result.model_claim is None else result.model_claim.status


def find_contradictions(runs: Sequence[ContenderRun], look_further: bool = False) -> Iterator[Contradiction]:
    """Yield the statements of runs that cannot all be true.

    Runs on instances of one name must be about the same numbers; their searches may differ, as the sets of
    one search are tried as solutions of the other.

    Parameters
    ----------
    runs : sequence of ContenderRun
    look_further : bool
        Also try sets of greedy heuristics.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance(quality=[3, 2, 1], n_sets=1, k=1, max_shared=1)
    >>> lie = Result(problem, ((1,),), Status.OPTIMAL, 2, "x", "simultaneous", 0.0, StopReason.FINISHED)
    >>> runs = [ContenderRun("small", "x", True, lie)]
    >>> [found.kind for found in find_contradictions(runs, look_further=True)]
    ['optimum']

    A bound that was proved on the way counts as the last one does:

    >>> from dataclasses import replace
    >>> from pyfsel.results.backend_answer import ProvedBound
    >>> late = replace(lie, status=Status.FEASIBLE, integer_bound=3, bounds=(ProvedBound(0.0, 2),))
    >>> [found.kind for found in find_contradictions([ContenderRun("small", "x", True, late)])]
    []
    >>> best = ContenderRun("small", "y", True, replace(lie, sets=((0,),), integer_bound=3))
    >>> [found.kind for found in find_contradictions([ContenderRun("small", "x", True, late), best])]
    ['bound']
    """
    solutions: dict[str, list[tuple[str, Family]]] = {}
    for run in runs:
        if run.outcome is RunOutcome.FALSE_CLAIM:
            yield Contradiction(run.instance, "claim", run.contender, "", run.message)
        # all sets together and each by itself, as steps are about one set
        sets = run.result.sets if run.result else ()
        found = dict.fromkeys([sets, *((one,) for one in sets)] if sets else [])
        solutions.setdefault(run.instance, []).extend((run.contender, one) for one in found)
    for run in runs:
        for number, claim in enumerate(statements(run.result) if run.result else ()):
            step = f" in step {number}" if run.result and run.result.search == "sequential" else ""
            known = [
                (by, sets) for by, sets in solutions[run.instance] if not violations(claim.problem, sets)
            ]
            if look_further and claim.status in PROVED and (greedy := start_solution(claim.problem)):
                known.append((GREEDY, greedy))
            yield from _refuted(run, claim, step, known)


def _refuted(
    run: ContenderRun, claim: Result, step: str, known: Sequence[tuple[str, Family]]
) -> Iterator[Contradiction]:
    """Yield the contradictions of a statement, the sets that solve its problem, and its construction."""
    worth = [(values.total(claim.problem, sets), by, sets) for by, sets in known]
    if run.optimum is not None:
        worth.append((run.optimum, CONSTRUCTION, ()))
        value = claim.integer_objective
        if value is not None and value > run.optimum:
            evidence = (
                f"{run.contender}: the sets have {value}, the optimum is {run.optimum} by {CONSTRUCTION}"
            )
            yield Contradiction(run.instance, "optimum", CONSTRUCTION, run.contender, evidence)
    if not worth:
        return
    best, by, sets = max(worth, key=lambda one: one[0])
    bounds = [claim.integer_bound, *(one.bound for one in claim.bounds)]
    bound = min((one for one in bounds if one is not None), default=None)
    if claim.status is Status.INFEASIBLE:
        kind, claimed = "infeasible", "INFEASIBLE"
    elif bound is not None and bound < best:
        kind = "optimum" if claim.status is Status.OPTIMAL else "bound"
        claimed = f"the {kind} {bound}"
    else:
        return
    listed = f" {[list(members) for members in sets]}, verified," if sets else ""
    evidence = f"{run.contender}: {claimed} was claimed{step}, but {by} found{listed} with {best}"
    yield Contradiction(run.instance, kind, run.contender, by, evidence)
