"""How much the features of sets say the same: independent features of a set, and relatives of set 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pyfsel.measures.arrays import Floats
from pyfsel.measures.copies import similarities
from pyfsel.measures.tables.table import Columns
from pyfsel.problem.instance import Instance

RELATED = 0.7
"""Features of at least this absolute rank correlation are related."""
ONE_SIGNAL = 0.4
"""A set of which at most this part of its features is independent is mostly one signal."""


@dataclass(frozen=True)
class Relations:
    """How much the features of sets say the same.

    Parameters
    ----------
    independent : tuple of float
        Number of independent features that each set is worth: k² / Σ ρ² over all pairs of its k features,
        from 1 (one signal) to k.
    new, related : tuple of int
        For each set its features that set 0 lacks, and how many of these are related to set 0.
    closest : tuple of (str, str, float)
        For each set its new feature that is closest to set 0, the feature there, and how similar they are.
    sizes : tuple of int
    """

    independent: tuple[float, ...]
    new: tuple[int, ...]
    related: tuple[int, ...]
    closest: tuple[tuple[str, str, float] | None, ...]
    sizes: tuple[int, ...]

    @property
    def is_one_signal(self) -> bool:
        """Whether set 0 is mostly one signal."""
        return bool(self.sizes) and self.sizes[0] > 1 and self.independent[0] <= ONE_SIGNAL * self.sizes[0]

    def lines(self, problem: Instance) -> list[str]:
        """Return what is worth saying: set 0 if it is mostly one signal, and related alternatives."""
        said = []
        if self.is_one_signal:
            way = '. Try near_duplicates="merge:0.8"'
            if problem.copies:
                way = '. Try objective="auto"' if problem.objective == "univariate" else ""
            said.append(
                f"Set 0 is mostly one signal: its {self.sizes[0]} features are worth "
                f"{self.independent[0]:.1f} independent ones{way}"
            )
        found = [
            f"{related} of {new} in set {number}, such as {pair[0]} to {pair[1]} ({pair[2]:.2f})"
            for number, (new, related, pair) in enumerate(
                zip(self.new, self.related, self.closest, strict=True)
            )
            if related and pair is not None
        ]
        if found:
            head = f"New features are related to set 0 (similarity at least {RELATED:g})"
            said.append(f"{head}: {'; '.join(found)}")
        return said


def relations(table: Columns, sets: Sequence[Sequence[int]]) -> Relations:
    """Return how much the features of some sets say the same.

    Parameters
    ----------
    table : Table or Columns
    sets : sequence of feature sets
        0-based positions in the table; set 0 is the original one.

    Examples
    --------
    >>> from pyfsel.measures.tables.table import load_dataset, prepare
    >>> table = prepare(*load_dataset("breast_cancer"))
    >>> found = relations(table, [(0, 2, 3), (20, 21, 22)])
    >>> round(found.independent[0], 2), found.new, found.related, found.closest[1][:2]
    (1.0, (0, 3), (0, 2), ('worst radius', 'mean perimeter'))
    """
    used = sorted({j for members in sets for j in members})
    if not used:
        return Relations((), (), (), (), ())
    alike, place = similarities(table, used), {j: i for i, j in enumerate(used)}
    places = [[place[j] for j in members] for members in sets]
    names = [table.feature_names[j] for j in used]
    return Relations(*zip(*(_of_set(alike, some, places[0], names) for some in places), strict=True))


def _of_set(
    alike: Floats, members: list[int], first: list[int], names: list[str]
) -> tuple[float, int, int, tuple[str, str, float] | None, int]:
    """Return what `Relations` says of a set, from how alike all features are."""
    squares = alike[np.ix_(members, members)] ** 2
    np.fill_diagonal(squares, 1.0)
    new, closest = [i for i in members if i not in first], None
    to_first = alike[np.ix_(new, first)]
    if new:
        i, j = np.unravel_index(int(to_first.argmax()), to_first.shape)
        closest = names[new[int(i)]], names[first[int(j)]], float(to_first.max())
    n_related = int((to_first.max(axis=1) >= RELATED).sum())
    return float(len(members) ** 2 / squares.sum()), len(new), n_related, closest, len(members)
