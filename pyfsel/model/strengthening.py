"""Constraints that follow from a problem, or hold for some optimum, and help solvers; when they are valid.

- `count_uses` and `tie_pairs` define variables; `pair_capacity` bounds where `counts_are_limited`.
- `order_sets`: always, because every set has the same constraints; the sets of a solution can be put into
  that order.
- `order_counts`: where `counts_are_ordered`, by `interchangeable_classes`.
- All together: the exchanges that order counts end, as each moves memberships to better features. They speak
  of features in the same way in all sets, so putting the sets into order afterwards breaks none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import comb

from pyfsel.model.model import ZeroOneModel
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import by_quality
from pyfsel.reductions.interchange import interchangeable_classes


def order_sets(m: ZeroOneModel, problem: Instance) -> None:
    """Order consecutive sets lexicographically, over the features in the order of their quality.

    The new variable of a position must be true if two sets agree up to there.
    """
    order = by_quality(problem)
    for s, (first, second) in enumerate(pairwise(m.member)):
        so_far: list[int] = []
        for position, j in enumerate(order):
            m.clause(*so_far, first[j], -second[j])
            equal = m.new("equal", s, position)
            m.clause(*so_far, equal, first[j])
            m.clause(*so_far, equal, -second[j])
            so_far = [-equal]


def counts_are_limited(problem: Instance) -> bool:
    """Return whether counts of uses are limited: for several sets of one fixed size."""
    return problem.n_sets > 1 and not problem.has_size_range


def pair_capacity(problem: Instance) -> int:
    """Return the largest possible ``Σ_j C(c_j, 2)``, where c_j sets contain feature j.

    Both sides count, feature by feature or pair by pair, how often two sets share a feature.
    """
    return problem.max_shared * comb(problem.n_sets, 2)


def count_uses(m: ZeroOneModel, at_least: Sequence[Sequence[int]]) -> None:
    """Define how often features are used: ``at_least[j][v]``, feature j is in more than v sets."""
    for j, chain in enumerate(at_least):
        m.row([*((1, row[j]) for row in m.member), *((-1, x) for x in chain)], 0, 0, "count")
        for lower, higher in pairwise(chain):
            m.clause(-higher, lower)


def counts_are_ordered(problem: Instance) -> bool:
    """Return whether `order_counts` is valid: for one set, and for sum-aggregation, overlap priced or not.

    Two features that change places in all sets leave it as it is how many features any two of these share.
    """
    return problem.n_sets == 1 or problem.aggregate == "sum"


def order_counts(m: ZeroOneModel, problem: Instance, at_least: Sequence[Sequence[int]]) -> None:
    """Let a better feature be in at least as many sets as a worse one that is interchangeable with it.

    Exchanging the two in all sets keeps a solution feasible; by the rearrangement inequality some optimum has
    sorted counts. For one set, ``at_least[j]`` is the membership of j alone.
    """
    for members in interchangeable_classes(problem):
        for better, worse in pairwise(members):
            for more, less in zip(at_least[better], at_least[worse], strict=True):
                m.clause(-less, more)


def tie_pairs(m: ZeroOneModel, row: Sequence[int], pairs: Mapping[tuple[int, int], int], k: int) -> None:
    """Tie the variables of pairs i < j to the variables of features in one set, for objectives of pairs.

    A pair may be true only if both features are, and ``Σ_{j≠i} pair[i, j] = (k − 1) · row[i]``: each
    feature of a set of k is in k − 1 of its pairs. This makes linear relaxations strong.
    """
    partners: list[list[tuple[int, int]]] = [[] for _ in row]
    for (i, j), both in pairs.items():
        for end in (i, j):
            m.clause(-both, row[end])
            partners[end].append((1, both))
    for x, terms in zip(row, partners, strict=True):
        m.row([*terms, (1 - k, x)], 0, 0, "pairs")
