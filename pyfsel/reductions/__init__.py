"""Smaller problems with the same optimum, and what is known before solving.

For whoever adds a reduction or a strengthening. Reductions, each with the way back to sets of the original
problem: `base` (what one is), `restriction` (to some of the features), `forbidden`, `preselection`,
`cheapest` (qualities and costs change places), `number_partitioning`. Knowledge: `interchange` (which
features are alike), `conflicts`, `needed`, `distinct`.
"""

from __future__ import annotations

from pyfsel.problem.problem import Problem
from pyfsel.reductions.base import Reduction
from pyfsel.reductions.forbidden import WithoutForbidden
from pyfsel.reductions.preselection import Preselection, preselect
from pyfsel.reductions.restriction import Restriction
from pyfsel.results.control import STRENGTHENED

__all__ = ["Preselection", "Reduction", "Restriction", "WithoutForbidden", "preselect", "reduce"]


def reduce(problem: Problem, formulation: str) -> Restriction:
    """Return the reduction that a backend gets to see: none unless the formulation is the strengthened one.

    The other formulations show what they are without help, and a user's own model may constrain features by
    their numbers.
    """
    if formulation != STRENGTHENED:
        return Preselection.none(problem)
    allowed = WithoutForbidden.of(problem)
    return allowed.then(preselect(allowed.problem))
