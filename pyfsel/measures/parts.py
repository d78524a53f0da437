"""Measuring in parts, with progress, in several processes if requested."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyfsel.measures.arrays import Floats
from pyfsel.results.jobs import counted, finished


@dataclass(frozen=True)
class Parts:
    """Measure the parts of a table, one after another or in several processes.

    Parameters
    ----------
    n_jobs : int, optional
        Number of processes.

    Examples
    --------
    >>> Parts()(pow, 3, lambda number: (number, 2))
    array([0., 1., 4.])
    """

    n_jobs: int | None = None

    def __call__(
        self,
        function: Callable[..., Any],
        total: int,
        arguments: Callable[[int], tuple[Any, ...]],
        what: str = "columns",
    ) -> Floats:
        """Return the results of a function for each part, as an array in their order.

        Parameters
        ----------
        function : callable
        total : int
            Number of parts.
        arguments : callable
            Gets the number of a part, from 0, and returns its arguments.
        what : str
            What the parts are, in words.
        """
        calls = ((number, arguments(number)) for number in range(total))
        found: dict[int, Floats] = {}
        with (
            closing(finished(function, calls, self.n_jobs)) as measured,
            closing(counted(what, measured, total, 0)) as steps,
        ):
            for number, result in steps:
                found[number] = np.asarray(result, dtype=np.float64)
        return np.array([found[number] for number in range(total)], dtype=np.float64)


AT_ONCE = Parts()
