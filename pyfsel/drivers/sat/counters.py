"""Counting with clauses: sums in unary and in binary, and their limits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, combinations, product

from pyfsel.drivers.sat.formula import Formula


def unary_sum(
    formula: Formula, terms: Iterable[tuple[Sequence[int], Sequence[int]]], limit: int
) -> list[int]:
    """Define the running sums of some terms in unary, in both directions.

    Parameters
    ----------
    formula : Formula
    terms : sequence of (chain, increments)
        A chain is a unary number: literals, each of which implies the one before. With its first i literals
        true the term is the sum of the first i increments, which are positive.
    limit : int
        Sums above it are not distinguished from it.

    Returns
    -------
    list of int
        For the whole sum the literals of v = 1, 2, …, as far as it can reach, at most `limit`.

    Notes
    -----
    With chains of single literals this is the sequential counter of Sinz (2005).
    """
    before: list[int] = []
    reach = 0
    for chain, increments in terms:
        steps = [0, *accumulate(increments)]
        reach = min(limit, reach + steps[-1])
        now = [formula.variable() for _ in range(reach)]
        for v in range(1, reach + 1):
            _define_sum(formula, now[v - 1], v, before, chain, steps)
            if v > 1:
                formula.add(-now[v - 1], now[v - 2])
        before = now
    return before


def _define_sum(
    formula: Formula, literal: int, v: int, before: list[int], chain: Sequence[int], steps: list[int]
) -> None:
    """Let the literal be true if and only if the sum before plus the term is at least v."""
    for i, step in enumerate(steps):
        needed = v - step
        if needed <= len(before):
            reached = [-before[needed - 1]] if needed > 0 else []
            formula.add(literal, *reached, *([-chain[i - 1]] if i else []))
        if needed > 0:
            short = [before[needed - 1]] if needed <= len(before) else []
            formula.add(-literal, *short, *([chain[i]] if i < len(chain) else []))


def binary_sum(formula: Formula, terms: Collection[tuple[int, int]]) -> list[int]:
    """Define the sum of weighted literals as a binary number, by full adders.

    Parameters
    ----------
    formula : Formula
    terms : sequence of (literal, weight)
        Weights are at least 0.

    Returns
    -------
    list of int
        Literals of the bits, the lowest first.
    """
    width = max(1, sum(weight for _, weight in terms).bit_length())
    columns: list[list[int]] = [[] for _ in range(width)]
    for literal, weight in terms:
        for position in range(weight.bit_length()):
            if weight >> position & 1:
                columns[position].append(literal)
    bits = []
    for position, column in enumerate(columns):
        while len(column) > 1:
            parts = [column.pop(0) for _ in range(min(3, len(column)))]
            total = formula.variable()
            _define_parity(formula, total, parts)
            column.append(total)
            if position + 1 < width:
                carry = formula.variable()
                _define_majority(formula, carry, parts)
                columns[position + 1].append(carry)
            else:
                for one, other in combinations(parts, 2):
                    formula.add(-other, -one)
        bits.append(column[0] if column else formula.false())
    return bits


def _define_parity(formula: Formula, literal: int, parts: Sequence[int]) -> None:
    for signs in product((False, True), repeat=len(parts)):
        premise = [-part if sign else part for part, sign in zip(parts, signs, strict=True)]
        formula.add(*premise, literal if sum(signs) % 2 else -literal)


def _define_majority(formula: Formula, literal: int, parts: Sequence[int]) -> None:
    """Let the literal be true if and only if at least two of the two or three parts are."""
    for one, other in combinations(parts, 2):
        formula.add(-other, -one, literal)
        if len(parts) == 3:
            formula.add(other, one, -literal)
    if len(parts) == 2:
        for part in parts:
            formula.add(part, -literal)


def at_most_number(formula: Formula, bits: Sequence[int], number: int) -> None:
    """Let a binary number, lowest bit first, be at most a constant of any size and sign."""
    if number < 0:
        formula.add()
    if number < 0 or number >> len(bits):
        return
    above: list[int] = []
    for position in reversed(range(len(bits))):
        if number >> position & 1:
            above.append(-bits[position])
        else:
            formula.add(-bits[position], *above)


def equal_number(formula: Formula, bits: Sequence[int], number: int) -> None:
    """Let a binary number, lowest bit first, be a constant of any size and sign."""
    if not 0 <= number < 1 << len(bits):
        formula.add()
    for position, bit in enumerate(bits):
        formula.add(bit if number >> position & 1 else -bit)
