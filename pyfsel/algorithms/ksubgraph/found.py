"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Enumeration(NamedTuple):
    """Sets by decreasing value.

    Attributes
    ----------
    sets : array of shape (m, set_size)
        Ties lexicographic.
    values : array of shape (m,)
    complete : bool
        Whether these are all of at least the value `least`.
    least : int
    """

    sets: NDArray[np.int64]
    values: NDArray[np.int64]
    complete: bool
    least: int


class Watch(Protocol):
    """What an enumeration tells of its sets, and asks how good the others must be."""

    def see(self, sets: NDArray[np.int64], values: NDArray[np.int64]) -> None:
        """Take sets that were met."""

    def threshold(self, effort: int) -> int | None:
        """Return the least value of sets that are of interest after so much was done; None to end."""


@dataclass(frozen=True)
class BestSet:
    """The best set met, and what is proved.

    Parameters
    ----------
    features : tuple of int or None
    value : int or None
    bound : int or None
        No set has a larger value; None if there is no set, or no bound yet.
    finished : bool
        Whether `features` is proved best, or, if it is None, that there is no set as asked for.
    root_bound : int or None
        The bound before branching.
    nodes : int
        Number of nodes branched to.
    effort : int
        How much was done, see `pyfsel.algorithms.ksubgraph.run.Run`.
    """

    features: tuple[int, ...] | None
    value: int | None
    bound: int | None
    finished: bool
    root_bound: int | None
    nodes: int
    effort: int = 0
