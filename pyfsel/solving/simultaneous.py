"""Simultaneous search: all sets at once (paper 000, Definitions 4 and 5)."""

from __future__ import annotations

import time
from dataclasses import replace

from pyfsel.backends.base import Backend
from pyfsel.backends.choose import choose_backend
from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SUM_AND_MIN
from pyfsel.results.answer import Incumbent, Status, StopReason
from pyfsel.results.control import Limits
from pyfsel.results.result import Result
from pyfsel.solving.attempt import Callbacks, attempt, ordered
from pyfsel.solving.sequential import sequential_search, typical_step
from pyfsel.solving.start import is_enumerated

RESERVED_SHARE = 0.15  # of a time limit, for the sequential search that may do better
SHORTEST_RESERVE_SECONDS = 0.2  # in less it does nothing


def simultaneous_search(
    problem: Instance,
    backend: Backend,
    limits: Limits,
    *,
    formulation: str,
    callbacks: Callbacks = Callbacks(),  # noqa: B008 - never changes
    fallback: bool = False,
) -> Result:
    """Find all sets at once, with the aggregated quality as the objective.

    An exact backend starts from the sets of a quick sequential search, see `pyfsel.solving.start`. Where
    those need not be the best ones given those before them, the last 15% of a time limit, if these are
    0.2 s at least, are kept for a sequential search by the backend that "auto" chooses, which runs only if
    this one has not proved its solution; the better one is returned.

    Parameters
    ----------
    fallback : bool
        False: return what the backend alone achieves.

    Returns
    -------
    Result

    Raises
    ------
    InputError
        If the backend does not do simultaneous search.
    """
    backend.require_search("simultaneous")
    remaining = limits.remaining()
    reserved = _reserved(problem, backend, remaining) if fallback else 0.0
    helper = _helper(problem) if reserved else None
    if helper is None:
        reserved = 0.0
    share = remaining if remaining is None else remaining - reserved
    outcome = attempt(backend, problem, limits.within(share), formulation, callbacks)
    result = Result(
        problem=problem,
        sets=outcome.sets,
        status=outcome.status,
        integer_bound=outcome.bound,
        backend=backend.name,
        search="simultaneous",
        runtime=time.monotonic() - limits.start,
        stop_reason=outcome.stop_reason,
        message=_with_source(outcome.message, outcome.source, backend.name),
        incumbents=outcome.incumbents,
        bounds=outcome.bounds,
        statistics=outcome.statistics,
        model_claim=outcome.model_claim,
    )
    unproved = result.status in (Status.FEASIBLE, Status.NOT_SOLVED)
    if helper is None or not unproved or result.stop_reason is StopReason.INTERRUPTED:
        return result
    try:
        sequence = sequential_search(problem, helper, limits)
    except FalseClaimError:
        raise
    except SolverError:
        return result
    return _better_of(result, sequence, outcome.message)


def _reserved(problem: Instance, backend: Backend, remaining: float | None) -> float:
    """Return the seconds that are kept for a sequential search; none where the start is one."""
    starts_with_one = backend.needs_start and is_enumerated(problem)
    if remaining is None or problem.n_sets == 1 or starts_with_one or problem.aggregate not in SUM_AND_MIN:
        return 0.0
    reserve = RESERVED_SHARE * remaining
    return reserve if reserve >= SHORTEST_RESERVE_SECONDS else 0.0


def _helper(problem: Instance) -> Backend | None:
    """Return the backend of the sequential search that may improve a simultaneous one, if any can."""
    try:
        return choose_backend(typical_step(problem))[0]
    except InputError:
        return None


def _better_of(result: Result, sequence: Result, told: str) -> Result:
    """Return the result, with the sets of the sequence if it is complete and better; it ran last.

    What the backend `told` stays in the message, not where its sets came from.
    """
    found, known = sequence.integer_objective, result.integer_objective
    complete = len(sequence.sets) == result.problem.n_sets
    if not complete or found is None or (known is not None and known >= found):
        return replace(result, runtime=sequence.runtime)
    sets = ordered(result.problem, sequence.sets)
    return replace(
        result,
        sets=sets,
        status=Status.OPTIMAL if found == result.integer_bound else Status.FEASIBLE,
        runtime=sequence.runtime,
        message=f"The sets come from a sequential search by {sequence.backend}. {told}".strip(),
        incumbents=(*result.incumbents, Incumbent(sequence.runtime, found, sets)),
    )


def _with_source(message: str, source: str, backend: str) -> str:
    if not source or source == backend:
        return message
    return f"The sets come from the {source}. {message}".strip()
