"""The hardness proofs of paper 000 as transformations: number partitioning inside feature selection.

Each turns an instance of balanced number partitioning (or multiprocessor scheduling, where the parts may
have any sizes) into a problem with min-aggregation, and a solution of it back. The largest sum of a part can
be made at most T if and only if the optimum of the problem reaches `target(T)`. `NumberPartitioning` says the
other direction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance

Parts = tuple[tuple[int, ...], ...]


class NumberPartitioning(NamedTuple):
    """Distribute all numbers to parts of equal size and minimise the largest sum of a part.

    Disjoint sets with the largest minimum can be found so (000, Prop. 8), for sums of qualities without
    conflicts and side constraints, and at least n_sets·k features that no previous set has. By pre-selection
    only the n_sets·k best of them matter, and each is then in exactly one set. Measured from the best quality
    downwards they are numbers of which every set has equally many. So the set of the smallest quality has the
    largest sum; quality and sum add up to k times the best quality.

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


@dataclass(frozen=True)
class PartitioningProblem:
    """A problem that is as hard as the instance of number partitioning in it.

    The features 0, 1, … are the numbers, with their negatives as qualities; others follow.

    Attributes
    ----------
    instance : NumberPartitioning
    problem : Instance
    shift : int
        Quality that each set has in addition to the quality of its numbers.
    """

    instance: NumberPartitioning
    problem: Instance
    shift: int = 0

    @classmethod
    def of(cls, instance: NumberPartitioning, *, n_more: int = 0, overlap: int = 0) -> Self:
        """Return a complete partitioning, or one with features to leave out, or with shared features.

        By itself every feature is in exactly one of the disjoint sets (Prop. 8). `n_more` features that are
        worse than all others can be left out: where one of them is used nevertheless, a better feature is
        unused that can take its place (Prop. 9). Sets may overlap, but do so in `overlap` very good features
        (Prop. 10): any set without one of them is worse than every set with all of them. The allowed overlap
        is thereby used up, and the numbers are partitioned.

        The paper gives these the sum of all qualities and a little more, which is not enough here, where
        qualities are negated lengths: the numbers 1, 1, 2, 2 would make it less than −5, worse than any
        feature, and no set would contain it. Twice the sum of the absolute values and one more is.

        Raises
        ------
        InputError
            If there are features of both kinds, for which neither proof is.
        """
        if n_more and overlap:
            raise InputError(f"n_more={n_more}, overlap={overlap}: give at most one of the two")
        lengths = [-number for number in instance.numbers]
        good = 2 * sum(map(abs, lengths)) + 1
        problem = Instance(
            quality=np.array([*lengths, *[min(lengths) - 1] * n_more, *[good] * overlap]),
            n_sets=instance.n_parts,
            k=instance.part_size + overlap,
            max_shared=overlap,
            aggregate="min",
        )
        return cls(instance, problem, overlap * good)

    def target(self, value: int) -> int:
        """Return the objective that belongs to a largest sum of a part."""
        return self.shift - value

    def invert(self, sets: Sequence[Iterable[int]]) -> Parts:
        """Return the parts for sets that are a solution of the problem.

        Their largest sum is at most the one that belongs to the objective of the sets.

        Raises
        ------
        InputError
            If the sets lack good features that every optimal solution has.
        """
        n = len(self.instance.numbers)
        parts = [[j for j in members if j < n] for members in sets]
        unused = sorted(set(range(n)).difference(*parts))
        for part in parts:
            while unused and len(part) < self.instance.part_size:
                part.append(unused.pop())
            if len(part) != self.instance.part_size:
                raise InputError("sets: lack good features that every optimal solution has")
        return tuple(tuple(sorted(part)) for part in parts)


def unbalanced(numbers: Sequence[int], n_parts: int) -> NumberPartitioning:
    """Return multiprocessor scheduling as balanced number partitioning: zeros fill up the parts (Prop. 6).

    Parts of any size, empty ones too, become parts of ``len(numbers)`` numbers.

    Examples
    --------
    >>> unbalanced((5, 2, 2, 1), n_parts=2).numbers
    (5, 2, 2, 1, 0, 0, 0, 0)
    """
    zeros = (0,) * (len(numbers) * (n_parts - 1))
    return NumberPartitioning((*numbers, *zeros), n_parts)


def planted(n_parts: int, part_size: int, part_sum: int, random_state: int = 0) -> NumberPartitioning:
    """Return random positive numbers that can be distributed perfectly: the optimum is `part_sum`.

    Raises
    ------
    InputError
        If the sum is smaller than the number of numbers in a part.
    """
    if part_sum < part_size:
        raise InputError(f"part_sum={part_sum!r}: must be at least part_size={part_size}")
    rng = np.random.default_rng(random_state)
    numbers: list[int] = []
    for _ in range(n_parts):
        cuts = np.sort(rng.choice(part_sum - 1, part_size - 1, replace=False)) + 1
        numbers += np.diff([0, *cuts, part_sum]).tolist()
    rng.shuffle(numbers)
    return NumberPartitioning(tuple(numbers), n_parts)
