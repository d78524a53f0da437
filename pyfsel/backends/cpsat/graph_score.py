"""The graph score of each set (paper 004, Eq. 11) as a linear expression over features and their pairs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from pyfsel.backends.cpsat.membership import SetModel


def graph_score_values(sets: SetModel, *, one_sided: bool) -> list[Any]:
    """Return the negated graph scores of the sets.

    Parameters
    ----------
    one_sided : bool
        Whether the product of two memberships is bounded on the side only on which the objective pushes it:
        from below where the pair costs, from above where it helps.
    """
    return [_value(sets, row, one_sided) for row in sets.member]


def _value(sets: SetModel, row: Sequence[Any], one_sided: bool) -> Any:
    problem, model = sets.problem, sets.model
    assert problem.redundancy is not None
    value = sum(int(q) * var for q, var in zip(problem.quality, row, strict=True))
    for i, j in combinations(range(problem.n_features), 2):
        redundancy = int(problem.redundancy[i, j])
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
