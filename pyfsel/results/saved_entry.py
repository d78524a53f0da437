"""What is saved as JSON: plain data, and the fields of an object, each with the kind that it must have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import StrEnum
from math import isfinite
from typing import Any, ClassVar, TypeVar

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of, shown

KINDS = {Mapping: "an object", str: "a text", int: "an integer", list: "a list"}
LARGEST = 2**1000
"""Floats are computed from the integers of a file."""
Word = TypeVar("Word", bound=StrEnum)
Part = TypeVar("Part")


class Entry:
    """An object of JSON; its methods return a field, or raise `InputError` with the place and the value.

    Examples
    --------
    >>> Entry("result", {"backend": 3}).get("backend", str)
    Traceback (most recent call last):
    pyfsel.errors.InputError: result.backend=3: must be a text
    """

    def __init__(self, name: str, data: Any) -> None:
        if not isinstance(data, Mapping):
            raise InputError(f"{name}={shown(data)}: must be an object")
        self.name = name
        self.data = data

    def get(self, field: str, kind: Any) -> Any:
        """Return a field of one kind."""
        if field not in self.data:
            raise InputError(f"{self.name}: lacks {field}")
        value = self.data[field]
        is_wrong = kind is int and (
            isinstance(value, bool) or (isinstance(value, int) and abs(value) > LARGEST)
        )
        if is_wrong or not isinstance(value, kind):
            raise InputError(f"{self.name}.{field}={shown(value)}: must be {KINDS[kind]}")
        return value

    def number(self, field: str) -> float:
        """Return a finite number."""
        value = self.get(field, object)
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise InputError(f"{self.name}.{field}={shown(value)}: must be a finite number")
        return value

    def integer_or_none(self, field: str) -> int | None:
        """Return an integer, or None for null."""
        return None if self.get(field, object) is None else int(self.get(field, int))

    def number_or_none(self, field: str) -> float | None:
        """Return a finite number, or None for null."""
        return None if self.get(field, object) is None else self.number(field)

    def part(self, field: str, build: Callable[[Entry], Part]) -> Part | None:
        """Return what is built of an object; None for null, or where there is no such field."""
        data = self.data.get(field)
        return None if data is None else build(Entry(f"{self.name}.{field}", data))

    def word(self, field: str, words: type[Word]) -> Word:
        """Return one of the known words."""
        value = self.get(field, object)
        one_of(f"{self.name}.{field}", value, words)
        return words(value)

    def entries(self, field: str) -> list[Entry]:
        """Return a list of objects."""
        return [Entry(f"{self.name}.{field}[{i}]", entry) for i, entry in enumerate(self.get(field, list))]

    def features(self, field: str) -> tuple[int, ...]:
        """Return a list of feature numbers."""
        return _features(f"{self.name}.{field}", self.get(field, list))

    def feature_sets(self, field: str) -> tuple[tuple[int, ...], ...]:
        """Return a list of lists of feature numbers."""
        return tuple(_features(f"{self.name}.{field}", members) for members in self.get(field, list))


def _features(name: str, members: Any) -> tuple[int, ...]:
    if not isinstance(members, list) or any(isinstance(j, bool) or not isinstance(j, int) for j in members):
        raise InputError(f"{name}={shown(members)}: must be a list of feature numbers")
    return tuple(members)


class Saved:
    """A dataclass that is saved as JSON: its fields in their order, each under its name or that of `KEYS`."""

    KEYS: ClassVar[Mapping[str, str]] = {}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {self.KEYS.get(name, name): plain(value) for name, value in vars(self).items()}


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
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value)):
        return value
    return str(value)
