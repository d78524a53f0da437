"""How to split the weights of pairs so that the bounds of a replay are low."""

from __future__ import annotations

import json

import numpy as np

from pyfsel.algorithms.ksubgraph.split import better_split, halves
from pyfsel.check import Problem, Weights

STEPS = 2000
LARGEST_MOVE = 99
"""Two digits for each pair of features are precise enough."""
LARGEST_WEIGHT = 2**48
"""Larger weights, such as those of CFS, stay in halves."""


def split_lines(problem: Problem, goal: int) -> tuple[int, list[str]]:
    """Return the unit and the lines of rule `split`, see `pyfsel.check.refute_by_listing`."""
    n, set_size = len(problem.quality), problem.sizes[-1]
    weights = Weights(problem, set_size, goal)
    rows = [weights.row(x) for x in range(n)]
    if max(abs(e) for x, row in enumerate(rows) for y, e in enumerate(row) if x != y) > LARGEST_WEIGHT:
        return 1, [json.dumps([0] * i) for i in range(1, n)]
    edges = np.array(rows, dtype=np.int64)
    np.fill_diagonal(edges, 0)
    place = [weights.place[j] for j in range(n)]
    edges = edges[np.ix_(place, place)]
    parts = better_split(halves(edges), np.eye(n, dtype=np.bool_), set_size, weights.goal, STEPS)
    moves = 2 * parts - edges
    unit = max(1, int(np.abs(moves).max()) // LARGEST_MOVE)
    units = np.rint(moves / unit).astype(int)
    return unit, [json.dumps(units[i, :i].tolist(), separators=(",", ":")) for i in range(1, n)]
