"""Families of instances, and how they are found."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsel.backends.base import installed_version
from pyfsel.errors import InputError
from pyfsel.problem.checks import integer_in, one_of
from pyfsel.problem.dissimilarity import max_overlap_for
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet

SEARCHES = ("sum", "min")
SCALED = "a number without a unit, times scale, rounded"
LARGEST_QUALITY = 10**6
MOST_FEATURES = MOST_ROWS = 10**7


@dataclass(frozen=True)
class Request:
    """The sizes and the difficulty of an instance that a family is to make.

    Parameters
    ----------
    n_features : int, optional
        Number of features; of a drawn table, number of relevant features. By default chosen by the family.
    k : int
        Features per set.
    n_sets : int
        Number of sets.
    max_shared : int, optional
        Features that two sets may share; by default what a dissimilarity of 0.6 allows.
    search : {"sum", "min"}, optional
        What is best among several sets; by default chosen by the family.
    difficulty : float
        From 0 (easy) to 1 (hard); each family documents what it changes.
    n_rows : int, optional
        Rows of a drawn table.
    n_irrelevant : int, optional
        Features of a drawn table that do not depend on the target; by default chosen by `difficulty`.
    n_redundant : int, optional
        Features of a drawn table that depend on relevant ones; by default chosen by `difficulty`.
    """

    n_features: int | None = None
    k: int = 5
    n_sets: int = 3
    max_shared: int | None = None
    search: str | None = None
    difficulty: float = 0.5
    n_rows: int | None = None
    n_irrelevant: int | None = None
    n_redundant: int | None = None

    def __post_init__(self) -> None:
        limits = {
            "k": (1, None),
            "n_sets": (1, None),
            "max_shared": (0, self.k),
            "n_features": (1, MOST_FEATURES),
            "n_rows": (1, MOST_ROWS),
            "n_irrelevant": (0, MOST_FEATURES),
            "n_redundant": (0, MOST_FEATURES),
        }
        for name, (low, high) in limits.items():
            given = getattr(self, name)
            if given is not None or name in ("k", "n_sets"):
                integer_in(name, given, low, high)
        if self.search is not None:
            one_of("search", self.search, SEARCHES)
        if not 0 <= self.difficulty <= 1:
            raise InputError(f"difficulty={self.difficulty!r}: must be a number from 0 to 1")

    @property
    def overlap(self) -> int:
        """The number of features that two sets may share, given or by a dissimilarity of 0.6."""
        return max_overlap_for(self.k, 0.6) if self.max_shared is None else self.max_shared

    def features_or(self, default: int) -> int:
        """Return the requested number of features, or else the default."""
        return default if self.n_features is None else self.n_features

    def problem(self, quality: NDArray[np.int64], **more: Any) -> Instance:
        """Return a problem of the requested shape."""
        arguments: dict[str, Any] = {
            "n_sets": self.n_sets,
            "k": self.k,
            "max_shared": self.overlap,
            "aggregate": self.search or "sum",
            "scale": LARGEST_QUALITY,
        }
        return Instance(quality=quality, **{**arguments, **more})


class _Watched:
    """A request that remembers which of its fields are looked at."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self.seen: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.seen.add(name)
        member = getattr(Request, name, None)
        if isinstance(member, property):
            return member.fget(self)  # type: ignore[misc]
        return partial(member, self) if callable(member) else getattr(self._request, name)


@dataclass(frozen=True)
class Generated:
    """A generated instance: a problem, or a table.

    Attributes
    ----------
    problem : Instance or None
    table : DataFrame or None
        Its last column is `target`.
    optimum : int or None
        The integer objective of an optimal solution, where the construction gives it.
    solution : tuple of sets
        A solution that the construction gives; optimal if `optimum` is known.
    facts : mapping
        Further things to know, such as the relevant columns.
    name : str
        Name of the files, without extension.
    about : mapping
        Generator, its version, family, seed, difficulty, parameters, units of the numbers, and the facts.
    """

    problem: Instance | None = None
    table: pd.DataFrame | None = None
    optimum: int | None = None
    solution: tuple[FeatureSet, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)


Make = Callable[[Request, np.random.Generator], Generated]


@dataclass(frozen=True)
class Family:
    """A family of instances: its name, what it is, what its difficulty changes, and how it is made."""

    name: str
    summary: str
    difficulty: str
    make: Make


_FAMILIES: dict[str, Family] = {}


def family(name: str, summary: str, difficulty: str) -> Callable[[Make], Make]:
    """Register a function as a family of instances."""

    def register(make: Make) -> Make:
        _FAMILIES[name] = Family(name, summary, difficulty, make)
        return make

    return register


@cache
def families() -> dict[str, Family]:
    """Return all families by name."""
    package = importlib.import_module("pyfsel.bench.instances")
    for module_info in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module_info.name}")
    return dict(sorted(_FAMILIES.items()))


def find_family(name: str) -> Family:
    """Return a family by name; raise `InputError` with the known names otherwise."""
    one_of("family", name, families())
    return families()[name]


def generated(name: str, request: Request, seed: int = 0) -> Generated:
    """Return an instance of a family; the same arguments give the same instance.

    Raises
    ------
    InputError
        If no family has this name, it does not use what is given, or has no instance of these sizes.
    """
    found = find_family(name)
    integer_in("seed", seed, 0, None)
    watched = _Watched(request)
    try:
        made = found.make(cast("Request", watched), np.random.default_rng(seed))
    except MemoryError:
        raise InputError(f"n_features={request.n_features}: is more than fits into memory") from None
    given = vars(request)
    for one in fields(Request):
        value = given[one.name]
        if one.name not in watched.seen and value != one.default:
            raise InputError(f"{one.name}={value!r}: the family {name} does not use it, leave it out")
    if made.problem is not None and made.problem.n_sets > 1:
        made = replace(made, problem=made.problem.replace(search="simultaneous"))
    about = {
        "generator": "pyfsel generate",
        "version": installed_version("pyfsel"),
        "family": name,
        "seed": seed,
        "difficulty": request.difficulty,
        "parameters": {
            key: value for key, value in given.items() if key in watched.seen and value is not None
        },
        "units": {
            part: SCALED for part in ("quality", "pairs") if getattr(made.problem, part, None) is not None
        }
        or {"columns": "categories, numbered from 0"},
        **made.facts,
    }
    knob = f"d{request.difficulty:g}-s{seed}"
    if made.table is not None:
        sizes = f"{made.table.shape[1] - 1}x{len(made.table)}"
        for letter, number in (("i", request.n_irrelevant), ("r", request.n_redundant)):
            knob += "" if number is None else f"-{letter}{number}"
        return replace(made, name=f"{name}-{sizes}-{knob}", about=about)
    p = made.problem
    assert p is not None
    shape = f"n{p.n_features}-k{p.k}-a{p.n_sets - 1}-m{p.max_shared}-{p.aggregate}"
    return replace(made, name=f"{name}-{shape}-{knob}", about=about)
