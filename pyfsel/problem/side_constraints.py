"""Rules of a single feature set beyond its size: features, groups, costs, a minimum quality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyfsel.problem.checks import LARGEST_INTEGER

SIDE_CONSTRAINTS = ("size_range", "forced", "forbidden", "groups", "budget", "min_quality")
FIXED_SIZE_CONSTRAINTS = SIDE_CONSTRAINTS[1:]
LARGEST_TOTAL = LARGEST_INTEGER
LARGEST_SUM = 2**62
"""Sums of all costs fit into 64 bits with room for one addition."""
LARGEST_FACTOR = 10**7
"""Above the factors of τ, whose denominator is at most 10⁶; times sizes of sets they stay exact."""


@dataclass(frozen=True)
class Group:
    """Features of which every set must contain a minimum and a maximum number, or all or none.

    Parameters
    ----------
    features : sequence of int
        0-based; by name as well in `pyfsel.make_instance` and everything that builds problems from tables.
    at_least : int
    at_most : int, optional
        All of them if not given.
    all_or_none : bool
        A set holds all features of the group or none, such as the columns that encode one category.

    Examples
    --------
    >>> Group((3, 4, 5), at_most=1).at_most
    1
    """

    features: tuple[Any, ...]
    at_least: int = 0
    at_most: int | None = None
    all_or_none: bool = False
