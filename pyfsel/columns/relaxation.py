"""Prices of features from a linear relaxation over all sets that are allowed on their own."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.columns.allowed_sets import LOW, AllowedSets, FoundSets
from pyfsel.ksubgraph.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

PENALTY = 20.0
CLOSE = 1e-7
MOST_ROUNDS = 300


class Prices(NamedTuple):
    """Lagrange multipliers, any of which give a valid bound.

    Attributes
    ----------
    weight : array of shape (n,)
        What a set is credited for each feature.
    overlap : int
        What each shared feature of a pair of sets costs, not negative.
    heaviest : int
        An upper bound on the weight of an allowed set.
    bound : int
        Upper bound on the sum of the values of compatible sets.
    """

    weight: NDArray[np.int64]
    overlap: int
    heaviest: int
    bound: int


def relaxed_prices(
    sets: AllowedSets, n_sets: int, give_up: Callable[[], bool] = lambda: False
) -> Prices | None:
    """Return the best prices for so many compatible sets, or None if not even one set is allowed.

    The relaxation takes λ_S of each allowed set S, Σ λ_S = n_sets, and feature counts
    ``c_j = Σ_{S∋j} λ_S = Σ_v u_jv``, 0 ≤ u ≤ 1; it maximises ``Σ q_j·c_j`` plus the rests of the sets,
    subject to pair counting, ``Σ (v−1)·u_jv ≤ max_overlap·C(n_sets, 2)``. It is solved by column generation:
    sets that are heavier by the duals than all before are new columns. Missing capacity can be bought, at a
    price so high that the bound falls below any solution where there is none. Each round's duals, rounded to
    integers, give a bound (see `count_term`), of which the lowest is kept; so the precision of the linear
    solver decides about its quality only.
    """
    unit = sets.unit
    columns = sets.improving(sets.quality, LOW)
    if len(columns.members) == 0:
        return None
    known = set(map(tuple, columns.members.tolist()))
    best: Prices | None = None
    for _ in range(MOST_ROUNDS):
        value, weight, overlap, level = _solve(sets, columns, n_sets)
        prices = (np.round(weight * unit).astype(np.int64), round(overlap * unit))
        threshold = int(np.floor(level * unit))
        new = sets.improving(prices[0], threshold)
        heaviest = threshold
        if len(new.members):
            heaviest = int(prices[0][new.members[-1]].sum() + new.rests[-1])
        counts = np.zeros_like(sets.quality)
        bound = count_term(sets.quality, *prices, n_sets, sets.max_overlap, counts) + n_sets * heaviest
        if best is None or bound < best.bound:
            best = Prices(*prices, heaviest, bound)
        fresh = [i for i, members in enumerate(new.members.tolist()) if tuple(members) not in known]
        if not fresh or best.bound <= value * unit + CLOSE * unit or give_up():
            break
        known.update(map(tuple, new.members[fresh].tolist()))
        columns = FoundSets(
            np.vstack([columns.members, new.members[fresh]]),
            np.concatenate([columns.rests, new.rests[fresh]]),
        )
    return best


def _solve(
    sets: AllowedSets, columns: FoundSets, n_sets: int
) -> tuple[float, NDArray[np.float64], float, float]:
    """Solve the relaxation over some columns; return its value and duals, in the unit of the sets."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, diags, hstack, kron, vstack

    members = columns.members
    n, m = len(sets.quality), len(members)
    inside = csr_matrix(
        (np.ones(members.size), (members.ravel(), np.repeat(np.arange(m), members.shape[1]))), shape=(n, m)
    )
    uses = -kron(diags(np.ones(n)), np.ones((1, n_sets)))
    counts = hstack([inside, uses, csr_matrix((n, 1))])
    how_many = hstack([np.ones((1, m)), csr_matrix((1, n * n_sets + 1))])
    pairs = hstack([csr_matrix((1, m)), np.tile(np.arange(float(n_sets)), (1, n)), [[-1.0]]])
    relaxation = linprog(
        np.concatenate([-columns.rests / sets.unit, -np.repeat(sets.quality / sets.unit, n_sets), [PENALTY]]),
        A_ub=pairs.tocsr(),
        b_ub=[sets.max_overlap * comb(n_sets, 2)],
        A_eq=vstack([counts, how_many]).tocsr(),
        b_eq=np.concatenate([np.zeros(n), [n_sets]]),
        bounds=[(0, None)] * m + [(0, 1)] * (n * n_sets) + [(0, None)],
        method="highs",
    )
    duals = relaxation.eqlin.marginals
    return -relaxation.fun, duals[:n], max(0.0, -relaxation.ineqlin.marginals[0]), -duals[n]


@compiled
def count_term(
    quality: NDArray[np.int64],
    weight: NDArray[np.int64],
    overlap: int,
    n_sets: int,
    max_overlap: int,
    counts: NDArray[np.int64],
) -> int:
    """Return the part of the Lagrangian bound that depends on feature counts, and write the best counts.

    For compatible sets S_1, …, S_L and any weights w and price μ ≥ 0, with c_j the number of sets that
    contain feature j, ``Σ_s q(S_s) = Σ_s w(S_s) + Σ_j (q_j − w_j)·c_j`` and
    ``Σ_j C(c_j, 2) ≤ max_overlap·C(L, 2)``. So the sum of the qualities is at most ``Σ_s w(S_s)`` plus
    ``Σ_j max_c ((q_j − w_j)·c − μ·C(c, 2)) + μ·max_overlap·C(L, 2)``, the value returned.
    """
    total = overlap * max_overlap * (n_sets * (n_sets - 1) // 2)
    for j in range(len(quality)):
        gain = quality[j] - weight[j]
        best = 0
        counts[j] = 0
        for count in range(1, n_sets + 1):
            if gain <= 0:
                break
            best += gain
            counts[j] = count
            gain -= overlap
        total += best
    return total
