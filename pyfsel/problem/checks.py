"""Checks of single arguments; the error names the argument, its value and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def one_of(name: str, choice: object, allowed: Iterable[str]) -> None:
    """Raise `InputError` unless the choice is one of the allowed words."""
    if not isinstance(choice, str) or choice not in allowed:
        raise InputError(f"{name}={choice!r}: must be one of {', '.join(allowed)}")


def list_of(name: str, items: Any) -> list[Any]:
    """Return what the user gave as a list; a text or a mapping is none."""
    if isinstance(items, (str, Mapping)) or not isinstance(items, Iterable):
        raise InputError(f"{name}={items!r}: must be a list")
    return list(items)


def finite_number(name: str, number: Any) -> float:
    """Return a finite number as a float."""
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, Real) or not np.isfinite(float(number)):
        raise InputError(f"{name}={number!r}: must be a finite number")
    return float(number)


def positive_number(name: str, number: Any) -> float:
    """Return a positive finite number as a float."""
    if isinstance(number, bool) or not isinstance(number, Real) or not 0 < float(number) < np.inf:
        raise InputError(f"{name}={number!r}: must be a positive number")
    return float(number)


def integer_in(name: str, number: Any, low: int, high: int | None) -> int:
    """Return an integer from `low` to `high` (None: no upper end); bool is none."""
    allowed = f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, Integral):
        raise InputError(f"{name}={number!r}: must be {allowed}")
    integer = int(number)
    if integer < low or (high is not None and integer > high):
        raise InputError(f"{name}={integer}: must be {allowed}")
    return integer


def _array(name: str, numbers: Any, shape: tuple[int | None, ...]) -> NDArray[np.generic]:
    try:
        array = np.array(numbers)
    except ValueError:
        raise InputError(f"{name}: rows differ in length") from None
    wanted = "×".join("n" if side is None else str(side) for side in shape)
    if array.ndim != len(shape) or any(
        side not in (None, found) for side, found in zip(shape, array.shape, strict=True)
    ):
        raise InputError(f"{name}: has shape {array.shape}, must be {wanted}")
    if array.size and array.dtype.kind not in "iuf":
        raise InputError(f"{name}: must be numbers, not {array.dtype}")
    return array


def integer_array(name: str, numbers: Any, shape: tuple[int | None, ...]) -> NDArray[np.int64]:
    """Return a read-only array of integers; in `shape`, None allows any length."""
    array = _array(name, numbers, shape)
    if array.size and array.dtype.kind == "f":
        raise InputError(f"{name}: must be integers; make_problem quantises floats")
    result = array.astype(np.int64)
    result.flags.writeable = False
    return result


def finite_array(name: str, numbers: Any, shape: tuple[int | None, ...]) -> NDArray[np.float64] | None:
    """Return a read-only array of finite floats, or None for None."""
    if numbers is None:
        return None
    result = _array(name, numbers, shape).astype(np.float64)
    if not np.isfinite(result).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(result))[0])
        position = where[0] if len(where) == 1 else where
        raise InputError(f"{name}: is {result[where]} at {position}, must be finite")
    result.flags.writeable = False
    return result


class IndexPairs(tuple[tuple[int, int], ...]):
    """Pairs that `index_pairs` has checked already, for `n` features; FCBF can have millions."""

    n: int


def index_pairs(name: str, pairs: Iterable[Iterable[int]], n: int) -> IndexPairs:
    """Return sorted pairs of different features, each once."""
    if isinstance(pairs, IndexPairs) and pairs.n == n:
        return pairs
    if isinstance(pairs, np.ndarray) and pairs.dtype.kind in "iu" and _are_pairs(pairs, n):
        numbers = np.unique(pairs.min(axis=1).astype(np.int64) * n + pairs.max(axis=1))
        checked = IndexPairs(zip((numbers // n).tolist(), (numbers % n).tolist(), strict=True))
    else:
        checked = IndexPairs(sorted(_pairs_one_by_one(name, pairs, n)))
    checked.n = n
    return checked


def _are_pairs(pairs: NDArray[np.integer[Any]], n: int) -> bool:
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        return False
    return bool((pairs[:, 0] != pairs[:, 1]).all() and (pairs >= 0).all() and (pairs < n).all())


def _pairs_one_by_one(name: str, pairs: Iterable[Iterable[int]], n: int) -> set[tuple[int, int]]:
    result = set()
    for pair in list_of(name, pairs):
        members = sorted(integer_in(name, j, 0, n - 1) for j in list_of(name, pair))
        if len(members) != 2 or members[0] == members[1]:
            raise InputError(f"{name}: {members} must be two different features")
        result.add((members[0], members[1]))
    return result
