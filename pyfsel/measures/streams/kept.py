"""Statistics in a file, which can be asked as the table can, and added to those of other rows."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.streams.counting import Pairs, StreamedTable
from pyfsel.measures.streams.statistics import Statistics

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
    return StreamedTable(Pairs(found), found, 2**63)
