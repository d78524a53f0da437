"""Tables of known functions with irrelevant and redundant features (paper 001, Section 6).

The redundant columns are copies of relevant ones, the irrelevant ones random like the relevant ones. The
facts of such a table are what `solution_score` needs: its relevant and irrelevant columns, and what each copy
copies. A sample with one class only is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pyfsel.bench.instances.instance_families import Generated, Request, family
from pyfsel.core.arrays import Array, Bools, Ints
from pyfsel.errors import InputError

Values = Ints
ROWS_PER_FEATURE = 40
KNOB = (
    "irrelevant and redundant columns per relevant one, from 0 to 2 of each unless their numbers are given; "
    "40 rows per column unless the number of rows is given"
)
CHUNK = (3, 3, 2, 3, 4, 2)
MOST_SAMPLES = 1000


@family("parity", "table: the target is 1 if the number of ones is odd (paper 001)", KNOB)
def parity(request: Request, rng: np.random.Generator) -> Generated:
    """Return a table of bits, 4 relevant ones unless `n_features` says otherwise."""
    return _table(request, rng, [2] * request.features_or(4), 0, lambda bits: bits.sum(axis=1) % 2)


@family("disjunction", "table: the target is 1 if all bits of one half are ones (paper 001)", KNOB)
def disjunction(request: Request, rng: np.random.Generator) -> Generated:
    """Return a table of bits, 5 relevant ones unless `n_features` says otherwise."""
    n = request.features_or(5)
    halves = [half for half in (slice((n + 1) // 2), slice((n + 1) // 2, n)) if half.stop > (half.start or 0)]
    return _table(
        request, rng, [2] * n, 0, lambda bits: np.any([bits[:, half].all(axis=1) for half in halves], axis=0)
    )


@family("gmonks", "table: the three monks problems in chunks of six features (paper 001)", KNOB)
def gmonks(request: Request, rng: np.random.Generator) -> Generated:
    """Return a table of values from 1, 6 relevant features unless `n_features` says otherwise.

    The target holds where half of the chunks do, rounded down as in the paper, but at least one: by the
    letter one chunk would ask for none.
    """
    n = request.features_or(6)
    if n % 6:
        raise InputError(f"n_features={n}: must be a multiple of 6 in the family gmonks")
    needed = max(1, n // 12)
    return _table(request, rng, list(CHUNK) * (n // 6), 1, lambda rows: _chunks(rows).sum(axis=1) >= needed)


def _chunks(rows: Values) -> Bools:
    """Return P2 ∧ ¬(P1 ∧ P3) of each chunk, shape (n_rows, n_chunks)."""
    x = rows.reshape(len(rows), -1, 6)
    first = (x[..., 0] == x[..., 1]) | (x[..., 4] == 1)
    second = (x == 1).sum(axis=2) >= 2
    third = np.where(x[..., 4] == 3, x[..., 3] == 1, x[..., 1] != 2)
    return np.asarray(second & ~(first & third))


def _table(
    request: Request,
    rng: np.random.Generator,
    n_values: list[int],
    lowest: int,
    target: Callable[[Values], Array],
) -> Generated:
    """Return a table of relevant, irrelevant and redundant columns in random order, and the target."""
    n = len(n_values)
    usual = round(2 * request.difficulty * n)
    n_irrelevant = usual if request.n_irrelevant is None else request.n_irrelevant
    n_copies = usual if request.n_redundant is None else request.n_redundant
    n_columns = n + n_irrelevant + n_copies
    n_rows = request.n_rows or max(1, ROWS_PER_FEATURE * n_columns)
    ranges = np.array(n_values + [n_values[j % n] for j in range(n_irrelevant)])
    drawn, y = _sample(rng, n_rows, ranges, lowest, lambda rows: target(rows[:, :n]))
    copied = rng.integers(0, n, n_copies)
    names = [f"relevant_{j}" for j in range(n)] + [f"irrelevant_{j}" for j in range(n_irrelevant)]
    copies = {f"copy_{j}_of_{original}": names[original] for j, original in enumerate(copied)}
    table = pd.DataFrame(drawn, columns=names)
    table = table.join(table[[*copies.values()]].set_axis([*copies], axis=1))
    table = table.iloc[:, rng.permutation(n_columns)].assign(target=y)
    facts = {"relevant": names[:n], "irrelevant": names[n:], "copies": copies}
    return Generated(table=table, facts=facts)


def _sample(
    rng: np.random.Generator, n_rows: int, ranges: Values, lowest: int, target: Callable[[Values], Any]
) -> tuple[Values, Values]:
    """Return random rows and their classes, of which there are two."""
    for _ in range(MOST_SAMPLES):
        drawn = lowest + rng.integers(0, ranges, (n_rows, len(ranges)))
        y = np.asarray(target(drawn)).astype(np.int64)
        if y.min() < y.max():
            return drawn, y
    raise InputError(f"n_rows={n_rows}: has one class only in {MOST_SAMPLES} samples; give more rows")
