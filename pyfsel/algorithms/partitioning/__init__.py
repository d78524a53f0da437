"""Balanced number partitioning: a local search, and proofs by partitioning with parts of a narrow range.

Read `search` (parts of a narrow range, the whole, and `set_aside`: parts that one number decides),
`local_search`, and `models` (CP-SAT chooses among parts).
"""

from pyfsel.algorithms.partitioning.local_search import exchange_search
from pyfsel.algorithms.partitioning.search import PartitionSearch, set_aside

__all__ = ["PartitionSearch", "exchange_search", "set_aside"]
