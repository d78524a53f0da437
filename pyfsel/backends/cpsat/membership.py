"""What every CP-SAT formulation shares: membership, sizes, overlaps, conflicts, side constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any

from ortools.sat.python import cp_model

from pyfsel.model.strengthening import Clause, Sum
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.rows import side_rows
from pyfsel.problem.values import by_quality


class SetModel:
    """Feature sets as 0/1 variables with all hard constraints of the problem, and no objective yet.

    Parameters
    ----------
    problem : Problem
    named : sequence of int, optional
        The features that have variables, if not all. Of the others, which no constraint may tell apart, a set
        contains so many, and no two sets share one.

    Attributes
    ----------
    model : CpModel
    member : list of lists of Boolean variables
        ``member[s][j]``: set s contains feature j (paper 000, Eq. 5); 0 for features that are not named.
    n_unnamed : list of integer variables
        How many features that are not named each set contains.
    order : list of int
        The features by decreasing quality.
    set_value : list of linear expressions
        Integer value of each set, or a lower estimate that is exact in an optimum; set by the objective.
    shared : list of linear expressions
        Whatever two sets, one of which is new, share; where nothing is asked of that, it may be missing.
    """

    def __init__(self, problem: Problem, named: Sequence[int] | None = None) -> None:
        self.problem = problem
        self.order = by_quality(problem)
        self.model = cp_model.CpModel()
        features = range(problem.n_features)
        self.named = features if named is None else named
        is_named = set(self.named)
        self.member = [
            [self.model.new_bool_var(f"member[{s},{j}]") if j in is_named else 0 for j in features]
            for s in range(problem.n_sets)
        ]
        most = min(problem.set_size, problem.n_features - len(is_named))
        self.n_unnamed = [self.model.new_int_var(0, most, "") if most else 0 for _ in self.member]
        self.set_value: list[Any] = []
        self.shared: list[Any] = []
        self.branch_first: list[Any] = []
        size = [sum(row) + number for row, number in zip(self.member, self.n_unnamed, strict=True)]
        for row, its in zip(self.member, size, strict=True):
            self._restrict_one(row, its)
        for first, second in combinations(range(problem.n_sets), 2):
            self._restrict_overlap(self.member[first], self.member[second], size[first], size[second])

    def _restrict_one(self, row: Sequence[Any], size: Any) -> None:
        self.model.add_linear_constraint(size, self.problem.sizes[0], self.problem.set_size)
        for previous in self.problem.previous_sets:
            self.shared.append(sum(row[j] for j in previous))
            if self.problem.max_overlap < self.problem.set_size:
                self.model.add(self.shared[-1] <= self.problem.max_overlap)
            self._restrict_by_sizes(self.shared[-1], size, len(previous))
        for side in side_rows(self.problem):
            total = sum(c * row[j] for c, j in zip(side.coefficients, side.features, strict=True))
            if side.low is not None:
                self.model.add(total >= side.low)
            if side.high is not None:
                self.model.add(total <= side.high)
        for i, j in self.problem.conflicts:
            self.model.add_at_most_one(row[i], row[j])

    def _restrict_overlap(
        self, first: Sequence[Any], second: Sequence[Any], size: Any, other_size: Any
    ) -> None:
        """Bound the number of shared features by products of memberships (paper 000, Eq. 6 and 8)."""
        is_free = self.problem.max_overlap == self.problem.set_size and not self.problem.overlap_cost
        if is_free and self.problem.overlap_factor is None:
            return
        shared = []
        for j in self.named:
            both = self.model.new_bool_var("")
            self.model.add_implication(both, first[j])
            self.model.add_implication(both, second[j])
            self.model.add_bool_or(both, ~first[j], ~second[j])
            shared.append(both)
        self.model.add(sum(shared) <= self.problem.max_overlap)
        self.shared.append(sum(shared))
        self._restrict_by_sizes(self.shared[-1], size, other_size)

    def _restrict_by_sizes(self, shared: Any, size: Any, other: Any) -> None:
        """Bound shared features in proportion to the sizes of two sets (paper 000, Eq. 4 and 7)."""
        problem = self.problem
        for sizes in problem.compared_sizes(size, other) if problem.overlap_factor is not None else ():
            limit = problem.size_factor * sizes + problem.overlap_constant
            self.model.add(problem.overlap_factor * shared <= limit)

    def new(self, *_: str | int) -> Any:
        """Return a new 0/1 variable, without a name: there are many."""
        return self.model.new_bool_var("")

    def add(self, rows: Iterable[Clause[Any] | Sum[Any]]) -> None:
        """Add rows that are stated for all solvers."""
        for row in rows:
            if isinstance(row, Sum):
                total = sum(coefficient * var for coefficient, var in row.terms)
                low = cp_model.INT_MIN if row.low is None else row.low
                high = cp_model.INT_MAX if row.high is None else row.high
                self.model.add_linear_constraint(total, low, high)
                continue
            literals = [var if value else ~var for var, value in row]
            if len(literals) == 2:
                self.model.add_implication(~literals[0], literals[1])
            else:
                self.model.add_bool_or(*literals)

    def read(self, value_of: Callable[[Any], int]) -> tuple[FeatureSet, ...]:
        """Return the sets that an assignment stands for; `value_of` maps a variable to its value."""
        return tuple(tuple(j for j, var in enumerate(row) if value_of(var)) for row in self.member)

    def hint(self, sets: Sequence[FeatureSet]) -> None:
        """Suggest sets, which are put into the order that the model asks for."""
        rank = {j: position for position, j in enumerate(self.order)}
        for row, members in zip(
            self.member, sorted(sets, key=lambda s: sorted(rank[j] for j in s)), strict=True
        ):
            for j, var in enumerate(row):
                self.model.add_hint(var, j in members)
