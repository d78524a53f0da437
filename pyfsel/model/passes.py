"""From a model to one that a solver takes: ends of values, bits, digits, rows, better objectives."""

from __future__ import annotations

from dataclasses import replace

from pyfsel.model.model import LinearRow, ZeroOneModel, added, terms_of

BASE = 2**8
LARGEST_DIGIT = 2**12
"""Of the first digit, as `BASE` is of the others. Times the tolerance of a MIP solver for integers they are
far below 1; with first digits up to 2^20, CBC 2.10.8 called 8 of 600 solvable models with numbers beyond
10^12 infeasible, with these none."""


def with_ends(m: ZeroOneModel) -> ZeroOneModel:
    """Return a model in which the minimum and the maximum of the values are integer variables.

    Their domains are the domain of one value, so weights times them stay small.

    Examples
    --------
    >>> from pyfsel.model.model import SetValue
    >>> m = ZeroOneModel(values=[SetValue({1: 3}), SetValue({2: 5})], of_min=1, n=2)
    >>> m = with_ends(m)
    >>> m.domain, [row.terms for row in m.rows], m.weights
    ({3: (0, 5)}, [{1: 3, 3: -1}, {2: 5, 3: -1}], {3: 1})
    """
    if not m.of_min and not m.of_max:
        return m
    new = m.copy()
    reached = [tuple(end + value.constant for end in m.reach(value.terms)) for value in m.values]
    low = max(m.value_limits[0], min(low for low, _ in reached))
    high = min(m.value_limits[1], max(high for _, high in reached))
    for count, sign, name in ((m.of_min, 1, "worst"), (m.of_max, -1, "best")):
        if count:
            end = new.integer(low, high, name)
            new.reals.add(end)
            new.reward([(sign * count, end)])
            for value in m.values:
                new.row([*terms_of(value.terms, sign), (-sign, end)], -sign * value.constant, None, "end")
            if m.mean and m.total is not None:
                terms = [*terms_of(m.total.terms, sign), (-sign * len(m.values), end)]
                new.row(terms, -sign * m.total.constant, None, "mean")
    new.of_min = new.of_max = 0
    return new


def row_of(clause: tuple[int, ...]) -> LinearRow:
    """Return a clause as a row: at least one of its literals.

    Examples
    --------
    >>> row = row_of((1, -2))
    >>> row.terms, row.low
    ({1: 1, 2: -1}, 0)
    """
    terms = added((1 if a > 0 else -1, abs(a)) for a in clause)
    return LinearRow(terms, 1 - sum(a < 0 for a in clause), None, "clause")


def all_rows(m: ZeroOneModel) -> list[LinearRow]:
    """Return the rows of a model, and its clauses as rows."""
    return [*m.rows, *map(row_of, m.clauses)]


def in_bits(m: ZeroOneModel) -> ZeroOneModel:
    """Return a model of 0/1 variables only: each other integer is its smallest value plus bits.

    An integer keeps its number as a variable that occurs nowhere.
    """
    if not m.domain:
        return m
    new = m.copy()
    new.domain = {}
    bits = {x: _bits(new, x, *m.domain[x]) for x in m.domain}

    def spread(terms: dict[int, int]) -> tuple[dict[int, int], int]:
        """Return terms in bits, and their sum for the smallest values."""
        parts = ([(c * b, y) for b, y in bits[x]] if x in bits else [(c, x)] for x, c in terms.items())
        return added(*parts), sum(c * m.domain[x][0] for x, c in terms.items() if x in bits)

    for i, row in enumerate(m.rows):
        if not bits.keys().isdisjoint(row.terms):
            terms, moved = spread(row.terms)
            low, high = (None if end is None else end - moved for end in (row.low, row.high))
            new.rows[i] = replace(row, terms=terms, low=low, high=high)
    new.weights, moved = spread(m.weights)
    new.constant += moved
    return new


def _bits(m: ZeroOneModel, x: int, low: int, high: int) -> list[tuple[int, int]]:
    bits = [(1 << b, m.new(m.names[x], "bit", b)) for b in range((high - low).bit_length())]
    if low + (1 << len(bits)) - 1 > high:
        m.row(bits, None, high - low, "domain")
    return bits


def in_digits(m: ZeroOneModel, large: int, base: int = BASE, first: int = LARGEST_DIGIT) -> ZeroOneModel:
    """Return a model in which rows of integers have no coefficient above `large`: they are written in digits.

    Solvers compute in floats, whose tolerances large coefficients make larger than 1, or in words of 64 bits.
    With the base b, coefficients ``b·h_i + l_i`` and the right-hand side ``b·h + l``, a row ``>=`` holds if
    and only if there is an integer c with ``Σ h_i·x_i − c ≥ h`` and ``Σ l_i·x_i + b·c ≥ l``: the largest c
    that the first row allows makes the second one ``Σ (b·h_i + l_i)·x_i ≥ b·h + l``. c need not be larger
    than what makes the second row true for all x, and cannot be less than what makes it false for all. The
    first row is written in digits again, until its coefficients are at most `first`.

    Rows with variables that are taken as real numbers stay as they are.
    """
    new = m.copy()
    new.rows = []
    for row in m.rows:
        if largest(row.terms) <= large or not m.reals.isdisjoint(row.terms):
            new.rows.append(row)
            continue
        for sign, least in row.sides:
            part = replace(row, terms=added(terms_of(row.terms, sign)), low=least, high=None)
            _add_digits(new, part, base, first)
    return new


def _add_digits(m: ZeroOneModel, row: LinearRow, base: int, first: int) -> None:
    """Add a row ``>=`` in digits."""
    assert row.low is not None
    if largest(row.terms) <= first:
        m.rows.append(row)
        return
    high = {x: (c + base // 2) // base for x, c in row.terms.items()}
    low = {x: c - base * high[x] for x, c in row.terms.items()}
    high_least, low_least = divmod(row.low, base)
    smallest, most = m.reach(low)
    carry = m.integer(-((most - low_least) // base), -((smallest - low_least) // base), "carry", len(m.rows))
    m.rows.append(replace(row, terms=added(terms_of(low), [(base, carry)]), low=low_least))
    _add_digits(m, replace(row, terms=added(terms_of(high), [(-1, carry)]), low=high_least), base, first)


def largest(terms: dict[int, int]) -> int:
    """Return the largest absolute value of coefficients, 0 without any."""
    return max(map(abs, terms.values()), default=0)


def with_objective(m: ZeroOneModel) -> ZeroOneModel:
    """Return a model whose objective is one integer, at most the sum, within `ZeroOneModel.limits`.

    A solver that looks at the sum of all coefficients for overflow then sees the true range.
    """
    new = m.copy()
    goal = new.integer(*m.limits, "objective")
    new.row([*terms_of(m.weights), (-1, goal)], -m.constant, None, "goal")
    new.weights, new.constant = {goal: 1}, 0
    return new


def better_than(m: ZeroOneModel, value: int) -> ZeroOneModel:
    """Return the question whether there is a solution with a larger objective, without an objective."""
    if m.of_min and not m.weights and not m.of_max:  # of the minimum alone: asked of each value
        new = m.copy()
        least = (value - m.constant) // m.of_min + 1
        for each in m.values:
            new.row(terms_of(each.terms), least - each.constant, None, "better")
    else:
        new = with_ends(m).copy()
        new.reals = set()
        new.row(terms_of(new.weights), value + 1 - new.constant, None, "better")
    new.of_min = new.of_max = new.constant = 0
    new.weights = {}
    return new
