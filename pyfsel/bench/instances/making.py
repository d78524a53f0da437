"""Instances of a family for users: as problems and tables, or as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.bench.instances.instance_families import Request, generated
from pyfsel.bench.instances.writing import write_instance
from pyfsel.interface.problem import Problem

if TYPE_CHECKING:
    import pandas as pd


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
    request = Request(**asked)
    return [write_instance(generated(family, request, one), folder) for one in range(seed, seed + count)]
