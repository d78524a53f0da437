"""Instances of a family for users: as problems and tables, or as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.bench.instances.registry import Request, generated
from pyfsel.bench.instances.writing import write_instance
from pyfsel.interface.problem import Problem, search_of
from pyfsel.measures.tables.table import Table

if TYPE_CHECKING:
    import pandas as pd


def generate(
    family: str,
    *,
    n_features: int | None = None,
    k: int = 5,
    n_sets: int = 3,
    max_shared: int | None = None,
    search: str | None = None,
    difficulty: float = 0.5,
    n_rows: int | None = None,
    n_irrelevant: int | None = None,
    n_redundant: int | None = None,
    rows_factor: float = 1.0,
    table: Table | None = None,
    measure: str = "mutual_info_binned",
    objective: str = "univariate",
    seed: int = 0,
) -> Problem | pd.DataFrame:
    """Return an instance of a family; the same arguments give the same instance.

    Parameters
    ----------
    family : str
        A name of `pyfsel.bench.instances.families`.
    n_features : int, optional
        In the families of tables the number of relevant features; what fits the family unless given.
    k, n_sets : int
        Features per set, and sets.
    max_shared : int, optional
        Features that two sets may share; what a dissimilarity of 0.6 allows unless given.
    search : {"sum", "min"}, optional
        What is best among several sets; what suits the family unless given.
    difficulty : float
        From 0 (easy) to 1 (hard); each family says what it changes.
    n_rows, n_irrelevant, n_redundant : int, optional
        Rows and further columns of a table.
    rows_factor : float
        How many times the usual number of rows a table has, unless `n_rows` is given.
    table : Table, optional
        Your own table, for the family "table".
    measure, objective : str
        How the family "table" measures features and sets.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    Problem or DataFrame
        A table has its column `target` last.

    Raises
    ------
    InputError
        If there is no such family, it does not use what is given, or has no instance of these sizes.

    Examples
    --------
    >>> generate("uniform", n_features=30, seed=1).instance.n_features
    30
    """
    asked = {name: value for name, value in locals().items() if name not in ("family", "seed")}
    made = generated(family, Request(**asked), seed)
    if made.problem is not None:
        return Problem.of_instance(made.problem, search_of(made.problem))
    import pandas as pd

    return pd.DataFrame(dict(made.columns or {}))


def generate_files(
    family: str, folder: str | Path = ".", *, count: int = 1, seed: int = 0, **asked: Any
) -> list[Path]:
    """Write instances of a family to files, and return their paths.

    Problems are JSON files, tables CSV files. The file NAME.about.json beside each says how it was made and,
    if known, what the optimum is.

    Parameters
    ----------
    family : str
    folder : path
    count : int
        Instances, with seeds from `seed` on.
    seed : int
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
