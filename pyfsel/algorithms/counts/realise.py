"""Are counts realisable? Three methods one after the other, and cuts from those that are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pyfsel.algorithms.counts.clauses import CountClauses
from pyfsel.algorithms.counts.family import CountVector, Family
from pyfsel.algorithms.counts.swaps import search_by_swaps
from pyfsel.algorithms.counts.windows import decided_by_windows
from pyfsel.problem.objectives import FeatureSet

# Budgets of one vector at effort 1, by trial: cheap methods first, so that easy vectors cost little.
CONFLICTS_AT_FIRST = 1_000
RUNS = 2  # of annealing
CONFLICTS = 4_000
WINDOW_EFFORT = 2.0  # of CP-SAT, in its deterministic time, about seconds
CONFLICTS_TO_SHORTEN = 1_000  # for each count of a cut: a shorter cut excludes more
SPARE_COLUMNS = 4  # for longer vectors, before the SAT solver must start anew


@dataclass(frozen=True)
class Verdict:
    """Sets with the counts, or counts at or below them that are not realisable, or neither.

    `method` names what decided.
    """

    sets: tuple[FeatureSet, ...] | None = None
    impossible: CountVector | None = None
    method: str = "none"


class Realiser:
    """Decides which vectors of counts of one family are realisable.

    Parameters
    ----------
    family : Family
    random_state : int
    remaining : callable
        Returns the seconds left, or None without a limit.
    """

    def __init__(
        self,
        family: Family,
        random_state: int = 0,
        remaining: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.family = family
        self.random_state = random_state
        self.remaining = remaining
        self._rng = np.random.default_rng(random_state)
        self._clauses: CountClauses | None = None

    def close(self) -> None:
        """Free the memory of the SAT solver."""
        if self._clauses is not None:
            self._clauses.close()
            self._clauses = None

    def decide(self, counts: Sequence[int], effort: int = 1) -> Verdict:
        """Decide about a vector of positive counts in decreasing order whose sum is that of all sizes.

        Parameters
        ----------
        counts : sequence of int
        effort : int
            Factor of the budgets of all methods.
        """
        if self.family.shared_pairs(counts) > self.family.all_overlaps:
            return Verdict(impossible=tuple(counts), method="pairs")
        for conflicts in (CONFLICTS_AT_FIRST, CONFLICTS * effort):
            sets, impossible = self._ask(counts, conflicts)
            if impossible is not None:
                return Verdict(impossible=self.lowered(impossible), method="clauses")
            if sets is not None:
                return Verdict(sets, method="clauses")
            if conflicts == CONFLICTS_AT_FIRST:
                sets = self.search(counts, effort)
                if sets is not None:
                    return Verdict(sets, method="swaps")
        if self._expired():
            return Verdict()
        sets, refuted = decided_by_windows(
            counts, self.family, WINDOW_EFFORT * effort, self.remaining(), self.random_state
        )
        if refuted:
            return Verdict(impossible=tuple(counts), method="windows")
        return Verdict(sets, method="windows") if sets is not None else Verdict()

    def search(self, counts: Sequence[int], effort: int = 1) -> tuple[FeatureSet, ...] | None:
        """Return sets with these counts if the local search finds some."""
        return search_by_swaps(counts, self.family, self._rng, RUNS * effort, self._expired)

    def lowered(self, impossible: CountVector) -> CountVector:
        """Return counts at or below these ones, which are not realisable, that are still not realisable.

        Each count in turn, the smallest first, is lowered as long as the SAT solver refutes the rest quickly.
        """
        current = sorted(impossible, reverse=True)
        position = len(current) - 1
        while position >= 0:
            trial = [*current[:position], current[position] - 1, *current[position + 1 :]]
            smaller = self._ask(sorted((c for c in trial if c), reverse=True), CONFLICTS_TO_SHORTEN)[1]
            if smaller is None:
                position -= 1
            else:
                current = list(smaller)
                position = min(position, len(current) - 1)
        return tuple(current)

    def _ask(
        self, counts: Sequence[int], conflicts: int
    ) -> tuple[tuple[FeatureSet, ...] | None, CountVector | None]:
        if self._clauses is None or self._clauses.n_features < len(counts):
            self.close()
            self._clauses = CountClauses(self.family, len(counts) + SPARE_COLUMNS)
        return self._clauses.decide(counts, conflicts, self._expired)

    def _expired(self) -> bool:
        return self.remaining() == 0
