"""Heuristics: fast, without a claim to optimality.

Over features in order of quality: `greedy` (paper 000); one set after another by swaps: `swap_sequence`; of
paper 004: `asdp`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from pyfsel.algorithms.heuristics.greedy import greedy_balancing, greedy_depth_search, greedy_replacement
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family

__all__ = ["greedy_balancing", "greedy_depth_search", "greedy_replacement", "start_solution"]

START_DECISIONS = 5000  # of Greedy Depth Search, a number and not a time: the same start on every machine


def start_solution(problem: Instance, expired: Callable[[], bool] = lambda: False) -> Family | None:
    """Return the best solution that the greedy heuristics find, or None.

    Its purpose is to start an exact backend, and to be what is left when that one runs out of time. Greedy
    Depth Search, the only one that knows conflicts and previous sets, gets a fixed number of decisions,
    and ends when `expired`, asked before each, returns True.
    """
    if problem.side_constraints:
        return None
    decisions = count()
    candidates = (
        greedy_replacement(problem),
        greedy_balancing(problem),
        greedy_depth_search(problem, should_stop=lambda: next(decisions) >= START_DECISIONS or expired()),
    )
    complete = [sets for sets in map(tuple, candidates) if len(sets) == problem.n_sets]
    return max(complete, key=lambda sets: values.total(problem, sets), default=None)
