"""Constraints that some optimum satisfies, or that follow from the others but help the solver."""

from __future__ import annotations

from itertools import pairwise
from math import comb
from typing import Any

from pyfsel.backends.cpsat.membership import SetModel
from pyfsel.reductions.interchange import dominated_pairs, interchangeable_classes, prefix_limits


def order_sets(sets: SetModel) -> None:
    """Order consecutive sets lexicographically, over the features in order of quality."""
    for first, second in pairwise(sets.member):
        so_far_equal: list[Any] = []
        for j in sets.order:
            a, b = first[j], second[j]
            sets.model.add_bool_or(*so_far_equal, a, ~b)
            equal = sets.model.new_bool_var("")
            sets.model.add_bool_or(*so_far_equal, equal, a, b)
            sets.model.add_bool_or(*so_far_equal, equal, ~a, ~b)
            so_far_equal = [~equal]


def add_unary_counts(sets: SetModel) -> list[list[Any]]:
    """Count in unary how often each feature is used, and bound the uses by what the overlaps allow.

    Adds pair counting, ``Σ_j C(c_j, 2) ≤ C(n_sets, 2) · max_overlap``, and a limit on the uses of each number
    of best features.

    Returns
    -------
    list of lists of Boolean variables
        ``at_least[j][v]``: feature j is in more than v sets.
    """
    problem, model = sets.problem, sets.model
    n_sets = problem.n_sets
    at_least = [
        [model.new_bool_var(f"at_least[{j},{v + 1}]") for v in range(n_sets)]
        for j in range(problem.n_features)
    ]
    for j, unary in enumerate(at_least):
        model.add(sum(row[j] for row in sets.member) == sum(unary))
        for lower, higher in pairwise(unary):
            model.add_implication(higher, lower)
    uses = n_sets * problem.set_size
    model.add(sum(var for unary in at_least for var in unary) == uses)
    model.add(
        sum(v * var for unary in at_least for v, var in enumerate(unary))
        <= comb(n_sets, 2) * problem.max_overlap
    )
    limits = prefix_limits(problem.n_features, n_sets, problem.set_size, problem.max_overlap)
    for t, limit in enumerate(limits, start=1):
        if limit < uses:
            model.add(sum(var for j in sets.order[:t] for var in at_least[j]) <= limit)
    return at_least


def add_dominance(sets: SetModel, at_least: list[list[Any]]) -> None:
    """Use better features at least as often as worse ones that are interchangeable; for sum-aggregation."""
    for members in interchangeable_classes(sets.problem):
        for better, worse in pairwise(members):
            for b, w in zip(at_least[better], at_least[worse], strict=True):
                sets.model.add_implication(w, b)


def forbid_dominated_columns(sets: SetModel, at_least: list[list[Any]], *, within_classes: bool) -> None:
    """Forbid that the sets of a feature that could be exchanged include all those of a better one, and more.

    Valid for both aggregates, see `pyfsel.reductions.interchange.dominated_pairs`.

    Parameters
    ----------
    within_classes : bool
        Whether to include pairs of interchangeable features, for which `add_dominance` says more where it is
        valid.
    """
    number = {j: c for c, members in enumerate(interchangeable_classes(sets.problem)) for j in members}
    for better, worse in dominated_pairs(sets.problem):
        if number[better] == number[worse] and not within_classes:
            continue
        sets.model.add_implication(at_least[worse][0], at_least[better][0])
        if sets.problem.n_sets == 1:
            continue
        only_better = []
        for row in sets.member:
            alone = sets.model.new_bool_var("")
            sets.model.add_implication(alone, row[better])
            sets.model.add_implication(alone, ~row[worse])
            only_better.append(alone)
        for row in sets.member:
            sets.model.add_bool_or(*only_better, row[better], ~row[worse])
