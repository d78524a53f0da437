"""Are counts realisable? By CP-SAT, with what tight counts say about every single set and pair."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import comb
from typing import Any

from ortools.sat.python import cp_model

from pyfsel.algorithms.counts.family import Family
from pyfsel.errors import BackendError
from pyfsel.model.strengthening import lexicographic
from pyfsel.problem.objectives import FeatureSet
from pyfsel.solvers.cpsat import new_solver


def decided_by_windows(
    counts: Sequence[int], family: Family, effort: float, seconds: float | None, random_state: int
) -> tuple[tuple[FeatureSet, ...] | None, bool]:
    """Return sets of full size with given counts, or None and whether it is proved that there are none.

    With σ the part of all overlaps that the counts leave unused, the overlaps of one set with the others sum
    up to at most ``(n_sets − 1)·max_overlap`` and to at least σ less. That sum is ``Σ_{j in S} (c_j − 1)``, a
    linear window for each set. With σ = 0 all overlaps are equal to the largest allowed.

    Parameters
    ----------
    counts : sequence of int
        In decreasing order; their sum is the sum of the sizes.
    family : Family
    effort : float
        Limit in CP-SAT's deterministic time, about seconds.
    seconds : float or None
    random_state : int
    """
    spare = family.all_overlaps - family.shared_pairs(counts)
    if spare < 0:
        return None, True
    model = cp_model.CpModel()
    member = [
        [model.new_bool_var(f"member[{s},{j}]") for j in range(len(counts))] for s in range(family.n_sets)
    ]
    columns = list(zip(*member, strict=True))
    for column, count in zip(columns, counts, strict=True):
        model.add(sum(column) == count)
    most = (family.n_sets - 1) * family.max_overlap
    for row in member:
        model.add(sum(row) == family.set_size)
        overlaps = sum((count - 1) * var for count, var in zip(counts, row, strict=True))
        model.add_linear_constraint(overlaps, most - spare, most)
    _restrict_pairs(model, member, counts, family)
    for first, second in pairwise(member):
        _order(model, first, second)
    for (column, count), (next_column, next_count) in pairwise(zip(columns, counts, strict=True)):
        if count == next_count:
            _order(model, column, next_column)
    solver = new_solver(random_state, seconds)
    solver.parameters.max_deterministic_time = effort
    native = solver.solve(model)
    if native in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return tuple(tuple(j for j, var in enumerate(row) if solver.value(var)) for row in member), False
    if native not in (cp_model.INFEASIBLE, cp_model.UNKNOWN):
        raise BackendError(f"counts: the window model returned {solver.status_name(native)}")
    return None, native == cp_model.INFEASIBLE


def _restrict_pairs(
    model: cp_model.CpModel, member: Sequence[Sequence[Any]], counts: Sequence[int], family: Family
) -> None:
    pairs_of: list[list[Any]] = [[] for _ in counts]
    spare = family.all_overlaps - family.shared_pairs(counts)
    for first, second in combinations(member, 2):
        shared = []
        for j, (a, b) in enumerate(zip(first, second, strict=True)):
            both = model.new_bool_var("")
            model.add_bool_or(both, ~a, ~b)
            model.add_implication(both, a)
            model.add_implication(both, b)
            shared.append(both)
            pairs_of[j].append(both)
        model.add_linear_constraint(sum(shared), max(0, family.max_overlap - spare), family.max_overlap)
    for pairs, count in zip(pairs_of, counts, strict=True):
        model.add(sum(pairs) == comb(count, 2))


def _order(model: cp_model.CpModel, first: Sequence[Any], second: Sequence[Any]) -> None:
    for clause in lexicographic(first, second, lambda _: model.new_bool_var("")):
        model.add_bool_or(*(var if value else ~var for var, value in clause))
