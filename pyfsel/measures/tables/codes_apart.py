"""Codes of missing values: numbers such as 999 or -9 that stand apart from all others of a column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.tables.oddity import MOST_NAMES, Oddity, about_columns
from pyfsel.measures.tables.table import Table
from pyfsel.problem.wording import number_of

CODES = (9, 88, 98, 99, 998, 999, 9998, 9999, 99999, -1, -2, -7, -8, -9, -88, -98, -99, -999, -9999)
MOST_ROWS = 20_000
"""Codes are looked for in at most this many rows."""
FEWEST = 20
"""Of fewer values nothing is said."""


def codes_apart(table: Table) -> Iterator[Oddity]:
    """Yield values that stand apart from all others, each with its columns."""
    by_code = dict[float, dict[int, int]]()
    rows = np.random.default_rng(0).permutation(len(table.y))[:MOST_ROWS]
    n_whole = (table.X[rows] == np.floor(table.X[rows])).sum(axis=0)
    for j in np.flatnonzero(~table.categories & ~table.is_constant & (n_whole >= 3)).tolist():
        values = table.column(j)
        drawn = values[rows] if table.filled is None else values[rows[~table.filled[rows, j]]]
        for code in _apart(drawn):
            by_code.setdefault(code, {})[j] = int((values == code).sum())
    for code, counts in by_code.items():
        each = [f"{table.feature_names[j]} ({number_of(n, 'row')})" for j, n in counts.items()]
        more = f" and {len(each) - MOST_NAMES} more columns" if len(each) > MOST_NAMES else ""
        yield from about_columns(
            table,
            "codes",
            counts,
            f"{code:g} stands apart in {', '.join(each[:MOST_NAMES])}{more}",
            f"If it means missing: --missing-codes {table.feature_names[next(iter(counts))]}={code:g}",
        )


def _apart(values: NDArray[np.float64]) -> list[float]:
    """Return values that may be codes."""
    distinct, counts = np.unique(values, return_counts=True)
    found: list[float] = []
    is_whole = bool((distinct == np.floor(distinct)).all())
    enough = max(3, 0.005 * len(values))
    for code in CODES:
        place = int(np.searchsorted(distinct, code))
        if place == len(distinct) or distinct[place] != code or counts[place] < enough:
            continue
        others = [one for one in CODES if abs(one) > 9 and (one < 0) == (code < 0)]
        rest = values[(values != code) & ~np.isin(values, others)]
        if len(rest) < max(FEWEST, 0.5 * len(values)) or np.ptp(rest) == 0:
            continue
        distance = max(float(rest.min()) - code, code - float(rest.max()))
        spread = float(np.ptp(np.quantile(rest, [0.01, 0.99])))
        is_next = is_whole and code > 0 and distance <= 1.5
        is_sign = code == -1 and set(distinct.tolist()) <= {-1.0, 0.0, 1.0}
        is_far = distance > 0.5 * spread or (code < 0 <= rest.min()) or _is_spike(distinct, counts, place)
        if distance > 0 and is_far and not is_next and not is_sign:
            found.append(float(code))
    zeros = int((values == 0).sum())
    positive = values[values > 0]
    if enough <= zeros < 0.1 * len(values) and (values >= 0).all() and len(np.unique(positive)) > FEWEST:
        spread = float(np.ptp(np.quantile(positive, [0.01, 0.99])))
        if positive.min() > 0.3 * spread > 0:
            found.append(0.0)
    return found


def _is_spike(distinct: NDArray[np.float64], counts: NDArray[np.intp], place: int) -> bool:
    """Return whether an extreme value is far more frequent than its neighbours, behind a gap."""
    if len(distinct) <= FEWEST or place not in (0, len(distinct) - 1):
        return False
    near = slice(1, 11) if place == 0 else slice(-11, -1)
    gap = abs(distinct[place] - distinct[1 if place == 0 else -2])
    step = float(np.median(np.diff(distinct[near])))
    return bool(counts[place] >= 5 * counts[near].max() and gap >= max(2.0, 4 * step))
