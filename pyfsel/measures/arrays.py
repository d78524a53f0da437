"""Types of arrays, by what their entries are, and blocks of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]


def slices(n: int, at_once: int) -> Iterator[slice]:
    """Yield the blocks of some rows or columns, one at least in each.

    Examples
    --------
    >>> list(slices(5, 3))
    [slice(0, 3, None), slice(3, 6, None)]
    """
    at_once = max(1, at_once)
    return (slice(first, first + at_once) for first in range(0, n, at_once))
