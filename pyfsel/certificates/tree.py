"""Trees whose leaves are multipliers of rows: duals of linear relaxations, rounded to integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from pyfsel.checker import Box, CountRow, Instance, RefusedError, Work, branches, contradicts, is_realisable
from pyfsel.results.control import Limits

# Tried in this order, as small multipliers make short lines; beyond 2**30 a price of HiGHS is noise. Rounding
# needs no direction: whether multipliers contradict a box is checked in integers, whatever they are.
DENOMINATORS = (1, 2, 8, 64, 1024, 2**15, 2**20, 2**30)
MOST_LEAVES = 5000  # each takes a relaxation or two to make; a file has a line for each
WORK_OF_A_LEAF = 200_000  # 20 ms for a search for sets with given counts; a leaf makes many
PENALTY = 1000.0
"""For a violated row, in units of the goal: no tree of the library's certificates is smaller with 10⁶."""
CLOSE = 1e-6  # HiGHS keeps rows to 1e-7: what is nearer to an integer than this counts as one


class GivenUpError(Exception):
    """No tree was found within the limits; the text says why."""


class Dual(NamedTuple):
    """The optimum of a relaxation: the price of each row, and the counts."""

    prices: Mapping[str, float]
    counts: list[float]


class TreeRelaxation:
    """The rows of the counts, as a linear program over ``u_jv``: feature j is in at least v sets.

    It maximises what `better` adds up to, in units of its largest coefficient, minus `PENALTY` times how
    much, in units of their coefficients, the other rows are violated; without `better` it minimises that
    alone. Its prices are prices of the program whose rows must hold as well, as that has fewer columns: where
    nothing is violated they are prices of the optimum, otherwise they contradict the box by the penalty.
    """

    def __init__(self, rows: Mapping[str, CountRow], n: int, count: int) -> None:
        from scipy.sparse import csr_array  # takes a second to load; only some certificates need it

        self.n, self.count = n, count
        others = dict(rows)
        better = others.pop("better", ({}, 0, 0))[0]
        self.names, self.goal = tuple(others), {"better": 1.0} if "better" in rows else {}
        self.scale = max([1, *map(abs, better.values())])
        gain = np.zeros(n)
        gain[list(better)] = [c / self.scale for c in better.values()]
        self.cost = np.append(-np.repeat(gain, count), PENALTY)
        matrix = np.zeros((len(others), n * count + 1))
        for row, (terms, shared, _) in zip(matrix, others.values(), strict=True):
            slopes = np.zeros((n, 1))
            slopes[list(terms), 0] = list(terms.values())
            row[:-1] = (slopes - shared * np.arange(count)).ravel()
            row[-1] = max([1, shared * (count - 1), *map(abs, terms.values())])
        self.at_most, self.limits = csr_array(-matrix), [-float(least) for *_, least in others.values()]

    def solve(self, box: Box) -> Dual:
        """Return the optimum within a box."""
        from scipy.optimize import linprog

        low, high = (np.repeat(ends, self.count) for ends in box)
        use = np.tile(np.arange(1, self.count + 1), self.n)
        bounds = np.column_stack([np.append(use <= low, 0.0), np.append(use <= high, np.inf)])
        found = linprog(self.cost, self.at_most, self.limits, bounds=bounds, options={"presolve": False})
        if not found.success:
            raise GivenUpError("a linear program was not solved")
        counts = found.x[:-1].reshape(self.n, self.count).sum(axis=1)
        prices = (-self.scale * found.ineqlin.marginals).tolist()
        return Dual(dict(zip(self.names, prices, strict=True)) | self.goal, counts.tolist())


