"""Proving a claim again, by an exact backend of another kind."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pyfsel.backends import get_backend
from pyfsel.backends.base import Backend, refusal
from pyfsel.backends.choose import by_strength
from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family
from pyfsel.results.backend_answer import PROVED, StopReason
from pyfsel.results.confirmation import Confirmation, ConfirmationVerdict
from pyfsel.results.control import Limits
from pyfsel.results.result import Result
from pyfsel.solving.attempt import attempt
from pyfsel.solving.sequential import statements

MOST_TRIED = 4  # more of them would each have little of a time limit


@dataclass(frozen=True)
class ClaimToConfirm:
    """That sets are best for a problem, or that it has none.

    Parameters
    ----------
    problem : Instance
    sets : tuple of sets
        Empty: there are none.
    claimants : tuple of Backend
        On whose proofs the claim rests, in whichever of their formulations.
    where : str
        Of which part of a result.
    """

    problem: Instance
    sets: Family
    claimants: tuple[Backend, ...]
    where: str = ""

    @property
    def who(self) -> str:
        """The names of the claimants."""
        return ", ".join(claimant.name for claimant in self.claimants)

    @property
    def basis(self) -> frozenset[str]:
        """All that the claim may rest on."""
        return frozenset(
            part
            for claimant in self.claimants
            for formulation in claimant.formulations
            for part in claimant.rests_on(self.problem, formulation)
        )

    def __str__(self) -> str:
        if not self.sets:
            return f"{self.who} claimed INFEASIBLE{self.where}"
        value = values.total(self.problem, self.sets)
        return f"{self.who} claimed OPTIMAL{self.where} for {list(self.sets)} with {value}"


def confirm(claims: Sequence[ClaimToConfirm], by: str | Backend, limits: Limits) -> Confirmation | None:
    """Prove claims again: OPTIMAL or INFEASIBLE, also of the steps of a sequential search.

    Only backends are used that share no model, search or solver with the backend that made the claim
    (`Backend.basis`). The reductions before a backend sees the problem, the greedy start and the evaluation
    of sets are the same for all of them. A backend begins with the sets that are claimed to be best, and so
    has to prove only that none are better.

    Parameters
    ----------
    claims : sequence of ClaimToConfirm
        See `claims_of`.
    by : str or Backend
        A backend, or "auto": up to four, by their strength on such problems, each with its share of the time.
    limits : Limits
        Each claim has its share of the time that is left.

    Returns
    -------
    Confirmation or None
        None if nothing is claimed to be proved. A contradiction is returned, not raised:
        `Confirmation.without_contradiction` does that. If backends were missing, too slow or crashed, the
        verdict is NOT_CONFIRMED. Ctrl-C ends it, too.

    Raises
    ------
    InputError
        If `by` cannot confirm the claim: it is of the same kind, a heuristic, not installed, or does not take
        the problem.

    Examples
    --------
    >>> from pyfsel.solving.solve import solve
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> result = solve(problem, "brute-force")
    >>> print(confirm(claims_of(result), "cpsat", Limits()))
    confirmed by cpsat
    """
    found: list[Confirmation] = []
    for number, claim in enumerate(claims):
        found.append(_confirmed(claim, by, part_of(limits, 1 / (len(claims) - number))))
        is_false = found[-1].verdict is ConfirmationVerdict.CONTRADICTED
        if is_false or StopReason.INTERRUPTED in found[-1].message:
            break
    return Confirmation.of_all(found) if found else None


def part_of(limits: Limits, fraction: float) -> Limits:
    """Return the same limits with a fraction of the time that is left."""
    return limits.within(fraction * limits.remaining())


def claims_of(result: Result, claimant: Backend | None = None) -> list[ClaimToConfirm]:
    """Return what a result claims to be proved; its backend may be one that is not registered."""
    who = (claimant or get_backend(result.backend),)
    where = "" if result.search == "simultaneous" else " in step {}"
    return [
        ClaimToConfirm(one.problem, one.sets, who, where.format(number))
        for number, one in enumerate(statements(result))
        if one.status in PROVED
    ]


def confirmers(claim: ClaimToConfirm, by: str | Backend = "auto") -> list[tuple[Backend, str]]:
    """Return the backends that can confirm a claim, the strongest first, each with its formulation.

    Raises
    ------
    InputError
        If `by` names one that cannot.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> claim = ClaimToConfirm(problem, ((0, 1), (0, 2), (1, 2)), (get_backend("rc2"),))
    >>> [(backend.name, formulation) for backend, formulation in confirmers(claim, "packing")]
    [('packing', 'strengthened')]
    """
    problem, basis = claim.problem, claim.basis
    if by != "auto":
        return [_named(get_backend(by, "confirm") if isinstance(by, str) else by, claim)]
    able = (
        (backend, formulation)
        for backend in by_strength(problem)
        if (formulation := _formulation(backend, problem, basis)) is not None
    )
    return list(islice(able, MOST_TRIED))


def _formulation(backend: Backend, problem: Instance, basis: frozenset[str]) -> str | None:
    """Return the strongest formulation that takes the problem and shares nothing with the basis."""
    for name in backend.formulations:
        if basis.isdisjoint(backend.rests_on(problem, name)) and refusal(backend, problem, name) is None:
            return name
    return None


def _named(backend: Backend, claim: ClaimToConfirm) -> tuple[Backend, str]:
    if not isinstance(backend, Backend):
        raise InputError(f"confirm={backend!r}: must be auto, a name or a Backend")
    why_not = backend.missing() if backend.exact else "is a heuristic. Expected an exact backend"
    if why_not is None:
        formulation = _formulation(backend, claim.problem, claim.basis)
        if formulation is not None:
            return backend, formulation
        why_not = refusal(backend, claim.problem, backend.formulations[0])
    if why_not is None:
        shared = claim.basis & backend.rests_on(claim.problem, backend.formulations[0])
        why_not = f"rests on {', '.join(sorted(shared))} as {claim.who} does. Expected auto or another kind"
    raise InputError(f"confirm={backend.name!r}: {why_not}")


def _confirmed(claim: ClaimToConfirm, by: str | Backend, limits: Limits) -> Confirmation:
    """Let the backends that can confirm a claim try it, each with its share of the time that is left."""
    able = confirmers(claim, by)
    ended: dict[str, str] = {}
    for number, (backend, formulation) in enumerate(able):
        answer = _asked(claim, backend, formulation, part_of(limits, 1 / (len(able) - number)))
        if answer.verdict is not ConfirmationVerdict.NOT_CONFIRMED:
            return replace(answer, runtime=time.monotonic() - limits.start)
        ended[backend.name] = answer.message
        if answer.message == StopReason.INTERRUPTED:
            break
    tried = ", ".join(f"{name} ({why})" for name, why in ended.items())
    message = f"tried by {tried}" if tried else "no installed backend of another kind takes this problem"
    return Confirmation.not_confirmed(message, time.monotonic() - limits.start)


def _asked(claim: ClaimToConfirm, backend: Backend, formulation: str, limits: Limits) -> Confirmation:
    """Return what one backend says; a message of a single word is why it ended."""
    name = backend.name
    try:
        outcome = attempt(backend, claim.problem, limits, formulation, start=claim.sets)
    except KeyboardInterrupt:
        return Confirmation.not_confirmed(str(StopReason.INTERRUPTED))
    except FalseClaimError as error:
        return Confirmation.contradicted(
            f"{claim}; {name} claimed otherwise, and something false: {error}", name
        )
    except SolverError as error:
        return Confirmation.not_confirmed(str(error).partition("\n")[0])
    if outcome.sets and outcome.sets != claim.sets:
        found = values.total(claim.problem, outcome.sets)
        if not claim.sets or found > values.total(claim.problem, claim.sets):
            told = f"{claim}, but {name} found {list(outcome.sets)} with {found}"
            return Confirmation.contradicted(f"{told} ({outcome.status})", claim.who)
    if outcome.stop_reason is StopReason.INTERRUPTED:
        return Confirmation.not_confirmed(str(StopReason.INTERRUPTED))
    if outcome.status in PROVED:
        return Confirmation.confirmed(name)
    finished = outcome.stop_reason is StopReason.FINISHED
    return Confirmation.not_confirmed("ended without a proof" if finished else str(outcome.stop_reason))
