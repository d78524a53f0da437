"""Random tables of a few rows, columns and values, with at least two classes."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def tables(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(2, 16))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, draw(st.integers(2, 3)), m)
    y[:2] = 0, 1
    return rng.integers(0, draw(st.integers(1, 3)), (m, n)), y
