"""Measuring in parts, with progress, in several processes if requested."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np

from pyfsel.measures.arrays import Floats
from pyfsel.results.jobs import finished


def in_parts(
    function: Callable[..., Any],
    total: int,
    arguments: Callable[[int], tuple[Any, ...]],
    n_jobs: int | None,
    what: str = "columns",
) -> Floats:
    """Return the results of a function for each part of a table, as an array in their order.

    Parameters
    ----------
    function : callable
    total : int
        Number of parts.
    arguments : callable
        Gets the number of a part, from 0, and returns its arguments.
    n_jobs : int or None
        Number of processes.
    what : str
        What the parts are, in words.

    Examples
    --------
    >>> in_parts(pow, 3, lambda number: (number, 2), n_jobs=None)
    array([0., 1., 4.])
    """
    with closing(finished(what, function, map(arguments, range(total)), total, n_jobs)) as steps:
        found = dict(steps)
    return np.array([found[number] for number in range(total)], dtype=np.float64)
