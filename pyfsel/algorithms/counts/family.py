"""What is asked of the sets, apart from the qualities of the features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from pyfsel.problem.problem import Problem

CountVector = tuple[int, ...]


@dataclass(frozen=True)
class Family:
    """So many sets of one size, any two of which share at most so many features.

    A vector of counts says for some features in how many of the sets each of them is. It is *realisable* if
    sets of at most `set_size` features with these counts exist. Which features the counts belong to does not
    matter, and neither does their order. Taking features out of sets keeps the overlaps allowed, so that
    with a vector every vector below it (counts lowered or left out) is realisable.

    Examples
    --------
    >>> family = Family(n_sets=3, set_size=2, max_overlap=1)
    >>> family.shared_pairs((2, 2, 2)), family.all_overlaps
    (3, 3)
    """

    n_sets: int
    set_size: int
    max_overlap: int

    @classmethod
    def of_problem(cls, problem: Problem) -> Family:
        """Return the family that a problem asks for."""
        return cls(problem.n_sets, problem.set_size, problem.max_overlap)

    @property
    def n_memberships(self) -> int:
        """Sum of the sizes of the sets."""
        return self.n_sets * self.set_size

    @property
    def all_overlaps(self) -> int:
        """Largest possible sum of the overlaps of all pairs of sets."""
        return comb(self.n_sets, 2) * self.max_overlap

    def shared_pairs(self, counts: Sequence[int]) -> int:
        """Return the sum of the overlaps of all pairs of sets that have these counts."""
        return sum(comb(count, 2) for count in counts)
