"""What all tables that were read in parts offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.problem.redundancies import LazyRedundancy


class ReadTable(ABC):
    """A table beyond memory, of which statistics are known; `close` gives back what is kept of its rows."""

    statistics: Any

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns but the target."""
        names: tuple[str, ...] = self.statistics.names
        return names

    @property
    def n_features(self) -> int:
        """Number of features, n."""
        return len(self.feature_names)

    @property
    def is_constant(self) -> NDArray[np.bool_]:
        """Which features have one value only."""
        found: NDArray[np.bool_] = self.statistics.is_constant
        return found

    @abstractmethod
    def paired(self, features: Sequence[int]) -> Any:
        """Return the statistics with the pairs of some features."""

    def on_demand(self) -> LazyRedundancy | None:
        """Return the redundancies of all columns, counted when they are asked for, if that is possible."""
        return None

    @abstractmethod
    def alike(self, features: Sequence[int]) -> NDArray[np.float64]:
        """Return how alike some features are to all, 0 to 1, shape (len(features), n_features)."""

    def copies_of(self, features: Iterable[int], threshold: float) -> tuple[tuple[int, int], ...]:
        """Return the pairs of columns that are alike, of which at least one is among some features."""
        some = sorted(set(features))
        close = self.alike(some) >= threshold
        pairs = ((some[i], int(j)) for i, row in enumerate(close) for j in row.nonzero()[0])
        return tuple(sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}))

    def close(self) -> None:  # noqa: B027 - not every one has something
        """Remove the temporary file, if there is one."""
