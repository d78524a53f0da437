"""Copies: columns that say the same count as one feature, for which one of its columns stands.

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.side_constraints import Group


@dataclass(frozen=True)
class Merging:
    """Which columns stand for which.

    Parameters
    ----------
    names : sequence of str
        Of all columns.
    kept : tuple of int
        The columns that are features of the merged problem, ascending.
    feature_of : tuple of int
        For each column the feature, a position in `kept`, that stands for it.
    """

    names: Sequence[str]
    kept: tuple[int, ...]
    feature_of: tuple[int, ...]

    @classmethod
    def of(cls, clusters: Sequence[Sequence[int]], given: Mapping[str, Any]) -> Merging:
        """Choose the representatives: a forced column, else an allowed one of highest quality.

        Of several with the same quality the cheapest, and of these the first.

        Parameters
        ----------
        clusters : sequence of sequences of int
            Numbers of columns that are near-duplicates of each other, each in one cluster.
        given : mapping
            Qualities as floats, names and rules over all columns, by the names of fields of an instance.

        Raises
        ------
        InputError
            If two columns of a cluster are forced.
        """
        names, quality, costs = given["feature_names"], given["quality"], given.get("costs")
        forced, forbidden = set(given["forced"]), set(given["forbidden"])

        def rank(j: int) -> tuple[bool, bool, float, int, int]:
            return j not in forced, j in forbidden, -quality[j], 0 if costs is None else int(costs[j]), j

        stands_for = list(range(len(names)))
        for cluster in clusters:
            both = [j for j in cluster if j in forced]
            if len(both) > 1:
                raise InputError(
                    f"forced: {names[both[0]]!r} and {names[both[1]]!r} are copies; if copies are merged a "
                    "set holds at most one of them"
                )
            first = min(cluster, key=rank)
            for j in cluster:
                stands_for[j] = first
        kept, feature_of = np.unique(stands_for, return_inverse=True)
        return cls(names, tuple(kept.tolist()), tuple(feature_of.tolist()))

    @property
    def copies(self) -> tuple[tuple[int, str], ...]:
        """The columns that were merged: the feature that stands for each, and its name."""
        found = (
            (self.feature_of[j], name)
            for j, name in enumerate(self.names)
            if self.kept[self.feature_of[j]] != j
        )
        return tuple(sorted(found))

    def _set(self, columns: Sequence[int]) -> tuple[int, ...]:
        features = tuple(self.feature_of[j] for j in columns)
        if len(set(features)) < len(columns):
            raise InputError(f"previous: {list(columns)} holds two copies, of which a set holds at most one")
        return features

    def fields(self, given: Mapping[str, Any], k: int) -> dict[str, Any]:
        """Return the fields of an instance over the features, from the fields over all columns.

        Raises
        ------
        InputError
            If fewer than `k` features are left, a group needs more features than its clusters are, or a
            previous set has two columns of one.
        """
        if len(self.kept) < k:
            raise InputError(
                f"k={k}: must be at most {len(self.kept)}, the number of features if copies count once"
            )
        kept, place = np.array(self.kept), {j: number for number, j in enumerate(self.kept)}
        pairs, wide, costs = given["pairs"], given["lazy_pairs"], given.get("costs")
        return {
            **given,
            "quality": given["quality"][kept],
            "pairs": None if pairs is None else pairs[np.ix_(kept, kept)],
            "lazy_pairs": wide and wide.among(kept),
            "feature_names": tuple(self.names[j] for j in self.kept),
            "relatives": [(place[i], place[j]) for i, j in given["relatives"] if {i, j} <= place.keys()],
            "forced": tuple(self.feature_of[j] for j in given["forced"]),
            "forbidden": tuple(place[j] for j in given["forbidden"] if j in place),
            "previous": [self._set(columns) for columns in given["previous"]],
            "groups": tuple(self._group(i, group) for i, group in enumerate(given["groups"])),
            "costs": None if costs is None else costs[kept],
            "copies": self.copies,
        }

    def _group(self, number: int, group: Group) -> Group:
        features = tuple(dict.fromkeys(self.feature_of[j] for j in group.features))
        size = len(features)
        if size == len(group.features):
            return replace(group, features=features)
        at_most = group.at_most if group.at_most is None or group.at_most < size else None
        return replace(group, features=features, at_most=at_most)
