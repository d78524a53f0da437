"""Statistics in a file, which can be asked as the table can, and added to those of other rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.streams.counting import Pairs, StreamedTable
from pyfsel.measures.streams.moments import CorrelatedTable, Moments
from pyfsel.measures.streams.read import ReadTable
from pyfsel.measures.streams.statistics import Statistics
from pyfsel.problem.text_files import replacing

KINDS: dict[str, type[Statistics | Moments]] = {"pyfsel counts 1": Statistics, "pyfsel moments 1": Moments}
ARRAYS = ("sizes", "with_target", "pairs", "products")
"""The fields that are arrays, of the one or the other."""


def save(statistics: Statistics | Moments, path: str | Path) -> None:
    """Write statistics to a file of NumPy (npz): arrays of counts, and what they count as JSON.

    Parameters
    ----------
    statistics : Statistics or Moments
        With pairs.
    path : str or Path

    Raises
    ------
    InputError
        If it cannot be written.
    """
    texts: dict[str, Any] = vars(statistics).copy()
    arrays = {name: texts.pop(name) for name in ARRAYS if name in texts}
    if "pairs" in arrays:
        arrays["pairs"] = np.maximum(arrays["pairs"], arrays["pairs"].T)
    texts["format"] = next(name for name, kind in KINDS.items() if isinstance(statistics, kind))
    with replacing(path) as draft, draft.open("wb") as file:
        np.savez_compressed(file, header=np.array(json.dumps(texts)), **arrays)


def load(path: str | Path) -> Statistics | Moments:
    """Read what `save` wrote.

    Raises
    ------
    InputError
        If it is no such file.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            kind: Any = KINDS[header.pop("format")]
            texts: dict[str, Any] = {
                name: tuple(one) if isinstance(one, list) else one for name, one in header.items()
            }
            arrays: dict[str, Any] = {name: file[name] for name in file.files if name != "header"}
            found: Statistics | Moments = kind(**texts, **arrays)
            return found
    except (OSError, ValueError, KeyError, TypeError, AttributeError, BadZipFile):
        raise InputError(f"{path}: is no file of counts, which `pyfsel measure` writes") from None


def asked(statistics: Statistics | Moments) -> ReadTable:
    """Return a table of which there are only statistics."""
    if isinstance(statistics, Moments):
        return CorrelatedTable(statistics)
    found = statistics.occurring()
    return StreamedTable(Pairs(found), found, 2**63)
