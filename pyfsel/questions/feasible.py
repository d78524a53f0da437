"""Feasible problems in place of an infeasible one: fewer sets, a lower threshold, smaller sets."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pyfsel.algorithms.heuristics import greedy_depth_search, start_solution
from pyfsel.backends.choose import choose_backend
from pyfsel.problem.checks import finite_number
from pyfsel.problem.dissimilarity import largest_tau_for, overlap_rule
from pyfsel.problem.instance import Instance, require_problem
from pyfsel.problem.linear_rows import resized
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.results.control import Limits
from pyfsel.solving.asking import climb
from pyfsel.solving.attempt import attempt

DEFAULT_SECONDS = 10.0
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
    without: tuple[str, ...] = ()


def feasible_choices(
    problem: Instance, tau: float, dissimilarity: str = "dice", seconds: float = DEFAULT_SECONDS
) -> FeasibleChoices:
    """Find the largest feasible choices near an infeasible problem.

    Parameters
    ----------
    problem : Instance
        One that is infeasible.
    tau : float
        The threshold that its `max_shared` comes from; it gives the overlap of smaller sets.
    dissimilarity : {"dice", "jaccard", "overlap", "hamming"}
    seconds : float
        Stop asking after this time; what was found until then is returned.

    Returns
    -------
    FeasibleChoices

    Examples
    --------
    >>> impossible = Instance(quality=[4, 3, 2, 1], n_sets=3, k=2, max_shared=0)
    >>> feasible_choices(impossible, tau=1)
    FeasibleChoices(n_sets=2, tau=0.5, k=1, without=())
    """
    require_problem(problem)
    finite_number("seconds", seconds)
    bare = _without_qualities(problem)
    ask = _Questions(seconds)
    without = (name for name in NO_CONSTRAINT if name in problem.side_constraints)
    return FeasibleChoices(
        n_sets=_largest_number(bare, ask),
        tau=None if problem.has_size_range else _largest_threshold(bare, dissimilarity, ask),
        k=_largest_size(bare, tau, dissimilarity, ask),
        without=tuple(
            name
            for name in without
            if ask(_without_qualities(problem.replace(**{name: NO_CONSTRAINT[name]})))
        ),
    )


def _without_qualities(problem: Instance) -> Instance:
    """Return a problem that is feasible if and only if this one is, easier if no quality is required."""
    if problem.min_quality is not None:
        return problem
    zeros = np.zeros(problem.n_features, dtype=np.int64)
    nothing = dict.fromkeys(("pairs", "exact_quality", "exact_pairs"))
    return problem.replace(objective="univariate", quality=zeros, **nothing)


class _Questions:
    """Answers whether problems are feasible, within a time limit; None if that stays open."""

    def __init__(self, seconds: float) -> None:
        self.limits = Limits.starting_now(seconds)
        self.expired = self.limits.expired

    def __call__(self, problem: Instance) -> bool | None:
        if start_solution(problem) is not None:
            return True
        if self.expired():
            return None
        backend = choose_backend(problem)[0]
        outcome = attempt(backend, problem, self.share(), backend.formulations[0])
        if outcome.stop_reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        return {Status.NOT_SOLVED: None, Status.INFEASIBLE: False}.get(outcome.status, True)

    def share(self) -> Limits:
        """Return the limits of one question: a share of the time that is left."""
        return self.limits.within(SHARE_OF_A_QUESTION * (self.limits.remaining() or 0.0))


def _largest_number(bare: Instance, ask: _Questions) -> int | None:
    found = int(ask(bare.replace(n_sets=1)) is True)
    if found and not bare.side_constraints:
        found = max(found, len(list(greedy_depth_search(bare, should_stop=ask.share().expired))))
    found, _ = climb(found, bare.n_sets, lambda number: ask(bare.replace(n_sets=number)), ask.expired)
    return found or None


def _largest_threshold(bare: Instance, dissimilarity: str, ask: _Questions) -> float | None:
    """Return the threshold of the smallest overlap, rounded down so that what is shown is feasible too."""
    k = bare.k
    fewer, _ = climb(
        -1, k - bare.max_shared, lambda number: ask(bare.replace(max_shared=k - number)), ask.expired
    )
    if fewer < 0:
        return None
    tau = float(largest_tau_for(k, k - fewer, dissimilarity, bare.n_features))
    return math.floor(tau * 10**4 + 1e-9) / 10**4  # 1e-9 for floats just below a decimal


def _largest_size(bare: Instance, tau: float, dissimilarity: str, ask: _Questions) -> int | None:
    """Return the largest smaller size that the other constraints allow."""
    if bare.previous or bare.has_size_range:
        return None
    rule = overlap_rule(tau, dissimilarity, bare.n_features)
    smallest = max(1, len(bare.forced), *(group.at_least for group in bare.groups))
    for size in range(bare.k - 1, smallest - 1, -1):
        shared = rule.most_shared(size, size)
        if shared >= 0 and ask(resized(bare, size, max_shared=shared)):
            return size
        if ask.expired():
            return None
    return None
