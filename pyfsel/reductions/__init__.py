"""Reductions: smaller problems with the same optimum, and the way back to sets of the original one."""

from __future__ import annotations

from pyfsel.backends.base import LITERAL
from pyfsel.problem import Problem
from pyfsel.reductions.preselection import Preselection, preselect

__all__ = ["Preselection", "preselect", "reduce"]


def reduce(problem: Problem, formulation: str) -> Preselection:
    """Return the reduction that a backend gets to see: none for the literal formulation of the paper."""
    return Preselection.none(problem) if formulation == LITERAL else preselect(problem)
