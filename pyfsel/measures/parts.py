"""Measuring in parts, with progress; finished parts are cached and not measured again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.kept import Kept
from pyfsel.measures.tables.encoded import warn
from pyfsel.results.counting import counted
from pyfsel.results.jobs import finished


@dataclass(frozen=True)
class Parts:
    """Measure the parts of a table, one after another or in several processes.

    Parameters
    ----------
    n_jobs : int, optional
        Number of processes.
    kept : Kept, optional
        The cache entry that holds parts measured before and takes the new ones.

    Examples
    --------
    >>> Parts()(pow, 3, lambda number: (number, 2))
    array([0., 1., 4.])
    """

    n_jobs: int | None = None
    kept: Kept | None = None

    def __call__(
        self,
        function: Callable[..., Any],
        total: int,
        arguments: Callable[[int], tuple[Any, ...]],
        what: str = "columns",
    ) -> NDArray[np.float64]:
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
        found = {} if self.kept is None else self.kept.load(total)
        missing = ((number, arguments(number)) for number in range(total) if number not in found)
        try:
            with (
                closing(finished(function, missing, self.n_jobs)) as measured,
                closing(counted(what, measured, total, len(found))) as steps,
            ):
                for number, result in steps:
                    found[number] = np.asarray(result, dtype=np.float64)
                    if self.kept is not None:
                        self.kept.add(number, found[number], total)
        except BaseException as error:
            is_kept = self.kept is not None and self.kept.end(was_interrupted=True)
            if is_kept and found and isinstance(error, KeyboardInterrupt):
                warn(
                    f"{len(found)} of {total} {what} are measured and cached; the next run goes on from there"
                )
            raise
        if self.kept is not None:
            self.kept.end()
        return np.array([found[number] for number in range(total)], dtype=np.float64)


AT_ONCE = Parts()
