"""The relaxation over some sets and uses of features, which is solved again after every small change."""

from __future__ import annotations

from datetime import timedelta
from math import comb, inf
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.columns.by_uses.prices import FeaturePairs, UsePrices, violated_pairs
from pyfsel.algorithms.columns.by_uses.ranges import UseRanges
from pyfsel.algorithms.columns.prices.subsets import SubsetPrices, overused

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from ortools.math_opt.python.mathopt import LinearConstraint, SolveParameters, SolveResult, Variable

PENALTY = 20.0
MOST_COLUMNS = 1200
KEPT_COLUMNS = 500
MOST_NEW_SUBSETS = 40
POSITIVE = 1e-9
LONGEST_SOLVE = timedelta(seconds=5)
LARGEST_TOTAL = 2.0**60


class UseMaster:
    """A linear program of columns λ_S for sets S, and levels z_jv: at least v + 1 sets hold feature j.

    It maximises ``Σ q_j·z_jv`` subject to ``Σ_{S∋j} λ_S = Σ_v z_jv``, ``Σ_S λ_S = n_sets``, pair counting
    ``Σ v·z_jv ≤ max_overlap·C(n_sets, 2)``, and rows that are added when they are violated: no two sets
    hold the same ``max_overlap + 1`` features, and `FeaturePairs`. What is missing can be bought at a high
    price, so that there is always a solution. GLOP keeps its basis from one solution to the next.

    Parameters
    ----------
    quality : array of shape (n,)
    set_size, n_sets, max_overlap : int

    Attributes
    ----------
    members : array of shape (columns, set_size)
        Ascending features of each column.
    shares : array of shape (columns,)
        The λ of the last solution.
    level : int
        A set that weighs more by the last prices is worth a column.
    """

    def __init__(self, quality: NDArray[np.int64], set_size: int, n_sets: int, max_overlap: int) -> None:
        from ortools.math_opt.python import mathopt

        self.quality, self.n_sets, self.max_overlap = quality, n_sets, max_overlap
        self.unit = max(1, int(np.abs(quality).max()))
        self.members = np.empty((0, set_size), dtype=np.int32)
        self.shares = np.empty(0)
        self.level = 0
        self._last_prices: UsePrices | None = None
        self._level_values = np.zeros((len(quality), n_sets))
        self._subset_prices = self._pair_prices = np.empty(0)
        self._known: dict[tuple[int, ...], Variable] = {}
        self._subsets: dict[tuple[int, ...], LinearConstraint] = {}
        self._pairs: dict[FeaturePairs, LinearConstraint] = {}
        self._ranges = UseRanges.open(len(quality), n_sets, max_overlap)
        self._model = mathopt.Model()
        self._uses = [self._model.add_linear_constraint(lb=0.0, ub=0.0) for _ in quality]
        self._number = self._model.add_linear_constraint(lb=n_sets, ub=n_sets)
        self._shared = self._model.add_linear_constraint(ub=max_overlap * comb(n_sets, 2))
        self._levels = [self._add_levels(*row) for row in zip(self._uses, quality / self.unit, strict=True)]
        for row in self._uses:
            self._sell(row, PENALTY)
        self._sell(self._number, PENALTY * set_size)
        self._model.objective.is_maximize = True
        self._start()

    def _add_levels(self, uses: LinearConstraint, quality: float) -> list[Variable]:
        """Add the levels of a feature to its row of uses."""
        levels = [self._model.add_variable(lb=0.0, ub=1.0) for _ in range(self.n_sets)]
        for v, level in enumerate(levels):
            uses.set_coefficient(level, -1.0)
            self._shared.set_coefficient(level, v)
            self._model.objective.set_linear_coefficient(level, quality)
        return levels

    def _sell(self, row: LinearConstraint, price: float) -> None:
        """Let what a row is missing be bought."""
        missing = self._model.add_variable(lb=0.0)
        row.set_coefficient(missing, 1.0)
        self._model.objective.set_linear_coefficient(missing, -price)

    def _start(self) -> None:
        from ortools.math_opt.python import mathopt

        self._solver = mathopt.IncrementalSolver(self._model, mathopt.SolverType.GLOP)

    def add_sets(self, sets: NDArray[np.int32]) -> bool:
        """Add the columns that are not there yet; return whether there are any."""
        new = [one for one in dict.fromkeys(map(tuple, sets.tolist())) if one not in self._known]
        for members in new:
            column = self._model.add_variable(lb=0.0)
            self._known[members] = column
            self._number.set_coefficient(column, 1.0)
            for j in members:
                self._uses[j].set_coefficient(column, 1.0)
            for subset, row in self._subsets.items():
                if set(subset) <= set(members):
                    row.set_coefficient(column, 1.0)
            for pairs, row in self._pairs.items():
                if pairs.feature in members:
                    row.set_coefficient(column, pairs.coefficient(members))
        if new:
            self.members = np.vstack([self.members, np.array(new, dtype=np.int32)])
        return bool(new)

    def add_subset(self, subset: tuple[int, ...]) -> None:
        """Add the row that at most one set holds all these features, ascending."""
        row = self._model.add_linear_constraint(ub=1.0)
        self._subsets[subset] = row
        for members, column in self._known.items():
            if set(subset) <= set(members):
                row.set_coefficient(column, 1.0)

    def _add_pairs(self, pairs: FeaturePairs) -> None:
        row = self._model.add_linear_constraint(ub=float(pairs.constant))
        self._pairs[pairs] = row
        for members, column in self._known.items():
            if pairs.feature in members:
                row.set_coefficient(column, pairs.coefficient(members))
        for v, level in enumerate(self._levels[pairs.feature]):
            row.set_coefficient(level, -float(v * (self.max_overlap - 1)))

    def restrict(self, ranges: UseRanges) -> None:
        """Allow only these uses, and the sets that go with them."""
        for j in np.flatnonzero(
            (ranges.least != self._ranges.least) | (ranges.most != self._ranges.most)
        ).tolist():
            for v, level in enumerate(self._levels[j]):
                level.lower_bound, level.upper_bound = float(v < ranges.least[j]), float(v < ranges.most[j])
        self._ranges = ranges
        allowed = ranges.allow(self.members)
        for column, may_be in zip(self._known.values(), allowed.tolist(), strict=True):
            limit = inf if may_be else 0.0
            if column.upper_bound != limit:
                column.upper_bound = limit

    def solve(self) -> UsePrices | None:
        """Return the prices of a best solution, None if the linear solver fails or they are too large."""
        result = self._optimal() or self._optimal_afresh()
        if result is None:
            return None
        rows = [*self._uses, self._shared, self._number, *self._subsets.values(), *self._pairs.values()]
        duals = np.array(result.dual_values(rows)) * self.unit
        if np.abs(duals).sum() * self.n_sets**2 * self.members.shape[1] > LARGEST_TOTAL:
            return None
        n, m = len(self.quality), len(self._subsets)
        self.shares = np.array(result.variable_values(list(self._known.values())))
        levels = [level for row in self._levels for level in row]
        self._level_values = np.array(result.variable_values(levels)).reshape(n, -1)
        self.level = int(np.floor(duals[n + 1]))
        self._subset_prices, self._pair_prices = duals[n + 2 : n + 2 + m], duals[n + 2 + m :]
        self._last_prices = self._prices(np.round(-duals[:n]).astype(np.int64), max(0, round(duals[n])))
        return self._last_prices

    def _optimal(self) -> SolveResult | None:
        """Go on from the last basis, with an algorithm that suits new rows and bounds."""
        from ortools.math_opt.python.mathopt import Emphasis, LPAlgorithm, SolveParameters

        return self._solved(
            SolveParameters(
                presolve=Emphasis.OFF, lp_algorithm=LPAlgorithm.DUAL_SIMPLEX, time_limit=LONGEST_SOLVE
            )
        )

    def _optimal_afresh(self) -> SolveResult | None:
        """Begin anew with what GLOP does by itself, which fails for other reasons."""
        from ortools.math_opt.python.mathopt import SolveParameters

        self._start()
        return self._solved(SolveParameters(time_limit=LONGEST_SOLVE))

    def _solved(self, parameters: SolveParameters) -> SolveResult | None:
        from ortools.math_opt.python.mathopt import TerminationReason

        try:
            result = self._solver.solve(params=parameters)
        except (AttributeError, RuntimeError):  # how the interface fails when GLOP gives up
            return None
        return result if result.termination.reason is TerminationReason.OPTIMAL else None

    def _prices(self, weight: NDArray[np.int64], overlap: int) -> UsePrices:
        n = len(self.quality)
        price = np.maximum(0, np.round(self._subset_prices)).astype(np.int64)
        priced = np.array(list(self._subsets), dtype=np.int32).reshape(-1, self.max_overlap + 1)[price > 0]
        subsets = SubsetPrices(n, priced, price[price > 0]) if len(priced) else None
        constant = overlap * self.max_overlap * comb(self.n_sets, 2) + (subsets.total if subsets else 0)
        pairs, relief = np.zeros((n, n), dtype=np.int64), np.zeros(n, dtype=np.int64)
        for row, paid in zip(
            self._pairs, np.maximum(0, np.round(self._pair_prices)).astype(int), strict=True
        ):
            pairs[row.feature] += int(paid) * np.array(row.slopes)
            relief[row.feature] += int(paid) * (self.max_overlap - 1)
            constant += int(paid) * row.constant
        uses = np.arange(self.n_sets + 1)
        gains = np.outer(self.quality - weight, uses)
        gains -= np.outer(overlap - relief, uses * (uses - 1) // 2)
        return UsePrices(weight, pairs + pairs.T, subsets, gains, constant, overlap)

    @property
    def uses(self) -> NDArray[np.float64]:
        """How many sets hold each feature in the last solution, shape (n,)."""
        total: NDArray[np.float64] = self._level_values.sum(axis=1)
        return total

    def separate(self) -> bool:
        """Add rows that the last solution violates; return whether there are any."""
        members = self.members[: len(self.shares)]
        known = np.array(list(self._subsets), dtype=np.int32).reshape(-1, self.max_overlap + 1)
        subsets = overused(members, self.shares, self.max_overlap + 1, known)[:MOST_NEW_SUBSETS]
        for subset in subsets.tolist():
            self.add_subset(tuple(subset))
        if len(subsets) or self.max_overlap == 0:
            return len(subsets) > 0
        used = self.shares > POSITIVE
        inside = np.zeros((int(used.sum()), len(self.quality)))
        inside[np.arange(len(inside))[:, np.newaxis], members[used]] = 1.0
        together = inside.T @ (inside * self.shares[used, np.newaxis])
        pairs = self._level_values @ np.arange(float(self.n_sets))
        new = [row for row in violated_pairs(together, pairs, self.max_overlap) if row not in self._pairs]
        for row in new:
            self._add_pairs(row)
        return bool(new)

    def trimmed(self) -> UseMaster:
        """Return the same program with the heaviest columns and the rows that matter, if it is large."""
        prices = self._last_prices
        if prices is None or len(self.members) <= MOST_COLUMNS:
            return self
        smaller = UseMaster(self.quality, self.members.shape[1], self.n_sets, self.max_overlap)
        order = np.argsort(-prices.weights(self.members), kind="stable")
        smaller.add_sets(self.members[order[:KEPT_COLUMNS]])
        for subset, price in zip(tuple(self._subsets), self._subset_prices, strict=False):
            if price > POSITIVE:
                smaller.add_subset(subset)
        for row, price in zip(tuple(self._pairs), self._pair_prices, strict=False):
            if price > POSITIVE:
                smaller._add_pairs(row)
        return smaller
