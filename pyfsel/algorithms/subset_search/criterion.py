"""What a search asks about sets of features: a key to compare by, exactly, and its value for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.problem.objectives import FeatureSet


class Criterion(Protocol):
    """A measure J of feature sets, larger is better (paper 001, Section 3).

    Searches compare keys, which are integers where the measure counts something, so that equal sets are
    equal. The values that people see follow from the keys. What was asked once is remembered by `Run`.

    Attributes
    ----------
    feature_names : tuple of str
    is_monotone : bool
        Whether a feature more never lowers the key, exactly.
    batch_size : int
        How many sets are asked for at once; limits are looked at between batches.
    """

    @property
    def feature_names(self) -> tuple[str, ...]: ...

    @property
    def is_monotone(self) -> bool: ...

    @property
    def batch_size(self) -> int: ...

    def keys(self, sets: Sequence[FeatureSet]) -> Sequence[float]:
        """Return the key of each set, larger is better; sets are sorted tuples of 0-based features."""
        ...

    def value(self, key: float) -> float:
        """Return the J that a key stands for; a larger key has a larger J."""
        ...

    def least_key(self, value: float) -> float:
        """Return the key k such that J reaches this value where the key reaches k."""
        ...


@runtime_checkable
class CriterionOfRows(Criterion, Protocol):
    """A criterion that counts bad rows, each key being minus their number; LVI needs it.

    Attributes
    ----------
    n_rows : int
    """

    @property
    def n_rows(self) -> int: ...

    def on_rows(self, rows: NDArray[Any]) -> Self:
        """Return the same criterion on some of the rows, given by a mask."""
        ...

    def bad_groups(self, features: FeatureSet) -> NDArray[Any]:
        """Return a mask of the rows that agree, in these features, with a row of another class."""
        ...
