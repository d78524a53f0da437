"""CP-SAT models of balanced number partitioning: assignment of numbers, and choice among given parts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
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


class AssignmentModel:
    """Which part each number goes to.

    Numbers in decreasing order; the i-th of them goes to one of the first i parts, and a part is opened after
    those before it.
    """

    def __init__(self, instance: NumberPartitioning, known: Parts) -> None:
        self.instance = instance
        self.model = cp_model.CpModel()
        self.order = sorted(range(len(instance.numbers)), key=lambda i: -instance.numbers[i])
        self.inside = [
            [self.model.new_bool_var(f"inside[{p},{i}]") for i in range(len(instance.numbers))]
            for p in range(instance.n_parts)
        ]
        self._partition()
        self.largest = self.model.new_int_var(instance.least_value, instance.value(known), "largest")
        for row in self.inside:
            load = sum(number * var for number, var in zip(instance.numbers, row, strict=True))
            self.model.add(load <= self.largest)
        self.model.minimize(self.largest)
        for part, row in zip(self._opened_in_order(known), self.inside, strict=True):
            for i, var in enumerate(row):
                self.model.add_hint(var, i in part)

    def _partition(self) -> None:
        for i in range(len(self.instance.numbers)):
            self.model.add_exactly_one(row[i] for row in self.inside)
        for row in self.inside:
            self.model.add(sum(row) == self.instance.part_size)
        for p in range(1, self.instance.n_parts):
            for position, i in enumerate(self.order):
                earlier = [self.inside[p - 1][other] for other in self.order[:position]]
                self.model.add_bool_or(~self.inside[p][i], *earlier)

    def _opened_in_order(self, parts: Parts) -> list[tuple[int, ...]]:
        rank = {i: position for position, i in enumerate(self.order)}
        return sorted(parts, key=lambda part: min(rank[i] for i in part))

    def solve(self, seconds: float | None, random_state: int, report: Callable[[int], None]) -> Outcome:
        """Minimise the largest sum; `report` takes the lower bounds as they come."""
        return _solve(self.model, seconds, random_state, report, self._read)

    def _read(self, value: Callable[[Any], int]) -> Parts:
        return tuple(tuple(i for i, var in enumerate(row) if value(var)) for row in self.inside)


class ChoiceModel:
    """Which of the given parts are taken, so that they are disjoint and together hold all numbers.

    Parameters
    ----------
    instance : NumberPartitioning
    parts : array of int, shape (m, part_size)
        All parts that a better partition than the known one can consist of.
    sums : array of int, shape (m,)
    """

    def __init__(
        self, instance: NumberPartitioning, parts: NDArray[np.int64], sums: NDArray[np.int64]
    ) -> None:
        self.parts = parts
        self.model = cp_model.CpModel()
        self.taken = [self.model.new_bool_var("") for _ in parts]
        holders: list[list[Any]] = [[] for _ in instance.numbers]
        for var, members in zip(self.taken, parts.tolist(), strict=True):
            for i in members:
                holders[i].append(var)
        least = instance.least_value
        for variables in holders:
            self.model.add_exactly_one(variables)
        largest = self.model.new_int_var(least, max(least, int(sums.max())), "largest")
        for var, total in zip(self.taken, sums.tolist(), strict=True):
            if total > least:
                self.model.add(largest >= total).only_enforce_if(var)
        self.model.minimize(largest)

    def solve(self, seconds: float | None, random_state: int, report: Callable[[int], None]) -> Outcome:
        """Minimise the largest sum; `report` takes the lower bounds as they come."""
        return _solve(self.model, seconds, random_state, report, self._read)

    def _read(self, value: Callable[[Any], int]) -> Parts:
        chosen = (members for var, members in zip(self.taken, self.parts.tolist(), strict=True) if value(var))
        return tuple(tuple(sorted(members)) for members in chosen)


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
