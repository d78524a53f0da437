"""The input, counters, reports and result of every search along chains."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.core.arrays import Ints


class HeavySets(NamedTuple):
    """Sets by decreasing value.

    Attributes
    ----------
    sets : array of shape (m, k)
        Ties lexicographic.
    values : array of shape (m,)
    complete : bool
        Whether these are all of at least the threshold.
    """

    sets: Ints
    values: Ints
    complete: bool


@dataclass(frozen=True)
class BestSet:
    """The best set met, and what is proved.

    Parameters
    ----------
    features : tuple of int or None
    value : int or None
    bound : int or None
        No set has a larger value; None without a set, or before the first bound.
    finished : bool
        Whether `features` is proved best, or, if it is None, that no set satisfies everything.
    nodes : int
        Number of nodes branched to.
    """

    features: tuple[int, ...] | None
    value: int | None
    bound: int | None
    finished: bool
    nodes: int


@dataclass
class ChainRun(ABC):
    """One run over all sets of value ≥ `lowest`, which rises above every set found if `improve`.

    Parameters
    ----------
    instance : PairInstance
        A reduced one. All that goes in and out is about the whole instance.
    lowest : int
    improve : bool
        Whether the search is for better and better sets only.
    expired : callable
        When it returns True, the search ends unfinished.
    take : callable
        Given whole sets, shape (any, size), and their values.
    on_bound : callable
        Given better and better upper bounds on the values of all sets.

    Attributes
    ----------
    bound : int or None
        No set has a larger value.
    nodes : int
        How many partial sets were met.
    work : int
        How many times a feature was looked at next to a partial set.
    """

    instance: PairInstance
    lowest: int
    improve: bool
    expired: Callable[[], bool]
    take: Callable[[Ints, Ints], None]
    on_bound: Callable[[int], None] = lambda bound: None
    bound: int | None = field(default=None, init=False)
    nodes: int = field(default=0, init=False)
    work: int = field(default=0, init=False)

    @abstractmethod
    def search(self) -> bool:
        """Return whether everything was searched."""

    @property
    def least(self) -> int:
        """The minimum value of a set of the reduced instance."""
        return self.lowest - self.instance.offset

    def _accept(self, sets: Ints, values: Ints) -> None:
        """Take the sets of the reduced instance that are good enough, or the best of them if `improve`."""
        values = values + self.instance.offset
        good = np.flatnonzero(values >= self.lowest)
        if self.improve and len(good):
            good = np.array([values.argmax()])
            self.lowest = max(self.lowest, int(values[good[0]]) + 1)
        if len(good):
            self.take(self.instance.whole(sets[good]), values[good])

    def _report(self, bound: int) -> None:
        """Report a bound on all sets, given one on parts of those not met; all others are below `lowest`."""
        bound = max(bound + self.instance.offset, self.lowest - 1)
        if self.bound is None or bound < self.bound:
            self.bound = bound
            self.on_bound(bound)
