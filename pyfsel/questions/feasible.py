"""Feasible problems in place of an infeasible one: fewer sets, a lower threshold, smaller sets.

If relatives leave no alternative: the nearest one, the best set of those that share the least.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyfsel.algorithms.heuristics import start_solution
from pyfsel.interface.answer import Answer
from pyfsel.problem.dissimilarity import largest_tau_for, overlap_rule
from pyfsel.problem.instance import Instance
from pyfsel.problem.linear_rows import resized
from pyfsel.problem.rules import Dissimilarity
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.solving.asking import Asking, climb
from pyfsel.solving.solve import solve

SHARE_OF_A_QUESTION = 1 / 3  # of the time that is left: the first one must not take all
NO_CONSTRAINT = {"forced": (), "forbidden": (), "groups": (), "budget": None, "min_quality": None}


@dataclass(frozen=True)
class FeasibleChoices:
    """The largest feasible values that were found of one parameter while the others stay; None without any.

    `without` names the side constraints of which it is enough to leave out one.
    """

    n_sets: int | None
    tau: float | None
    k: int | None
    without: tuple[str, ...]


def feasible_choices(problem: Instance, tau: float, dissimilarity: str = "dice") -> FeasibleChoices:
    """Find the largest feasible choices near an infeasible problem, of those found within 10 s.

    Parameters
    ----------
    problem : Instance
        One that is infeasible.
    tau : float
        The threshold that its `max_shared` comes from; it gives the overlap of smaller sets.
    dissimilarity : {"dice", "jaccard", "overlap", "hamming"}

    Returns
    -------
    FeasibleChoices

    Examples
    --------
    >>> impossible = Instance(quality=[4, 3, 2, 1], n_sets=3, k=2, max_shared=0)
    >>> feasible_choices(impossible, tau=1)
    FeasibleChoices(n_sets=2, tau=0.5, k=1, without=())
    """
    bare = _without_qualities(problem)
    with Asking(time_limit=10) as asking:

        def last(yes: int, no: int, harder: Callable[[int], Instance]) -> int:
            return climb(yes, no, lambda number: _ask(asking, harder(number)), asking.is_stopped)[0]

        n_sets = last(0, bare.n_sets, lambda number: bare.replace(n_sets=number))
        fewer = -1  # features that are shared than a set has
        if not bare.has_size_range:
            overlaps = bare.k - bare.max_shared
            fewer = last(-1, overlaps, lambda number: bare.replace(max_shared=bare.k - number))
        return FeasibleChoices(
            n_sets=n_sets or None,
            tau=None if fewer < 0 else _shown_threshold(bare, bare.k - fewer, dissimilarity),
            k=_largest_size(bare, tau, dissimilarity, asking),
            without=tuple(
                name
                for name, usual in NO_CONSTRAINT.items()
                if name in problem.side_constraints
                and _ask(asking, _without_qualities(problem.replace(**{name: usual})))
            ),
        )


def _shown_threshold(problem: Instance, shared: int, dissimilarity: str) -> float:
    """Return the threshold of an overlap, rounded down so that what is shown is feasible too."""
    tau = float(largest_tau_for(problem.k, shared, dissimilarity, problem.n_features))
    return math.floor(tau * 10**4 + 1e-9) / 10**4  # 1e-9 for floats just below a decimal


def ways_out(problem: Instance, rule: Dissimilarity, way: Callable[[str, Any], str]) -> str:
    """Return what could be requested instead of an infeasible problem; "" if that is unknown.

    Parameters
    ----------
    problem : Instance
    rule : Dissimilarity
        The one that its overlap comes from.
    way : callable
        Takes the name of a parameter and a value, and returns how a user writes that.

    Examples
    --------
    >>> from pyfsel.problem.rules import as_dissimilarity
    >>> impossible = Instance(quality=[4, 3, 2, 1], n_sets=3, k=2, max_shared=0)
    >>> ways_out(impossible, as_dissimilarity("jaccard:1"), "{}={}".format)
    "One of these is enough: n_sets=2, or dissimilarity='jaccard:0.6666', or k=1"
    """
    if rule.at_least is None:
        return ""
    found = feasible_choices(problem, rule.at_least, rule.by)
    given: dict[str, Any] = {"n_sets": found.n_sets, "dissimilarity": None, "k": found.k}
    if found.tau is not None:
        given["dissimilarity"] = f"{found.tau:g}" if rule.by == "dice" else f"'{rule.by}:{found.tau:g}'"
    ways = [way(name, one) for name, one in given.items() if one is not None]
    ways += [f"without {name}" for name in found.without]
    return f"One of these is enough: {', or '.join(ways)}" if ways else ""


def _without_qualities(problem: Instance) -> Instance:
    """Return a problem that is feasible if and only if this one is, easier if no quality is required."""
    return problem.without_values() if problem.min_quality is None else problem


def _ask(asking: Asking, problem: Instance) -> bool | None:
    """Return whether a problem is feasible; None if that stays open."""
    if start_solution(problem) is not None:
        return True
    found = asking.decide(problem, "feasibility", SHARE_OF_A_QUESTION)
    if asking.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return None if found is None else bool(found.sets)


def _largest_size(bare: Instance, tau: float, dissimilarity: str, asking: Asking) -> int | None:
    """Return the largest smaller size that the other constraints allow."""
    if bare.previous or bare.has_size_range:
        return None
    rule = overlap_rule(tau, dissimilarity, bare.n_features)
    smallest = max(1, len(bare.forced), *(group.at_least for group in bare.groups))
    for size in range(bare.k - 1, smallest - 1, -1):
        shared = rule.most_shared(size, size)
        if shared >= 0 and _ask(asking, resized(bare, size, max_shared=shared)):
            return size
        if asking.is_stopped():
            return None
    return None


SECONDS = 5.0
"""For each number of features that may be shared."""


def nearest_text(answer: Answer) -> str:
    """Return the best further set of those that share the least with the sets found, in words.

    "" if the sets found are all that were requested, the problem has no relatives, or no set is found in
    time.

    Examples
    --------
    >>> from pyfsel.interface.problem import Problem
    >>> from pyfsel.interface.solving import solve
    >>> instance = Instance([9, 8, 7, 6], 2, 2, 0, relatives=[(0, 2), (1, 3)])
    >>> nearest_text(solve(Problem.of_instance(instance, "sequential"))).partition(". ")[2]
    'The nearest has 2: x0, x1.'
    """
    problem = answer.problem.instance
    if not len(problem.relatives) or answer.status is not Status.FEWER:
        return ""
    step = problem.after([one.indices for one in answer.sets])
    for shared in range(problem.max_shared + 1, problem.k + 1):
        found = solve(step.replace(max_shared=shared), time_limit=SECONDS)
        if found.sets:
            return (
                f"No other set has at most {problem.max_shared} features that are shared with, or related "
                f"to, an earlier set. The nearest has {shared}: {', '.join(problem.names_of(found.sets[0]))}."
            )
    return ""
