"""Random tables of a few rows, columns and values, with two classes at least; random pairs of features."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st


def all_sets(n):
    return [s for size in range(n + 1) for s in combinations(range(n), size)]


@st.composite
def tables(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(2, 16))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, draw(st.integers(2, 3)), m)
    y[:2] = 0, 1
    return rng.integers(0, draw(st.integers(1, 3)), (m, n)), y


@st.composite
def graphs(draw, most, weights, pairs):
    """Weights of at most this many features, and a symmetric matrix of zero diagonal."""
    n = draw(st.integers(1, most))
    count = n * (n - 1) // 2
    upper = np.zeros((n, n))
    upper[np.triu_indices(n, 1)] = draw(st.lists(pairs, min_size=count, max_size=count))
    return np.array(draw(st.lists(weights, min_size=n, max_size=n))), upper + upper.T
