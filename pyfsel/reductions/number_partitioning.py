"""Balanced number partitioning, and disjoint sets with the largest minimum as such (paper 000, Prop. 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import by_quality

Parts = tuple[tuple[int, ...], ...]


class NumberPartitioning(NamedTuple):
    """Distribute all numbers to parts of equal size and minimise the largest sum of a part.

    Parameters
    ----------
    numbers : sequence of int
    n_parts : int
        A divisor of the number of numbers; parts are tuples of positions in `numbers`.

    Examples
    --------
    >>> instance = NumberPartitioning((4, 3, 2, 1), n_parts=2)
    >>> instance.part_size, instance.value([(0, 3), (1, 2)])
    (2, 5)
    """

    numbers: tuple[int, ...]
    n_parts: int

    @property
    def part_size(self) -> int:
        """Numbers per part."""
        return len(self.numbers) // self.n_parts

    def value(self, parts: Sequence[Iterable[int]]) -> int:
        """Return the largest sum of a part."""
        return max(sum(self.numbers[i] for i in part) for part in parts)


class Partitioning(NamedTuple):
    """Disjoint sets with the maximum smallest quality as balanced number partitioning.

    It is for sums of qualities without conflicts and side constraints, and at least n_sets·k features that
    no previous set has. By pre-selection only the n_sets·k best of them matter, and each is then in exactly
    one set. Measured from the best quality downwards they are numbers of which every set has equally many,
    so the set of the smallest quality has the largest sum.

    Attributes
    ----------
    instance : NumberPartitioning
    kept : tuple of int
        ``kept[i]`` is the feature of number i.
    highest : int
        The quality of feature j is ``highest`` minus its number.
    """

    instance: NumberPartitioning
    kept: tuple[int, ...]
    highest: int

    @classmethod
    def apply(cls, problem: Instance) -> Self:
        """Return the partitioning of a problem."""
        free = [j for j in by_quality(problem) if not any(j in members for members in problem.previous)]
        kept = tuple(free[: problem.n_sets * problem.k])
        highest = int(problem.quality[kept[0]])
        numbers = tuple(highest - int(problem.quality[j]) for j in kept)
        return cls(NumberPartitioning(numbers, problem.n_sets), kept, highest)

    def invert(self, sets: Sequence[Iterable[int]]) -> list[FeatureSet]:
        """Return the sets that parts stand for."""
        return [tuple(sorted(self.kept[i] for i in part)) for part in sets]

    def objective(self, value: int) -> int:
        """Return the smallest quality that belongs to a largest sum; so are their bounds related."""
        return self.instance.part_size * self.highest - value
