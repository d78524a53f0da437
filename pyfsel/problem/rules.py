"""The rules of a problem as values: what every set obeys, and how different any two sets are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf
from numbers import Integral
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.checks import LARGEST_INTEGER, finite_number, integer_in, kept, number_in, one_of, shown
from pyfsel.problem.dissimilarity import DISSIMILARITIES
from pyfsel.problem.fields import Group
from pyfsel.problem.value import Value, named_options, number_of_text, typed, whole_of_text

Feature = int | str
"""A name, a 0-based number, or a pattern such as "lab_*"."""


@dataclass(frozen=True, repr=False, eq=False)
class Constraints(Value):
    """Rules that every single set obeys.

    Parameters
    ----------
    forced : sequence of str or int
        Features that every set contains, by name or pattern such as 'lab_*'. In Python also by number.
    forbidden : sequence of str or int
        Features that no set contains.
    groups : sequence of Group
        Limits on how many of some features every set contains.
    costs : array of shape (n_features,), mapping of features to numbers, or table, optional
        Costs of features, at least 0; a file or table has the columns feature and cost.
    budget : float, optional
        The maximum cost of a set.
    min_quality : float or str, optional
        The minimum quality of every set: a number in the unit of the scores, or "90%" of the best set.
    previous : sequence of iterables of str or int
        Sets that the new ones differ from as well.

    Examples
    --------
    >>> Constraints(forced=["age"], budget=9, costs={"age": 2, "bmi": 8})
    Constraints(forced=['age'], costs={'age': 2, 'bmi': 8}, budget=9)
    """

    forced: Sequence[Feature] = ()
    forbidden: Sequence[Feature] = ()
    groups: Sequence[Group] = ()
    costs: Mapping[Feature, float] | Any = None
    budget: float | None = None
    min_quality: float | str | None = None
    previous: Sequence[Iterable[Feature]] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, kept(getattr(self, field.name)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constraints):
            return NotImplemented
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return all(_equal(one, two) for one, two in pairs)

    def __hash__(self) -> int:
        return hash((self.budget, self.min_quality))


def as_constraints(given: Any) -> Constraints:
    """Return constraints, none for None; raise `InputError` for anything else."""
    if given is None:
        return Constraints()
    if not isinstance(given, Constraints):
        raise InputError(f"constraints={shown(given)}: is not a Constraints(…). Try: Constraints(forced=[…])")
    return given


def _equal(one: Any, two: Any) -> bool:
    """Return whether two rules are equal, of which costs may be an array."""
    is_list = isinstance(one, list | tuple) and isinstance(two, list | tuple)
    return list(one) == list(two) if is_list else np.array_equal(one, two)


@dataclass(frozen=True, repr=False)
class Dissimilarity(Value):
    """How different any two sets are.

    Shorthand: 0.6, "jaccard:0.5", "shared:2", "0.6,price=0.1", "0.6,relatives=0.7".

    Parameters
    ----------
    at_least : float, optional
        The minimum dissimilarity, from 0 (equal sets are allowed) to 1 (sets share no feature).
    by : {"dice", "jaccard", "overlap", "hamming"}
        What `at_least` refers to: one of `pyfsel.problem.dissimilarity`.
    max_shared : int, optional
        In place of `at_least`: the maximum number of features that two sets share.
    price : float
        What each shared feature costs, in the unit of the scores: in place of a limit, or in addition to one.
    relatives : float, optional
        Features of at least this absolute rank correlation (of categories: proportion of shared information)
        are related, and a feature that is related to one of an earlier set counts as shared with it. For
        tables, and sets of one size that are found one after another.

    Examples
    --------
    >>> as_dissimilarity("jaccard:0.5") == Dissimilarity(0.5, by="jaccard")
    True
    >>> as_dissimilarity("shared:2")
    Dissimilarity(max_shared=2)
    """

    at_least: float | None = None
    by: str = "dice"
    max_shared: int | None = None
    price: float = 0.0
    relatives: float | None = None

    def __post_init__(self) -> None:
        one_of("Dissimilarity: by", self.by, DISSIMILARITIES)
        if self.at_least is not None and self.max_shared is not None:
            raise InputError("Dissimilarity: at_least and max_shared exclude each other. Give one of them")
        price = number_in("Dissimilarity: price", self.price, lambda price: 0 <= price < inf, "at least 0")
        object.__setattr__(self, "price", price)
        if self.at_least is None and self.max_shared is None and not price:
            raise InputError(
                "Dissimilarity: no limit is given. Try Dissimilarity(0.6) or Dissimilarity(max_shared=2)"
            )
        least = 0 if self.at_least is None else finite_number("dissimilarity", self.at_least)
        if not 0 <= least <= 1:
            count = f"{least:.0f}"
            hint = f" Try: 'shared:{count}' for at most {count} shared features"
            raise InputError(
                f"dissimilarity={self.at_least}: out of range. Expected 0 (equal sets are allowed) to 1 "
                f"(disjoint sets).{hint if 1 < least < LARGEST_INTEGER and float(least).is_integer() else ''}"
            )
        if self.max_shared is not None:
            integer_in("Dissimilarity: max_shared", self.max_shared, 0, None)
        if self.relatives is not None:
            allowed = "a similarity above 0, up to 1, such as 0.7"
            number_in("Dissimilarity: relatives", self.relatives, lambda least: 0 < least <= 1, allowed)


def as_dissimilarity(given: Any) -> Dissimilarity:
    """Return a dissimilarity that is given as a value, a threshold, or a shorthand.

    Raises
    ------
    InputError
        If it is none of these, or a number is out of range.
    """
    if isinstance(given, Dissimilarity):
        return given
    if not isinstance(given, str):
        return Dissimilarity(finite_number("dissimilarity", given))
    first, *rest = given.split(",")
    only_price = first.startswith("price=")
    options = named_options("dissimilarity", given, [first, *rest] if only_price else rest)
    more = typed("dissimilarity", options, {"price": float, "relatives": float})
    if only_price:
        return Dissimilarity(**more)
    word, colon, text = first.rpartition(":")
    if colon:
        one_of("dissimilarity", word, (*DISSIMILARITIES, "shared"))
    if word == "shared":
        return Dissimilarity(max_shared=whole_of_text("dissimilarity: shared", text), **more)
    return Dissimilarity(number_of_text("dissimilarity", text), by=word or "dice", **more)


def sizes_of(k: Any) -> tuple[int | None, int]:
    """Return the minimum size, None if there is one size, and the maximum.

    Raises
    ------
    InputError
        If `k` is a list, which is a grid, or not a size.
    """
    if isinstance(k, list):
        whole = [int(size) for size in k if isinstance(size, Integral)] or [3, 5]
        low, high = min(whole), max(whole)
        raise InputError(
            f"k={k}: a list is a grid, for explore.sweep and choose_k. Try: k=({low}, {high}) for sizes from "
            f"{low} to {high}"
        )
    if isinstance(k, tuple):
        sizes = [integer_in("k", size, 1, None) for size in k]
        if len(sizes) != 2 or sizes[0] > sizes[1]:
            raise InputError(f"k={k}: is not a range. Expected (minimum, maximum)")
        return sizes[0], sizes[1]
    return None, integer_in("k", k, 1, None)
