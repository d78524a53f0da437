"""What column generation asks of the sets that are allowed on their own, and such sets in a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.columns.subsets import SubsetPrices
from pyfsel.algorithms.packing.pool import beside
from pyfsel.core.binding import Ints, ShortInts, in_core
from pyfsel.problem.objectives import FeatureSet

LOW = -(2**60)  # no limit: beyond all weights and values, and twice it is still within 64 bits
HIGH = 2**60


class FoundSets(NamedTuple):
    """Sets of features, shape (m, set_size), and their rests, shape (m,); see `AllowedSets`."""

    members: NDArray[np.int32]
    rests: NDArray[np.int64]


class Wanted(NamedTuple):
    """Which sets are asked for, by what they weigh and what they are worth; see `AllowedSets`.

    Attributes
    ----------
    weight : array of shape (n,)
        The weights of the features.
    threshold : int
        The least weight of a set.
    subsets : SubsetPrices or None
        What a set pays for subsets of features, if anything.
    least_value, most_value : int
    """

    weight: NDArray[np.int64]
    threshold: int = LOW
    subsets: SubsetPrices | None = None
    least_value: int = LOW
    most_value: int = HIGH


class AllowedSets(Protocol):
    """The sets that satisfy everything but the constraints between new sets, and what they are worth.

    The value of a set is the sum of the qualities of its features plus its *rest*, which is 0 for a sum of
    qualities and minus the sum over pairs for mRMR. Weights of features replace the qualities, never the
    rest: the *weight* of a set is the sum of the weights of its features plus its rest, less the prices of
    the subsets of features that it holds, if there are any.
    """

    @property
    def set_size(self) -> int:
        """Number of features of each set."""

    @property
    def max_overlap(self) -> int:
        """Largest number of features that two sets share."""

    @property
    def takes_subset_prices(self) -> bool:
        """Whether subsets of features can have prices."""

    @property
    def quality(self) -> NDArray[np.int64]:
        """What a feature contributes by itself, shape (n,)."""

    @property
    def unit(self) -> int:
        """The order of magnitude of what a feature contributes, at least 1."""

    @property
    def lowest(self) -> int:
        """No set has a smaller value."""

    def value_of(self, members: FeatureSet) -> int:
        """Return the value of one of the sets by these numbers."""

    def beside(self, others: Sequence[FeatureSet]) -> Self:
        """Return the sets that are also compatible with these."""

    def heavy(self, wanted: Wanted, limit: int) -> FoundSets:
        """Return all wanted sets; if they are more than `limit`, `limit` + 1 of them, which shows that."""

    def improving(self, wanted: Wanted) -> FoundSets:
        """Return some sets of at least the threshold, the last one a heaviest; none if there is none.

        Limits of values do not count here.
        """


# New columns of one round: more of them need fewer rounds, each with a larger linear program.
HEAVIEST = 64
NEAR_HEAVIEST = 2000  # among so many each feature gets a set that holds it


class ListedSets(NamedTuple):
    """A list of sets; see `pyfsel.algorithms.columns.allowed.AllowedSets`.

    Attributes
    ----------
    max_overlap : int
    quality : array of shape (n,)
    unit, lowest : int
    members : array of shape (m, set_size)
    rests : array of shape (m,)
    """

    max_overlap: int
    quality: NDArray[np.int64]
    unit: int
    lowest: int
    members: NDArray[np.int32]
    rests: NDArray[np.int64]

    @classmethod
    def some_of(cls, sets: AllowedSets, among: FoundSets) -> ListedSets:
        """Return some of the sets as a list."""
        return cls(sets.max_overlap, sets.quality, sets.unit, sets.lowest, among.members, among.rests)

    @property
    def set_size(self) -> int:
        return int(self.members.shape[1])

    @property
    def takes_subset_prices(self) -> bool:
        return True

    def value_of(self, members: FeatureSet) -> int:
        features = sorted(members)
        rest = self.rests[(np.sort(self.members, axis=1) == features).all(axis=1)][0]
        return int(self.quality[features].sum() + rest)

    def beside(self, others: Sequence[FeatureSet]) -> ListedSets:
        if self.max_overlap >= self.set_size or not others:
            return self
        compatible = np.ones(len(self.members), dtype=bool)
        for members in others:
            compatible &= beside(self.members, members, self.max_overlap)
        return self._replace(**self._some(compatible)._asdict())

    def weights(self, weight: NDArray[np.int64], subsets: SubsetPrices | None = None) -> NDArray[np.int64]:
        """Return the weights of all sets, shape (m,)."""
        weights = np.empty(len(self.members), dtype=np.int64)
        weigh_sets(self.members, self.rests, weight, weights)
        return weights if subsets is None else weights - subsets.charges(self.members)

    def heavy(self, wanted: Wanted, limit: int) -> FoundSets:
        enough = self.weights(wanted.weight, wanted.subsets) >= wanted.threshold
        if wanted.least_value > self.lowest or wanted.most_value < HIGH:
            values = self.weights(self.quality)
            enough &= (values >= wanted.least_value) & (values <= wanted.most_value)
        return self._some(np.flatnonzero(enough)[: limit + 1])

    def improving(self, wanted: Wanted) -> FoundSets:
        """Return some of the heaviest sets, and for each feature in sets nearly as heavy its heaviest one."""
        weights = self.weights(wanted.weight, wanted.subsets)
        above = np.flatnonzero(weights >= wanted.threshold)
        if len(above) > NEAR_HEAVIEST:
            lightest = np.partition(weights[above], -NEAR_HEAVIEST)[-NEAR_HEAVIEST]
            near = weights[above] > lightest
            near[np.flatnonzero(weights[above] == lightest)[: NEAR_HEAVIEST - near.sum()]] = True
            above = above[near]
        above = above[np.argsort(-weights[above], kind="stable")]
        first_with_feature = np.unique(self.members[above], return_index=True)[1] // self.set_size
        chosen = np.union1d(np.arange(min(HEAVIEST, len(above))), first_with_feature)
        return self._some(above[chosen[::-1]])

    def _some(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> FoundSets:
        return FoundSets(self.members[which], self.rests[which])


@in_core
def weigh_sets(
    members: Annotated[ShortInts, "m", "set_size"],
    rests: Annotated[Ints, "m"],
    weight: Annotated[Ints, "n"],
    weights: Annotated[Ints, "m"],
) -> None:
    """Write the weights of sets: of their features, and their rests."""
