"""Trials: a tiny instance on each backend, to see which of them work in these surroundings."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pyfsel.backends import discovered, registry
from pyfsel.backends.base import Backend
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.results.answer import StopReason, unless_interrupted
from pyfsel.solving.solve import solve
from pyfsel.solving.support import QUESTIONS, SPECIAL_CASES, is_possible, probe, reason_against

if TYPE_CHECKING:
    import pandas as pd

SECONDS = 20.0  # more than any of them needs, for which starting a solver is most of the work


def trials(only: Sequence[str] = (), seconds: float = SECONDS) -> pd.DataFrame:
    """Return a table of backends: name, available, works, seconds, told.

    Each solves a tiny instance that it takes. Whatever goes wrong is told in one line; nothing is raised.

    Parameters
    ----------
    only : sequence of str
        Beginnings of names; all backends if there are none.
    seconds : float
        Time limit of each.

    Examples
    --------
    >>> found = trials(["brute"]).set_index("name")
    >>> bool(found.loc["brute-force", "works"])
    True
    """
    import pandas as pd

    rows = []
    for backend in (registry() | discovered()).values():
        if only and not backend.name.startswith(tuple(only)):
            continue
        begin = time.monotonic()
        missing, works, told = _tried(backend, seconds)
        spent = time.monotonic() - begin
        rows.append(
            {
                "name": backend.name,
                "available": not missing,
                "works": works,
                "seconds": spent,
                "told": " ".join((missing or told).split()),
            }
        )
    return pd.DataFrame(rows)


def _tried(backend: Backend, seconds: float) -> tuple[str, bool, str]:
    """Return what is missing, whether the backend is fine, which one that is missing is, and what it says."""
    try:
        missing = backend.missing()
        if missing is not None:
            return missing, True, ""
        search, problem = next(_taken_by(backend))
        result = unless_interrupted(
            solve(problem, backend, search=search, time_limit=seconds, fallback=False)
        )
    except StopIteration:
        return "", True, "takes no tiny instance"
    except Exception as error:  # a trial is there to find out about any
        return "", False, f"{type(error).__name__}: {error}".partition("\n")[0]
    works = result.stop_reason is StopReason.FINISHED and bool(result.sets)
    return "", works, f"{result.status} {result.message.partition(chr(10))[0]}"


def _taken_by(backend: Backend) -> Iterator[tuple[str, Instance]]:
    """Yield the tiny instances that a backend takes, and the search in which it does."""
    for changes in ({}, *SPECIAL_CASES.values()):
        for objective in OBJECTIVES:
            for search, aggregate in QUESTIONS:
                if is_possible(objective, changes) and not (aggregate == "min" and "n_sets" in changes):
                    problem = probe(objective, aggregate, **changes)
                    if reason_against(backend, backend.formulations[0], search, problem) is None:
                        yield search, problem
