"""The cheapest sets that have a quality, as the best sets within a budget (paper 001, Definition 1)."""

from __future__ import annotations

import numpy as np

from pyfsel.problem.fields import LARGEST_SUM, LARGEST_TOTAL
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import objective_of


def reason_against_exchange(problem: Instance) -> str | None:
    """Return why qualities and costs cannot change places, or None."""
    if not objective_of(problem).is_sum:
        return f"the cheapest sets are found for sums of qualities, not objective={problem.objective!r}"
    return _out_of_range(problem)


def exchanged(problem: Instance) -> Instance:
    """Return the problem in which qualities and costs have changed places.

    Where the value of a set is a sum of qualities, ``Σ quality ≥ min_quality`` is ``Σ (−quality) ≤
    −min_quality``, a budget; and the sets of minimum cost are the sets of maximum ``Σ (−cost)``. All other
    constraints stay. Any backend that takes a budget so solves the second scenario of Definition 1 as well as
    the first, for single and several sets; with ``aggregate="min"`` the dearest set is as cheap as possible.
    Without costs each feature costs 1, and small sets are cheap.

    Examples
    --------
    >>> problem = Instance([5, 4, 3], n_sets=1, k=2, max_shared=2, costs=[9, 2, 1], min_quality=7)
    >>> swapped = exchanged(problem)
    >>> swapped.quality.tolist(), swapped.costs.tolist(), swapped.budget
    ([-9, -2, -1], [-5, -4, -3], -7)
    """
    assert problem.min_quality is not None
    costs = np.ones(problem.n_features, dtype=np.int64) if problem.costs is None else problem.costs
    return problem.replace(
        quality=-costs,
        scale=problem.cost_scale,
        min_quality=None if problem.budget is None else -problem.budget,
        costs=-problem.quality,
        cost_scale=problem.scale,
        budget=-problem.min_quality,
        **dict.fromkeys(("pairs", "exact_quality", "exact_pairs", "evidence")),
    )


def _out_of_range(problem: Instance) -> str | None:
    """Return which numbers are within the range of their own part, but not of the other one's."""
    costs = 1 if problem.costs is None else int(np.abs(problem.costs).max())
    if costs * problem.k * problem.n_sets > LARGEST_TOTAL:
        return "costs: the costs of all sets together can go beyond 2**53; use a smaller cost_scale"
    if int(np.abs(problem.quality).max()) * problem.n_features > LARGEST_SUM:
        return "quality: the sum over all features can go beyond 2**62; use a smaller scale"
    return None
