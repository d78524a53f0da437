"""Strengthened encodings for qualities that are sums over features, also under conflicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.ksubgraph.instance import membership
from pyfsel.backends.maxsat.encoding.constraints import (
    add_conflicts,
    add_sets,
    add_side_constraints,
    feature_counts,
)
from pyfsel.model.strengthening import dominance, pair_capacity, set_order
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality
from pyfsel.reductions.interchange import prefix_limits
from pyfsel.solvers.sat.counters import Membership, exactly, unary_sums
from pyfsel.solvers.sat.formula import Formula, Losses


@dataclass(frozen=True)
class Counts:
    """Feature counts in unary, and in unary how often two sets share a feature."""

    u: list[list[int]]
    pairs: list[int]


def encode_one_set(formula: Formula, problem: Problem, x: Membership, cardinality: str) -> None:
    """Encode one set by how many of the i best features it holds, for every i.

    With qualities sorted as q_1 ≥ … ≥ q_n and P_i selected features among the i best, the objective is
    ``Σ_i (q_i − q_{i+1})·P_i + q_n·k``, and P_i in unary gives soft clauses that conflict early.
    Previous sets compete for the best features; there `_encode_one_set_priced` leaves less to prove.
    """
    (row,) = x
    if problem.previous_sets:
        _encode_one_set_priced(formula, problem, row, cardinality)
        return
    order = by_quality(problem)
    size = problem.set_size
    quality = problem.quality[order].tolist()
    prefixes = unary_sums(formula, "prefix", [([row[j]], [1]) for j in order], size + 1)
    formula.add(prefixes[-1][size - 1])
    for counts in prefixes:
        if len(counts) > size:
            formula.add(-counts[size])
    add_conflicts(formula, problem, row)
    add_side_constraints(formula, problem, row, cardinality)
    formula.constant += size * quality[-1]
    for i, counts in enumerate(prefixes[:-1]):
        for literal in counts[:size]:
            formula.reward(literal, quality[i] - quality[i + 1])


def _encode_one_set_priced(formula: Formula, problem: Problem, row: list[int], cardinality: str) -> None:
    """Encode one set with rewards shifted by prices of a member (λ) and of members of previous sets (μ_p).

    With O_p features shared with previous set p, for any λ and μ_p
    ``Σ q_j·x_j = λ·set_size + Σ_p μ_p·O_p + Σ_j (q_j − λ − Σ_{p: j in p} μ_p)·x_j``.
    """
    exactly(formula, row, problem.set_size, cardinality)
    add_conflicts(formula, problem, row)
    add_side_constraints(formula, problem, row, cardinality)
    price, overlap_prices = overlap_duals(problem)
    formula.constant += price * problem.set_size
    rewards = [q - price for q in problem.quality.tolist()]
    bound = problem.max_overlap
    for p, (previous, overlap_price) in enumerate(zip(problem.previous_sets, overlap_prices, strict=True)):
        shared = unary_sums(formula, f"shared[{p}]", [([row[j]], [1]) for j in previous], bound + 1)[-1]
        for literal in shared[bound:]:
            formula.add(-literal)
        for literal in shared[:bound]:
            formula.reward(literal, overlap_price)
        for j in previous:
            rewards[j] -= overlap_price
    for literal, amount in zip(row, rewards, strict=True):
        formula.reward(literal, amount)


def encode_sum(formula: Formula, problem: Problem, x: Membership, cardinality: str) -> None:
    """Encode several sets with the sum of their qualities, which depends on the feature counts only.

    With c_j the number of sets that contain feature j, and u[j,v] true if c_j ≥ v, the objective is
    ``Σ q_j·u[j,v]``. Its rewards are shifted by integer prices λ and μ of the two equations
    ``Σ u = n_sets·set_size`` and ``Y = Σ (v−1)·u`` (which is at most the capacity of overlaps):
    ``Σ q_j·u[j,v] = λ·n_sets·set_size + μ·Y + Σ (q_j − λ − μ·(v−1))·u[j,v]`` for any λ and μ. Taken from the
    linear relaxation they leave little to pay for the solver.
    """
    add_sets(formula, problem, x, cardinality)
    counts = add_counts(formula, problem, x)
    formula.add_all(dominance(problem, counts.u))
    prices = dual_prices(problem)
    formula.constant += prices[0] * problem.n_sets * problem.set_size
    for chain in priced_chains(problem, counts, prices):
        for literal, amount in chain:
            formula.reward(literal, amount)
    formula.losses = sum_losses(problem, counts, prices, factor=1)


def priced_chains(problem: Problem, counts: Counts, prices: tuple[int, int]) -> list[list[tuple[int, int]]]:
    """Return the literals of the counts with their shifted rewards, as chains of implied literals."""
    price, pair_price = prices
    chains = [
        [(literal, int(problem.quality[j]) - price - pair_price * v) for v, literal in enumerate(chain)]
        for j, chain in enumerate(counts.u)
    ]
    return [*chains, [(literal, pair_price) for literal in counts.pairs]]


def sum_losses(problem: Problem, counts: Counts, prices: tuple[int, int], factor: int) -> Losses:
    """Return what single counts cost the sum of the qualities, which is at least ``factor·objective``.

    A literal of a chain that is false forfeits all positive rewards from it on; one that is true incurs all
    negative ones up to it.
    """
    limit = prices[0] * problem.n_sets * problem.set_size
    literals = []
    for chain in priced_chains(problem, counts, prices):
        rewards = [amount for _, amount in chain]
        limit += sum(max(0, amount) for amount in rewards)
        for i, (literal, _) in enumerate(chain):
            literals.append((literal, sum(max(0, amount) for amount in rewards[i:])))
            literals.append((-literal, -sum(min(0, amount) for amount in rewards[: i + 1])))
    return Losses(limit, factor, tuple((literal, loss) for literal, loss in literals if loss))


def add_counts(formula: Formula, problem: Problem, x: Membership) -> Counts:
    """Add feature counts, what is known about their sums, and the order of the sets.

    Everything here is valid for every aggregate and every objective whose sets are interchangeable.
    """
    order = by_quality(problem)
    n_sets, total = problem.n_sets, problem.n_sets * problem.set_size
    formula.add_all(set_order(x, order, formula.variable))
    u = feature_counts(formula, x)
    sums = unary_sums(formula, "members", [(u[j], [1] * n_sets) for j in order], total + 1)
    limits = prefix_limits(problem.n_features, n_sets, problem.set_size, problem.max_overlap)
    for literals, limit in zip(sums, limits, strict=True):
        for literal in literals[limit : limit + 1]:
            formula.add(-literal)
    formula.add(sums[-1][total - 1])
    capacity = pair_capacity(problem)
    pairs = unary_sums(
        formula, "pairs", [(u[j][1:], list(range(1, n_sets))) for j in order], capacity + 1
    )  # fmt: skip
    for literals in pairs:
        for literal in literals[capacity : capacity + 1]:
            formula.add(-literal)
    return Counts(u, pairs[-1][:capacity])


def dual_prices(problem: Problem) -> tuple[int, int]:
    """Return integer prices λ of a membership and μ ≥ 0 of a shared feature, from the linear relaxation.

    The relaxation maximises ``Σ q_j·u[j,v]`` subject to ``Σ u = n_sets·set_size`` and
    ``Σ (v−1)·u ≤ capacity``; rounding its duals is harmless, see `encode_sum`.
    """
    n_sets = problem.n_sets
    shared = np.tile(np.arange(n_sets, dtype=float), (1, problem.n_features))
    price, (pair_price,) = _duals(
        np.repeat(problem.quality, n_sets), n_sets * problem.set_size, shared, pair_capacity(problem)
    )
    return price, pair_price


def overlap_duals(problem: Problem) -> tuple[int, list[int]]:
    """Return integer prices of a member and, at least 0, of sharing a feature with each previous set.

    They are rounded duals of ``max Σ q_j·x_j`` subject to ``Σ x = set_size`` and the overlaps.
    """
    inside = membership(problem.previous_sets, problem.n_features)
    return _duals(problem.quality, problem.set_size, inside, problem.max_overlap)


def _duals(gains: NDArray[np.int64], n_taken: int, rows: NDArray[Any], most: int) -> tuple[int, list[int]]:
    """Return rounded duals of ``max Σ gains·u``, 0 ≤ u ≤ 1, that of ``Σ u = n_taken`` and of each row ≤ most.

    All are 0 if there is no solution.
    """
    from scipy.optimize import linprog

    relaxation = linprog(
        -gains.astype(float),
        A_ub=rows,
        b_ub=np.full(len(rows), most),
        A_eq=np.ones((1, len(gains))),
        b_eq=[n_taken],
        bounds=(0, 1),
        method="highs",
    )
    if not relaxation.success:
        return 0, [0] * len(rows)
    return -round(relaxation.eqlin.marginals[0]), [max(0, -round(m)) for m in relaxation.ineqlin.marginals]
