"""Reductions: smaller problems with the same optimum, and the way back to sets of the original one."""

from __future__ import annotations

from pyfsel.backends.base import STRENGTHENED
from pyfsel.problem import Problem
from pyfsel.reductions.base import Reduction
from pyfsel.reductions.preselection import Preselection, preselect

__all__ = ["Preselection", "Reduction", "preselect", "reduce"]


def reduce(problem: Problem, formulation: str) -> Preselection:
    """Return the reduction that a backend gets to see: none unless the formulation is the strengthened one.

    The other formulations show what they are without help, and a user's own model may constrain features by
    their numbers.
    """
    return preselect(problem) if formulation == STRENGTHENED else Preselection.none(problem)
