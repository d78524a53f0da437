"""Families of instances: how they are found, and made as problems and tables, or as files."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pyfsel.backends.base import installed_version
from pyfsel.core.arrays import Ints
from pyfsel.errors import InputError
from pyfsel.interface.problem import Problem
from pyfsel.problem.checks import integer_in, one_of, share
from pyfsel.problem.dissimilarity import max_overlap_for
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.text_files import write_text, writing

SEARCHES = ("sum", "min")
ABOUT = ".about.json"
SCALED, CODES = "a number without a unit, times scale, rounded", "categories, numbered from 0"
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
        share("difficulty", self.difficulty)

    @property
    def overlap(self) -> int:
        """The number of features that two sets may share, given or by a dissimilarity of 0.6."""
        return max_overlap_for(self.k, 0.6) if self.max_shared is None else self.max_shared

    def features_or(self, default: int) -> int:
        """Return the requested number of features, or else the default."""
        return default if self.n_features is None else self.n_features

    def problem(self, quality: Ints, **more: Any) -> Instance:
        """Return a problem of the requested shape."""
        arguments = {
            "n_sets": self.n_sets,
            "k": self.k,
            "max_shared": self.overlap,
            "aggregate": self.search or "sum",
            "scale": LARGEST_QUALITY,
        }
        return Instance(quality=quality, **{**arguments, **more})


class _WatchedRequest(Request):
    """A request that remembers which of its fields are looked at."""

    def __init__(self, request: Request) -> None:
        self.__dict__.update(vars(request), seen=set())

    def __getattribute__(self, name: str) -> Any:
        if name in Request.__dataclass_fields__:
            self.seen.add(name)
        return super().__getattribute__(name)


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


def generated(name: str, request: Request, seed: int = 0) -> Generated:
    """Return an instance of a family; the same arguments give the same instance.

    Raises
    ------
    InputError
        If no family has this name, it does not use what is given, or has no instance of these sizes.
    """
    one_of("family", name, families())
    integer_in("seed", seed, 0, None)
    watched = _WatchedRequest(request)
    try:
        made = families()[name].make(watched, np.random.default_rng(seed))
    except MemoryError:
        raise InputError(f"n_features={request.n_features}: is more than fits into memory") from None
    given = vars(request)
    for one in fields(Request):
        value = given[one.name]
        if one.name not in watched.seen and value != one.default:
            raise InputError(f"{one.name}={value!r}: the family {name} does not use it, leave it out")
    problem, knob = made.problem, f"d{request.difficulty:g}-s{seed}"
    if problem is None:
        assert made.table is not None
        shape, units = f"{made.table.shape[1] - 1}x{len(made.table)}", {"columns": CODES}
        for letter, number in (("i", request.n_irrelevant), ("r", request.n_redundant)):
            knob += "" if number is None else f"-{letter}{number}"
    else:
        problem = problem.replace(search="simultaneous") if problem.n_sets > 1 else problem
        shape = f"n{problem.n_features}-k{problem.k}-a{problem.n_sets - 1}-m{problem.max_shared}"
        shape = f"{shape}-{problem.aggregate}"
        units = {part: SCALED for part in ("quality", "pairs") if getattr(problem, part) is not None}
    about = {
        "generator": "pyfsel generate",
        "version": installed_version("pyfsel"),
        "family": name,
        "seed": seed,
        "difficulty": request.difficulty,
        "parameters": {
            key: value for key, value in given.items() if key in watched.seen and value is not None
        },
        "units": units,
        **made.facts,
    }
    return replace(made, problem=problem, name=f"{name}-{shape}-{knob}", about=about)


def generate(family: str, *, seed: int = 0, **asked: Any) -> Problem | pd.DataFrame:
    """Return an instance of a family; the same arguments give the same instance.

    Parameters
    ----------
    family : str
        A name of `pyfsel.bench.instances.families`.
    seed : int
        Seed of the random numbers.
    **asked
        Fields of `Request`: sizes and difficulty.

    Returns
    -------
    Problem or DataFrame
        A table has its column `target` last.

    Raises
    ------
    InputError
        If no family has this name, it does not use what is given, or has no instance of these sizes.

    Examples
    --------
    >>> generate("uniform", n_features=30, seed=1).instance.n_features
    30
    """
    made = generated(family, Request(**asked), seed)
    if made.table is not None:
        return made.table
    assert made.problem is not None
    return Problem.of_instance(made.problem)


def generate_files(
    family: str, folder: str | Path = ".", *, count: int = 1, seed: int = 0, **asked: Any
) -> list[Path]:
    """Write instances of a family to files, and return their paths.

    Problems are JSON files, tables CSV files. The file NAME.about.json next to each says how it was made and,
    if known, what the optimum is.

    Parameters
    ----------
    family : str
    folder : path
    count : int
        Instances, with seeds from `seed` on.
    seed : int
        Seed of the random numbers.
    **asked
        Other arguments of `generate`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in generate_files("uniform", folder, k=3, n_sets=2, max_shared=1)]
    ['uniform-n50-k3-a1-m1-sum-d0.5-s0.json']
    """
    integer_in("count", count, 1, None)
    request = Request(**asked)
    return [write_instance(generated(family, request, one), folder) for one in range(seed, seed + count)]


def write_instance(instance: Generated, folder: str | Path) -> Path:
    """Write an instance, and next to it a file about it, and return the path of the instance.

    A problem becomes ``NAME.json``, which is MiniZinc data as it is; a table becomes ``NAME.csv`` with the
    column `target` at its end. ``NAME.about.json`` holds how it was made (`Generated.about`) and, where
    known, the optimum (an integer objective) and a solution.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    path = Path(folder, instance.name + (".csv" if instance.problem is None else ".json"))
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    if instance.problem is not None:
        write_text(path, instance.problem.to_json())
    elif instance.table is not None:
        write_text(path, instance.table.to_csv(index=False, lineterminator="\n"))
    about = dict(instance.about)
    about |= {} if instance.optimum is None else {"optimum": instance.optimum}
    about |= {"solution": instance.solution} if instance.solution else {}
    write_text(about_path(path), json.dumps(about, indent=1) + "\n")
    return path


def about_path(instance: Path) -> Path:
    """Return where the facts about an instance file are."""
    return instance.with_suffix(ABOUT)
