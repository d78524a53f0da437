"""One thread for the libraries below NumPy and scikit-learn: small models get far slower with more."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


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
def _controller(n_modules: int) -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
