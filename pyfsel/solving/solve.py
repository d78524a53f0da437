"""The one pipeline: problem → backend → verification → result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyfsel.backends import get_backend
from pyfsel.backends.base import Backend
from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of, shown
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SEARCHES
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import Limits
from pyfsel.results.result import Result
from pyfsel.solving.attempt import OnProgress, attempt
from pyfsel.solving.sequential import reason_against, sequential_search, typical_step


def solve(
    problem: Instance,
    backend: str | Backend = "auto",
    search: str | None = None,
    time_limit: float | None = None,
    *,
    formulation: str | None = None,
    on_progress: OnProgress | None = None,
    confirm: str | Backend | None = None,
    **limits: Any,
) -> Result:
    """Find the feature sets and verify them.

    Parameters
    ----------
    problem : Instance
    backend : str or Backend
        A name of `pyfsel.solvers()`, or "auto".
    search : {"sequential", "simultaneous"}, optional
        One set after another, each a best one given those before, or all sets at once (paper 000, Definitions
        3 and 5). If not given: what the problem states (`Instance.search`), or sequential, unless the problem
        has ``aggregate="min"`` or the backend does another search by itself (the greedy ones for all sets, a
        custom model).
    time_limit : float, optional
        Wall-clock seconds for the whole call: all sets, compilation included.
    formulation : str, optional
        One of the backend's formulations, such as "literal"; the default is its strongest.
    on_progress : callable, optional
        Called with a `ReportedIncumbent` for every better solution, and a `ProvedBound` for every better
        bound.
    confirm : str or Backend, optional
        Prove an OPTIMAL or INFEASIBLE status, or the status of each step, again by this exact backend, or
        with "auto" by backends that suit the problem, within the same limits of time and memory; see
        `pyfsel.solving.confirm.confirm`. It must share no model, search or solver with the backend that found
        the sets. `Result.confirmation` states whether it finished in time.
    **limits
        Of `Limits.starting_now`: `random_state`, the seed of the solver (None means 0, so runs repeat);
        `n_threads`, its threads, where it can use several, at most 1024; `memory_limit`, the megabytes that
        the processes of a backend may use together (beyond it they are killed and what they had found is
        returned; backends that run in this process are not limited); `cold_start`, whether an exact backend
        gets no solution to start from, so what it finds is its own, which is for measuring. Otherwise it
        starts from a greedy solution and the sets of a quick sequential search, unless it is done at once.

    Returns
    -------
    Result
        A limit, Ctrl-C or a crash of the backend is not an error as soon as a solution is known, be it the
        one that exact backends start from: `stop_reason` and `message` state what happened.

    Raises
    ------
    InputError
        If an argument is not allowed.
    InputError
        If the backend is not installed, or cannot take the problem.
    SolverError
        If the backend crashed and nothing is known.
    FalseClaimError
        If the backend claimed something false, or the one that was to confirm it did.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> solve(problem, "brute-force").objective
    48.0
    """
    if search is not None:
        one_of("search", search, SEARCHES)
    within = Limits.starting_now(time_limit, **limits)
    chosen, reason, search = _resolve(problem, backend, search)
    problem, chosen = chosen.judged(problem, search)
    formulation = _checked_formulation(chosen, formulation, problem, search)
    if confirm is not None:
        from pyfsel.solving.confirm import ClaimToConfirm, claims_of, confirmers
        from pyfsel.solving.confirm import confirm as confirm_claims

        asked = problem if search == "simultaneous" else typical_step(problem)
        confirmers(ClaimToConfirm(asked, (), (chosen,)), confirm)
    if search == "sequential":
        result = sequential_search(problem, chosen, within, formulation, on_progress)
    else:
        result = attempt(chosen, problem, within, formulation, on_progress)
    result = replace(result, message=f"{reason} {result.message}".strip())
    if confirm is None or result.stop_reason is StopReason.INTERRUPTED:
        return result
    confirmation = confirm_claims(claims_of(result, chosen), confirm, within.again())
    if confirmation is not None and StopReason.INTERRUPTED in confirmation.message:
        result = replace(result, stop_reason=StopReason.INTERRUPTED)
    return replace(result, confirmation=confirmation and confirmation.without_contradiction())


def _resolve(problem: Instance, backend: str | Backend, search: str | None) -> tuple[Backend, str, str]:
    """Return the backend, why it was chosen, and the search."""
    if backend == "auto":
        search = search or Backend.usual_search(problem)
        from pyfsel.backends.choose import choose_backend

        return *choose_backend(problem if search == "simultaneous" else typical_step(problem)), search
    chosen = get_backend(backend) if isinstance(backend, str) else backend
    if not isinstance(chosen, Backend):
        raise InputError(f"solver={shown(backend)}: must be a name or a Backend")
    missing = chosen.missing()
    if missing is not None:
        raise InputError(f"solver={chosen.name!r}: {missing}")
    return chosen, "", search or chosen.usual_search(problem)


def _checked_formulation(backend: Backend, formulation: str | None, problem: Instance, search: str) -> str:
    formulation = backend.formulations[0] if formulation is None else formulation
    if formulation not in backend.formulations:
        allowed = ", ".join(backend.formulations)
        raise InputError(f"formulation={formulation!r}: {backend.name} has {allowed}")
    why_not = reason_against(backend, formulation, search, problem)
    if why_not is not None:
        raise InputError(f"solver={backend.name!r}: {why_not}")
    return formulation
