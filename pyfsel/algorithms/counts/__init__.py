"""Sum-aggregation by counts: how often each feature is used, and whether sets with these counts exist."""

from pyfsel.algorithms.counts.family import CountVector, Family
from pyfsel.algorithms.counts.search import CountsSearch

__all__ = ["CountVector", "CountsSearch", "Family"]
