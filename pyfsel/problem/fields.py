"""Kinds of fields of an instance: how each is checked, written into a file, and read from it.

A new field is one line in `pyfsel.problem.instance.Instance` with its kind, and its name in a paragraph of
`pyfsel.problem.json.FILE`: checks, files and their reader draw on both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from pyfsel.core.arrays import Ints, Reals
from pyfsel.errors import InputError
from pyfsel.problem.checks import (
    LARGEST_INTEGER,
    finite_array,
    finite_number,
    index_pairs,
    integer_array,
    integer_in,
    is_a,
    kept,
    list_of,
    one_of,
    positive_number,
    shown,
)
from pyfsel.problem.evidence import NAMES_IN_FILES, Evidence
from pyfsel.problem.objectives import Family, FeatureSet
from pyfsel.problem.redundancies import LazyRedundancy

HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
"""A lone surrogate, which no file can have."""
SIDE_CONSTRAINTS = ("size_range", "forced", "forbidden", "groups", "budget", "min_quality")
FIXED_SIZE_CONSTRAINTS = SIDE_CONSTRAINTS[1:]
LARGEST_TOTAL = LARGEST_INTEGER
LARGEST_SUM = 2**62
"""Sums of all costs fit into 64 bits with room for one addition."""
LARGEST_FACTOR = 10**7
"""Above the factors of τ, whose denominator is at most 10⁶; times sizes of sets they stay exact."""


@dataclass(frozen=True)
class Group:
    """Features of which every set must contain a minimum and a maximum number, or all or none.

    Parameters
    ----------
    features : sequence of int
        0-based; by name as well in `make_instance` and everything that builds problems from tables.
    at_least : int
    at_most : int, optional
        All of them if not given.
    all_or_none : bool
        A set holds all features of the group or none, such as the columns that encode one category.

    Examples
    --------
    >>> Group((3, 4, 5), at_most=1).at_most
    1
    """

    features: tuple[Any, ...]
    at_least: int = 0
    at_most: int | None = None
    all_or_none: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", kept(self.features))


Check = Callable[[str, Any, Any], Any]


def _plain(name: str, value: Any) -> dict[str, Any]:
    """Return a field as a file has it: an array or tuple as a list, and None as an empty one."""
    if value is None:
        return {name: []}
    is_sequence = not isinstance(value, str) and hasattr(value, "__len__")
    return {name: np.asarray(value).tolist() if is_sequence else value}


@dataclass(frozen=True)
class FieldKind:
    """What a field of an instance may be, next to its type in the annotation of the field.

    Parameters
    ----------
    check : callable
        Returns the final form of a value that is not None, from its name, what was given, and the instance
        with all fields before this one checked. Raises `InputError` if the value is not allowed.
    write : callable
        Returns what the JSON file says of a value, by the names there.
    read : callable, optional
        Returns the value from the data of a file, if that is not the value itself.
    names : tuple of str
        The names in the file, if they differ from the name of the field.
    """

    check: Check
    write: Callable[[str, Any], dict[str, Any]] = _plain
    read: Callable[[Mapping[str, Any]], Any] | None = None
    names: tuple[str, ...] = ()

    def from_file(self, name: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the field by its name if the data of a file have it."""
        if not any(own in data for own in self.names or (name,)):
            return {}
        return {name: data[name] if self.read is None else self.read(data)}


def whole(low: int, high: int | str | None = None) -> FieldKind:
    """Return the kind of integers from `low` to `high`: a number, or the name of another field."""
    return FieldKind(
        lambda name, given, instance: integer_in(
            name, given, low, getattr(instance, high) if isinstance(high, str) else high
        )
    )


def word(allowed: Iterable[str]) -> FieldKind:
    """Return the kind of some words."""
    return FieldKind(lambda name, given, _: one_of(name, given, allowed))


def _of_type(kind: type, what: str) -> FieldKind:
    return FieldKind(lambda name, given, _: is_a(name, given, kind, what))


