"""Statistics in a file, which can be asked as the table can, and added to those of other rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.contingency import first_levels
from pyfsel.measures.streams.counting import StreamedTable
from pyfsel.measures.streams.statistics import Statistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = "pyfsel counts 1"
TEXTS = ("names", "target", "task", "classes", "n_rows", "paired", "levels")
ARRAYS = ("sizes", "with_target", "pairs")


def save(statistics: Statistics, path: str | Path) -> None:
    """Write statistics to a file of NumPy (npz): arrays of counts, and what they count as JSON.

    Parameters
    ----------
    statistics : Statistics
        With pairs.
    path : str or Path

    Raises
    ------
    InputError
        If it cannot be written.
    """
    header = {"format": FORMAT, **{name: getattr(statistics, name) for name in TEXTS}}
    arrays = {name: getattr(statistics, name) for name in ARRAYS}
    arrays["pairs"] = np.maximum(arrays["pairs"], arrays["pairs"].T)
    try:
        with open(path, "wb") as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def load(path: str | Path) -> Statistics:
    """Read what `save` wrote.

    Raises
    ------
    InputError
        If it is no such file.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            found = {name: header[name] for name in TEXTS} | {name: file[name] for name in ARRAYS}
            is_known = header["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError, BadZipFile):
        is_known = False
    if not is_known:
        raise InputError(f"{path}: is no file of counts, which `pyfsel measure` writes")
    for name in ("names", "classes", "paired", "levels"):
        found[name] = tuple(found[name])
    return Statistics(**found)


def asked(statistics: Statistics) -> StreamedTable:
    """Return a table of which there are only statistics."""
    found = statistics.occurring()
    return StreamedTable(_Pairs(found), found, 2**63)


class _Pairs:
    """The pairs that statistics hold."""

    def __init__(self, statistics: Statistics) -> None:
        self._statistics = statistics

    def count(
        self, columns: Sequence[int], sizes: NDArray[np.int64], asked: Sequence[int] | None = None
    ) -> NDArray[Any]:
        """Return how often levels of columns occur together, as `Lanes.count` does."""
        kept = list(self._statistics.paired)
        lacking = [self._statistics.names[j] for j in columns if j not in kept]
        if lacking:
            raise InputError(
                f"DATA: holds the pairs of {len(kept)} columns, not those of {lacking[0]!r}; keep the best "
                "only (--keep-best), or measure all"
            )
        starts = first_levels(sizes[kept])
        some = [np.arange(sizes[j]) + starts[kept.index(j)] for j in columns]
        places = np.concatenate(some)
        assert self._statistics.pairs is not None
        return np.asarray(self._statistics.pairs[np.ix_(places, places)])

    def close(self) -> None:
        """Do nothing."""
