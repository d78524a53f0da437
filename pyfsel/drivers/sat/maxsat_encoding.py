"""From a model to weighted partial MaxSAT: counters, prices as soft clauses, the minimum in binary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from pyfsel.drivers.sat.counters import at_most_number, binary_sum, equal_number, unary_sum
from pyfsel.drivers.sat.formula import Formula
from pyfsel.model.dual_values import Priced, priced
from pyfsel.model.model import LinearRow, SetValue, ZeroOneModel
from pyfsel.model.passes import in_bits
from pyfsel.model.strengthening import lexicographic

LARGEST_UNARY = 500
"""Up to this limit sums are counted in unary, which propagates; others in binary."""


def encode_model(m: ZeroOneModel, prices: bool = True) -> Formula:
    """Return a model as weighted partial MaxSAT.

    Parameters
    ----------
    m : ZeroOneModel
        Integers that are not 0/1 are written in bits.
    prices : bool
        Whether dual values of rows are moved into soft clauses (`pyfsel.model.dual_values`).

    Examples
    --------
    >>> from pyfsel.model.build import build
    >>> from pyfsel.problem.instance import Instance
    >>> formula = encode_model(build(Instance(quality=[3, 2, 1], n_sets=1, k=2, max_shared=2)))
    >>> formula.soft, formula.constant, formula.decode([1, 2, -3])
    ([(1, 2), (2, 1)], 5, ((0, 1),))
    """
    writer = _Writer(in_bits(m))
    writer.write(prices)
    return writer.f


class _Part(NamedTuple):
    """A row with one limit, or two equal ones: ``weights · literals ≤ limit``, `moved` added to its sum."""

    row: LinearRow
    weights: dict[int, int]
    limit: int
    moved: int

    @property
    def is_equation(self) -> bool:
        return self.row.low == self.row.high

    @property
    def is_clause(self) -> bool:
        """Whether it says that not all literals are true."""
        return not self.is_equation and self.limit + 1 == len(self.weights) == sum(self.weights.values())

    @property
    def is_unary(self) -> bool:
        return 0 <= self.limit < LARGEST_UNARY

    @property
    def always_holds(self) -> bool:
        return not self.is_equation and self.limit >= sum(self.weights.values())

    @property
    def is_countable(self) -> bool:
        """Whether a price of the row can be moved: what it is times is a constant, or counted in unary."""
        return self.is_equation or (self.is_unary and not self.always_holds)


def _parts(row: LinearRow) -> Iterator[_Part]:
    """Yield a row as parts, an equation as one."""
    for one in (row,) if row.low == row.high else (replace(row, high=None), replace(row, low=None)):
        if one.sides:
            sign, least = one.sides[-1]
            weights = {x if sign * c < 0 else -x: abs(c) for x, c in row.terms.items()}
            moved = sum(max(0, sign * c) for c in row.terms.values())
            yield _Part(one, weights, moved - least, moved)


class _Writer:
    """Writes the parts of a model one after another.

    Attributes
    ----------
    outputs : dict of LinearRow to list of literals
        Of rows that are counted in unary: the number of true ones is the sum, `moved` added.
    """

    def __init__(self, m: ZeroOneModel) -> None:
        self.m, self.f = m, Formula(m)
        self.chain_of = {x: chain for chain in m.chains for x in chain}
        self.parts = {part.row: part for row in m.rows for part in _parts(row)}
        self.outputs: dict[LinearRow, list[int]] = {}

    def write(self, prices: bool) -> None:
        m, f = self.m, self.f
        for clause in m.clauses:
            f.add(*clause)
        countable = replace(m, rows=[row for row, part in self.parts.items() if part.is_countable])
        moved = priced(countable, m.weights) if prices else Priced([], m.weights, 0)
        charged = dict(moved.prices)
        for row, part in self.parts.items():
            if row in charged or not row.implied:
                self._add(part, row in charged)
        f.add_constant(m.constant + moved.constant)
        for x, c in moved.rewards.items():
            f.reward(x, c)
        for row, price in charged.items():
            f.add_constant(-abs(price) * self.parts[row].moved)
            for out in self.outputs[row]:
                f.reward(out, abs(price))
        if m.of_min or m.of_max:
            is_alone = prices and not m.weights and not m.of_max
            self._add_ends(_largest_mean(countable) if is_alone else None)

    def _add(self, part: _Part, is_charged: bool) -> None:
        if part.row.role == "count":
            self._add_count(part.row)
        elif part.always_holds:
            return
        elif part.is_clause and not is_charged:
            self.f.add(*(-literal for literal in part.weights))
        elif part.is_unary and (not part.is_equation or set(part.weights.values()) == {1}):
            self._count(part)
        else:
            compare = equal_number if part.is_equation else at_most_number
            compare(self.f, binary_sum(self.f, part.weights.items()), part.limit)

    def _count(self, part: _Part) -> None:
        """Limit a sum in unary, and keep its outputs."""
        limit = part.limit
        outs = unary_sum(self.f, self._groups(part.weights), limit + 1)
        for out in outs[limit:]:
            self.f.add(-out)
        if part.is_equation and limit:
            self.f.add(*outs[limit - 1 : limit])  # the empty clause if the sum cannot be the limit
        self.outputs[part.row] = outs[:limit]

    def _groups(self, weights: dict[int, int]) -> list[tuple[list[int], list[int]]]:
        """Return terms as unary numbers and their increments: literals of a chain together."""
        groups: list[tuple[list[int], list[int]]] = []
        done: set[int] = set()
        for x in weights:
            if x not in done:
                chain = [y for y in self.chain_of.get(x, [x]) if y in weights]
                groups.append((chain, [weights[y] for y in chain]))
                done.update(chain)
        return groups

    def _add_count(self, row: LinearRow) -> None:
        """Let a chain be the unary number of how many are true."""
        chain = next(self.chain_of[x] for x, c in row.terms.items() if c < 0)
        terms = [([x], [1]) for x, c in row.terms.items() if c > 0]
        for mine, out in zip(chain, unary_sum(self.f, terms, len(chain)), strict=True):
            self.f.add(-mine, out)
            self.f.add(mine, -out)

    def _add_ends(self, most: int | None) -> None:
        """Add the minimum or the maximum of the values as a binary number, a soft clause for each bit.

        The minimum is at most `most`.
        """
        m, f = self.m, self.f
        parts = [_without_negative(value) for value in m.values]
        least = min(constant for _, constant in parts)
        values = []
        for terms, constant in parts:
            more = constant - least
            values.append(binary_sum(f, [*terms, *([(-f.false(), more)] if more else [])]))
        width = max(map(len, values))
        values = [bits + [f.false()] * (width - len(bits)) for bits in values]
        for times, sign in ((m.of_min, 1), (m.of_max, -1)):
            if times:
                end = [f.variable() for _ in range(width)]
                for bits in values:
                    large, small = (bits, end) if sign > 0 else (end, bits)
                    lexicographic(large[::-1], small[::-1], lambda _: f.variable(), f.add)
                for b, bit in enumerate(end):
                    f.reward(bit, sign * times << b)
                f.add_constant(sign * times * least)
                if most is not None:
                    at_most_number(f, end, most - least)


def _largest_mean(m: ZeroOneModel) -> int:
    """Return an upper bound on the mean of the values, by dual values of the rows."""
    assert m.total is not None
    moved = priced(m, m.total.terms)
    largest = m.total.constant + moved.constant + sum(max(0, c) for c in moved.rewards.values())
    for row, price in moved.prices:
        end = row.high if price > 0 else row.low
        assert end is not None
        largest += price * end
    return largest // len(m.values)


def _without_negative(value: SetValue) -> tuple[list[tuple[int, int]], int]:
    """Return a value as positive weights of literals and a constant."""
    terms = [(x if c > 0 else -x, abs(c)) for x, c in value.terms.items()]
    return terms, value.constant + sum(c for c in value.terms.values() if c < 0)