def _array(of: Callable[..., Any], dimensions: int) -> FieldKind:
    """Return the kind of arrays with one row, and one column for two dimensions, for each feature."""
    return FieldKind(lambda name, given, instance: of(name, given, (instance.n_features,) * dimensions))


def _quality(name: str, given: Any, instance: Any) -> Any:
    numbers = integer_array(name, given, (None,))
    if not len(numbers):
        raise InputError("quality: is empty, must hold at least one feature")
    return numbers


def _pairs(name: str, given: Any, instance: Any) -> Any:
    matrix = integer_array(name, given, (instance.n_features,) * 2)
    if (matrix != matrix.T).any():
        raise InputError(f"{name}: must be symmetric")
    if np.diagonal(matrix).any():
        raise InputError(f"{name}: its diagonal must be zero")
    return matrix


def _features(name: str, given: Any, instance: Any) -> tuple[int, ...]:
    """Return different feature numbers in ascending order."""
    indices = [integer_in(name, j, 0, instance.n_features - 1) for j in list_of(name, given)]
    if len(set(indices)) != len(indices):
        raise InputError(f"{name}: {indices} must be different features")
    return tuple(sorted(indices))


def checked_set(instance: Any, members: Any) -> FeatureSet:
    """Return the features of a previous set, and their relatives.

    Raises
    ------
    InputError
        If they are not different features, or have another number than sets of the instance.
    """
    found = _features("previous", members, instance)
    if len(found) in instance.sizes:
        return found if len(instance.relatives) == 0 else tuple(instance.with_relatives(found))
    if len(instance.relatives) and len(found) > instance.k:  # relatives are among them already
        return found
    named = [instance.feature_names[j] for j in found]
    raise InputError(f"previous: {named} must be {instance.sizes_text} different features")


def _names(name: str, given: Any, instance: Any) -> tuple[str, ...]:
    names = tuple(list_of(name, given))
    if not names:
        return default_names(instance.n_features)
    if len(names) != instance.n_features:
        raise InputError(f"{name}: has {len(names)} names. Expected {instance.n_features}")
    for each in names:
        if not isinstance(each, str) or HALF_A_CHARACTER.search(each):
            raise InputError(f"{name}: holds {shown(each)}, must hold texts (Unicode)")
    _require_once(name, names)
    return names


