"""Balanced number partitioning, as which disjoint sets with the largest minimum can be found (000, Prop. 8).

That is for sums of qualities without conflicts and side constraints, and at least n_sets·k features that no
previous set has. By pre-selection only the n_sets·k best of them matter, and each is then in exactly one set.
Measured from the best quality downwards they are numbers of which every set has equally many. So the set of
the smallest quality has the largest sum; quality and sum add up to k times the best quality.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

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
