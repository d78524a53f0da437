"""Hitting sets of a given size, by branching: sets of at most 64 features as bits of one machine word.

For whoever proves smallest consistent sets. Read `minimal` (the minimal differences of rows), then `search`.
"""

from __future__ import annotations

NAME = "hitting_sets"
"""Of its machine code."""


def warm_up() -> None:
    """Run every loop once, on a small table."""
    import numpy as np

    from pyfsel.algorithms.hitting_sets.minimal import minimal_differences
    from pyfsel.algorithms.hitting_sets.search import HittingSets

    rows = np.random.default_rng(0).integers(0, 2, (12, 6))
    HittingSets(minimal_differences(rows, np.arange(12) % 2), 6).of_size(4)
