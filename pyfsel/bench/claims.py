"""From results to contradictions: what solvers claim, held against all verified sets, in integers.

Sets refute a claim if they obey the rules of its problem and are worth more than it allows. They come from
the other runs, from greedy heuristics, and from how an instance was constructed. All of that is without a
solver and able only to refute; `pyfsel.solving.confirm` makes proofs again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import NamedTuple

from pyfsel.algorithms.heuristics import start_solution
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.result import Result
from pyfsel.results.verify import violations

GREEDY, CONSTRUCTION = "a greedy search", "its construction"


class Outcome(StrEnum):
    """What came of a run instead of a status; after an ERROR there may be a result, found before."""

    UNSUPPORTED = "unsupported"
    MISSING = "missing"
    ERROR = "error"
    FALSE_CLAIM = "false claim"


@dataclass(frozen=True)
class Run:
    """One contender on one instance: its verified result, or why there is none.

    `optimum` is the integer optimum of its problem by construction, if that is known.
    """

    instance: str
    contender: str
    exact: bool
    result: Result | None
    outcome: Outcome | None = None
    message: str = ""
    optimum: int | None = None

    @property
    def status(self) -> str:
        """The status of the result, or the outcome: ``error`` after a crash, whatever was found before."""
        return str(self.outcome if self.result is None else outcome_of(self.result))

    @property
    def told(self) -> str:
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


@dataclass(frozen=True)
class _Claim:
    """What a run states about a problem: the whole one, or a step of a sequential search."""

    run: Run
    problem: Instance
    status: Status
    bound: int | None
    sets: tuple[FeatureSet, ...] = ()
    step: str = ""


class _Known(NamedTuple):
    """What some sets are worth, who knows them, and the sets, unless they follow from the construction."""

    value: int
    by: str
    sets: tuple[FeatureSet, ...] = ()


def outcome_of(result: Result) -> Status | Outcome:
    """Return what a run with this result counts as: a crash is no status, whatever was found before.

    A custom model asks a question of its own, so what it claims of that counts; its sets are verified, and
    the claim says nothing of the problem.
    """
    if result.stop_reason is StopReason.ERROR:
        return Outcome.ERROR
    return result.status if result.model_claim is None else result.model_claim.status


def find_contradictions(runs: Sequence[Run], look_further: bool = False) -> Iterator[Contradiction]:
    """Yield the statements of runs that cannot all be true.

    Runs on instances of one name must be about the same numbers; their searches may differ, as the sets of
    one search are tried as solutions of the other.

    Parameters
    ----------
    runs : sequence of Run
    look_further : bool
        Also try sets of greedy heuristics.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2, 1], n_sets=1, k=1, max_shared=1)
    >>> lie = Result(problem, ((1,),), Status.OPTIMAL, 2, "x", "simultaneous", 0.0, StopReason.FINISHED)
    >>> [found.kind for found in find_contradictions([Run("small", "x", True, lie)], look_further=True)]
    ['optimum']
    """
    for run in runs:
        if run.outcome is Outcome.FALSE_CLAIM:
            yield Contradiction(run.instance, "claim", run.contender, "", run.message)
    for instance in dict.fromkeys(run.instance for run in runs):
        here = [run for run in runs if run.instance == instance and run.result is not None]
        solutions = [(run.contender, sets) for run in here for sets in _solutions(run)]
        for run in here:
            for claim in _claims(run):
                known = list(_known(claim, solutions, look_further))
                if run.optimum is not None:
                    known.append(_Known(run.optimum, CONSTRUCTION))
                    yield from _above(claim, run.optimum)
                yield from _refuted(claim, known)


def _solutions(run: Run) -> list[tuple[FeatureSet, ...]]:
    """Return what the run found, all sets together and each by itself, as steps are about one set."""
    assert run.result is not None
    together = run.result.sets
    alone = [(s,) for s in together] if len(together) > 1 else []
    return [together, *alone] if together else []


def _claims(run: Run) -> Iterator[_Claim]:
    result = run.result
    assert result is not None
    if result.search == "simultaneous":
        yield _Claim(run, result.problem, result.status, result.integer_bound, result.sets)
        return
    for number, step in enumerate(result.steps):
        found = tuple(s.features for s in result.steps[:number] if s.features is not None)
        own = () if step.features is None else (step.features,)
        yield _Claim(run, result.problem.after(found), step.status, step.bound, own, f" in step {number}")


def _known(
    claim: _Claim, solutions: Iterable[tuple[str, tuple[FeatureSet, ...]]], look_further: bool
) -> Iterator[_Known]:
    """Yield what is known of the problem of a claim."""
    found = [(by, sets) for by, sets in solutions if not violations(claim.problem, sets)]
    if look_further and claim.status in (Status.OPTIMAL, Status.INFEASIBLE):
        greedy = start_solution(claim.problem)
        found += [] if greedy is None else [(GREEDY, greedy)]
    yield from (_Known(values.total(claim.problem, sets), by, sets) for by, sets in found)


def _above(claim: _Claim, optimum: int) -> Iterator[Contradiction]:
    """Yield that the sets of a run are worth more than the construction says."""
    value = values.total(claim.problem, claim.sets) if claim.sets else optimum
    if value > optimum:
        who = claim.run.contender
        evidence = f"{who}: the sets have {value}, the optimum is {optimum} by {CONSTRUCTION}"
        yield Contradiction(claim.run.instance, "optimum", CONSTRUCTION, who, evidence)


def _refuted(claim: _Claim, known: Sequence[_Known]) -> Iterator[Contradiction]:
    """Yield the contradiction of a claim and the best that is known of its problem, if there is one."""
    if not known:
        return
    best = max(known, key=attrgetter("value"))
    who, instance = claim.run.contender, claim.run.instance
    listed = f" {[list(members) for members in best.sets]}, verified," if best.sets else ""
    known_better = f"but {best.by} found{listed} with {best.value}"
    if claim.status is Status.INFEASIBLE:
        evidence = f"{who}: INFEASIBLE was claimed{claim.step}, {known_better}"
        yield Contradiction(instance, "infeasible", who, best.by, evidence)
    elif claim.bound is not None and claim.bound < best.value:
        kind = "optimum" if claim.status is Status.OPTIMAL else "bound"
        evidence = f"{who}: the {kind} {claim.bound} was claimed{claim.step}, {known_better}"
        yield Contradiction(instance, kind, who, best.by, evidence)