class TreeMaker:
    """Makes the nodes of a tree, see `pyfsel.checker.refute_by_tree`.

    Parameters
    ----------
    problem : Instance
    rows : mapping
        Those that leaves may use.
    limits : Limits
    """

    def __init__(self, problem: Instance, rows: dict[str, CountRow], limits: Limits) -> None:
        self.problem, self.rows, self.limits = problem, rows, limits
        self.n, self.count = len(problem.quality), problem.n_sets
        self.leaves = 0
        self.impossible: list[list[int]] = []
        self._realisable: dict[tuple[int, ...], bool] = {}
        self.relaxation = TreeRelaxation(self.rows, self.n, self.count)

    def nodes(self) -> Iterator[Any]:
        """Yield the nodes in preorder; raise `GivenUpError` if no tree is found within the limits."""
        return self._below(([0] * self.n, [self.count] * self.n))

    def _below(self, box: Box) -> Iterator[Any]:
        """Yield the nodes below a box, in preorder."""
        if self.limits.expired() or self.leaves > MOST_LEAVES:
            raise GivenUpError(f"no tree of at most {MOST_LEAVES} leaves was found in time")
        self.leaves += 1
        if any(fits(wanted, box[0]) for wanted in self.impossible):
            yield "impossible"
            return
        dual = self.relaxation.solve(box)
        leaf = self._leaf(dual, box)
        if leaf is not None:
            yield leaf
            return
        open_to = [abs(c - round(c)) for c in dual.counts]
        feature = int(np.argmax(open_to))
        if open_to[feature] > CLOSE:
            value = max(box[0][feature] + 1, ceil(dual.counts[feature] - CLOSE))
            yield from self._branch(box, feature, value)
        else:
            yield from self._at_counts(box, [round(c) for c in dual.counts])

    def _branch(self, box: Box, feature: int, value: int) -> Iterator[Any]:
        yield [feature, value]
        for part in branches(box, feature, value):
            yield from self._below(part)

    def _leaf(self, dual: Dual, box: Box) -> dict[str, int] | None:
        """Return the simplest multipliers near to the prices that contradict all of the box, or None."""
        largest = 1.0 if "better" in dual.prices else max(dual.prices.values(), default=0.0)
        if largest <= 0:
            return None
        for denominator in DENOMINATORS:
            rounded = {name: round(price / largest * denominator) for name, price in dual.prices.items()}
            multipliers = {name: factor for name, factor in rounded.items() if factor > 0}
            if contradicts(self.rows, multipliers, box):
                return multipliers
        return None

    def _at_counts(self, box: Box, counts: list[int]) -> Iterator[Any]:
        """Go on where all counts are integers: show that no sets have them, or branch."""
        wanted = None if self.count == 1 else self._not_realisable(counts)
        if wanted is None:
            feature = next((j for j, c in enumerate(counts) if box[0][j] < c), None)
            if self.count > 1 or feature is None:
                raise GivenUpError(
                    "the rows allow counts that do not contradict them, and nothing shows them impossible"
                )
            yield from self._branch(box, feature, counts[feature])
            return
        self.impossible.append(sorted(wanted, reverse=True))
        yield from self._towards(box, wanted)

    def _towards(self, box: Box, wanted: list[int]) -> Iterator[Any]:
        """Branch until the lower ends of the box reach impossible counts, features of low quality first."""
        rank = sorted(range(self.n), key=lambda j: self.problem.quality[j])
        feature = next((j for j in rank if wanted[j] > box[0][j]), None)
        if feature is None:
            yield "impossible"
            return
        yield [feature, wanted[feature]]
        less, more = branches(box, feature, wanted[feature])
        yield from self._below(less)
        yield from self._towards(more, wanted)

    def _not_realisable(self, counts: list[int]) -> list[int] | None:
        """Return the counts, lowered while still no sets have them; None unless that is known of them."""
        if self._may_be(counts):
            return None
        for j in sorted(range(self.n), key=counts.__getitem__):
            for less in range(counts[j]):
                lowered = [less if i == j else c for i, c in enumerate(counts)]
                if not self._may_be(lowered):
                    counts = lowered
                    break
        return counts

    def _may_be(self, counts: list[int]) -> bool:
        """Return whether sets can have these counts, of whichever features, as far as that is known."""
        wanted = tuple(sorted(counts, reverse=True))
        if wanted not in self._realisable:
            try:
                self._realisable[wanted] = is_realisable(self.problem, counts, Work(WORK_OF_A_LEAF))
            except RefusedError:
                self._realisable[wanted] = True  # not known: nothing may rest on it
        return self._realisable[wanted]


def fits(wanted: list[int], counts: list[int]) -> bool:
    """Return whether sets with these counts contain sets with those wanted, which are in falling order."""
    have = sorted(counts, reverse=True)[: len(wanted)]
    return all(a >= b for a, b in zip(have, wanted, strict=True))
