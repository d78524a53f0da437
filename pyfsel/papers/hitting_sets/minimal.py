"""The minimal ones of the sets of columns in which two rows of different classes differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.bits import WORD

MOST_PAIRS = 20_000_000
MOST_COMPARED = 4000


def minimal_differences(rows: NDArray[np.int64], classes: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the minimal difference sets of all pairs of rows of different classes, small ones first.

    Each is compared with the `MOST_COMPARED` smallest of them only: where there are more, some that are
    returned may contain another. What hits them all is the same.

    Parameters
    ----------
    rows : array of int, shape (n_rows, n_features)
        At most 64 features, and at most `MOST_PAIRS` pairs of rows.
    classes : array of int, shape (n_rows,)

    Returns
    -------
    array of uint64
        Bit j is feature j.

    Examples
    --------
    >>> minimal_differences(np.array([[0, 0, 5], [0, 1, 5], [1, 0, 6]]), np.array([0, 1, 1])).tolist()
    [2, 5]
    """
    assert rows.shape[1] <= WORD
    differences = np.unique(_differences(rows, classes))
    sizes = np.array([int(mask).bit_count() for mask in differences], dtype=np.int64)
    ascending = differences[np.argsort(sizes, kind="stable")]
    return np.asarray(ascending[_is_minimal(ascending)])


def _differences(rows: NDArray[np.int64], classes: NDArray[np.int64]) -> NDArray[np.uint64]:
    found = [np.empty(0, dtype=np.uint64)]
    for first in range(1, len(rows)):
        differ = rows[:first][classes[:first] != classes[first]] != rows[first]
        packed = np.zeros((len(differ), WORD // 8), dtype=np.uint8)
        packed[:, : -(-rows.shape[1] // 8)] = np.packbits(differ, axis=1, bitorder="little")
        found.append(packed.view("<u8").ravel())
    return np.concatenate(found)


def _is_minimal(ascending: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which sets contain none that stands before them and is minimal itself."""
    kept = np.empty(MOST_COMPARED, dtype=np.uint64)
    n_kept = 0
    result = np.zeros(len(ascending), dtype=np.bool_)
    for i, mask in enumerate(ascending):
        smaller = kept[:n_kept]
        if not (smaller & mask == smaller).any():
            result[i] = True
            if n_kept < MOST_COMPARED:
                kept[n_kept] = mask
                n_kept += 1
    return result
