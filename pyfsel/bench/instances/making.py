"""Instances of a family for users: as problems and tables, or as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.bench.instances.instance_families import Generated, Request, generated
from pyfsel.interface.problem import Problem
from pyfsel.problem.text_files import write_text, writing

if TYPE_CHECKING:
    import pandas as pd

ABOUT = ".about.json"


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
    about |= {"solution": list(map(list, instance.solution))} if instance.solution else {}
    write_text(about_path(path), json.dumps(about, indent=1) + "\n")
    return path


def about_path(instance: Path) -> Path:
    """Return where the facts about an instance file are."""
    return instance.with_suffix(ABOUT)
