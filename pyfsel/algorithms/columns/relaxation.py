"""Prices of features, and of subsets of them, from a linear relaxation over all sets allowed alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.bits import as_words
from pyfsel.algorithms.columns.allowed import AllowedSets, FoundSets, ListedSets, Wanted
from pyfsel.algorithms.columns.subsets import SubsetPrices, can_be_priced, overused
from pyfsel.core.binding import Ints, ShortInts, Words, in_core
from pyfsel.reductions.interchange import most_by_counting

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

PENALTY = 20.0  # for each set, in its unit: far above what a duo of sets can gain by breaking a row
CLOSE = 1e-7  # the tolerance of HiGHS: a bound this near to the optimum of the relaxation is not improved
MOST_ROUNDS = 300
LARGEST_TOTAL_PRICE = 2**50  # prices are added to weights, in 64 bits


class Prices(NamedTuple):
    """Lagrange multipliers, any of which give a valid bound.

    Attributes
    ----------
    weight : array of shape (n,)
        What a set is credited for each feature.
    subsets : SubsetPrices or None
        What a set pays for subsets of features; None if these have no prices.
    overlap : int
        What each shared feature of a pair of sets costs, not negative.
    heaviest : int
        An upper bound on the weight of an allowed set.
    bound : int
        Upper bound on the sum of the values of compatible sets.
    columns : FoundSets
        The sets that the relaxation was made of.
    """

    weight: NDArray[np.int64]
    subsets: SubsetPrices | None
    overlap: int
    heaviest: int
    bound: int
    columns: FoundSets


def relaxed_prices(
    sets: AllowedSets,
    n_sets: int,
    give_up: Callable[[], bool] = lambda: False,
    *,
    any_number: bool = False,
    decide: int | None = None,
) -> Prices | None:
    """Return the best prices for so many compatible sets, or None if not even one set is allowed.

    The relaxation takes λ_S of each allowed set S, Σ λ_S = n_sets, and feature counts
    ``c_j = Σ_{S∋j} λ_S = Σ_v u_jv``, 0 ≤ u ≤ 1, with as many u as sets can hold j; it maximises
    ``Σ q_j·c_j`` plus the rests of the sets, subject to pair counting,
    ``Σ (v−1)·u_jv ≤ max_overlap·C(n_sets, 2)``. No two sets hold the same ``max_overlap + 1`` features T,
    ``Σ_{S⊇T} λ_S ≤ 1``; those of these rows that are violated are added.

    It is solved by column generation: sets that are heavier by the duals than all before are new columns.
    Missing capacity, and uses of a feature that are too many, can be bought, at a price so high that the
    bound falls below any solution where there is none.
    Each round's duals, rounded to integers, give a bound (see `count_term`), of which the lowest is kept; so
    the precision of the linear solver decides about its quality only.

    Parameters
    ----------
    sets : AllowedSets
    n_sets : int
    give_up : callable
        When it returns True, the prices so far are returned.
    any_number : bool
        Whether Σ λ_S is left free, which with equal positive values asks how many sets there can be.
    decide : int, optional
        End as soon as it is known whether the bound is going to be at least this.
    """
    columns = sets.improving(Wanted(sets.quality))
    if len(columns.members) == 0:
        return None
    unit = sets.unit
    relaxation = _Relaxation(sets, n_sets, any_number, columns)
    best: Prices | None = None
    for _ in range(MOST_ROUNDS):
        solution = relaxation.solve()
        weight = np.round(solution.weight * unit).astype(np.int64)
        overlap = round(solution.overlap * unit)
        subsets = relaxation.subset_prices(solution, unit)
        threshold = int(np.floor(solution.level * unit))
        new = sets.improving(Wanted(weight, threshold + 1, subsets))
        heaviest = threshold  # an upper bound, where no set is heavier
        if len(new.members):
            heaviest = int(weight[new.members[-1]].sum() + new.rests[-1])
            heaviest -= 0 if subsets is None else int(subsets.charges(new.members[-1:])[0])
        counts = np.zeros_like(sets.quality)
        bound = count_term(
            sets.quality, weight, overlap, n_sets, sets.max_overlap, counts, relaxation.most_uses
        )
        bound += n_sets * heaviest + (0 if subsets is None else subsets.total)
        if best is None or bound < best.bound:
            best = Prices(weight, subsets, overlap, heaviest, bound, relaxation.columns)
        tightened = relaxation.add_overused(solution)
        extended = relaxation.extend(new)
        if decide is not None and (
            best.bound < decide or (not tightened and solution.value * unit >= decide)
        ):
            break
        if not tightened and (not extended or best.bound <= solution.value * unit + CLOSE * unit):
            break
        if give_up():
            break
    return None if best is None else best._replace(columns=relaxation.columns)


class _Solution(NamedTuple):
    """Primal and dual values of a relaxation over some columns, in the unit of the sets."""

    value: float
    weight: NDArray[np.float64]
    overlap: float
    level: float
    subsets: NDArray[np.float64]
    shares: NDArray[np.float64]


@dataclass
class _Relaxation:
    """A relaxation over some columns and rows of subsets of features, both of which are added to."""

    sets: AllowedSets
    n_sets: int
    any_number: bool
    columns: FoundSets

    def __post_init__(self) -> None:
        self.most_uses = use_limits(self.sets, self.n_sets)
        self.known = set(map(tuple, self.columns.members.tolist()))
        self.subsets = np.empty((0, self.sets.max_overlap + 1), dtype=np.int32)
        priced = can_be_priced(self.sets.set_size, self.sets.max_overlap)
        self.has_subsets = priced and self.sets.takes_subset_prices and self.n_sets > 1

    def extend(self, new: FoundSets) -> bool:
        """Add those columns that are not there yet; return whether there are any."""
        fresh = [i for i, members in enumerate(new.members.tolist()) if tuple(members) not in self.known]
        self.known.update(map(tuple, new.members[fresh].tolist()))
        self.columns = FoundSets(
            np.vstack([self.columns.members, new.members[fresh]]),
            np.concatenate([self.columns.rests, new.rests[fresh]]),
        )
        return bool(fresh)

    def add_overused(self, solution: _Solution) -> bool:
        """Add the rows of subsets that are in more than one set; return whether there are any."""
        if not self.has_subsets:
            return False
        members = self.columns.members[: len(solution.shares)]
        new = overused(members, solution.shares, self.sets.max_overlap + 1, self.subsets)
        self.subsets = np.vstack([self.subsets, new])
        return len(new) > 0

    def subset_prices(self, solution: _Solution, unit: int) -> SubsetPrices | None:
        """Return the prices of subsets in integers, None if none has one or they are too large."""
        price = np.round(solution.subsets * unit).astype(np.int64)
        paid = price > 0
        if not paid.any() or price.sum() > LARGEST_TOTAL_PRICE:
            return None
        return SubsetPrices(len(self.sets.quality), self.subsets[paid], price[paid])

    def solve(self) -> _Solution:
        """Solve the relaxation over the present columns and rows."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix, diags, hstack, kron, vstack

        sets, n_sets, columns = self.sets, self.n_sets, self.columns
        n, m = len(sets.quality), len(columns.members)
        uses = -kron(diags(np.ones(n)), np.ones((1, n_sets)))
        inside = _incidence(columns.members.T, n)
        equations = [hstack([inside, uses, csr_matrix((n, 2))])]
        if not self.any_number:
            equations.append(hstack([np.ones((1, m)), csr_matrix((1, n * n_sets + 2))]))
        limits = [hstack([csr_matrix((1, m)), np.tile(np.arange(float(n_sets)), (1, n)), [[-1.0, 0.0]]])]
        rows = len(self.subsets)
        if rows:
            shared = (_incidence(self.subsets.T, n).T @ inside).tocsr()
            shared.data = (shared.data == self.subsets.shape[1]).astype(float)
            limits.append(hstack([shared, csr_matrix((rows, n * n_sets)), np.tile([0.0, -1.0], (rows, 1))]))
        too_many = np.arange(n_sets) >= self.most_uses[:, np.newaxis]
        use_costs = PENALTY * n_sets * too_many.ravel() - np.repeat(sets.quality / sets.unit, n_sets)
        penalties = [PENALTY, PENALTY * n_sets]
        solved = linprog(
            np.concatenate([-columns.rests / sets.unit, use_costs, penalties]),
            A_ub=vstack(limits).tocsr(),
            b_ub=[sets.max_overlap * comb(n_sets, 2), *np.ones(rows)],
            A_eq=vstack(equations).tocsr(),
            b_eq=np.concatenate([np.zeros(n), [] if self.any_number else [n_sets]]),
            bounds=[(0, None)] * m + [(0, 1)] * (n * n_sets) + [(0, None)] * 2,
            method="highs",
        )
        duals, limit_duals = solved.eqlin.marginals, np.maximum(0.0, -solved.ineqlin.marginals)
        level = 0.0 if self.any_number else -duals[n]
        return _Solution(-solved.fun, duals[:n], limit_duals[0], level, limit_duals[1:], solved.x[:m])


