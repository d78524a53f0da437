"""From a model to weighted partial MaxSAT: counters, prices as soft clauses, the minimum in binary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from pyfsel.drivers.sat.counters import (
    at_least_amount,
    at_most,
    at_most_number,
    binary_sum,
    cardinality_type,
    exactly,
    unary_sums,
)
from pyfsel.drivers.sat.formula import Encoding, Formula, Losses
from pyfsel.model.model import Model, Row, Value, added, terms_of
from pyfsel.model.passes import in_bits
from pyfsel.model.prices import Priced, priced
from pyfsel.model.strengthening import lexicographic

LARGEST_UNARY = 500
"""Up to this limit sums of different weights are counted in unary, which propagates; others in binary."""
Group = tuple[list[int], list[int]]
"""A unary number and what each of its literals adds, as `unary_sums` takes them."""


def encode_model(m: Model, cardinality: str = "seqcounter", prices: bool = True) -> Encoding:
    """Return a model as weighted partial MaxSAT.

    Parameters
    ----------
    m : Model
        Integers that are not 0/1 are written in bits.
    cardinality : str
        Key of `pyfsel.drivers.sat.counters.CARDINALITIES`, for rows that are counted for nothing else.
    prices : bool
        Whether dual values of rows are moved into soft clauses (`pyfsel.model.prices`), and what they say
        about literals is kept.

    Raises
    ------
    InputError
        If there is no such encoding of cardinalities.

    Examples
    --------
    >>> from pyfsel.model.build import build
    >>> from pyfsel.problem.instance import Instance
    >>> encoding = encode_model(build(Instance(quality=[3, 2, 1], n_sets=1, k=2, max_shared=2)))
    >>> encoding.soft, encoding.constant, encoding.decode([1, 2, -3])
    (((1, 2), (2, 1)), 5, ((0, 1),))
    """
    cardinality_type(cardinality)
    writer = _Writer(in_bits(m), cardinality)
    writer.write(prices)
    return writer.encoding()


class _AtMost(NamedTuple):
    """A row with one limit: ``weights · literals ≤ limit``, where `moved` has been added to its sum."""

    weights: dict[int, int]
    limit: int
    moved: int

    @classmethod
    def of(cls, row: Row) -> _AtMost:
        (sign, limit), moved = row.sides[-1], 0
        weights = {}
        for x, c in row.terms.items():
            weights[x if sign * c < 0 else -x] = abs(c)
            moved += max(0, sign * c)
        return cls(weights, moved - limit, moved)

    @property
    def is_cardinality(self) -> bool:
        return set(self.weights.values()) == {1}

    @property
    def always_holds(self) -> bool:
        return self.limit >= sum(self.weights.values())


class _Writer:
    """Writes the parts of a model one after another.

    Attributes
    ----------
    outputs : dict of Row to list of literals
        Of rows that are counted in unary: how many of these are true says what the sum is, `moved` added.
    """

    def __init__(self, m: Model, cardinality: str) -> None:
        self.m, self.cardinality, self.f = m, cardinality, Formula(m.names)
        self.chain_of = {x: chain for chain in m.chains for x in chain}
        self.rows = [part for row in m.rows for part in _with_one_limit(row)]
        self.number = {row: number for number, row in enumerate(self.rows)}
        self.outputs: dict[Row, list[int]] = {}
        self.losses: Losses | None = None

    def encoding(self) -> Encoding:
        soft = self.f.soft()
        constant = self.f.constant + sum(weight for literal, weight in soft if literal > 0)
        losses = self.losses or Losses(constant, 1, ())
        return Encoding(self.m, tuple(self.f.hard), soft, constant, self.f.names, self.f.pool.top, losses)

    def write(self, prices: bool) -> None:
        m = self.m
        for clause in m.clauses:
            self.f.add(*clause)
        countable = replace(m, rows=[row for row in self.rows if _is_countable(row)])
        moved = priced(countable, m.weights) if prices else Priced([], m.weights, 0)
        charged = {row for row, _ in moved.prices}
        for row in self.rows:
            if row in charged or not row.implied:
                self._add_row(row, row in charged)
        self.f.constant += m.constant + moved.constant
        for x, c in moved.rewards.items():
            self.f.reward(x, c)
        for row, price in moved.prices:
            self.f.constant -= abs(price) * _AtMost.of(row).moved
            for out in self.outputs[row]:
                self.f.reward(out, abs(price))
        if prices and not m.of_max:
            self.losses = self._losses(countable, moved)
        if m.of_min or m.of_max:
            self._add_ends()

    def _add_row(self, row: Row, is_charged: bool) -> None:
        asked = _AtMost.of(row)
        if row.role == "count":
            self._add_count(row)
        elif row.low is not None and row.low == row.high:
            self._add_equation(row, asked)
        elif asked.always_holds:
            return
        elif is_charged or not asked.is_cardinality:
            self._add_sum(row, asked)
        elif asked.limit == len(asked.weights) - 1:
            self.f.add(*(-literal for literal in asked.weights))
        else:
            at_most(self.f, list(asked.weights), asked.limit, self.cardinality)

    def _add_sum(self, row: Row, asked: _AtMost) -> None:
        """Limit a sum: in unary, its outputs kept, or in binary."""
        if 0 <= asked.limit < LARGEST_UNARY:
            self._count(row, asked)
        else:
            self._add_in_binary(row, 1, asked)

    def _add_equation(self, row: Row, asked: _AtMost) -> None:
        literals, limit, groups = list(asked.weights), asked.limit, self._groups(asked.weights)
        if not asked.is_cardinality or not 0 < limit <= len(literals):
            total = sum(asked.weights.values())
            self._add_in_binary(row, 1, asked)
            below = _AtMost({-literal: c for literal, c in asked.weights.items()}, total - limit, 0)
            self._add_in_binary(row, 0, below)
        elif len(groups) == len(literals):
            exactly(self.f, literals, limit, self.cardinality)
        else:
            self._count(row, asked)
            self.f.add(self.outputs[row][-1])

    def _add_in_binary(self, row: Row, side: int, asked: _AtMost) -> None:
        terms = [(literal, -c) for literal, c in asked.weights.items()]
        at_least_amount(self.f, f"{self._name(row)}[{side}]", terms, -asked.limit)

    def _count(self, row: Row, asked: _AtMost) -> None:
        groups = self._groups(asked.weights)
        outs = unary_sums(self.f, self._name(row), groups, asked.limit + 1)[-1]
        for out in outs[asked.limit :]:
            self.f.add(-out)
        self.outputs[row] = outs[: asked.limit]

    def _groups(self, weights: dict[int, int]) -> list[Group]:
        """Return terms as unary numbers and their increments: literals of a chain together."""
        groups: list[Group] = []
        done: set[int] = set()
        for x in weights:
            if x not in done:
                chain = [y for y in self.chain_of.get(x, [x]) if y in weights]
                groups.append((chain, [weights[y] for y in chain]))
                done.update(chain)
        return groups

    def _add_count(self, row: Row) -> None:
        """Let a chain be the unary number of how many are true."""
        chain = next(self.chain_of[x] for x, c in row.terms.items() if c < 0)
        terms = [([x], [1]) for x, c in row.terms.items() if c > 0]
        for mine, out in zip(chain, unary_sums(self.f, self._name(row), terms, len(chain))[-1], strict=True):
            self.f.add(-mine, out)
            self.f.add(mine, -out)

    def _name(self, row: Row) -> str:
        return f"{row.role}{self.number[row]}"

    def _losses(self, countable: Model, moved: Priced) -> Losses:
        """Return what the objective, or a bound on it, loses if a literal is false, by reduced costs.

        The minimum is at most the mean: ``len(values)`` times the objective is at most another sum.
        """
        m = self.m
        factor, constant = 1, m.constant
        if m.of_min:
            assert m.total is not None
            factor = len(m.values)
            bound = added(terms_of(m.weights, factor), terms_of(m.total.terms, m.of_min))
            constant = factor * m.constant + m.of_min * m.total.constant
            moved = priced(countable, bound)
        limit, numbers = constant + moved.constant, []
        for row, price in moved.prices:
            outs = self.outputs.get(row)
            if outs is None:
                end = row.high if price > 0 else row.low
                assert end is not None
                limit += price * end
            else:
                limit -= abs(price) * _AtMost.of(row).moved
                numbers.append((outs, [abs(price)] * len(outs)))
        numbers += [(chain, [moved.rewards.get(x, 0) for x in chain]) for chain in m.chains]
        numbers += [([x], [c]) for x, c in moved.rewards.items() if x not in self.chain_of]
        limit += sum(max(0, c) for _, rewards in numbers for c in rewards)
        return Losses(limit, factor, tuple(part for number in numbers for part in _lost(*number)))

    def _add_ends(self) -> None:
        """Add the minimum or the maximum of the values as a binary number, a soft clause for each bit."""
        m, f = self.m, self.f
        parts = [_without_negative(value) for value in m.values]
        least = min(constant for _, constant in parts)
        values = [
            binary_sum(f, f"value[{s}]", [*terms, *([(-f.false(), more)] if more else [])])
            for s, (terms, more) in enumerate((terms, constant - least) for terms, constant in parts)
        ]
        width = max(map(len, values))
        values = [bits + [f.false()] * (width - len(bits)) for bits in values]
        for times, sign, name in ((m.of_min, 1, "minimum"), (m.of_max, -1, "maximum")):
            if times:
                end = [f.variable(name, b) for b in range(width)]
                for s, bits in enumerate(values):
                    large, small = (bits, end) if sign > 0 else (end, bits)
                    f.add_all(
                        lexicographic(large[::-1], small[::-1], partial(f.variable, f"{name}_equal", s))
                    )
                for b, bit in enumerate(end):
                    f.reward(bit, sign * times << b)
                f.constant += sign * times * least
                if self.losses is not None and not m.weights:
                    most = (self.losses.limit // self.losses.factor - m.constant) // m.of_min
                    at_most_number(f, end, most - least)


def _with_one_limit(row: Row) -> Sequence[Row]:
    """Return rows with one limit, or two equal ones."""
    if row.low is not None and row.low == row.high:
        return (row,)
    both = replace(row, high=None), replace(row, low=None)
    return [part for part in both if part.sides]


def _is_countable(row: Row) -> bool:
    """Return whether a price of the row can be moved: what it is times is a constant, or counted in unary."""
    asked = _AtMost.of(row)
    return row.low == row.high or (0 <= asked.limit < LARGEST_UNARY and not asked.always_holds)


def _lost(chain: list[int], rewards: list[int]) -> list[tuple[int, int]]:
    """Return what is lost if a literal of a unary number is false, or its negation."""
    lost = []
    for i, x in enumerate(chain):
        lost.append((x, sum(c for c in rewards[i:] if c > 0)))
        lost.append((-x, -sum(c for c in rewards[: i + 1] if c < 0)))
    return [(literal, loss) for literal, loss in lost if loss]


def _without_negative(value: Value) -> tuple[list[tuple[int, int]], int]:
    """Return a value as positive weights of literals and a constant."""
    terms = [(x if c > 0 else -x, abs(c)) for x, c in value.terms.items()]
    return terms, value.constant + sum(c for c in value.terms.values() if c < 0)
