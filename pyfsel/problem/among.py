"""The fields of a problem over some of its features, with new numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyfsel.problem.fields import Group


def among(
    given: Mapping[str, Any], kept: Sequence[int], stands_for: Sequence[int] | None = None
) -> dict[str, Any]:
    """Return numbers and rules over some features, by the names of fields of an `Instance`.

    Other features are left out of rules; groups that lose all of theirs go.

    Parameters
    ----------
    given : mapping
        The fields of an instance, or what an instance is built from: floats, and pairs of features as lists.
    kept : sequence of int
        The features that stay, in their new order; among them what is forced or in a previous set.
    stands_for : sequence of int, optional
        For each feature the one that stays and counts as it, wherever a rule names it.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> whole = vars(Instance([9, 8, 7], n_sets=1, k=1, max_shared=1, forced=[2], costs=[1, 2, 3]))
    >>> found = among(whole, [2, 0])
    >>> found["forced"], found["costs"].tolist(), found["feature_names"]
    ((0,), [3, 1], ('x2', 'x0'))
    """
    index = np.array(kept, dtype=np.intp)
    own = np.full(len(given["quality"]), -1)
    own[index] = np.arange(len(index))
    number = own if stands_for is None else own[list(stands_for)]

    def named(features: Iterable[int]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(int(number[j]) for j in features if number[j] >= 0))

    groups = [(group, named(group.features)) for group in given["groups"]]
    found: dict[str, Any] = {
        "feature_names": tuple(given["feature_names"][j] for j in index),
        "forced": named(given["forced"]),
        "forbidden": tuple(int(own[j]) for j in given["forbidden"] if own[j] >= 0),
        "previous": [named(members) for members in given["previous"]],
        "groups": [_among(group, members) for group, members in groups if members],
        "lazy_pairs": given["lazy_pairs"] and given["lazy_pairs"].among(index),
    }
    for name in ("quality", "costs", "exact_quality", "pairs", "exact_pairs"):
        numbers = given.get(name)
        if numbers is not None:
            found[name] = numbers[index] if numbers.ndim == 1 else numbers[np.ix_(index, index)]
    for name in ("conflicts", "relatives"):
        pairs = own[np.asarray(given.get(name, ()), dtype=np.intp).reshape(-1, 2)]
        found[name] = pairs[(pairs >= 0).all(axis=1)]
    return found


def _among(group: Group, members: tuple[int, ...]) -> Group:
    """Return a group of fewer features, without a limit that does not limit these."""
    most = group.at_most
    is_idle = most is not None and len(members) <= most <= len(group.features)
    return replace(group, features=members, at_most=None if is_idle else most)
