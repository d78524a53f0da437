"""Are counts realisable? By CP-SAT, with what tight counts say about every single set and pair."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import comb
from typing import Any

from ortools.sat.python import cp_model

from pyfsel.algorithms.counts.family import Family
from pyfsel.errors import BackendError
from pyfsel.problem.objectives import FeatureSet
from pyfsel.reductions.strengthening import lexicographic
from pyfsel.solvers.cpsat import new_solver


class WindowModel:
    """Sets of full size with given counts.

    With σ the part of all overlaps that the counts leave unused, the overlaps of one set with the others sum
    up to at most ``(n_sets − 1)·max_overlap`` and to at least σ less. That sum is ``Σ_{j in S} (c_j − 1)``, a
    linear window for each set. With σ = 0 all overlaps are equal to the largest allowed.

    Parameters
    ----------
    counts : sequence of int
        In decreasing order; their sum is the sum of the sizes.
    family : Family
    """

    def __init__(self, counts: Sequence[int], family: Family) -> None:
        self.counts = counts
        self.family = family
        self.spare = family.all_overlaps - family.shared_pairs(counts)
        self.model = cp_model.CpModel()
        self.member = [
            [self.model.new_bool_var(f"member[{s},{j}]") for j in range(len(counts))]
            for s in range(family.n_sets)
        ]
        columns = [[row[j] for row in self.member] for j in range(len(counts))]
        for column, count in zip(columns, counts, strict=True):
            self.model.add(sum(column) == count)
        self._restrict_sets()
        self._restrict_pairs()
        for first, second in pairwise(self.member):
            self._order(first, second)
        for (first, count), (second, next_count) in pairwise(zip(columns, counts, strict=True)):
            if count == next_count:
                self._order(first, second)

    def _restrict_sets(self) -> None:
        family = self.family
        most = (family.n_sets - 1) * family.max_overlap
        for row in self.member:
            self.model.add(sum(row) == family.set_size)
            overlaps = sum((count - 1) * var for count, var in zip(self.counts, row, strict=True))
            self.model.add_linear_constraint(overlaps, most - self.spare, most)

    def _restrict_pairs(self) -> None:
        pairs_of: list[list[Any]] = [[] for _ in self.counts]
        least = max(0, self.family.max_overlap - self.spare)
        for first, second in combinations(self.member, 2):
            shared = []
            for j, (a, b) in enumerate(zip(first, second, strict=True)):
                both = self.model.new_bool_var("")
                self.model.add_bool_or(both, ~a, ~b)
                self.model.add_implication(both, a)
                self.model.add_implication(both, b)
                shared.append(both)
                pairs_of[j].append(both)
            self.model.add_linear_constraint(sum(shared), least, self.family.max_overlap)
        for pairs, count in zip(pairs_of, self.counts, strict=True):
            self.model.add(sum(pairs) == comb(count, 2))

    def _order(self, first: Sequence[Any], second: Sequence[Any]) -> None:
        for clause in lexicographic(first, second, lambda _: self.model.new_bool_var("")):
            self.model.add_bool_or(*(var if value else ~var for var, value in clause))

    def decide(
        self, effort: float, seconds: float | None, random_state: int
    ) -> tuple[tuple[FeatureSet, ...] | None, bool]:
        """Return sets, or None and whether it is proved that there are none.

        Parameters
        ----------
        effort : float
            Limit in CP-SAT's deterministic time, about seconds.
        seconds : float or None
        random_state : int
        """
        if self.spare < 0:
            return None, True
        solver = new_solver(random_state, seconds)
        solver.parameters.max_deterministic_time = effort
        native = solver.solve(self.model)
        if native in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            sets = tuple(tuple(j for j, var in enumerate(row) if solver.value(var)) for row in self.member)
            return sets, False
        if native not in (cp_model.INFEASIBLE, cp_model.UNKNOWN):
            raise BackendError(f"counts: the window model returned {solver.status_name(native)}")
        return None, native == cp_model.INFEASIBLE
