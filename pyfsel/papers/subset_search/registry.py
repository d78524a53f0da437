"""The searches by name, with what each can be asked."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyfsel.errors import InputError
from pyfsel.papers.subset_search.branch_and_bound import abb, qbb
from pyfsel.papers.subset_search.criterion import Criterion, CriterionOfRows
from pyfsel.papers.subset_search.las_vegas import lvf, lvi
from pyfsel.papers.subset_search.result import SubsetResult
from pyfsel.papers.subset_search.run import Asked, Run
from pyfsel.papers.subset_search.stepwise import backward, floating_backward, floating_forward, forward
from pyfsel.problem.checks import one_of
from pyfsel.results.control import Limits

Search = Callable[..., bool]


@dataclass(frozen=True)
class Method:
    """A search: what it runs, and what its criterion and its goal must be."""

    search: Search
    title: str
    goals: tuple[str, ...] = ("threshold",)
    needs_monotone: bool = False
    needs_rows: bool = False


NOTHING_ASKED = Asked()
ONE_WAY = ("threshold", "size", "patience")
FLOATING = ("threshold", "size", "margin")
METHODS = {
    "forward": Method(forward, "forward selection (SFG)", ONE_WAY),
    "backward": Method(backward, "backward elimination (SBG)", ONE_WAY),
    "floating-forward": Method(floating_forward, "floating forward selection (SFFG)", FLOATING),
    "floating-backward": Method(floating_backward, "floating backward elimination (SFBG)", FLOATING),
    "lvf": Method(lvf, "Las Vegas filter (LVF)"),
    "lvi": Method(lvi, "Las Vegas incremental (LVI)", needs_rows=True),
    "abb": Method(abb, "automatic branch and bound (ABB)", needs_monotone=True),
    "qbb": Method(qbb, "quick branch and bound (QBB)", needs_monotone=True),
}


def search_subsets(
    criterion: Criterion,
    method: str = "floating-forward",
    asked: Asked = NOTHING_ASKED,
    *,
    limits: Limits | None = None,
    max_evaluations: int | None = None,
    ties: str = "random",
    **options: Any,
) -> SubsetResult:
    """Search with a criterion.

    Parameters
    ----------
    criterion : Criterion
    method : str
        One of `METHODS`.
    asked : Asked
        A size, a threshold or a patience.
    limits : Limits, optional
        Time, and the seed.
    max_evaluations : int, optional
        Most different sets to evaluate.
    ties : {"random", "lowest"}
        Among equally good features.
    **options
        Of the search: ``max_tries``, ``draw``, ``portion``, ``check``.

    Raises
    ------
    InputError
        If an argument is not allowed, or the method cannot use it or the criterion.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsel.papers.subset_search.criterion import EntropyCriterion
    >>> rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> criterion = EntropyCriterion(rows, np.array([0, 0, 1, 1]), ["a", "b"])
    >>> search_subsets(criterion, "forward").sets
    ((0,),)
    """
    _check_method(method, criterion, asked, options)
    run = Run(criterion, asked.goal(criterion), limits or Limits(), max_evaluations, ties)
    return run.execute(method, lambda run: METHODS[method].search(run, **options))


def _check_method(method: str, criterion: Criterion, asked: Asked, options: dict[str, Any]) -> None:
    """Raise `InputError` if a method cannot use the criterion, something that is asked for, or an option."""
    one_of("method", method, METHODS)
    found = METHODS[method]
    goals = {"size": asked.size, "patience": asked.patience, "margin": asked.margin or None}
    for name, given in goals.items():
        if given is not None and name not in found.goals:
            others = ", ".join(other for other in METHODS if name in METHODS[other].goals)
            raise InputError(f"{name}={given!r}: method={method!r} does not take it; {others} do")
    if found.needs_monotone and not criterion.is_monotone:
        raise InputError(
            f"method={method!r}: needs a criterion that never falls with more features: consistency"
        )
    if found.needs_rows and not isinstance(criterion, CriterionOfRows):
        raise InputError(f"method={method!r}: needs a criterion that counts rows: consistency")
    known = list(inspect.signature(found.search).parameters)[1:]  # without the run
    for name, given in options.items():
        if name not in known:
            allowed = ", ".join(known) or "no options"
            raise InputError(f"{name}={given!r}: method={method!r} takes {allowed}")