def _require_once(name: str, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        twice = next(each for each in names if names.count(each) > 1)
        raise InputError(f"{name}: {twice!r} is listed more than once")


def default_names(n_features: int) -> tuple[str, ...]:
    """Return the names of features that have none of their own."""
    return tuple(f"x{j}" for j in range(n_features))


def _copies(name: str, given: Any, instance: Any) -> tuple[tuple[int, str], ...]:
    listed = [tuple(list_of(name, pair)) for pair in list_of(name, given)]
    if not all(len(pair) == 2 and isinstance(pair[1], str) for pair in listed):
        raise InputError(f"{name}={shown(given)}: must be pairs of a feature's number and a name")
    pairs = [(integer_in(name, j, 0, instance.n_features - 1), text) for j, text in listed]
    _require_once(name, [*instance.feature_names, *(text for _, text in pairs)])
    return tuple(sorted(pairs))


COPIES_IN_FILES = ("measured_duplicate_of", "measured_duplicates")


LIMITS = ("at_least", "at_most", "all_or_none")
"""The fields of a group, which files list by the names ``group_at_least`` and so on."""


def _groups(name: str, given: Any, instance: Any) -> tuple[Group, ...]:
    """Return the groups with all their limits filled in."""
    return tuple(_group(f"{name}[{i}]", one, instance) for i, one in enumerate(list_of(name, given)))


def _group(name: str, group: Any, instance: Any) -> Group:
    is_a(name, group, Group, "a pyfsel.Group")
    members = _features(name, group.features, instance)
    size = len(members)
    if not members:
        raise InputError(f"{name}: is empty, must hold at least one feature")
    at_least = integer_in(f"{name}.at_least", group.at_least, 0, min(size, instance.k))
    at_most = size if group.at_most is None else integer_in(f"{name}.at_most", group.at_most, at_least, size)
    is_a(f"{name}.all_or_none", group.all_or_none, bool, "True or False")
    return Group(members, at_least, at_most, group.all_or_none)


def _groups_written(name: str, groups: Sequence[Group]) -> dict[str, Any]:
    limits = {f"group_{limit}": [getattr(group, limit) for group in groups] for limit in LIMITS}
    return {name: [{"set": list(group.features)} for group in groups]} | limits


def _groups_read(data: Mapping[str, Any]) -> list[Group]:
    given = [limit for limit in LIMITS if f"group_{limit}" in data]
    rows = _rows(data, ("groups", *(f"group_{limit}" for limit in given)))
    return [Group(_members("groups", one), **dict(zip(given, row, strict=True))) for one, *row in rows]


def _rows(data: Mapping[str, Any], names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the rows of lists of a file that belong together, so they have one length."""
    columns = [list_of(name, data.get(name, [])) for name in names]
    for name, column in zip(names, columns, strict=True):
        if len(column) != len(columns[0]):
            raise InputError(f"{name}: has {len(column)} values. Expected one for each of {names[0]}")
    return list(zip(*columns, strict=True))


def _members(name: str, members: Any) -> Any:
    """Return the members of a set of a file, ``{"set": [...]}`` or a list."""
    if not isinstance(members, Mapping):
        return members
    if set(members) != {"set"}:
        raise InputError(f'{name}={shown(members)}: is not a set. Write a set as {{"set": [0, 2]}}.')
    return members["set"]


Positive = Annotated[float, FieldKind(lambda name, given, _: positive_number(name, given))]
Finite = Annotated[float, FieldKind(lambda name, given, _: finite_number(name, given))]
Flag = Annotated[bool, _of_type(bool, "True or False")]
Line = Annotated[str, _of_type(str, "a text")]
Quality = Annotated[Ints, FieldKind(_quality)]
Costs = Annotated[Ints | None, _array(integer_array, 1)]
Pairs = Annotated[Any, FieldKind(_pairs)]  # or None: an objective on pairs is refused without them
Floats = Annotated[Reals | None, _array(finite_array, 1)]
FloatPairs = Annotated[Reals | None, _array(finite_array, 2)]
LazyPairs = Annotated[LazyRedundancy | None, _of_type(LazyRedundancy, "LazyRedundancy")]
FeaturePairs = Annotated[
    Any,  # pairs are given in any form, and an array then
    FieldKind(lambda name, given, instance: index_pairs(name, given, instance.n_features)),
]
Features = Annotated[tuple[int, ...], FieldKind(_features)]
Names = Annotated[tuple[str, ...], FieldKind(_names)]
Sets = Annotated[
    Family,
    FieldKind(
        lambda name, given, instance: tuple(checked_set(instance, one) for one in list_of(name, given)),
        lambda name, sets: {name: [{"set": list(members)} for members in sets]},
        lambda data: [_members("previous", one) for one in list_of("previous", data["previous"])],
    ),
]
Groups = Annotated[
    tuple[Group, ...],
    FieldKind(_groups, _groups_written, _groups_read, ("groups", *(f"group_{limit}" for limit in LIMITS))),
]
Copies = Annotated[
    tuple[tuple[int, str], ...],
    FieldKind(
        _copies,
        lambda name, copies: dict(zip(COPIES_IN_FILES, map(list, zip(*copies, strict=True)), strict=True)),
        lambda data: _rows(data, COPIES_IN_FILES),
        COPIES_IN_FILES,
    ),
]
Trust = Annotated[
    Evidence | None,
    FieldKind(
        lambda name, evidence, instance: evidence.checked(instance.n_features),
        lambda name, evidence: evidence.to_dict(),
        Evidence.from_dict,
        NAMES_IN_FILES,
    ),
]
