"""Reductions: smaller problems with the same optimum, and the way back to sets of the original one."""

from __future__ import annotations

from pyfsel.backends.base import Backend
from pyfsel.problem.problem import Problem
from pyfsel.reductions.base import Reduction
from pyfsel.reductions.forbidden import WithoutForbidden
from pyfsel.reductions.preselection import Preselection, preselect
from pyfsel.reductions.restriction import Restriction
from pyfsel.results.control import STRENGTHENED

__all__ = ["Preselection", "Reduction", "Restriction", "WithoutForbidden", "preselect", "reduce", "refusal"]


def reduce(problem: Problem, formulation: str) -> Restriction:
    """Return the reduction that a backend gets to see: none unless the formulation is the strengthened one.

    The other formulations show what they are without help, and a user's own model may constrain features by
    their numbers.
    """
    if formulation != STRENGTHENED:
        return Preselection.none(problem)
    allowed = WithoutForbidden.of(problem)
    return allowed.then(preselect(allowed.problem))


def refusal(backend: Backend, problem: Problem, formulation: str) -> str | None:
    """Return why a backend cannot take a problem even without its forbidden features, or None."""
    asked = WithoutForbidden.of(problem).problem if formulation == STRENGTHENED else problem
    return backend.refusal(asked, formulation)
