"""Candidate sets as data of the model `pool.mzn`: all that some best solution can need."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any

from pyfsel.algorithms.heuristics import swap_sequence
from pyfsel.algorithms.packing.pool import LARGEST_POOL, pool_of
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import objective_of
from pyfsel.reductions.preselection import preselect
from pyfsel.results.control import Control, TooManySetsError

LARGEST_MODEL_POOL = 20_000  # MiniZinc compiles a table of them; `LARGEST_POOL` is what fits into memory


def too_many_candidates(problem: Instance) -> str | None:
    """Return why the candidates of a problem cannot be enumerated, or None."""
    count = comb(preselect(problem).problem.n_features, problem.k)
    if count <= LARGEST_POOL:
        return None
    return f"{count} possible sets are more than {LARGEST_POOL}"


def candidates(problem: Instance, known: tuple[FeatureSet, ...] | None = None) -> list[FeatureSet]:
    """Return all sets that can be part of a solution better than a known one, and that one's sets.

    A set of a solution as good as `known` has, with min-aggregation, at least the value of `known`, and with
    sum-aggregation at least that value less ``n_sets − 1`` times the best value of a set.

    Parameters
    ----------
    problem : Instance
    known : sequence of sets of int, optional
        A solution; without one, all sets are candidates.

    Returns
    -------
    list of sets of int
        Best first.

    Raises
    ------
    TooManySetsError
        If there are more than `LARGEST_MODEL_POOL`.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3], n_sets=2, k=2, max_shared=1, aggregate="min")
    >>> candidates(problem, ((0, 1), (0, 2)))
    [(0, 1), (0, 2)]
    """
    reduction = preselect(problem)
    pool = pool_of(reduction.problem)
    threshold = pool.lowest
    if known is not None:
        value = values.total(problem, known)
        others = 0 if problem.aggregate == "min" else (problem.n_sets - 1) * pool.highest
        threshold = max(threshold, value - others)
    sets, _ = pool.above(threshold)
    if len(sets) > LARGEST_MODEL_POOL:
        raise TooManySetsError
    return [tuple(sorted(members)) for members in reduction.invert(sets.tolist())]


def candidate_data(problem: Instance, control: Control) -> Mapping[str, Any]:
    """Return the candidates as MiniZinc data, given `control.hint` or what swaps of features find.

    Raises
    ------
    TooManySetsError
    """
    known = [control.hint]
    if not objective_of(problem).is_sum:
        known.append(tuple(swap_sequence(problem, control.expired)))
    complete = [sets for sets in known if sets is not None and len(sets) == problem.n_sets]
    best = max(complete, key=lambda sets: values.total(problem, sets), default=None)
    return {"candidates": [{"set": list(members)} for members in candidates(problem, best)]}
