"""What a search has found out about solutions: how many of the sets hold each feature, and share."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class UseRanges(NamedTuple):
    """Ranges that hold for every solution that is looked for.

    Attributes
    ----------
    n_sets, max_overlap : int
    least, most : arrays of shape (n,)
        How many of the sets hold each feature.
    spare : int
        How many features all pairs of sets together may share less than `max_overlap` allows, at most.
    """

    n_sets: int
    max_overlap: int
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    spare: int

    @classmethod
    def open(cls, n_features: int, n_sets: int, max_overlap: int) -> UseRanges:
        """Return the ranges that always hold."""
        least, most = np.zeros(n_features, dtype=np.int64), np.full(n_features, n_sets)
        return cls(n_sets, max_overlap, least, most, max_overlap * comb(n_sets, 2))

    def within(self) -> NDArray[np.bool_]:
        """Return which numbers of uses each feature can have, shape (n, n_sets + 1)."""
        uses = np.arange(self.n_sets + 1)
        allowed: NDArray[np.bool_] = (uses >= self.least[:, np.newaxis]) & (uses <= self.most[:, np.newaxis])
        return allowed

    def allow(self, members: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which sets of features, shape (m, set_size), can be in a solution, shape (m,).

        A set S of a solution with uses c shares ``Σ_{j∈S} (c_j − 1)`` features with the others together,
        which is at most ``(n_sets − 1)·max_overlap``, and less by at most `spare`.
        """
        return self._allowed(members)[0]

    def _allowed(self, members: NDArray[np.int32]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return which sets can be in a solution, and how many of these hold each feature."""
        most_shared = (self.n_sets - 1) * self.max_overlap
        allowed = np.empty(len(members), dtype=np.bool_)
        holders = np.zeros(len(self.least), dtype=np.int64)
        _allow(members, self.least, self.most, most_shared - self.spare, most_shared, allowed, holders)
        return allowed, holders

    def narrowed(self, members: NDArray[np.int32]) -> tuple[UseRanges, NDArray[np.int32]] | None:
        """Return the ranges that hold if solutions consist of these sets, and which of them are left.

        Returns
        -------
        (UseRanges, array of shape (p, set_size)), or None if there is no solution
        """
        ranges = self
        while True:
            allowed, holders = ranges._allowed(members)
            members = members if allowed.all() else members[allowed]
            most = np.minimum(ranges.most, holders)
            if len(members) < self.n_sets or not ranges._replace(most=most).is_possible(members.shape[1]):
                return None
            if (most == ranges.most).all():
                return ranges, members
            ranges = ranges._replace(most=most)

    def is_possible(self, set_size: int) -> bool:
        """Return whether some uses within the ranges add up and share no more than is allowed."""
        least, most = self.least, self.most
        pairs = int((least * (least - 1) // 2).sum())
        enough = least.sum() <= self.n_sets * set_size <= most.sum()
        return bool(enough and (least <= most).all() and pairs <= self.max_overlap * comb(self.n_sets, 2))


@compiled
def _allow(
    members: NDArray[np.int32],
    least: NDArray[np.int64],
    most: NDArray[np.int64],
    least_shared: int,
    most_shared: int,
    allowed: NDArray[np.bool_],
    holders: NDArray[np.int64],
) -> None:
    for one in range(len(members)):
        low, high, usable = 0, 0, True
        for p in range(members.shape[1]):
            feature = members[one, p]
            usable = usable and most[feature] > 0
            low += max(least[feature], 1) - 1
            high += most[feature] - 1
        allowed[one] = usable and low <= most_shared and high >= least_shared
        if allowed[one]:
            for p in range(members.shape[1]):
                holders[members[one, p]] += 1
