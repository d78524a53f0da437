"""Balanced number partitioning, and disjoint sets with the largest minimum as such (paper 000, Prop. 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import by_quality
from pyfsel.reductions.preselection import is_interchangeable

Parts = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class NumberPartitioning:
    """Distribute all numbers to parts of equal size so that the largest sum of a part is smallest.

    Parameters
    ----------
    numbers : sequence of int
    n_parts : int
        A divisor of the number of numbers; parts are tuples of positions in `numbers`.

    Raises
    ------
    InputError
        If the parts cannot have equal sizes.

    Examples
    --------
    >>> instance = NumberPartitioning((4, 3, 2, 1), n_parts=2)
    >>> instance.part_size, instance.value([(0, 3), (1, 2)])
    (2, 5)
    """

    numbers: tuple[int, ...]
    n_parts: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", tuple(int(number) for number in self.numbers))
        if self.n_parts < 1:
            raise InputError(f"n_parts={self.n_parts!r}: must be at least 1")
        if not self.numbers or len(self.numbers) % self.n_parts:
            raise InputError(
                f"numbers: has {len(self.numbers)}, must be a positive multiple of n_parts={self.n_parts}"
            )

    @property
    def part_size(self) -> int:
        """Numbers per part."""
        return len(self.numbers) // self.n_parts

    def sums(self, parts: Sequence[Iterable[int]]) -> list[int]:
        """Return the sum of each part."""
        return [sum(self.numbers[i] for i in part) for part in parts]

    def value(self, parts: Sequence[Iterable[int]]) -> int:
        """Return the largest sum of a part.

        Raises
        ------
        InputError
            If the parts do not hold every position once, or differ in size.
        """
        listed = [sorted(part) for part in parts]
        if sorted(i for part in listed for i in part) != list(range(len(self.numbers))):
            raise InputError("parts: must hold every position exactly once")
        if [len(part) for part in listed] != [self.part_size] * self.n_parts:
            raise InputError(f"parts: must be {self.n_parts} of {self.part_size} positions each")
        return max(self.sums(listed))


@dataclass(frozen=True)
class Partitioning:
    """Disjoint sets with the largest smallest quality as balanced number partitioning.

    By pre-selection only the n_sets·k best features matter, and each of them is then in exactly one
    set. Measured from the best quality downwards they are numbers of which every set has equally many, so
    that the set of the smallest quality has the largest sum.

    Attributes
    ----------
    instance : NumberPartitioning
    kept : tuple of int
        ``kept[i]`` is the feature of number i.
    highest : int
        The quality of feature j is ``highest`` less its number.
    """

    instance: NumberPartitioning
    kept: tuple[int, ...]
    highest: int

    @classmethod
    def applies(cls, problem: Instance) -> str | None:
        """Return why a problem is no such partitioning, or None."""
        if not is_interchangeable(problem):
            return "needs the univariate objective without conflicts"
        if problem.max_shared != 0:
            return f"needs disjoint sets, not max_shared={problem.max_shared}"
        if problem.aggregate != "min":
            return "needs min-aggregation; for the sum sorting is enough (000, Prop. 11)"
        if len(_free_features(problem)) < problem.n_sets * problem.k:
            return "there are fewer features than the sets need together"
        return None

    @classmethod
    def apply(cls, problem: Instance) -> Self:
        """Return the partitioning of a problem."""
        kept = tuple(_free_features(problem)[: problem.n_sets * problem.k])
        highest = int(problem.quality[kept[0]])
        numbers = tuple(highest - int(problem.quality[j]) for j in kept)
        return cls(NumberPartitioning(numbers, problem.n_sets), kept, highest)

    def invert(self, sets: Sequence[Iterable[int]]) -> list[FeatureSet]:
        """Return the sets that parts stand for."""
        return [tuple(sorted(self.kept[i] for i in part)) for part in sets]

    def objective(self, value: int) -> int:
        """Return the smallest quality that belongs to a largest sum; so are their bounds related."""
        return self.instance.part_size * self.highest - value


def _free_features(problem: Instance) -> list[int]:
    used = {j for members in problem.previous for j in members}
    return [j for j in by_quality(problem) if j not in used]
