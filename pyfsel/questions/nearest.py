"""The nearest alternative if relatives leave none: the best set of those that share the least."""

from __future__ import annotations

from pyfsel.results.backend_answer import Status
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

SECONDS = 5.0
"""For each number of features that may be shared."""


def nearest_text(result: Result) -> str:
    """Return the best further set of those that share the least with the sets found, in words.

    "" if the sets found are all that were requested, the problem has no relatives, or no set is found in
    time.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance([9, 8, 7, 6], 2, 2, 0, relatives=[(0, 2), (1, 3)])
    >>> nearest_text(solve(problem, search="sequential")).partition(". ")[2]
    'The nearest has 2: x0, x1.'
    """
    problem, sets = result.problem, result.sets
    if not len(problem.relatives) or result.status is not Status.FEWER:
        return ""
    step = problem.after(sets)
    for shared in range(problem.max_shared + 1, problem.k + 1):
        found = solve(step.replace(max_shared=shared), time_limit=SECONDS)
        if found.sets:
            names = ", ".join(problem.names_of(found.sets[0]))
            return (
                f" No other set has at most {problem.max_shared} features that are shared with, or related "
                f"to, an earlier set. The nearest has {shared}: {names}."
            )
    return ""
