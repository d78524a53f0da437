"""Alternatives to the set that a stepwise search selects, by the same search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.tables.table import Table
from pyfsel.papers.own_search import AllowedSets, alternatives_by
from pyfsel.papers.subset.run import SubsetResult
from pyfsel.papers.subset.searches import METHODS
from pyfsel.papers.subset.select import select_subset
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import as_dissimilarity
from pyfsel.selectors.splits import reusable


def subset_alternatives(
    table: Table,
    *,
    method: str = "floating-forward",
    size: int,
    n_sets: int,
    dissimilarity: Any = 0.6,
    **options: Any,
) -> SubsetResult:
    """Search a set and alternatives to it, one after another, by a method that goes feature by feature.

    The method does not leave the way to sets that are allowed: to it all others are worse than any.

    Parameters
    ----------
    table : Table
    method : {"forward", "backward", "floating-forward", "floating-backward"}
    size : int
        Number of features of each set.
    n_sets : int
    dissimilarity : float, str or Dissimilarity
        How different any two sets are.
    **options
        As for `select_subset`; time and evaluations are limited for each set.

    Returns
    -------
    SubsetResult
        Its sets are the original one and the alternatives, as they were found.

    Examples
    --------
    >>> from pyfsel.measures.tables.table import load_dataset, prepare
    >>> table = prepare(*load_dataset("wine"))
    >>> found = subset_alternatives(table, method="forward", size=2, n_sets=3, dissimilarity=1, n_bins=4)
    >>> [found.names_of(members) for members in found.sets]
    [['flavanoids', 'color_intensity'], ['od280/od315_of_diluted_wines', 'proline'], ['alcohol', 'hue']]
    """
    options["cv"] = reusable(options.get("cv"))
    stepwise = [name for name, known in METHODS.items() if "size" in known.goals]
    if method not in stepwise:
        raise InputError(f"method={method!r}: has no alternatives; {', '.join(stepwise)} do")
    problem = make_instance(
        np.zeros(table.n_features),
        k=size,
        n_alternatives=n_sets - 1,
        feature_names=table.feature_names,
        **as_dissimilarity(dissimilarity).arguments,
    )
    results: list[SubsetResult] = []
    values: list[float] = []

    def search(allowed: AllowedSets) -> Sequence[int] | None:
        found = select_subset(table, method=method, size=size, allowed=allowed, **options)
        results.append(found)
        for members, value in zip(found.sets, found.values, strict=True):
            if members in allowed:
                values.append(value)
                return members
        return None

    sets = tuple(alternatives_by(problem, search))
    return replace(
        results[-1],
        sets=sets,
        values=tuple(values),
        reached=len(sets) == problem.n_sets,
        n_evaluations=sum(one.n_evaluations for one in results),
        trace=results[0].trace,
        runtime=sum(one.runtime for one in results),
    )
