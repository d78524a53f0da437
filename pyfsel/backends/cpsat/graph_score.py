"""The graph score of each set (paper 004, Eq. 11) as a linear expression over features and their pairs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from pyfsel.backends.cpsat.membership import SetModel
from pyfsel.backends.cpsat.values import weighted_sum
from pyfsel.problem.values import weighted


def graph_score_values(sets: SetModel, *, one_sided: bool) -> list[Any]:
    """Return the values of the sets, over features and pairs of features.

    Parameters
    ----------
    one_sided : bool
        Whether the product of two memberships is bounded on the side only on which the objective pushes it:
        from below where the pair costs, from above where it helps.
    """
    return [_value(sets, row, one_sided) for row in sets.member]


def _value(sets: SetModel, row: Sequence[Any], one_sided: bool) -> Any:
    problem, model = sets.problem, sets.model
    features, pairs = weighted(problem)
    value = weighted_sum(features, row)
    for i, j in combinations(range(problem.n_features), 2):
        redundancy = int(pairs[i, j])
        if redundancy == 0:
            continue
        both = model.new_bool_var("")
        if redundancy > 0 or not one_sided:
            model.add_bool_or(both, ~row[i], ~row[j])
        if redundancy < 0 or not one_sided:
            model.add_implication(both, row[i])
            model.add_implication(both, row[j])
        value -= redundancy * both
    return value
