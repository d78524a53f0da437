"""What could be asked for instead of the impossible: fewer alternatives, a lower threshold, smaller sets."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from pyfsel.algorithms.heuristics import greedy_depth_search, start_solution
from pyfsel.backends.choose import choose_backend
from pyfsel.problem.checks import finite_number
from pyfsel.problem.dissimilarity import largest_tau_for, overlap_rule
from pyfsel.problem.instance import Instance, require_problem
from pyfsel.problem.overlap import may_stand_together
from pyfsel.problem.rows import resized
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.control import Limits
from pyfsel.results.verify import violations
from pyfsel.solving.attempt import attempt

DEFAULT_SECONDS = 10.0
SHARE_OF_A_QUESTION = 1 / 3  # of the time that is left: the first one must not take all
MOST_SETS, MOST_STEPS = 500, 5_000  # of `small_family_exists`, for some milliseconds
NO_CONSTRAINT: dict[str, dict[str, Any]] = {
    "forced": {"forced": ()},
    "forbidden": {"forbidden": ()},
    "groups": {"groups": ()},
    "budget": {"budget": None},
    "min_quality": {"min_quality": None},
}


@dataclass(frozen=True)
class Choice:
    """A feasible value, and whether the next one is proved to be infeasible."""

    value: float
    is_largest: bool

    def __str__(self) -> str:
        return f"{'at most' if self.is_largest else 'at least'} {self.value:g}"


@dataclass(frozen=True)
class FeasibleChoices:
    """Feasible values of one parameter while the others stay; None where no value was found.

    `without` names the side constraints of which it is enough to leave out one.
    """

    n_alternatives: Choice | None
    tau: Choice | None
    k: Choice | None
    without: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.without:
            return self._changes()
        return f"{self._changes()} It is feasible without {', or without '.join(self.without)}."

    def _changes(self) -> str:
        named = (
            ("n_alternatives", self.n_alternatives),
            ("tau", self.tau),
            ("the number of features per set", self.k),
        )
        parts = [f"{name} can be {choice}" for name, choice in named if choice is not None]
        if not parts:
            return "No change of one parameter alone was found that makes it feasible."
        return f"Changing one of them: {', or '.join(parts)}."


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
        Stop asking after this time; what was found until then is returned. Problems with few possible sets
        are decided at once, whatever the time.

    Returns
    -------
    FeasibleChoices

    Examples
    --------
    >>> impossible = Instance(quality=[4, 3, 2, 1], n_sets=3, k=2, max_shared=0)
    >>> choices = feasible_choices(impossible, tau=1)
    >>> choices.n_alternatives.value, choices.tau.value, choices.k.value
    (1, 0.5, 1.0)
    """
    require_problem(problem)
    finite_number("seconds", seconds)
    bare = _without_qualities(problem)
    k, n = problem.k, problem.n_features
    rule = overlap_rule(tau, dissimilarity, n)
    overlaps = range(problem.max_shared + 1, k + 1)
    looser = (
        (
            _rounded_down(float(largest_tau_for(k, m, dissimilarity, n))),
            bare.replace(max_shared=m),
        )
        for m in (() if problem.has_size_range else overlaps)
    )
    smaller = (
        (float(size), resized(bare, size, max_shared=most))
        for size in _smaller_sizes(problem)
        if (most := rule.most_shared(size, size)) >= 0
    )
    ask = _Questions(seconds)
    return FeasibleChoices(
        n_alternatives=_largest_number(bare, ask),
        tau=_first_feasible(looser, ask),
        k=_first_feasible(smaller, ask),
        without=tuple(
            name
            for name in NO_CONSTRAINT
            if name in problem.side_constraints
            and ask(_without_qualities(problem.replace(**NO_CONSTRAINT[name])))
        ),
    )


def _without_qualities(problem: Instance) -> Instance:
    """Return a problem that is feasible if and only if this one is, easier where no quality is asked for."""
    if problem.min_quality is not None:
        return problem
    return problem.replace(
        objective="univariate",
        quality=np.zeros(problem.n_features, dtype=np.int64),
        redundancy=None,
        exact_quality=None,
        exact_pairs=None,
    )


