"""The simplest reductions: a problem over some of its features, without forbidden ones, without prices.

A restriction takes sets of the reduced problem back to the original one (`invert`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from pyfsel.problem.among import among
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family, FeatureSet, ObjectiveKind
from pyfsel.problem.values import kinds_of, objective_of, overlap_price


@dataclass(frozen=True)
class Restriction:
    """A problem over some of the features.

    `kept[j]` is the number in the original problem of feature j of `problem`.
    """

    problem: Instance
    kept: Sequence[int]

    @classmethod
    def none(cls, problem: Instance) -> Self:
        """Return the reduction that changes nothing."""
        return cls(problem, range(problem.n_features))

    @classmethod
    def to(cls, problem: Instance, kept: Iterable[int]) -> Self:
        """Keep these features, in this order, among them all that previous sets and `forced` name.

        All-or-nothing groups are kept whole; other groups lose the features that are left out.
        """
        kept = tuple(kept)
        return cls(problem.replace(**among(vars(problem), kept), copies=(), evidence=None), kept)

    def then(self, further: Restriction) -> Restriction:
        """Return a restriction of the reduced problem as one of the original problem."""
        return replace(further, kept=tuple(self.kept[j] for j in further.kept))

    def invert(self, sets: Sequence[Iterable[int]]) -> list[FeatureSet]:
        """Return sets of the original problem for sets of the reduced one.

        An index that does not exist becomes −1, so the verification names it.
        """
        return [tuple(self.kept[j] if 0 <= j < len(self.kept) else -1 for j in members) for members in sets]

    def apply_to_sets(self, sets: Sequence[FeatureSet]) -> Family | None:
        """Return sets of the reduced problem, or None if a set holds a feature that was dropped."""
        position = {j: p for p, j in enumerate(self.kept)}
        if not position.keys() >= {j for members in sets for j in members}:
            return None
        return tuple(tuple(sorted(position[j] for j in members)) for members in sets)


def without_forbidden(problem: Instance) -> Restriction:
    """Return the problem without the features that no set may hold; the others keep their order.

    A price of shared features goes as well, if it can (`without_prices`).

    Forbidden features of previous sets stay, since they count in the sizes of these sets, and features of
    groups, since they count there; all do if columns are to be represented, the forbidden ones among them.
    Nothing is left out if fewer features than the largest size would remain.

    Examples
    --------
    >>> problem = Instance(quality=[5, 4, 3], n_sets=1, k=1, max_shared=1, forbidden=[0])
    >>> reduced = without_forbidden(problem)
    >>> reduced.problem.side_constraints, reduced.invert([(0,)])
    ((), [(1,)])
    """
    if problem.shared_price:
        problem = without_prices(problem)
    elsewhere = (*problem.previous, *(group.features for group in problem.groups))
    dropped = set(problem.forbidden).difference(*elsewhere)
    few = problem.n_features - len(dropped) < problem.k
    if not dropped or few or ObjectiveKind.MAXIMA in kinds_of(problem):
        return Restriction.none(problem)
    return Restriction.to(problem, (j for j in range(problem.n_features) if j not in dropped))


def without_prices(problem: Instance) -> Instance:
    """Return a problem with the same sets, of the same integer objectives, that has no prices if it can.

    For one set, a feature costs the same whatever else the set holds: the price, once for each previous set
    that has it. Where the value is the sum of the qualities these can be lowered by that, unless a least
    value is requested, which is one without prices.

    Examples
    --------
    >>> problem = Instance([9, 8, 7], 1, 2, 2, previous=[(0, 1), (0, 2)], shared_price=3)
    >>> without_prices(problem).quality.tolist()
    [3, 5, 4]
    """
    if problem.n_sets > 1 or not objective_of(problem).is_sum or problem.min_quality is not None:
        return problem
    price, known = overlap_price(problem), np.zeros(problem.n_features, dtype=np.int64)
    for members in problem.previous:
        known[list(members)] += 1
    return problem.replace(quality=problem.quality - price * known, exact_quality=None, shared_price=0)
