"""Dual values of rows, rounded to integers and moved out of a sum: for core-guided search, and for minima."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from pyfsel.model.build import Style, build
from pyfsel.model.model import LinearRow, ZeroOneModel
from pyfsel.model.passes import row_of
from pyfsel.problem.instance import Instance
from pyfsel.results.control import LITERAL

NOT_PRICED = ("count", "least", "mean")
"""Roles of rows whose dual values are not moved."""
FEW_TERMS = 25
"""Up to this number of terms RC2 needs no dual values: 646 random problems of all kinds took 10.1 CPU
seconds without and 12.7 with them, each at most 0.12 more without. To load the linear programs takes 0.45.
With 50 terms there are problems that are proved at once with dual values, and not in 6 seconds without."""


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

    @property
    def highest(self) -> int:
        """An upper bound on the sum, of 0/1 variables: what the linear relaxation says, but for rounding."""
        paid = sum(price * ((row.high if price > 0 else row.low) or 0) for row, price in self.prices)
        return self.constant + paid + sum(c for c in self.rewards.values() if c > 0)


def prices_pay(m: ZeroOneModel, formulation: str) -> bool:
    """Return whether the model of a formulation is to be given to core-guided search with prices."""
    return formulation != LITERAL and sum(len(value.terms) for value in m.values) > FEW_TERMS


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


def without_hopeless(problem: Instance, value: int) -> Instance:
    """Return a problem of a minimum in which pairs of features conflict that no good enough set holds.

    Each set of a solution that is as good as a known one is worth at least as much as the worst of the known
    sets. It is also a solution of the problem of one set, whose objective is
    ``constant + rewards · x + Σ price · (sum of the row)`` by `priced`: at most `Priced.highest`, and with a
    variable whose reward is negative less by that much. Where what is left is not enough, no set of such a
    solution holds the pair of features for which the variable stands. Dual values that are rounded, or not
    optimal, make fewer pairs hopeless, and none that is not. A solver sees little of this by itself: in the
    linear relaxation of all sets the dual value of one, and so each reduced cost in it, is a share of the
    objective only.

    Parameters
    ----------
    problem : Instance
        Of several sets of one size, with an objective on pairs.
    value : int
        The objective of a known solution, which stays possible, as every optimum does.

    Examples
    --------
    >>> pairs = [[0, 9, 0], [9, 0, 1], [0, 1, 0]]
    >>> problem = Instance([9, 8, 7], 2, 2, 1, "mrmr", pairs=pairs, aggregate="min")
    >>> without_hopeless(problem, 13).conflicts.tolist()
    [[0, 1]]
    """
    alone = build(problem.replace(n_sets=1), Style(implied=True))
    clauses = [row_of(clause) for clause in alone.clauses if len(clause) == 2]
    found = priced(replace(alone, rows=[*alone.rows, *clauses]), alone.values[0].terms)
    spare = alone.values[0].constant + found.highest - value
    ties = [row.terms.keys() for row in alone.rows if row.role == "pairs"]
    hopeless = [
        ends
        for ends in combinations(range(len(ties)), 2)
        for pair in ties[ends[0]] & ties[ends[1]]
        if found.rewards.get(pair, 0) + spare < 0
    ]
    return problem.replace(conflicts=[*problem.conflicts.tolist(), *hopeless], min_quality=value)


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
    cost = [-weights.get(x, 0) for x in range(1, m.n + 1)]
    limits = [-least for _, _, least in sides]
    solved = linprog(cost, A_ub=matrix, b_ub=limits, bounds=(0, 1), method="highs")
    if not solved.success:
        return []
    prices = dict.fromkeys(rows, 0.0)
    for (row, sign, _), dual in zip(sides, solved.ineqlin.marginals, strict=True):
        prices[row] += sign * min(0.0, float(dual))
    return [(row, round(price)) for row, price in prices.items() if round(price)]
