"""Heuristics: fast, without a claim to optimality."""

from __future__ import annotations

from pyfsel import objectives
from pyfsel.heuristics.greedy import greedy_balancing, greedy_completion, greedy_replacement
from pyfsel.objectives import FeatureSet
from pyfsel.problem import Problem

__all__ = ["greedy_balancing", "greedy_completion", "greedy_replacement", "start_solution"]


def start_solution(problem: Problem) -> tuple[FeatureSet, ...] | None:
    """Return the best solution that the greedy heuristics find, or None.

    Its purpose is to start an exact backend, and to be what is left when that one runs out of time.
    """
    candidates = [
        tuple(sets)
        for heuristic in (greedy_replacement, greedy_balancing, greedy_completion)
        if len(sets := heuristic(problem)) == problem.n_sets
    ]
    return max(candidates, key=lambda sets: objectives.total(problem, sets), default=None)
