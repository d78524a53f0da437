"""mRMR with a fixed set size as a heaviest k-subgraph, solved by Lagrangian branch and bound.

For fixed k the objective of paper 000, Eq. 13, is a sum over the features and the pairs of features of a set.
The bound (`bound`) and the branching (`branch`) are compiled by numba and work in 64-bit integers only: a
bound is never too small, so what is pruned cannot hold a better set.

Read `instance`, `bound` with `selection`, `branch`, `search` and what it returns (`found`), then `sizes`
(several sizes), `forced`, `pool` (all good sets) and `local_search` (without proof).
"""

from __future__ import annotations

from pyfsel.algorithms.ksubgraph.found import BestSet, Enumeration
from pyfsel.algorithms.ksubgraph.instance import Instance
from pyfsel.algorithms.ksubgraph.search import best_set, enumerate_instance, enumerate_sets

__all__ = ["BestSet", "Enumeration", "Instance", "best_set", "enumerate_instance", "enumerate_sets"]
