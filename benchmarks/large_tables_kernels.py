"""What tables that are read in parts rest on: edges of bins, pairs of levels, and what chance makes of them.

    python benchmarks/large_tables_kernels.py

It prints three tables. The first one: how many of the rows are on the wrong side of an edge of ten bins if
only the upper 16 bits of numbers are counted, as after the first pass, and after the last pass. The second
one: the processor time of counting all pairs of columns, per row and pair of bytes (of which each holds two
columns of few levels) and per row and pair of columns. The third one: by how much the expected information
of two independent columns differs from the exact sum, of (A − 1)(B − 1)/2(n − 1) alone and of the moments
that the package takes where an expected cell is large.
"""

import time
from math import comb

import numpy as np

from pyfsel.measures.expected_information import _by_windows, expected_cells
from pyfsel.measures.streams.lanes import Lanes
from pyfsel.measures.streams.levels import Bins, Cells, find_levels, found

N_BINS = 10


def heading(*names):
    print(f"\n| {' | '.join(names)} |\n|{'---|' * len(names)}")


def row(*cells):
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def edges(n_rows):
    heading("numbers", "rows", "first pass", "last pass")
    rng = np.random.default_rng(0)
    normal = rng.standard_normal(n_rows)
    columns = {
        "normal": normal,
        "ascending": np.sort(normal),
        "exponential": np.exp(3 * normal),
        "near 1,000": 1000 + normal,
        "uniform": rng.random(n_rows),
    }
    for name, values in columns.items():
        for kind in (np.float32, np.float64):
            numbers = values.astype(kind)

            def update(tally, numbers=numbers):
                tally.update([numbers])

            first = found(Cells.counted(name, kind), update).binned(N_BINS)
            last = found(find_levels(name, kind, n_bins=N_BINS), update)
            wrong = (f"{100 * wrong_side(numbers, levels):.2g} %" for levels in (first, last))
            row(f"{name}, {np.dtype(kind).name}", f"{n_rows:,}", *wrong)


def wrong_side(numbers, levels):
    """Return the largest share of rows between an edge of bins by ranks and the next one that was found."""
    values, counts = np.unique(numbers, return_counts=True)
    codes, below = Bins(counts, N_BINS, len(numbers)).codes(), np.append(0, counts.cumsum())
    wanted = below[:-1][1:][codes[1:] != codes[:-1]]
    edges = np.concatenate([[0, len(numbers)], below[np.searchsorted(values, levels.bounds)]])
    return max(np.abs(edges - one).min() for one in wanted) / len(numbers)


def pairs(n_rows, n_columns):
    heading("levels", "rows", "columns", "ns per pair of bytes", "ns per pair of columns")
    for n_levels in (2, 10, 16, 100):
        codes = np.random.default_rng(0).integers(0, n_levels, (n_columns, n_rows)).astype(np.uint8)
        lanes, sizes = Lanes(n_rows), np.full(n_columns, n_levels)
        lanes.add(range(n_columns), sizes, [codes])
        begin = time.process_time()
        lanes.count(range(n_columns), sizes)
        nanoseconds = 1e9 * (time.process_time() - begin) / n_rows
        lanes.close()
        n_bytes = n_columns // 2 if n_levels**2 <= 256 else n_columns
        each = (nanoseconds / (comb(n, 2) + n) for n in (n_bytes, n_columns))
        row(n_levels, f"{n_rows:,}", n_columns, *(f"{one:.2f}" for one in each))


def expectations():
    heading("levels", "rows", "exact, nats", "first term differs by", "package differs by")
    for n_rows in (1000, 10**4, 10**5, 10**6, 10**7):
        for shares in (([0.1] * 10, [0.1] * 10), ([0.1] * 10, [0.99, 0.01])):
            counts = [np.rint(n_rows * np.array(each)) for each in shares]
            a, b = (each.ravel() for each in np.meshgrid(*counts))
            exact = _by_windows(a, b, n_rows).sum()
            first = np.prod([len(each) - 1 for each in counts]) / (2 * (n_rows - 1))
            differs = (abs(one - exact) for one in (first, expected_cells(a, b, n_rows).sum()))
            levels = " × ".join(str(len(each)) for each in counts)
            rare = ", one of 1 %" if len(counts[1]) == 2 else ""
            row(levels + rare, f"{n_rows:,}", f"{exact:.3e}", *(f"{one:.1e}" for one in differs))


def main():
    edges(10**6)
    pairs(10**6, 100)
    expectations()


if __name__ == "__main__":
    main()
