"""How much the features of sets say the same: independent features of a set, and relatives of set 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pyfsel.measures.arrays import Floats, Ints
from pyfsel.measures.copies import similarities
from pyfsel.measures.tables.table import Columns
from pyfsel.problem.instance import Instance

RELATED = 0.7
"""Features of at least this absolute rank correlation are related."""
ONE_SIGNAL = 0.4
"""A set of which at most this part of its features is independent is mostly one signal."""


class SetRelations(NamedTuple):
    """How much the features of a set say the same as each other, and as the features of set 0.

    Parameters
    ----------
    size : int
    independent : float
        Number of independent features that the set is worth: k² / Σ ρ² over all pairs of its k features, from
        1 (one signal) to k.
    n_new, n_related : int
        How many features set 0 lacks, and how many of these are related to set 0.
    closest : (str, str, float), optional
        The new feature that is closest to set 0, the feature there, and how similar they are.
    """

    size: int
    independent: float
    n_new: int
    n_related: int
    closest: tuple[str, str, float] | None


def relations(table: Columns, sets: Sequence[Sequence[int]]) -> list[SetRelations]:
    """Return how much the features of some sets say the same.

    Parameters
    ----------
    table : Table or Columns
    sets : sequence of feature sets
        0-based positions in the table; set 0 is the original one.

    Examples
    --------
    >>> from pyfsel.measures import load_dataset, prepare
    >>> table = prepare(*load_dataset("breast_cancer"))
    >>> first, second = relations(table, [(0, 2, 3), (20, 21, 22)])
    >>> round(first.independent, 2), second.n_new, second.n_related, second.closest[:2]
    (1.0, 3, 2, ('worst radius', 'mean perimeter'))
    """
    used = np.array(sorted({j for members in sets for j in members}), np.intp)
    if not len(used):
        return []
    alike, names = similarities(table, used.tolist()), [table.feature_names[j] for j in used]
    places = [np.searchsorted(used, members) for members in sets]
    return [_of_set(alike, members, places[0], names) for members in places]


def _of_set(alike: Floats, members: Ints, first: Ints, names: list[str]) -> SetRelations:
    """Return the relations of a set to the first one, from how alike all features are."""
    squares = alike[np.ix_(members, members)] ** 2
    np.fill_diagonal(squares, 1.0)
    new, closest = np.setdiff1d(members, first), None
    to_first = alike[np.ix_(new, first)]
    if len(new):
        i, j = np.unravel_index(int(to_first.argmax()), to_first.shape)
        closest = names[new[i]], names[first[j]], float(to_first[i, j])
    n_related = int((to_first.max(axis=1) >= RELATED).sum())
    return SetRelations(len(members), len(members) ** 2 / float(squares.sum()), len(new), n_related, closest)


def sentences(found: Sequence[SetRelations], problem: Instance) -> list[str]:
    """Return what is worth saying: set 0 if it is mostly one signal, and related alternatives."""
    said = []
    if found and found[0].size > 1 and found[0].independent <= ONE_SIGNAL * found[0].size:
        way = '. Try near_duplicates="merge:0.8"'
        if problem.copies:
            way = '. Try objective="auto"' if problem.objective == "univariate" else ""
        said.append(
            f"Set 0 is mostly one signal: its {found[0].size} features are worth "
            f"{found[0].independent:.1f} independent ones{way}"
        )
    related = [
        f"{one.n_related} of {one.n_new} in set {number}, such as {one.closest[0]} to {one.closest[1]} "
        f"({one.closest[2]:.2f})"
        for number, one in enumerate(found)
        if one.n_related and one.closest
    ]
    if related:
        head = f"New features are related to set 0 (similarity at least {RELATED:g})"
        said.append(f"{head}: {'; '.join(related)}")
    return said
