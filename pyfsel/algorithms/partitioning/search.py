"""Balanced number partitioning, exactly: a good partition, then a proof or a better one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.packing.pool import subsets
from pyfsel.algorithms.partitioning.local_search import exchange_search
from pyfsel.algorithms.partitioning.models import Outcome, assigned, chosen
from pyfsel.errors import VerificationError
from pyfsel.reductions.number_partitioning import NumberPartitioning, Parts

LARGEST_HALF = 3_000_000  # choices from one half: 120 MB for five numbers each
LARGEST_NUMBER_OF_PARTS = 60_000  # as many variables of CP-SAT, for which assigning numbers is quicker beyond


def parts_between(numbers: NDArray[np.int64], size: int, low: int, high: int) -> NDArray[np.int64] | None:
    """Return all `size` positions whose numbers sum up to at least `low` and at most `high`.

    Each part is a choice from the first half of the numbers and one from the second. For every number of
    members in the first half both lists of choices are made, the second one is sorted by sum, and what fits
    to a choice of the first is one range of it.

    Returns
    -------
    array of shape (m, size), or None if there are more than 60,000 parts or the lists get too long

    Examples
    --------
    >>> parts_between(np.array([5, 1, 2, 4]), 2, 6, 6).tolist()
    [[2, 3], [0, 1]]
    """
    half = len(numbers) // 2
    found: list[NDArray[np.int64]] = []
    count = 0
    for inside in range(max(0, size - (len(numbers) - half)), min(size, half) + 1):
        if max(comb(half, inside), comb(len(numbers) - half, size - inside)) > LARGEST_HALF:
            return None
        first = subsets(np.arange(half), inside)
        second = subsets(np.arange(half, len(numbers)), size - inside)
        first_sums, second_sums = numbers[first].sum(axis=1), numbers[second].sum(axis=1)
        order = np.argsort(second_sums, kind="stable")
        begin = np.searchsorted(second_sums[order], low - first_sums, side="left")
        end = np.searchsorted(second_sums[order], high - first_sums, side="right")
        lengths = end - begin
        count += int(lengths.sum())
        if count > LARGEST_NUMBER_OF_PARTS:
            return None
        rows = np.repeat(np.arange(len(first)), lengths)
        offset = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        partners = order[np.repeat(begin, lengths) + offset]
        found.append(np.hstack([first[rows], second[partners]]))
    return np.vstack(found)


MORE_STARTS = 300  # before the proof, which a smaller value makes shorter


class PartitionSearch:
    """Search for the partition with the smallest largest sum.

    With a partition of value z known, the sums of a better one are at most z − 1, and therefore at least the
    total less ``(n_parts − 1)·(z − 1)``. If few parts lie in this range, a partition is chosen from them; if
    there are too many, numbers are assigned to parts.

    Parameters
    ----------
    instance : NumberPartitioning
    random_state : int
    remaining : callable
        Returns the seconds left, or None without a limit.
    on_parts : callable
        Takes better partitions.
    on_bound : callable
        Takes lower bounds on the largest sum.

    Attributes
    ----------
    best : parts
    value : int
        Its largest sum.
    bound : int
    method : str
        What the proof rests on: "mean", the bound by means, "choice" or "assignment".
    """

    def __init__(
        self,
        instance: NumberPartitioning,
        random_state: int = 0,
        remaining: Callable[[], float | None] = lambda: None,
        on_parts: Callable[[Parts], None] = lambda parts: None,
        on_bound: Callable[[int], None] = lambda bound: None,
    ) -> None:
        self.instance = instance
        self.random_state = random_state
        self.remaining = remaining
        self.on_parts = on_parts
        self.on_bound = on_bound
        self.bound = instance.least_value
        self.method = "mean"
        self._rng = np.random.default_rng(random_state)
        self.best = exchange_search(instance, self._rng, expired=self._expired)
        self.value = instance.value(self.best)
        on_parts(self.best)
        on_bound(self.bound)

    @property
    def finished(self) -> bool:
        """Whether the best partition is proved to be optimal."""
        return self.value == self.bound

    def run(self) -> None:
        """Search until the best partition is proved or the time is up."""
        if not self.finished:
            self._improve(
                exchange_search(self.instance, self._rng, starts=MORE_STARTS, expired=self._expired)
            )
        if self.finished or self._expired():
            return
        outcome = self._choose()
        if outcome is None:
            self.method = "assignment"
            outcome = assigned(self.instance, self.best, self.remaining(), self.random_state, self._tighten)
        if outcome.parts is not None:
            self._improve(outcome.parts)
            stated, has = outcome.stated, self.instance.value(outcome.parts)
            if outcome.finished and stated is not None and stated.differs_from(has):
                raise VerificationError(
                    f"partition: its solver states the largest sum {stated.value} for parts that have {has}"
                )
        if outcome.finished:
            self._tighten(self.value)
        elif outcome.bound is not None:
            self._tighten(outcome.bound)

    def _choose(self) -> Outcome | None:
        """Choose among the parts that a better partition can have, or return None if they are too many."""
        numbers = np.array(self.instance.numbers, dtype=np.int64)
        high = self.value - 1
        low = int(numbers.sum()) - (self.instance.n_parts - 1) * high
        parts = parts_between(numbers, self.instance.part_size, low, high)
        if parts is None:
            return None
        self.method = "choice"
        if len(parts) == 0:
            return Outcome(None, None, True)
        sums = numbers[parts].sum(axis=1)
        return chosen(self.instance, parts, sums, self.remaining(), self.random_state, self._tighten)

    def _improve(self, parts: Parts) -> None:
        value = self.instance.value(parts)
        if value < self.value:
            self.best, self.value = parts, value
            self.on_parts(parts)

    def _tighten(self, bound: int) -> None:
        """Take a lower bound that holds for partitions better than the best one."""
        bound = min(bound, self.value)
        if bound > self.bound:
            self.bound = bound
            self.on_bound(bound)

    def _expired(self) -> bool:
        return self.remaining() == 0


@dataclass(frozen=True)
class SetAside:
    """An instance without the parts that can be fixed.

    Attributes
    ----------
    rest : NumberPartitioning
        Of the numbers that are left, for the parts that are left.
    positions : tuple of int
        Where the numbers of `rest` stand in the instance.
    fixed : parts
        Of the instance; none has a sum above its `least_value`.
    """

    rest: NumberPartitioning
    positions: tuple[int, ...]
    fixed: Parts

    def complete(self, parts: Parts) -> Parts:
        """Return the partition of the instance, given one of the rest."""
        return (*self.fixed, *(tuple(self.positions[i] for i in part) for part in parts))


def set_aside(instance: NumberPartitioning) -> SetAside:
    """Fix parts as long as the smallest number and the largest others have no more than the least value.

    Some optimum has such a part: exchange, in any optimum, the others in the part of the smallest number for
    the largest ones. No other sum rises, and this one is at most the least value, which no optimum is below.

    Examples
    --------
    >>> aside = set_aside(NumberPartitioning((0, 9, 8, 7, 6, 6), n_parts=3))
    >>> aside.fixed, aside.rest.numbers
    (((0, 1), (2, 4)), (6, 7))
    """
    positions = sorted(range(len(instance.numbers)), key=instance.numbers.__getitem__)
    fixed: list[tuple[int, ...]] = []
    rest = instance
    while rest.n_parts > 1:
        others = len(positions) - instance.part_size + 1
        part = (positions[0], *positions[others:])
        if sum(instance.numbers[i] for i in part) > rest.least_value:
            break
        fixed.append(tuple(sorted(part)))
        positions = positions[1:others]
        rest = NumberPartitioning(tuple(instance.numbers[i] for i in positions), rest.n_parts - 1)
    if not fixed:
        return SetAside(instance, tuple(range(len(instance.numbers))), ())
    return SetAside(rest, tuple(positions), tuple(fixed))
