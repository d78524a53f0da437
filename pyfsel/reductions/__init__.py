"""Smaller problems with the same optimum, and what is known before solving.

For whoever adds a reduction. Reductions, each with the way back to sets of the original problem:
`restriction` (what one is; to some of the features), `preselection`, `promising` (where a solution is known),
`cheapest_by_budget` (qualities and costs change places). Knowledge: `interchange` (which features are alike),
`needed`. What they and counting add to models is in `pyfsel.model.strengthening`.
"""

from __future__ import annotations

from pyfsel.problem.instance import Instance
from pyfsel.reductions.preselection import preselect
from pyfsel.reductions.restriction import Restriction, without_forbidden
from pyfsel.results.control import STRENGTHENED


def reduce(problem: Instance, formulation: str) -> Restriction:
    """Return the reduction that a backend gets to see: none unless the formulation is the strengthened one.

    The other formulations show what they are without help, and a user's own model may constrain features by
    their numbers.

    Examples
    --------
    >>> problem = Instance(quality=[1, 5, 4, 3], n_sets=1, k=2, max_shared=1)
    >>> reduce(problem, STRENGTHENED).problem.n_features
    2
    """
    if formulation != STRENGTHENED:
        return Restriction.none(problem)
    allowed = without_forbidden(problem)
    return allowed.then(preselect(allowed.problem))
