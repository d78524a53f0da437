"""What a floating-point solver found, in exact numbers: rounded, checked against every row, completed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from math import floor, isfinite

from pyfsel.drivers.linear.model import LinearModel, Number, Row, value_of

FLOAT_TOLERANCE = 1e-6  # relative to the terms of a row; the solvers' own is 1e-9
VISITS_PER_ROW, FEWEST_VISITS = 50, 10_000  # bounds that creep up by 1 would be followed for ever


def exact_solution(model: LinearModel, found: Sequence[float]) -> list[Number] | None:
    """Return a solution near to what was found, or None.

    Integers are rounded. If a row is then violated, the 0/1 columns keep their values and the other ones get
    what follows from them, the objective first. Rows that hold floats are checked within 1e-6.
    """
    if not all(map(isfinite, found)):
        return None
    values: list[Number] = [
        round(value) if whole else _clipped(value, low, high)
        for value, whole, low, high in zip(found, model.integer, model.low, model.high, strict=True)
    ]
    if not satisfies(model, values):
        return _completed(model, values) if all(model.integer) else None
    _improve_objective(model, values)
    return values


def satisfies(model: LinearModel, values: Sequence[Number]) -> bool:
    """Return whether values are within the bounds and satisfy every row."""
    within = all(
        (low is None or low <= value) and (high is None or value <= high)
        for value, low, high in zip(values, model.low, model.high, strict=True)
    )
    return within and all(_holds(row, values) for row in model.rows)


def _clipped(value: float, low: Number | None, high: Number | None) -> Number:
    if low is not None and value < low:
        return low
    return high if high is not None and value > high else value


def _holds(row: Row, values: Sequence[Number]) -> bool:
    excess = value_of(row.terms, values) - row.limit
    tolerance: Number = 0
    if isinstance(excess, float):
        size = 1 + sum(abs(float(c) * float(values[j])) for j, c in row.terms.items())
        tolerance = FLOAT_TOLERANCE * size
    return all(sign * excess <= tolerance for sign in row.signs)


def _improve_objective(model: LinearModel, values: list[Number]) -> None:
    """Give an integer objective the best value that the other columns allow.

    Solvers report first solutions in which a bound on the objective is not yet met.
    """
    j, goal = model.objective, model.goal
    if j is None or goal == 0 or not model.integer[j]:
        return
    limits = [goal * bound for bound in (model.high[j] if goal > 0 else model.low[j],) if bound is not None]
    for row in model.rows:
        own = row.terms.get(j)
        if own is None:
            continue
        if row.equal or not all(model.integer[k] for k in row.terms):
            return
        sign = row.signs[0]
        own *= sign
        if own * goal > 0:
            room = sign * (row.limit - value_of(row.terms, values)) + own * values[j]
            limits.append(room // (own * goal))  # rounded down: the row must hold
    if limits:
        values[j] = goal * floor(min(limits))


class Bounds:
    """Bounds of integer columns, tightened by what the rows say.

    Examples
    --------
    >>> model = LinearModel([0, 0], [9, None], [True, True], [Row({0: 1, 1: 2}, 7)])
    >>> bounds = Bounds(model)
    >>> bounds.tighten(range(1)), bounds.high
    (True, [7, 3])
    """

    def __init__(self, model: LinearModel) -> None:
        self.model = model
        self.low = list(model.low)
        self.high = list(model.high)
        self.rows_of: list[list[int]] = [[] for _ in self.low]
        for i, row in enumerate(model.rows):
            for j in row.terms:
                self.rows_of[j].append(i)

    def fix(self, column: int, value: Number) -> bool:
        """Give a column a value; return False if that contradicts the rows."""
        self.low[column] = self.high[column] = value
        return self.tighten(self.rows_of[column])

    def tighten(self, rows: Iterable[int]) -> bool:
        """Tighten the bounds by these rows and those that follow; return False on a contradiction.

        It ends early, with looser bounds than possible, where it would take very long.
        """
        waiting = deque(rows)
        queued = set(waiting)
        for _ in range(FEWEST_VISITS + VISITS_PER_ROW * len(self.model.rows)):
            if not waiting:
                break
            i = waiting.popleft()
            queued.discard(i)
            row = self.model.rows[i]
            for sign in row.signs:
                changed = self._tighten_row(row, sign)
                if changed is None:
                    return False
                new = {k for j in changed for k in self.rows_of[j]} - queued
                waiting.extend(sorted(new))
                queued |= new
        return True

    def _tighten_row(self, row: Row, sign: int) -> list[int] | None:
        """Tighten by sign · Σ c x ≤ sign · limit; return the changed columns, None on a contradiction."""
        least: Number = 0
        unbounded = []
        for j, c in row.terms.items():
            end = self.low[j] if sign * c > 0 else self.high[j]
            if end is None:
                unbounded.append(j)
            else:
                least += sign * c * end
        room = sign * row.limit - least
        if len(unbounded) > 1:
            return []
        if not unbounded and room < 0:
            return None
        changed = []
        for j in unbounded or row.terms:
            c = sign * row.terms[j]
            own = 0 if unbounded else c * ((self.low[j] if c > 0 else self.high[j]) or 0)
            if self._limit(j, c, room + own):
                changed.append(j)
        return changed

    def _limit(self, j: int, c: Number, room: Number) -> bool:
        """Use c · x ≤ room and return whether a bound of x changed."""
        if c > 0:
            high, limit = self.high[j], room // c
            if high is None or limit < high:
                self.high[j] = limit
                return True
            return False
        low, limit = self.low[j], -(room // -c)
        if low is None or limit > low:
            self.low[j] = limit
            return True
        return False


def _completed(model: LinearModel, values: Sequence[Number]) -> list[Number] | None:
    bounds = Bounds(model)
    for j, value in enumerate(values):
        if model.low[j] == 0 and model.high[j] == 1:
            bounds.low[j] = bounds.high[j] = value
    if not bounds.tighten(range(len(model.rows))):
        return None
    first = [] if model.objective is None else [model.objective]
    for j in (*first, *range(model.n_columns)):
        best = bounds.high[j] if model.goal > 0 and j == model.objective else bounds.low[j]
        if best is None or (bounds.low[j] != bounds.high[j] and not bounds.fix(j, best)):
            return None
    complete = [value for value in bounds.low if value is not None]
    return complete if satisfies(model, complete) else None
