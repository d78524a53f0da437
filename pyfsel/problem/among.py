"""The fields of a problem over some of its features, with new numbers: also of copies that are merged.

Copies are columns that say the same: they count as one feature, for which one of its columns stands.
Everything that names a feature means its cluster then: overlap, previous sets, groups. The problem that is
left is an ordinary one over the representatives, so every backend solves it unchanged.

What is proved. A set of the merged problem holds at most one column of a cluster, the representative, and
two sets overlap in as many clusters as they share. So what is proved is proved *among representatives*. For
sums of qualities without costs that loses nothing: let S be sets over all columns that hold at most one
column of each cluster, satisfy everything said about clusters, and hold what is forced and nothing forbidden.
Exchange every column for its representative: sizes, overlaps and group counts refer to clusters and stay,
a forced column is its cluster's representative already, and of the columns allowed in S the representative
has the highest quality, so no set gets worse. With redundancies, conflicts or costs a lesser column can suit
some sets better than the representative does; then nothing is said about sets with other columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyfsel.errors import InputError
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
    found = {
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


def merged(clusters: Sequence[Sequence[int]], given: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Return the fields of an instance over representatives, from the fields over all columns.

    Parameters
    ----------
    clusters : sequence of sequences of int
        Numbers of columns that are near-duplicates of each other, each in one cluster.
    given : mapping
        Qualities as floats, names and rules over all columns, by the names of fields of an instance.
    k : int
        The maximum size of a set.

    Raises
    ------
    InputError
        If two columns of a cluster are forced or in a previous set, or fewer than `k` features are left.
    """
    names, stands_for = given["feature_names"], list(range(len(given["quality"])))
    for cluster in clusters:
        for j in cluster:
            stands_for[j] = _representative(cluster, given)
    kept = sorted(set(stands_for))
    if len(kept) < k:
        raise InputError(
            f"k={k}: must be at most {len(kept)}, the number of features if near-duplicates count once"
        )
    for members in given["previous"]:
        if len({stands_for[j] for j in members}) < len(members):
            raise InputError(
                f"previous: {[names[j] for j in members]} holds two copies, of which a set holds at most one"
            )
    others = [(kept.index(one), names[j]) for j, one in enumerate(stands_for) if one != j]
    return {**given, **among(given, kept, stands_for), "copies": others}


def _representative(cluster: Sequence[int], given: Mapping[str, Any]) -> int:
    """Return a forced column, else an allowed one of maximum quality, the cheapest of these, the first."""
    names, costs = given["feature_names"], given.get("costs")
    both = [names[j] for j in cluster if j in given["forced"]]
    if len(both) > 1:
        raise InputError(
            f"forced: {both[0]!r} and {both[1]!r} are copies; if copies are merged a set holds at most one "
            "of them"
        )

    def rank(j: int) -> tuple[Any, ...]:
        cost = 0 if costs is None else int(costs[j])
        return j not in given["forced"], j in given["forbidden"], -given["quality"][j], cost, j

    return min(cluster, key=rank)