def _smaller_sizes(problem: Instance) -> range:
    """Return the smaller sizes that the other constraints allow, falling."""
    if problem.previous or problem.has_size_range:
        return range(0)
    smallest = max(1, len(problem.forced), *(group.at_least for group in problem.groups))
    return range(problem.k - 1, smallest - 1, -1)


class _Questions:
    """Answers whether problems are feasible: small ones by counted steps, others within a time limit."""

    def __init__(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds

    def __call__(self, problem: Instance) -> bool | None:
        if start_solution(problem) is not None:
            return True
        exists = small_family_exists(problem)
        if exists is not None or self.expired():
            return exists
        backend = choose_backend(problem)[0]
        limits = Limits.starting_now(self.share())
        outcome = attempt(backend, problem, limits, backend.formulations[0])
        if outcome.stop_reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        return {Status.NOT_SOLVED: None, Status.INFEASIBLE: False}.get(outcome.status, True)

    def share(self) -> float:
        """Return the seconds that one question may take: a share of those that are left."""
        return max(0.0, self.deadline - time.monotonic()) * SHARE_OF_A_QUESTION

    def expired(self) -> bool:
        return time.monotonic() >= self.deadline


def _largest_number(bare: Instance, ask: _Questions) -> Choice | None:
    deadline = time.monotonic() + ask.share()
    found = 0
    if not bare.side_constraints:
        found = len(list(greedy_depth_search(bare, should_stop=lambda: time.monotonic() >= deadline)))
    answer: bool | None = True
    while answer and found + 1 < bare.n_sets:
        answer = ask(bare.replace(n_sets=found + 1))
        found += answer is True
    return Choice(found - 1, answer is not None) if found else None


def _first_feasible(problems: Iterable[tuple[float, Instance]], ask: _Questions) -> Choice | None:
    proved = True
    for value, problem in problems:
        answer = ask(problem)
        if answer:
            return Choice(value, proved)
        if ask.expired():
            return None
        proved = proved and answer is False
    return None


def _rounded_down(tau: float) -> float:
    # down, so the shown threshold is feasible too; 1e-9 for floats just below a decimal
    return math.floor(tau * 10**4 + 1e-9) / 10**4


def small_family_exists(problem: Instance, most_steps: int = MOST_STEPS) -> bool | None:
    """Return whether the problem has a solution, or None if that takes too many steps.

    Enumerates all sets and extends families by them, in milliseconds and in this process: the answer does not
    depend on how busy the machine is.

    Parameters
    ----------
    problem : Instance
    most_steps : int
        Families that are extended before the search gives up.

    Examples
    --------
    >>> problem = Instance(quality=[4, 3, 2, 1], n_sets=2, k=2, max_shared=0)
    >>> small_family_exists(problem), small_family_exists(problem.replace(n_sets=3))
    (True, False)
    """
    n, n_sets = problem.n_features, problem.n_sets
    if sum(comb(n, size) for size in problem.sizes) > MOST_SETS:
        return None
    alone = problem.replace(n_sets=1)
    sets = [s for size in problem.sizes for s in combinations(range(n), size) if not violations(alone, [s])]
    later = [_compatible_from(problem, sets, i) for i in range(len(sets))]
    families = [(0, (1 << len(sets)) - 1)]
    for _ in range(most_steps):
        if not families:
            return False
        size, candidates = families.pop()
        if size == n_sets:
            return True
        while candidates:
            first = (candidates & -candidates).bit_length() - 1
            families.append((size + 1, candidates & later[first]))
            candidates &= candidates - 1
    return None


def _compatible_from(problem: Instance, sets: list[tuple[int, ...]], i: int) -> int:
    """Return as bits which sets from the i-th on, itself included, may stand beside the i-th one."""
    fits = (may_stand_together(problem, sets[i], s) for s in sets[i:])
    return sum(1 << j for j, is_compatible in enumerate(fits, i) if is_compatible)
