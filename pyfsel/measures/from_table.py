"""From a table to a problem: what the estimator and the command line have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pyfsel.measures import pair_measures
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.problem.checks import list_of, one_of
from pyfsel.problem.make import make_problem
from pyfsel.problem.objectives import OBJECTIVES, Objective
from pyfsel.problem.problem import Problem, check_sizes
from pyfsel.problem.side_constraints import Group


def problem_from_table(
    X: Any,
    y: Any = None,
    *,
    k: int,
    min_k: int | None = None,
    n_alternatives: int = 0,
    tau: float | None = None,
    max_overlap: int | None = None,
    dissimilarity: str = "dice",
    objective: str = "univariate",
    measure: Any = None,
    aggregate: str = "sum",
    task: str = "auto",
    missing: str = "error",
    random_state: int | None = None,
    n_jobs: int | None = None,
    redundancy_measure: str | None = None,
    cache_dir: str | Path | None = None,
    feature_names: Sequence[str] | None = None,
    previous_sets: Sequence[Iterable[int]] = (),
    forced: Iterable[int | str] = (),
    forbidden: Iterable[int | str] = (),
    groups: Iterable[Group] = (),
    costs: Any = None,
    budget: float | None = None,
    min_quality: float | None = None,
) -> Problem:
    """Measure the qualities of the features of a table and build the problem.

    Everything that can be wrong with the other arguments is found before the measure starts.

    Parameters
    ----------
    X : DataFrame, array or Table
        A `pyfsel.measures.tables.table.Table` is prepared already; `y`, `task`, `missing` and `feature_names`
        are not used then.
    y : array-like, shape (n_rows,)
    k, min_k, n_alternatives, tau, max_overlap, dissimilarity, objective, aggregate, previous_sets
        As in `pyfsel.make_problem`.
    forced, forbidden, groups, costs, budget, min_quality
        As in `pyfsel.make_problem`; the names are those of the table's columns, and `min_quality` is on the
        scale of the qualities as they are used: normalised, but for "fcbf".
    measure : str, array of shape (n_features,) or callable, optional
        By default mutual information, and symmetrical uncertainty for CFS. A name or numbers as in
        `pyfsel.measures.quality`; objectives with redundancy need a name, and use it
        for pairs of features as well. A callable gets the prepared ``(X, y)`` and returns one score per
        feature, or a tuple that begins with them, as the score functions of scikit-learn do.
    task, missing, feature_names
        As in `pyfsel.measures.prepare`.
    random_state : int, optional
    n_jobs : int, optional
    redundancy_measure, cache_dir
        As in `pyfsel.measures.pair_measures`.

    Returns
    -------
    Problem

    Raises
    ------
    InputError
        If the table or an argument is not allowed.
    """
    table = (
        X if isinstance(X, Table) else prepare(X, y, task=task, missing=missing, feature_names=feature_names)
    )
    arguments: dict[str, Any] = {
        "k": k,
        "min_k": min_k,
        "n_alternatives": n_alternatives,
        "tau": tau,
        "max_overlap": max_overlap,
        "dissimilarity": dissimilarity,
        "aggregate": aggregate,
        "previous_sets": previous_sets,
        "feature_names": table.feature_names,
        "forced": list_of("forced", forced),
        "forbidden": list_of("forbidden", forbidden),
        "groups": list_of("groups", groups),
        "costs": costs,
        "budget": budget,
        "min_quality": min_quality,
    }
    one_of("objective", objective, OBJECTIVES)
    if measure is None:
        measure = default_measure(objective)
    if OBJECTIVES[objective].needs_pairs:
        unmeasured = make_problem(np.zeros(table.n_features), **arguments)
        check_sizes(objective, unmeasured.sizes)
    else:
        make_problem(np.zeros(table.n_features), objective=objective, **arguments)
        if callable(measure):
            measure = _scores(measure, table)
    q, r = pair_measures(
        table,
        measure=measure,
        objective=objective,
        redundancy_measure=redundancy_measure,
        random_state=random_state,
        n_jobs=n_jobs,
        cache_dir=cache_dir,
    )
    return make_problem(q, r, objective=objective, **arguments)


def default_measure(objective: str) -> str:
    """Return the measure that an objective takes if none is named."""
    return OBJECTIVES.get(objective, Objective).default_measure


def _scores(measure: Any, table: Table) -> Any:
    scores = measure(table.X, table.y)
    return scores[0] if isinstance(scores, tuple) else scores
