"""Searches: all sets at once, or one after another."""

from pyfsel.search.sequential import SequentialSearch, typical_step, unsupported_steps
from pyfsel.search.simultaneous import simultaneous_search

__all__ = ["SequentialSearch", "simultaneous_search", "typical_step", "unsupported_steps"]
