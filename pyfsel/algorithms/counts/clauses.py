"""Are counts realisable? By a SAT solver that keeps what it learned from one vector to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from pysat.solvers import Glucose4

from pyfsel.algorithms.counts.family import CountVector, Family
from pyfsel.model.strengthening import set_order
from pyfsel.problem.objectives import FeatureSet
from pyfsel.solvers.sat.counters import at_most, unary_sums
from pyfsel.solvers.sat.formula import Formula

CARDINALITY = "seqcounter"  # propagates overlaps as they come, with few clauses for small limits
CONFLICTS_PER_CALL = 500  # after which the clock is asked


class CountClauses:
    """The sets of a family over so many features; counts are assumptions.

    Parameters
    ----------
    family : Family
    n_features : int
        Longest vector that can be asked for.
    """

    def __init__(self, family: Family, n_features: int) -> None:
        self.family = family
        self.n_features = n_features
        formula = Formula()
        self.member = [[formula.variable("x", s, j) for j in range(n_features)] for s in range(family.n_sets)]
        for row in self.member:
            at_most(formula, row, family.set_size, CARDINALITY)
        for first, second in combinations(range(family.n_sets), 2):
            self._bound_overlap(formula, first, second)
        formula.add_all(set_order(self.member, range(n_features), formula.variable))
        self.at_least = [
            unary_sums(formula, f"count[{j}]", [([row[j]], [1]) for row in self.member], family.n_sets)[-1]
            for j in range(n_features)
        ]
        self.solver = Glucose4(bootstrap_with=formula.hard)

    def _bound_overlap(self, formula: Formula, first: int, second: int) -> None:
        shared = []
        for j, (a, b) in enumerate(zip(self.member[first], self.member[second], strict=True)):
            both = formula.variable("t", first, second, j)
            formula.add(both, -a, -b)  # one side is enough: a product may be true where it limits nothing
            shared.append(both)
        at_most(formula, shared, self.family.max_overlap, CARDINALITY)

    def close(self) -> None:
        """Free the memory of the solver."""
        self.solver.delete()

    def decide(
        self, counts: Sequence[int], conflicts: int, expired: Callable[[], bool]
    ) -> tuple[tuple[FeatureSet, ...] | None, CountVector | None]:
        """Return sets with these counts, or a part of the counts that is not realisable, or twice None.

        Parameters
        ----------
        counts : sequence of int
            At most `n_features` positive numbers.
        conflicts : int
            Give up after about so many conflicts of the solver.
        expired : callable
        """
        wanted = {self.at_least[j][count - 1]: count for j, count in enumerate(counts)}
        unused = [-row[j] for j in range(len(counts), self.n_features) for row in self.member]
        for _ in range(0, conflicts, CONFLICTS_PER_CALL):
            if expired():
                return None, None
            self.solver.conf_budget(CONFLICTS_PER_CALL)
            verdict = self.solver.solve_limited(assumptions=[*wanted, *unused])
            if verdict:
                true = set(self.solver.get_model())
                return self._thinned(true, counts), None
            if verdict is False:
                core = [wanted[literal] for literal in self.solver.get_core() if literal in wanted]
                return None, tuple(sorted(core, reverse=True))
        return None, None

    def _thinned(self, true: set[int], counts: Sequence[int]) -> tuple[FeatureSet, ...]:
        """Return the sets of a model, without the memberships beyond the counts."""
        sets: list[list[int]] = [[] for _ in self.member]
        for j, count in enumerate(counts):
            users = [s for s, row in enumerate(self.member) if row[j] in true]
            for s in users[:count]:
                sets[s].append(j)
        return tuple(map(tuple, sets))
