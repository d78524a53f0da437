"""CP-SAT models of balanced number partitioning: assignment of numbers, and choice among given parts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from pyfsel.errors import BackendError
from pyfsel.reductions.number_partitioning import NumberPartitioning, Parts
from pyfsel.results.answer import Stated
from pyfsel.solvers.cpsat import IntegerBounds, new_solver


@dataclass(frozen=True)
class Outcome:
    """Parts or None, a lower bound on the largest sum, whether the model was solved to the end.

    `stated` is what CP-SAT states as the largest sum of the parts.
    """

    parts: Parts | None
    bound: int | None
    finished: bool
    stated: Stated | None = None


def assigned(
    instance: NumberPartitioning,
    known: Parts,
    seconds: float | None,
    random_state: int,
    report: Callable[[int], None],
) -> Outcome:
    """Minimise the largest sum by a model of which part each number goes to.

    Numbers in decreasing order; the i-th of them goes to one of the first i parts, and a part is opened after
    those before it. `report` takes the lower bounds as they come.
    """
    model = cp_model.CpModel()
    order = sorted(range(len(instance.numbers)), key=lambda i: -instance.numbers[i])
    inside = [
        [model.new_bool_var(f"inside[{p},{i}]") for i in range(len(instance.numbers))]
        for p in range(instance.n_parts)
    ]
    for column in zip(*inside, strict=True):
        model.add_exactly_one(column)
    for row in inside:
        model.add(sum(row) == instance.part_size)
    for before, row in pairwise(inside):
        for position, i in enumerate(order):
            model.add_bool_or(~row[i], *(before[other] for other in order[:position]))
    largest = model.new_int_var(instance.least_value, instance.value(known), "largest")
    for row in inside:
        model.add(sum(number * var for number, var in zip(instance.numbers, row, strict=True)) <= largest)
    model.minimize(largest)
    rank = {i: position for position, i in enumerate(order)}
    opened_in_order = sorted(known, key=lambda part: min(rank[i] for i in part))
    for part, row in zip(opened_in_order, inside, strict=True):
        for i, var in enumerate(row):
            model.add_hint(var, i in part)

    def read(value: Callable[[Any], int]) -> Parts:
        return tuple(tuple(i for i, var in enumerate(row) if value(var)) for row in inside)

    return _solve(model, seconds, random_state, report, read)


def chosen(
    instance: NumberPartitioning,
    parts: NDArray[np.int64],
    sums: NDArray[np.int64],
    seconds: float | None,
    random_state: int,
    report: Callable[[int], None],
) -> Outcome:
    """Minimise the largest sum by a choice of given parts, disjoint and together of all numbers.

    Parameters
    ----------
    instance : NumberPartitioning
    parts : array of int, shape (m, part_size)
        All parts that a better partition than the known one can consist of.
    sums : array of int, shape (m,)
    seconds, random_state, report
        As for `assigned`.
    """
    model = cp_model.CpModel()
    taken = [model.new_bool_var("") for _ in parts]
    holders: list[list[Any]] = [[] for _ in instance.numbers]
    for var, members in zip(taken, parts.tolist(), strict=True):
        for i in members:
            holders[i].append(var)
    for variables in holders:
        model.add_exactly_one(variables)
    least = instance.least_value
    largest = model.new_int_var(least, max(least, int(sums.max())), "largest")
    for var, total in zip(taken, sums.tolist(), strict=True):
        if total > least:
            model.add(largest >= total).only_enforce_if(var)
    model.minimize(largest)

    def read(value: Callable[[Any], int]) -> Parts:
        found = (members for var, members in zip(taken, parts.tolist(), strict=True) if value(var))
        return tuple(tuple(sorted(members)) for members in found)

    return _solve(model, seconds, random_state, report, read)


def _solve(
    model: cp_model.CpModel,
    seconds: float | None,
    random_state: int,
    report: Callable[[int], None],
    read: Callable[[Callable[[Any], int]], Parts],
) -> Outcome:
    solver = new_solver(random_state, seconds)
    integer = IntegerBounds(model)

    def listen(native: float) -> None:
        if math.isfinite(native):
            report(integer.lower(native))

    solver.best_bound_callback = listen
    native = solver.solve(model)
    if native == cp_model.INFEASIBLE:
        return Outcome(None, None, True)
    if native in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        bound = integer.lower(solver.best_objective_bound)
        stated = Stated(solver.objective_value, integer.margin)
        return Outcome(read(solver.value), bound, native == cp_model.OPTIMAL, stated)
    if native != cp_model.UNKNOWN:
        raise BackendError(f"partition: CP-SAT returned {solver.status_name(native)}: {model.validate()}")
    return Outcome(None, None, False)
