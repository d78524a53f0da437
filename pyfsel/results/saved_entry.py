"""Dataclasses as JSON, read again by the types of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from datetime import timedelta
from enum import StrEnum
from functools import cache
from math import isfinite
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args, get_origin, get_type_hints

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of, shown

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 2**1000
"""Floats are computed from the integers of a file."""
KINDS: dict[Any, str] = {
    str: "a text",
    int: "an integer",
    float: "a finite number",
    bool: "true or false",
    Mapping: "an object",
    tuple: "a list",
}
types_of = cache(get_type_hints)


class Saved:
    """A dataclass that is saved as JSON: its fields in order, by their names or the names in `KEYS`.

    The fields are texts, numbers, truth values, mappings, enumerations of texts, other `Saved`, tuples of
    one of these, or None.
    """

    KEYS: ClassVar[Mapping[str, str]] = {}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        named = (each.name for each in fields(self))  # type: ignore[arg-type]
        return {self.KEYS.get(name, name): plain(getattr(self, name)) for name in named}

    @classmethod
    def from_dict(cls, data: Any, where: str = "") -> Self:
        """Return what `to_dict` has written; null stands for the default of a field that has one.

        Parameters
        ----------
        data : Any
        where : str
            What errors call it.

        Raises
        ------
        InputError
            If a field is missing or has no valid value.
        """
        where = where or cls.__name__.lower()
        data, types, found = value_of(Mapping, data, where), types_of(cls), {}  # type: ignore[arg-type]
        for each in fields(cls):  # type: ignore[arg-type]
            key = cls.KEYS.get(each.name, each.name)
            is_needed = each.default is MISSING and each.default_factory is MISSING
            if data.get(key) is not None or (is_needed and key in data):
                found[each.name] = value_of(types[each.name], data[key], f"{where}.{key}")
            elif is_needed:
                raise InputError(f"{where}: lacks {key}")
        return cls(**found)


def value_of(kind: Any, value: Any, where: str) -> Any:
    """Return a value of JSON as one of a type.

    Raises
    ------
    InputError
        With the place and the value, if it is something else.

    Examples
    --------
    >>> value_of(tuple[int, ...], [2, 3], "answer.sets[0]"), value_of(int | None, None, "answer.bound")
    ((2, 3), None)
    >>> value_of(str, 3, "answer.backend")
    Traceback (most recent call last):
    pyfsel.errors.InputError: answer.backend=3: must be a text
    """
    origin, of = get_origin(kind), get_args(kind)
    if NoneType in of:
        if value is None:
            return None
        others = [one for one in of if one is not NoneType]
        kind = float if float in others else others[0]
        origin, of = get_origin(kind), get_args(kind)
    if origin is tuple and isinstance(value, list):
        return tuple(value_of(of[0], one, f"{where}[{i}]") for i, one in enumerate(value))
    kind = origin or kind
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        one_of(where, value, kind)
        return kind(value)
    if isinstance(kind, type) and issubclass(kind, Saved):
        return kind.from_dict(value, where)
    if kind is not Any and not _is_of(kind, value):
        raise InputError(f"{where}={shown(value)}: must be {KINDS.get(kind, kind.__name__)}")
    return value


def _is_of(kind: Any, value: Any) -> bool:
    if kind is float and isinstance(value, float):
        return isfinite(value)
    if kind in (int, float):
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST
    return isinstance(value, kind)


def plain(value: Any) -> Any:
    """Return what JSON can hold: a solver reports numbers of NumPy, times and more."""
    if isinstance(value, Saved):
        return value.to_dict()
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as JSON can hold them, with all digits; missing values are None."""
    found: list[dict[str, Any]] = plain(frame.astype(object).where(frame.notna(), None).to_dict("records"))
    return found
