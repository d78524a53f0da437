"""Prices of features, of pairs and of subsets of them, and the bound that they give within ranges of uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.columns.by_uses.ranges import UseRanges
from pyfsel.algorithms.columns.prices.subsets import SubsetPrices
from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

IMPOSSIBLE = -(2**60)
MOST_PAIRS = 12
TOLERANCE = 1e-3


class UsePrices(NamedTuple):
    """Lagrange multipliers, any of which give a valid bound.

    For compatible sets with uses c, ``Σ_s q(S_s) = Σ_s w(S_s) + Σ_j (q_j − w_j)·c_j``. To this may be added,
    times a price, what is not negative: the `overlap` price times ``max_overlap·C(L, 2) − Σ_j C(c_j, 2)``,
    which is how much less the pairs of sets share than they may; the price of a row of `FeaturePairs`; and
    the price of a subset of features less what the only set that holds it pays.

    Attributes
    ----------
    weight : array of shape (n,)
        What a set is credited for each feature.
    pairs : array of shape (n, n)
        What a set pays for each pair of features, symmetric, not negative.
    subsets : SubsetPrices or None
        What a set pays for larger subsets.
    gains : array of shape (n, n_sets + 1)
        What is gained, beside the weights of the sets, if a feature is used so often.
    constant : int
        What is gained anyway.
    overlap : int
        The price of each feature that a pair of sets shares; what is lost by each it shares less.
    """

    weight: NDArray[np.int64]
    pairs: NDArray[np.int64]
    subsets: SubsetPrices | None
    gains: NDArray[np.int64]
    constant: int
    overlap: int

    def weights(self, members: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the weights of sets of features, shape (m, set_size), less what they pay, shape (m,)."""
        weights = np.empty(len(members), dtype=np.int64)
        _weigh(members, self.weight, self.pairs, bool(self.pairs.any()), weights)
        return weights if self.subsets is None else weights - self.subsets.charges(members)

    def bounded(self, ranges: UseRanges, weights: NDArray[np.int64]) -> UseBound:
        """Return the bound within the ranges, by the weights of all sets that can be in a solution."""
        gains = np.where(ranges.within(), self.gains, IMPOSSIBLE)
        heaviest = int(weights.max())
        bound = int(gains.max(axis=1).sum()) + self.constant + ranges.n_sets * heaviest
        return UseBound(bound, heaviest, self.overlap, gains, weights)


class UseBound(NamedTuple):
    """An upper bound on the sum of the values of compatible sets, and what is lost against it.

    Attributes
    ----------
    value : int
    heaviest : int
        What a set weighs at most.
    overlap : int
    gains : array of shape (n, n_sets + 1)
        See `UsePrices`; `IMPOSSIBLE` outside the ranges.
    weights : array of shape (m,)
        Of the sets that can be in a solution.
    """

    value: int
    heaviest: int
    overlap: int
    gains: NDArray[np.int64]
    weights: NDArray[np.int64]

    def worth_keeping(self, goal: int) -> NDArray[np.bool_]:
        """Return which of the sets can be in a solution with at least that sum, shape (m,)."""
        kept: NDArray[np.bool_] = self.weights >= self.heaviest - (self.value - goal)
        return kept

    def narrowed(self, ranges: UseRanges, goal: int) -> UseRanges:
        """Return the ranges of the solutions with at least that sum."""
        gap = self.value - goal
        possible = self.gains >= self.gains.max(axis=1, keepdims=True) - gap
        least = np.maximum(ranges.least, possible.argmax(axis=1))
        most = np.minimum(ranges.most, ranges.n_sets - possible[:, ::-1].argmax(axis=1))
        spare = min(ranges.spare, gap // self.overlap) if self.overlap > 0 else ranges.spare
        return ranges._replace(least=least, most=most, spare=spare)


class FeaturePairs(NamedTuple):
    """A limit on how often the other features come together with one feature.

    The sets that hold feature f share at most ``max_overlap − 1`` others pairwise. With w_j of them that
    hold j too, ``Σ_j C(w_j, 2) ≤ (max_overlap − 1)·C(c_f, 2)``, and for any integers t_j
    ``C(w_j, 2) ≥ t_j·w_j − C(t_j + 1, 2)``: the limit is
    ``Σ_j t_j·w_j ≤ (max_overlap − 1)·C(c_f, 2) + Σ_j C(t_j + 1, 2)``.

    Attributes
    ----------
    feature : int
    slopes : tuple of int
        The t_j of all features, 0 for the feature itself.
    """

    feature: int
    slopes: tuple[int, ...]

    @property
    def constant(self) -> int:
        """``Σ_j C(t_j + 1, 2)``."""
        return sum(t * (t + 1) // 2 for t in self.slopes)

    def coefficient(self, members: tuple[int, ...]) -> int:
        """Return what a set that holds the feature adds to the left side."""
        return sum(self.slopes[j] for j in members)


def violated_pairs(
    together: NDArray[np.float64], pairs: NDArray[np.float64], max_overlap: int
) -> list[FeaturePairs]:
    """Return the limits that fractional sets violate most, at most one for each feature.

    Parameters
    ----------
    together : array of shape (n, n)
        How many sets hold both features.
    pairs : array of shape (n,)
        How many pairs of sets hold each feature, or more.
    max_overlap : int
    """
    beside = together.copy()
    np.fill_diagonal(beside, 0.0)
    slopes = np.floor(beside + 1e-9).astype(np.int64)
    left = (slopes * beside - slopes * (slopes + 1) / 2).sum(axis=1)
    excess = left - (max_overlap - 1) * pairs
    broken = [f for f in np.argsort(-excess, kind="stable")[:MOST_PAIRS].tolist() if excess[f] > TOLERANCE]
    return [FeaturePairs(f, tuple(slopes[f].tolist())) for f in broken]


@compiled
def _weigh(
    members: NDArray[np.int32],
    weight: NDArray[np.int64],
    pairs: NDArray[np.int64],
    any_pairs: bool,
    weights: NDArray[np.int64],
) -> None:
    for one in range(len(members)):
        total = 0
        for p in range(members.shape[1]):
            total += weight[members[one, p]]
        if any_pairs:
            for p in range(members.shape[1]):
                for other in range(p):
                    total -= pairs[members[one, p], members[one, other]]
        weights[one] = total
