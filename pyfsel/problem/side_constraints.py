"""What a single feature set must satisfy beyond its size: features, groups, costs, a minimum quality."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.checks import (
    LARGEST_INTEGER,
    integer_array,
    integer_in,
    is_a,
    list_of,
    positive_number,
    shown,
)

SIDE_CONSTRAINTS = ("size_range", "forced", "forbidden", "groups", "budget", "min_quality")
FIXED_SIZE_CONSTRAINTS = tuple(name for name in SIDE_CONSTRAINTS if name != "size_range")
LARGEST_TOTAL = LARGEST_INTEGER
LARGEST_SUM = 2**62
"""Sums of all costs fit into 64 bits with room for one addition."""
LARGEST_FACTOR = 10**7
"""Above the factors of τ, whose denominator is at most 10⁶; times sizes of sets they stay exact."""
GROUP_FIELDS = ("group_at_least", "group_at_most", "group_all_or_none")


@dataclass(frozen=True)
class Group:
    """Features of which every set must contain a minimum and a maximum number, or all or none.

    Parameters
    ----------
    features : sequence of int
        0-based; by name as well in `pyfsel.make_instance` and everything that builds problems from tables.
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


def checked_side_constraints(n_features: int, sizes: range, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the side constraints of a problem, checked and in their final form.

    Parameters
    ----------
    n_features : int
    sizes : range
        The sizes that a set may have.
    given : mapping
        The fields by name, as a user gave them.

    Raises
    ------
    InputError
        If one is not allowed, or they contradict each other at first sight.
    """
    n, k = n_features, sizes[-1]
    forced = checked_features("forced", given["forced"], n)
    forbidden = checked_features("forbidden", given["forbidden"], n)
    if set(forced) & set(forbidden):
        raise InputError(f"forbidden: {sorted(set(forced) & set(forbidden))} are forced as well")
    if len(forced) > k:
        raise InputError(f"forced: {len(forced)} features are more than k={k}")
    if n - len(forbidden) < sizes[0]:
        raise InputError(f"forbidden: leaves {n - len(forbidden)} features, sets have {sizes_text(sizes)}")
    return {
        "forced": forced,
        "forbidden": forbidden,
        "groups": checked_groups(given["groups"], n, k),
        "min_quality": _optional_integer("min_quality", given["min_quality"], -LARGEST_TOTAL, LARGEST_TOTAL),
        **_checked_costs(n, given),
        **_checked_factors(given, has_size_range=len(sizes) > 1),
    }


def _optional_integer(name: str, number: Any, low: int, high: int) -> int | None:
    return None if number is None else integer_in(name, number, low, high)


def sizes_text(sizes: range) -> str:
    """Return the allowed sizes in words."""
    return f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else str(sizes[0])


def _checked_costs(n: int, given: Mapping[str, Any]) -> dict[str, Any]:
    costs = given["costs"]
    if isinstance(costs, Sequence) and not costs:
        costs = None
    if costs is not None:
        costs = integer_array("costs", costs, (n,))
        if costs.min() < 0 and given["quality"].max() > 0:
            raise InputError(f"costs: holds {costs.min()}, must hold numbers of at least 0")
        largest = int(np.abs(costs).max())
        if largest * given["k"] > LARGEST_TOTAL or largest * n > LARGEST_SUM:
            raise InputError("costs: those of a set can go beyond 2**53; use a smaller cost_scale")
    budget = _optional_integer("budget", given["budget"], -LARGEST_TOTAL, LARGEST_TOTAL)
    if budget is not None and costs is None:
        raise InputError(f"budget={budget}: needs costs")
    cost_scale = positive_number("cost_scale", given["cost_scale"])
    return {"costs": costs, "budget": budget, "cost_scale": cost_scale}


def _checked_factors(given: Mapping[str, Any], *, has_size_range: bool) -> dict[str, Any]:
    shared_weight = _optional_integer("shared_weight", given["shared_weight"], 1, LARGEST_FACTOR)
    size_weight = _optional_integer("size_weight", given["size_weight"], 0, LARGEST_FACTOR)
    if (shared_weight is None) != (size_weight is None):
        raise InputError(f"shared_weight={shared_weight}, size_weight={size_weight}: go together")
    if shared_weight is not None and not has_size_range:
        raise InputError(f"shared_weight={shared_weight}: is for sets that differ in size (k_min)")
    if shared_weight is None:
        return {"shared_weight": None, "size_weight": None, "shared_constant": 0, "shared_by_smaller": False}
    constant = integer_in("shared_constant", given["shared_constant"], -LARGEST_TOTAL, 0)
    is_a("shared_by_smaller", given["shared_by_smaller"], bool, "True or False")
    factors = {"shared_weight": shared_weight, "size_weight": size_weight}
    return factors | {"shared_constant": constant, "shared_by_smaller": given["shared_by_smaller"]}


def checked_features(name: str, features: Iterable[int], n: int) -> tuple[int, ...]:
    """Return different feature numbers in ascending order."""
    indices = [integer_in(name, j, 0, n - 1) for j in list_of(name, features)]
    if len(set(indices)) != len(indices):
        raise InputError(f"{name}: {indices} must be different features")
    return tuple(sorted(indices))


def checked_groups(groups: Any, n: int, k: int) -> tuple[Group, ...]:
    """Return the groups with all their limits filled in.

    Raises
    ------
    InputError
        If something is not a group, or a limit is out of its range.
    """
    listed = list_of("groups", groups)
    return tuple(_checked_group(f"groups[{i}]", group, n, k) for i, group in enumerate(listed))


def _checked_group(name: str, group: Any, n: int, k: int) -> Group:
    if not isinstance(group, Group):
        raise InputError(f"{name}={group!r}: must be a pyfsel.Group")
    members = checked_features(name, group.features, n)
    if not members:
        raise InputError(f"{name}: is empty, must hold at least one feature")
    size = len(members)
    at_least = integer_in(f"{name}.at_least", group.at_least, 0, min(size, k))
    at_most = size if group.at_most is None else group.at_most
    at_most = integer_in(f"{name}.at_most", at_most, at_least, size)
    if not isinstance(group.all_or_none, bool):
        raise InputError(f"{name}.all_or_none={group.all_or_none!r}: must be True or False")
    return Group(members, at_least, at_most, group.all_or_none)


def groups_to_dict(groups: Sequence[Group]) -> dict[str, Any]:
    """Return the groups as lists of plain data, as MiniZinc reads them."""
    return {
        "groups": [{"set": list(group.features)} for group in groups],
        "group_at_least": [group.at_least for group in groups],
        "group_at_most": [group.at_most for group in groups],
        "group_all_or_none": [group.all_or_none for group in groups],
    }


def groups_from_dict(data: Mapping[str, Any]) -> list[Group]:
    """Return the groups that `groups_to_dict` wrote; lists of limits may be missing.

    Raises
    ------
    InputError
        If lists differ in length.
    """
    members = [members_of("groups", group) for group in list_of("groups", data["groups"])]
    limits = {}
    for name in GROUP_FIELDS:
        if name in data:
            limits[name.removeprefix("group_")] = listed = list_of(name, data[name])
            if len(listed) != len(members):
                raise InputError(f"{name}: has {len(listed)} values, must have one for each of the groups")
    return [
        Group(features, **{name: listed[i] for name, listed in limits.items()})
        for i, features in enumerate(members)
    ]


def members_of(name: str, members: Any) -> Any:
    """Return the members of a set of a file, ``{"set": [...]}`` or a list."""
    if not isinstance(members, Mapping):
        return members
    if set(members) != {"set"}:
        raise InputError(f'{name}={shown(members)}: is not a set. Write a set as {{"set": [0, 2]}}.')
    return members["set"]
