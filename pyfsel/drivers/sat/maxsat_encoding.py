"""From a model to weighted partial MaxSAT: counters, prices as soft clauses, integers in bits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pyfsel.drivers.sat.counters import at_most_number, binary_sum, equal_number, unary_sum
from pyfsel.drivers.sat.formula import Formula
from pyfsel.model.dual_values import Priced, priced
from pyfsel.model.model import IMPLIED, LinearRow, ZeroOneModel
from pyfsel.model.passes import in_bits, with_ends

LARGEST_UNARY = 500
"""Up to this limit sums are counted in unary, which propagates; others in binary."""


def encode_model(m: ZeroOneModel, prices: bool = True) -> Formula:
    """Return a model as weighted partial MaxSAT.

    Parameters
    ----------
    m : ZeroOneModel
        Integers that are not 0/1, the minimum and the maximum of values among them, are written in bits.
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
    m = replace(m, rows=[one for row in m.rows for one in _with_one_limit(row)])
    countable = replace(m, rows=[row for row in m.rows if _Part(row).is_countable])
    moved = priced(countable, m.weights) if prices else Priced([], m.weights, 0)
    if prices and m.total and m.of_min and not m.weights and not m.of_max:
        low, high = m.value_limits
        mean = (m.total.constant + priced(countable, m.total.terms).highest) // len(m.values)
        m = replace(m, value_limits=(low, min(high, mean)))
    whole = in_bits(with_ends(m))
    formula = _Writer(whole, dict(moved.prices)).f
    formula.add_constant(whole.constant + moved.constant)
    ends = {x: c for x, c in whole.weights.items() if x > m.n}
    for x, c in (moved.rewards | ends).items():
        formula.reward(x, c)
    return formula


def _with_one_limit(row: LinearRow) -> Iterator[LinearRow]:
    """Yield a row with two different limits as two rows; one without any holds."""
    if row.sides:
        is_one = len(row.sides) == 1 or row.low == row.high
        yield from (row,) if is_one else (replace(row, high=None), replace(row, low=None))


@dataclass
class _Part:
    """A row with one limit, or two equal ones: ``weights · literals ≤ limit``, `moved` added to its sum."""

    row: LinearRow

    def __post_init__(self) -> None:
        sign, least = self.row.sides[-1]
        self.weights = {x if sign * c < 0 else -x: abs(c) for x, c in self.row.terms.items()}
        self.moved = sum(max(0, sign * c) for c in self.row.terms.values())
        self.limit = self.moved - least
        self.is_equation = self.row.low == self.row.high
        total = sum(self.weights.values())
        self.always_holds = not self.is_equation and self.limit >= total
        # it says that not all literals are true
        self.is_clause = not self.is_equation and self.limit + 1 == len(self.weights) == total
        self.is_unary = 0 <= self.limit < LARGEST_UNARY
        # a price of the row can be moved: what it is times is a constant, or counted in unary
        self.is_countable = self.is_equation or (self.is_unary and not self.always_holds)


class _Writer:
    """Writes the clauses and rows of a model.

    Parameters
    ----------
    m : ZeroOneModel
        Of 0/1 variables only, in rows with one limit.
    charged : dict of LinearRow to int
        Rows that have a price.
    """

    def __init__(self, m: ZeroOneModel, charged: dict[LinearRow, int]) -> None:
        self.f = Formula(m)
        self.chain_of = {x: chain for chain in m.chains for x in chain}
        for clause in m.clauses:
            self.f.add(*clause)
        for row in m.rows:
            if row in charged or row.role not in IMPLIED:
                self._add(_Part(row), charged.get(row, 0))

    def _add(self, part: _Part, price: int) -> None:
        if part.row.role == "count":
            self._add_count(part.row)
        elif part.always_holds:
            return
        elif part.is_clause and not price:
            self.f.add(*(-literal for literal in part.weights))
        elif part.is_unary and (not part.is_equation or set(part.weights.values()) == {1}):
            self._count(part, abs(price))
        else:
            compare = equal_number if part.is_equation else at_most_number
            compare(self.f, binary_sum(self.f, part.weights.items()), part.limit)

    def _count(self, part: _Part, price: int) -> None:
        """Limit a sum in unary, and reward it by the price of its row."""
        limit = part.limit
        outs = unary_sum(self.f, self._groups(part.weights), limit + 1)
        for out in outs[limit:]:
            self.f.add(-out)
        if part.is_equation and limit:
            self.f.add(*outs[limit - 1 : limit])  # the empty clause if the sum cannot be the limit
        self.f.add_constant(-price * part.moved)
        for out in outs[:limit]:
            self.f.reward(out, price)

    def _groups(self, weights: dict[int, int]) -> list[tuple[list[int], list[int]]]:
        """Return terms as unary numbers and their increments: literals of a chain together."""
        groups: list[tuple[list[int], list[int]]] = []
        done = set()
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
