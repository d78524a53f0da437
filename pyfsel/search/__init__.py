"""Searches: all sets at once, or one after another."""

from pyfsel.search.sequential import SequentialSearch
from pyfsel.search.simultaneous import simultaneous_search

__all__ = ["SequentialSearch", "simultaneous_search"]
