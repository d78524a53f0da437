"""Dual values of rows, rounded to integers and moved into the objective: for core-guided search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pyfsel.model.model import LinearRow, ZeroOneModel

NOT_PRICED = ("count", "least", "mean")
"""Roles of rows whose dual values are not moved."""


@dataclass
class Priced:
    """A weighted sum, rewritten: ``weights · x = constant + rewards · x + Σ price · (sum of the row)``.

    Parameters
    ----------
    prices : list of (LinearRow, int)
        Rows that are not equations. A price above 0 is paid for the upper limit, one below 0 for the lower;
        a row always has the limit that its price is paid for.
    rewards : dict of int to int
        What is left of the weights.
    constant : int
        What equations amount to.
    """

    prices: list[tuple[LinearRow, int]]
    rewards: dict[int, int]
    constant: int


def priced(m: ZeroOneModel, weights: dict[int, int]) -> Priced:
    """Move rounded dual values of the linear relaxation of the rows out of the weights.

    Subtracting ``price · sum`` of a row from the weights and adding it back as a term of its own changes no
    value, so any integers are valid. Duals leave little to gain: of the relaxation, ``rewards`` are reduced
    costs. Clauses stay out of it.
    """
    rows = [
        row
        for row in m.rows
        if row.terms and row.role not in NOT_PRICED and m.domain.keys().isdisjoint(row.terms)
    ]
    duals = _duals(m, rows, weights) if rows and weights else []
    rewards, prices, constant = dict(weights), [], 0
    for row, price in duals:
        for x, c in row.terms.items():
            rewards[x] = rewards.get(x, 0) - price * c
        if row.low is not None and row.low == row.high:
            constant += price * row.low
        else:
            prices.append((row, price))
    return Priced(prices, {x: c for x, c in rewards.items() if c}, constant)


def _duals(
    m: ZeroOneModel, rows: Sequence[LinearRow], weights: dict[int, int]
) -> list[tuple[LinearRow, int]]:
    """Return the rounded dual values that are not 0; none if the relaxation has no optimum."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    sides = [(row, sign, least) for row in rows for sign, least in row.sides]  # sign · sum ≥ least
    numbers = np.array([-sign * c for row, sign, _ in sides for c in row.terms.values()], float)
    columns = [x - 1 for row, _, _ in sides for x in row.terms]
    starts = np.cumsum([0, *(len(row.terms) for row, _, _ in sides)])
    matrix = csr_array((numbers, columns, starts), shape=(len(sides), m.n))
    cost = np.zeros(m.n)
    cost[[x - 1 for x in weights]] = [-c for c in weights.values()]
    limits = [-least for _, _, least in sides]
    solved = linprog(cost, A_ub=matrix, b_ub=limits, bounds=(0, 1), method="highs")
    if not solved.success:
        return []
    prices = dict.fromkeys(rows, 0.0)
    for (row, sign, _), dual in zip(sides, solved.ineqlin.marginals, strict=True):
        prices[row] += sign * min(0.0, float(dual))
    return [(row, round(price)) for row, price in prices.items() if round(price)]
