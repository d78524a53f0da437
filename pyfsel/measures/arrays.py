"""Types of arrays, by what their entries are, blocks of them, and one thread to compute with them.

Below NumPy and scikit-learn small models get far slower with more threads.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import threadpoolctl
from numpy.typing import NDArray

from pyfsel.core import arrays

Array = arrays.Array
Bools = arrays.Bools
Floats = arrays.Reals
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


def one_thread() -> Any:
    """Return a context in which BLAS and OpenMP use one thread.

    To look for their libraries takes milliseconds, as long as a small tree: it is done again only after
    further modules were imported.

    Examples
    --------
    >>> with one_thread():
    ...     product = 2 * 3
    """
    return _controller(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _controller(n_modules: int) -> Any:
    return threadpoolctl.ThreadpoolController()
