"""What follows from a problem, or holds for some optimum, and helps solvers: stated once, as data.

The variables are whatever stands for a 0/1 variable; `Model.state` takes what is stated. When which is valid:

- `counts_in_unary` and `pair_products` define variables; `pair_capacity` bounds where `counts_are_limited`.
- `set_order`: always, as every set is asked for the same; the sets of a solution can be put into that order.
- `dominance`: where `counts_are_ordered`, by `interchangeable_classes`.
- `exchange`: by `dominated_pairs`.
- All together: the exchanges of the last two end, as each moves memberships to better features. They speak of
  features in the same way in all sets, so putting the sets into order afterwards breaks none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import comb
from typing import Generic, NamedTuple, TypeVar

from pyfsel.problem.instance import Instance
from pyfsel.reductions.interchange import dominated_pairs, interchangeable_classes

V = TypeVar("V")
Clause = tuple[tuple[V, bool], ...]
"""Variables and values, one of which at least is taken."""
New = Callable[..., V]
"""Returns a new variable; the arguments are its name and indices."""


class Sum(NamedTuple, Generic[V]):
    """``low ≤ Σ coefficient · variable ≤ high``; None is no limit."""

    terms: Sequence[tuple[int, V]]
    low: int | None
    high: int | None


def lexicographic(first: Sequence[V], second: Sequence[V], new: Callable[[int], V]) -> Iterator[Clause[V]]:
    """Let the 0/1 vector `first` be lexicographically at least `second`.

    The new variable of a position must be true if the vectors agree up to there.

    Examples
    --------
    >>> list(lexicographic(["a"], ["b"], str))
    [(('a', True), ('b', False)), (('0', True), ('a', True)), (('0', True), ('b', False))]
    """
    so_far: Clause[V] = ()
    for position, (a, b) in enumerate(zip(first, second, strict=True)):
        yield *so_far, (a, True), (b, False)
        equal = new(position)
        yield *so_far, (equal, True), (a, True)
        yield *so_far, (equal, True), (b, False)
        so_far = ((equal, False),)


def set_order(member: Sequence[Sequence[V]], order: Sequence[int], new: New[V]) -> Iterator[Clause[V]]:
    """Order consecutive sets lexicographically, over the features in the given order."""
    for s, (first, second) in enumerate(pairwise(member)):
        left, right = ([row[j] for j in order] for row in (first, second))
        yield from lexicographic(left, right, partial(new, "equal", s))


def counts_are_limited(problem: Instance) -> bool:
    """Return whether counts of uses are limited: for several sets of one fixed size."""
    return problem.n_sets > 1 and not problem.has_size_range


def pair_capacity(problem: Instance) -> int:
    """Return the largest possible ``Σ_j C(c_j, 2)``, where c_j sets contain feature j.

    Both sides count, feature by feature or pair by pair, how often two sets share a feature.
    """
    return problem.max_shared * comb(problem.n_sets, 2)


def counts_in_unary(
    member: Sequence[Sequence[V]], at_least: Sequence[Sequence[V]]
) -> Iterator[Clause[V] | Sum[V]]:
    """Define how often features are used.

    Parameters
    ----------
    member : sequence of sequences of variables, shape (n_sets, n_features)
    at_least : sequence of sequences of variables, shape (n_features, n_sets)
        ``at_least[j][v]``: feature j is in more than v sets.
    """
    for j, chain in enumerate(at_least):
        yield Sum([*((1, row[j]) for row in member), *((-1, var) for var in chain)], 0, 0)
        for lower, higher in pairwise(chain):
            yield (higher, False), (lower, True)


def counts_are_ordered(problem: Instance) -> bool:
    """Return whether `dominance` is valid: for one set, and for sum-aggregation, overlap priced or not.

    Two features that change places in all sets leave it as it is how many features any two of these share.
    """
    return problem.n_sets == 1 or problem.aggregate == "sum"


def dominance(problem: Instance, at_least: Sequence[Sequence[V]]) -> Iterator[Clause[V]]:
    """Let a better feature be in at least as many sets as a worse one that is interchangeable with it.

    Exchanging the two in all sets keeps a solution feasible; by the rearrangement inequality some optimum has
    sorted counts. For one set, ``at_least[j]`` is the membership of j alone.
    """
    for members in interchangeable_classes(problem):
        for better, worse in pairwise(members):
            for more, less in zip(at_least[better], at_least[worse], strict=True):
                yield (less, False), (more, True)


def exchange_pairs(problem: Instance) -> list[tuple[int, int]]:
    """Return the pairs for `exchange`, without those of which `dominance` says more."""
    pairs = dominated_pairs(problem)
    if not counts_are_ordered(problem):
        return pairs
    number = {j: c for c, members in enumerate(interchangeable_classes(problem)) for j in members}
    return [(better, worse) for better, worse in pairs if number[better] != number[worse]]


def exchange(member: Sequence[Sequence[V]], better: int, worse: int, new: New[V]) -> Iterator[Clause[V]]:
    """Let some set have the better feature without the worse one if any has the worse one without the better.

    The new variable of a set may be true only if it is such a set.
    """
    only_better = []
    for s, row in enumerate(member):
        only = new("only", s, better, worse)
        yield (only, False), (row[better], True)
        yield (only, False), (row[worse], False)
        only_better.append((only, True))
    for row in member:
        yield (row[worse], False), (row[better], True), *only_better


def pair_products(
    row: Sequence[V], pairs: Mapping[tuple[int, int], V], k: int
) -> Iterator[Clause[V] | Sum[V]]:
    """Tie the variables of pairs i < j to those of features in one set, for objectives of pairs.

    A pair may be true only if both features are, and ``Σ_{j≠i} pair[i, j] = (k − 1) · row[i]``: each
    feature of a set of k is in k − 1 of its pairs. This makes linear relaxations strong.
    """
    partners: list[list[tuple[int, V]]] = [[] for _ in row]
    for (i, j), both in pairs.items():
        for end in (i, j):
            yield (both, False), (row[end], True)
            partners[end].append((1, both))
    for var, terms in zip(row, partners, strict=True):
        yield Sum([*terms, (1 - k, var)], 0, 0)
