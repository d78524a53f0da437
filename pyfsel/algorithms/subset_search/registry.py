"""The searches by name, with what each can be asked."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyfsel.algorithms.subset_search.branch_and_bound import abb, qbb
from pyfsel.algorithms.subset_search.criterion import Criterion, CriterionOfRows
from pyfsel.algorithms.subset_search.las_vegas import lvf, lvi
from pyfsel.algorithms.subset_search.result import SubsetResult
from pyfsel.algorithms.subset_search.run import Run, goal_of
from pyfsel.algorithms.subset_search.stepwise import backward, floating_backward, floating_forward, forward
from pyfsel.errors import InputError
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
    *,
    size: int | None = None,
    threshold: float | None = None,
    patience: int | None = None,
    margin: int = 0,
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
    size : int, optional
        Number of features (type 1 of paper 001).
    threshold : float, optional
        Look for the smallest set whose J is at least this (type 2); without both, what all features reach.
    patience : int, optional
        Instead of a threshold: the best set before so many steps have brought nothing better.
    margin : int
        Floating searches with a size d go on to d ± margin; the answer is the best set of these sizes.
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
    >>> from pyfsel.algorithms.subset_search.entropy_criterion import EntropyCriterion
    >>> rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> criterion = EntropyCriterion(rows, np.array([0, 0, 1, 1]), ["a", "b"])
    >>> search_subsets(criterion, "forward").sets
    ((0,),)
    """
    check_method(method, criterion, {"size": size, "patience": patience, "margin": margin or None}, options)
    goal = goal_of(criterion, size=size, threshold=threshold, patience=patience, margin=margin)
    run = Run(criterion, goal, limits or Limits(), max_evaluations, ties)
    return run.execute(method, lambda run: METHODS[method].search(run, **options))


def check_method(method: str, criterion: Criterion, goals: dict[str, Any], options: dict[str, Any]) -> None:
    """Raise `InputError` if a method cannot use the criterion, a goal that is not None, or an option."""
    one_of("method", method, METHODS)
    found = METHODS[method]
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
    known = list(inspect.signature(found.search).parameters)[1:]
    for name, given in options.items():
        if name not in known:
            allowed = ", ".join(known) or "no options"
            raise InputError(f"{name}={given!r}: method={method!r} takes {allowed}")
