"""The nearest alternative if relatives leave none: the best set of those that share the least."""

from __future__ import annotations

from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.backend_answer import Status
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

SECONDS = 5.0
"""For each number of features that may be shared."""


def nearest(result: Result) -> tuple[FeatureSet, int] | None:
    """Return the best further set of those that share the least with the sets found, and how much it shares.

    None if the sets found are all that were requested, the problem has no relatives, or no set is found in
    time.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance([9, 8, 7, 6], 2, 2, 0, relatives=[(0, 2), (1, 3)])
    >>> nearest(solve(problem, search="sequential"))
    ((0, 1), 2)
    """
    problem, sets = result.problem, result.sets
    if not len(problem.relatives) or result.status is not Status.FEWER:
        return None
    step = problem.after(sets)
    for limit in range(problem.max_shared + 1, problem.k + 1):
        found = solve(step.replace(max_shared=limit), time_limit=SECONDS)
        if found.sets:
            return found.sets[0], limit
    return None


def nearest_text(result: Result) -> str:
    """Return the nearest alternative in words; "" if there is none to offer."""
    found = nearest(result)
    if found is None:
        return ""
    members, shared = found
    names = ", ".join(result.problem.names_of(members))
    return (
        f" No other set has at most {result.problem.max_shared} features that are shared with, or related "
        f"to, an earlier set. The nearest has {shared}: {names}."
    )
