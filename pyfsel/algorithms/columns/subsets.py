"""Prices of subsets of features that no two compatible sets both hold."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.bits import as_words
from pyfsel.core.binding import Ints, ShortInts, Struct, Words, in_core

MOST_SUBSETS = 2000  # of one set; all subsets of all sets of the relaxation are counted in each round
MOST_NEW = 200  # rows that the relaxation gets in one round
USED = 1e-9  # shares and violations come from a linear solver whose tolerance is 1e-7
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
        charges = np.empty(len(members), dtype=np.int64)
        if self.members.shape[1] == PAIR:
            charge_pairs(members, self.pair_matrix(), charges)
            return charges
        frequency = np.bincount(self.members.ravel(), minlength=self.n_features)
        rarest = np.argmin(frequency[self.members], axis=1)
        by_feature = self.grouped(self.members[np.arange(len(self.members)), rarest])
        held = np.empty(by_feature.words.shape[1], dtype=np.uint64)
        charge_subsets(members, by_feature, held, charges)
        return charges

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


class GroupedSubsets(Struct):
    """Subsets as bits, shape (r, ⌈n/64⌉), and their prices; those of group j from `first[j]` on."""

    first: Annotated[Ints, "n + 1"]
    words: Annotated[Words, "n_subsets", "n_words"]
    price: Annotated[Ints, "n_subsets"]


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


@in_core
def charge_pairs(
    members: Annotated[ShortInts, "m", "set_size"],
    prices: Annotated[Ints, "n", "n"],
    charges: Annotated[Ints, "m"],
) -> None:
    """Write what sets pay for the pairs of features that they hold."""


@in_core
def charge_subsets(
    members: Annotated[ShortInts, "m", "set_size"],
    subsets: GroupedSubsets,
    held: Annotated[Words, "n_words"],
    charges: Annotated[Ints, "m"],
) -> None:
    """Write what sets pay for the subsets that they hold; `held` is room to work in."""
