"""Prices of subsets of features that no two compatible sets both hold."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.bits import as_words
from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_SUBSETS = 2000
MOST_NEW = 200
USED = 1e-9
VIOLATED = 1e-6
PAIR = 2


class SubsetPrices(NamedTuple):
    """What a set pays for each priced subset of ``max_overlap + 1`` features that it holds.

    Two compatible sets share fewer features than that, so each subset is paid for at most once; what all
    sets pay together is at most the sum of the prices, whatever the prices are.

    Attributes
    ----------
    n_features : int
    members : array of shape (r, max_overlap + 1)
        The features of each subset, ascending.
    price : array of shape (r,)
        Not negative.
    """

    n_features: int
    members: NDArray[np.int32]
    price: NDArray[np.int64]

    @property
    def total(self) -> int:
        """The sum of the prices."""
        return int(self.price.sum())

    def pair_matrix(self) -> NDArray[np.int64]:
        """Return the prices of pairs, symmetric, shape (n, n)."""
        square = np.zeros((self.n_features, self.n_features), dtype=np.int64)
        square[self.members[:, 0], self.members[:, 1]] = self.price
        return square + square.T

    def charges(self, members: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return what sets of features, shape (m, set_size), pay, shape (m,)."""
        if self.members.shape[1] == PAIR:
            return _pair_charges(members, self.pair_matrix())
        frequency = np.bincount(self.members.ravel(), minlength=self.n_features)
        rarest = np.argmin(frequency[self.members], axis=1)
        by_feature = self.grouped(self.members[np.arange(len(self.members)), rarest])
        return _subset_charges(members, by_feature)

    def by_member(self) -> GroupedSubsets:
        """Return the subsets by each of their features."""
        width = self.members.shape[1]
        repeated = SubsetPrices(
            self.n_features, np.repeat(self.members, width, axis=0), np.repeat(self.price, width)
        )
        return repeated.grouped(self.members.ravel())

    def grouped(self, feature: NDArray[np.int32]) -> GroupedSubsets:
        """Return the subsets in groups, one of each feature; `feature` says the group of each, shape (r,)."""
        order = np.argsort(feature, kind="stable")
        first = np.searchsorted(feature[order], np.arange(self.n_features + 1))
        words = as_words(self.members, self.n_features)
        return GroupedSubsets(first, words[order], self.price[order])


class GroupedSubsets(NamedTuple):
    """Subsets as bits, shape (r, ⌈n/64⌉), and their prices; those of group j from `first[j]` on."""

    first: NDArray[np.int64]
    words: NDArray[np.uint64]
    price: NDArray[np.int64]


def no_subsets(n_features: int, size: int) -> SubsetPrices:
    """Return that no subset has a price."""
    return SubsetPrices(n_features, np.empty((0, size), dtype=np.int32), np.empty(0, dtype=np.int64))


def can_be_priced(set_size: int, max_overlap: int) -> bool:
    """Return whether sets of that size hold few enough subsets to look for those worth a price."""
    return 0 < max_overlap < set_size and comb(set_size, max_overlap + 1) <= MOST_SUBSETS


def overused(
    members: NDArray[np.int32], shares: NDArray[np.float64], size: int, known: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the subsets that more than one set holds, counted by shares; the most used ones, if many.

    Parameters
    ----------
    members : array of shape (m, set_size)
        Sets of features.
    shares : array of shape (m,)
        How much of each set there is.
    size : int
        Of the subsets.
    known : array of shape (r, size)
        Subsets to leave out.

    Returns
    -------
    array of shape (at most `MOST_NEW`, size)
    """
    used = shares > USED
    ordered = np.sort(members[used], axis=1)
    places = np.array(list(combinations(range(members.shape[1]), size)))
    subsets, which = np.unique(ordered[:, places].reshape(-1, size), axis=0, return_inverse=True)
    uses = np.bincount(which.ravel(), weights=np.repeat(shares[used], len(places)), minlength=len(subsets))
    taken = set(map(tuple, known.tolist()))
    new = [i for i in np.flatnonzero(uses > 1 + VIOLATED) if tuple(subsets[i].tolist()) not in taken]
    most_used = sorted(new, key=lambda i: -uses[i])[:MOST_NEW]
    return subsets[most_used]


@compiled
def _pair_charges(members: NDArray[np.int32], matrix: NDArray[np.int64]) -> NDArray[np.int64]:
    charges = np.zeros(len(members), dtype=np.int64)
    for one in range(len(members)):
        for p in range(members.shape[1]):
            for other in range(p):
                charges[one] += matrix[members[one, p], members[one, other]]
    return charges


@compiled
def _subset_charges(members: NDArray[np.int32], subsets: GroupedSubsets) -> NDArray[np.int64]:
    charges = np.zeros(len(members), dtype=np.int64)
    held = np.zeros(subsets.words.shape[1], dtype=np.uint64)
    for one in range(len(members)):
        held[:] = 0
        for p in range(members.shape[1]):
            hold(held, members[one, p])
        for p in range(members.shape[1]):
            charges[one] += charge(held, subsets, members[one, p])
    return charges


@compiled
def hold(held: NDArray[np.uint64], feature: int) -> None:
    """Add a feature to a set of features as bits."""
    held[feature // 64] |= np.uint64(1) << np.uint64(feature % 64)


@compiled
def charge(held: NDArray[np.uint64], subsets: GroupedSubsets, feature: int) -> int:
    """Return the price of the subsets in the group of a feature that a set, as bits, holds."""
    total = 0
    for r in range(subsets.first[feature], subsets.first[feature + 1]):
        inside = True
        for word in range(len(held)):
            if subsets.words[r, word] & ~held[word] != 0:
                inside = False
                break
        if inside:
            total += subsets.price[r]
    return total