def _incidence(places: NDArray[np.int64] | NDArray[np.int32], rows: int) -> csr_matrix:
    """Return the matrix with ones where `places`, shape (entries per column, m), says."""
    from scipy.sparse import csr_matrix

    per_column, m = places.shape
    entries = (places.ravel(), np.tile(np.arange(m), per_column))
    return csr_matrix((np.ones(places.size), entries), shape=(rows, m))


@in_core
def count_term(
    quality: Annotated[Ints, "n"],
    weight: Annotated[Ints, "n"],
    overlap: int,
    n_sets: int,
    max_overlap: int,
    counts: Annotated[Ints, "n"],
    most_uses: Annotated[Ints, "n"],
) -> int:
    """Return the part of the Lagrangian bound that depends on feature counts, and write the best counts.

    For compatible sets S_1, …, S_L and any weights w and price μ ≥ 0, with c_j the number of sets that
    contain feature j, ``Σ_s q(S_s) = Σ_s w(S_s) + Σ_j (q_j − w_j)·c_j`` and
    ``Σ_j C(c_j, 2) ≤ max_overlap·C(L, 2)``. So the sum of the qualities is at most ``Σ_s w(S_s)`` plus
    ``Σ_j max_c ((q_j − w_j)·c − μ·C(c, 2)) + μ·max_overlap·C(L, 2)``, the value returned, where c is
    at most `most_uses` (see `use_limits`). Subsets of features that no two sets both hold may have prices
    p ≥ 0 too, see `SubsetPrices`: sets that pay them weigh less, by at most ``Σ p`` in total, which is then
    part of the bound.
    """


