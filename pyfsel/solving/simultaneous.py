"""Simultaneous search: all sets at once (paper 000, Definitions 4 and 5)."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import replace

from pyfsel.backends.base import Backend
from pyfsel.errors import BackendError
from pyfsel.problem.problem import Problem
from pyfsel.results.answer import Incumbent, Status, StopReason
from pyfsel.results.control import Limits
from pyfsel.results.result import Result
from pyfsel.solving.attempt import OnBound, OnIncumbent, attempt, ordered
from pyfsel.solving.sequential import SequentialSearch
from pyfsel.solving.sessions import SessionPool

RESERVED_SHARE = 0.15
RESERVED_SECONDS = 3.0


def simultaneous_search(
    problem: Problem,
    backend: Backend,
    limits: Limits,
    *,
    formulation: str,
    on_incumbent: OnIncumbent | None = None,
    on_bound: OnBound | None = None,
    fallback: Backend | None = None,
    sessions: SessionPool | None = None,
) -> Result:
    """Find all sets at once, with the aggregated quality as the objective.

    With a time limit and more than one set, the last part of the time (15 %, but 3 s or half the time if that
    is more or less) is kept for a sequential search by `fallback`, which runs only if the backend has not
    proved its solution; the better one is returned.

    Parameters
    ----------
    fallback : Backend or None
        None: return what the backend alone achieves.
    sessions : SessionPool, optional
        Running backends, which stay when this search is done.

    Returns
    -------
    Result

    Raises
    ------
    UnsupportedError
        If the backend does not do simultaneous search.
    """
    backend.require_search("simultaneous")
    remaining = limits.remaining()
    reserve = fallback is not None and remaining is not None and problem.n_sets > 1
    share = remaining - _reserved(remaining) if reserve and remaining is not None else remaining
    with nullcontext(sessions) if sessions is not None else SessionPool() as pool:
        session = pool.session(backend)
        outcome = attempt(session, problem, limits.within(share), formulation, on_incumbent, on_bound)
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
    )
    unproved = result.status in (Status.FEASIBLE, Status.NOT_SOLVED)
    if fallback is None or not reserve or not unproved or result.stop_reason is StopReason.INTERRUPTED:
        return result
    try:
        sequence = SequentialSearch(problem, fallback, limits=limits).run()
    except BackendError:
        return result
    return _better_of(result, sequence, outcome.message)


def _reserved(remaining: float) -> float:
    return min(remaining / 2, max(RESERVED_SHARE * remaining, RESERVED_SECONDS))


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
