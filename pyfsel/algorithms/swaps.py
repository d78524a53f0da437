"""One local search for all that need one: the best swap in each of many sets until none helps.

A set smaller than the largest one allowed is filled up with an empty feature, which counts nothing: to swap
it for another feature adds that one, the other way round removes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from pyfsel.core.arrays import Bools, Ints

NOT_ALLOWED = 2**62  # more than any constraint can be broken by


class Sum(NamedTuple):
    """``low ≤ Σ coefficients of the features ≤ high``."""

    coefficients: Ints
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class Moves:
    """What swaps in sets of `k` features, empty ones included, are judged by.

    What breaks fewer constraints is better, then what has the larger value, ``Σ linear − Σ pairs``.

    Parameters
    ----------
    linear : array of int, shape (n,)
    pairwise : array of int, shape (n, n)
        Symmetric with zero diagonal.
    conflicts : array of bool, shape (n, n)
        Pairs that no set may contain together.
    rows : array of int, shape (rows, n)
        Of 0 and 1: sets of features whose number in a set is limited.
    low : array of int, shape (rows,)
    high : array of int, shape (rows, k + 1)
        The limits, the upper ones by the number of features that are not empty.
    weights : array of int, shape (rows,)
        By how much a feature too many or too few counts as a breach.
    sums : tuple of Sum
    may_come, may_leave, is_real : arrays of bool, shape (n,)
        `is_real` is False for the empty feature.
    """

    linear: Ints
    pairwise: Ints
    conflicts: Bools
    rows: Ints
    low: Ints
    high: Ints
    weights: Ints
    sums: tuple[Sum, ...]
    may_come: Bools
    may_leave: Bools
    is_real: Bools

    @cached_property
    def has_conflicts(self) -> bool:
        """Whether there are pairs in conflict."""
        return bool(self.conflicts.any())

    @property
    def is_limited(self) -> bool:
        """Whether there is anything that sets can break."""
        return self.has_conflicts or len(self.rows) + len(self.sums) > 0

    def with_row(self, row: Any, low: int, high: Any) -> Moves:
        """Return the moves with one more limit."""
        return replace(
            self,
            rows=np.vstack([self.rows, row]),
            low=np.append(self.low, low),
            high=np.vstack([self.high, high]),
            weights=np.append(self.weights, 1),
        )

    def judged(self, sets: Ints) -> tuple[Ints, Ints]:
        """Return by how much sets, shape (m, k), break constraints, and their values."""
        one, other = sets[:, :, None], sets[:, None, :]
        value = self.linear[sets].sum(axis=1) - self.pairwise[one, other].sum(axis=(1, 2)) // 2
        size = self.is_real[sets].sum(axis=1)
        broken = self.conflicts[one, other].sum(axis=(1, 2)) // 2
        broken += self._over(self.rows.T[sets].sum(axis=1), size).sum(axis=1)
        for limited in self.sums:
            broken += _outside(limited.coefficients[sets].sum(axis=1), limited.low, limited.high)
        return broken, value

    def climb(self, sets: Ints, steps: Iterable[Any] = repeat(None)) -> tuple[Ints, Ints]:
        """Make the best swaps in place, at most as many as there are steps; return what `judged` does."""
        broken, value = self.judged(sets)
        active = np.arange(len(sets))
        for _ in steps:
            breach, gain, place, new = self._best_swaps(sets[active])
            better = (breach < broken[active]) | ((breach == broken[active]) & (gain > 0))
            active = active[better]
            if not len(active):
                break
            sets[active, place[better]] = new[better]
            broken[active] = breach[better]
            value[active] += gain[better]
        return broken, value

    def _best_swaps(self, sets: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return for each set what it breaks after the best swap, the gain, the place, and what comes."""
        pairs = self.pairwise[sets]
        with_set = pairs.sum(axis=1)
        gain = np.take_along_axis(with_set, sets, axis=1)[:, :, None] + pairs - with_set[:, None]
        gain += self.linear - self.linear[sets][:, :, None]
        barred = np.zeros_like(with_set)
        barred[:, ~self.may_come] = NOT_ALLOWED
        np.put_along_axis(barred, sets, NOT_ALLOWED, axis=1)
        barred[:, ~self.is_real] = 0
        broken = np.maximum(barred[:, None], NOT_ALLOWED * ~self.may_leave[sets][:, :, None])
        if self.is_limited:
            broken += self._broken_after(sets)
        every = (len(sets), -1)
        least = broken.reshape(every).min(axis=1)
        best = np.where(broken == least[:, None, None], gain, -NOT_ALLOWED).reshape(every).argmax(axis=1)
        return least, gain.reshape(every)[np.arange(len(sets)), best], *np.divmod(best, len(self.linear))

    def _broken_after(self, sets: Ints) -> Ints:
        """Return what each set breaks if a feature leaves and another one comes: (m, k, n)."""
        counts = self.rows.T[sets]
        others = counts.sum(axis=1)[:, None] - counts
        size = self.is_real[sets].sum(axis=1)[:, None] - self.is_real[sets]
        without = self._over(others, size + 1)
        change = self._over(others + 1, size + 1) - without
        broken: Ints = without.sum(axis=2)[:, :, None] + change @ self.rows
        broken[:, :, ~self.is_real] = self._over(others, size).sum(axis=2)[:, :, None]
        if self.has_conflicts:
            pairs = self.conflicts[sets].astype(np.int64)
            blocking = pairs.sum(axis=1)
            own = np.take_along_axis(blocking, sets, axis=1)
            broken += (own.sum(axis=1)[:, None] // 2 - own)[:, :, None] + blocking[:, None] - pairs
        for limited in self.sums:
            each = limited.coefficients[sets]
            total = each.sum(axis=1)[:, None] - each
            broken += _outside(total[:, :, None] + limited.coefficients, limited.low, limited.high)
        return broken

    def _over(self, counts: Ints, size: Ints) -> Ints:
        """Return by how much rows, shape (m, rows), are broken in sets with these numbers of features."""
        limits = self.high.T[np.minimum(size, len(self.high.T) - 1)]
        return self.weights * _outside(counts, self.low, limits)


def _outside(numbers: Ints, low: Any, high: Any) -> Ints:
    outside: Ints = np.maximum(numbers - high, 0) + np.maximum(low - numbers, 0)
    return outside
