"""Balanced number partitioning: a local search, and proofs by partitioning with parts of a narrow range.

Read `search` (the whole), `local_search`, `windows` (parts of a narrow range), `models` (CP-SAT chooses among
them) and `set_aside` (parts that one number decides).
"""

from pyfsel.algorithms.partitioning.local_search import exchange_search
from pyfsel.algorithms.partitioning.search import PartitionSearch
from pyfsel.algorithms.partitioning.set_aside import set_aside

__all__ = ["PartitionSearch", "exchange_search", "set_aside"]
