"""Forced features: what is chosen in addition to them is a smaller heaviest subgraph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.core.arrays import Bools, Ints


@dataclass(frozen=True)
class Rest:
    """What a set holds in addition to the forced features.

    A feature counts with its pairs with forced ones; a previous set allows fewer features to be shared by as
    many as are forced; what conflicts with a forced feature is left out.

    Parameters
    ----------
    instance : PairInstance
        Of the other features; its `k` is 0 if all features of a set are forced.
    kept : array of int
        The numbers that its features have in the whole instance.
    forced : array of int
    value : int
        What the forced features count alone: the value of a set is this plus the value of its rest.
    """

    instance: PairInstance
    kept: Ints
    forced: Ints
    value: int

    @classmethod
    def of(cls, instance: PairInstance) -> Self | None:
        """Return the rest of an instance, or None if no set can hold all forced features."""
        forced = np.array(instance.forced, dtype=np.int64)
        if not len(forced):
            return cls(instance, np.arange(len(instance.linear)), forced, 0)
        kept = np.delete(np.arange(len(instance.linear)), forced)
        if not instance.is_wide:
            apart: Bools = np.any(instance.conflicts[forced], axis=0)
            if apart[forced].any():
                return None
            kept = kept[~apart[kept]]
        limits = instance.limits - instance.previous[:, forced].sum(axis=1)
        n_missing = instance.k - len(forced)
        if (limits < 0).any() or not 0 <= n_missing <= len(kept):
            return None
        pairs = instance.pairs_of(forced)
        linear = (instance.linear - pairs.sum(axis=0))[kept]
        rest = replace(instance.among(kept), linear=linear, k=n_missing, limits=limits, forced=())
        alone = instance.linear[forced].sum() - pairs[:, forced].sum() // 2
        return cls(rest, kept, forced, int(alone))

    def whole(self, sets: Ints) -> Ints:
        """Return whole sets for rows of features of `instance`, each in increasing order."""
        if not len(self.forced):
            return sets
        forced = np.broadcast_to(self.forced, (len(sets), len(self.forced)))
        return np.sort(np.concatenate([self.kept[sets], forced], axis=1), axis=1)

    def whole_set(self, members: Iterable[int]) -> tuple[int, ...]:
        """Return one whole set."""
        return tuple(self.whole(np.array([tuple(members)], dtype=np.int64).reshape(1, -1))[0].tolist())

    def start_of(self, start: Start) -> Start:
        """Return the start of a search of `instance`, given the start of a search for whole sets."""
        if start.first is None:
            return start
        return replace(start, first=np.flatnonzero(np.isin(self.kept, list(start.first))).tolist())