def use_limits(sets: AllowedSets, n_sets: int) -> NDArray[np.int64]:
    """Return how many of so many compatible sets can hold each feature at most, shape (n,)."""
    n = len(sets.quality)
    by_others = limits_by_others(n, n_sets, sets.set_size, sets.max_overlap)
    limits = np.full(n, by_others[n - 1])
    if isinstance(sets, ListedSets):
        everything, words = np.arange(len(sets.members), dtype=np.int32), as_words(sets.members, n)
        beside = np.empty((n, words.shape[1]), dtype=np.uint64)
        limit_uses(sets.members, words, everything, by_others, limits, beside)
    return limits


def limits_by_others(n_features: int, n_sets: int, set_size: int, max_overlap: int) -> NDArray[np.int64]:
    """Return how many compatible sets can hold a feature at most, by how many others there are beside it.

    Without the feature, the sets that hold it are sets of one feature less that share one less.

    Returns
    -------
    array of shape (n_features,)

    Examples
    --------
    >>> limits_by_others(10, n_sets=4, set_size=3, max_overlap=1).tolist()
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    """
    others = range(n_features)
    if max_overlap == 0:
        limits = [1 if m >= set_size - 1 else 0 for m in others]
    elif max_overlap >= set_size:
        limits = [n_sets if m >= set_size - 1 else 0 for m in others]
    else:
        limits = [min(n_sets, most_by_counting(m, set_size - 1, max_overlap - 1)) for m in others]
    return np.array(limits, dtype=np.int64)


@in_core
def limit_uses(
    members: Annotated[ShortInts, "m", "set_size"],
    words: Annotated[Words, "m", "n_words"],
    listed: Annotated[ShortInts, "n_listed"],
    by_others: Annotated[Ints, "n"],
    limits: Annotated[Ints, "n"],
    beside: Annotated[Words, "n", "n_words"],
) -> None:
    """Lower limits on the uses of features to what the listed sets allow; `beside` is room to work in."""
