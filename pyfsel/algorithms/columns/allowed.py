"""What column generation asks of the sets that are allowed on their own, whatever the objective."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pyfsel.algorithms.columns.subsets import SubsetPrices
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
