"""From a table to a problem: what the estimator and the command line have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

import numpy as np

from pyfsel.measures import pair_measures
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.problem.checks import list_of, one_of
from pyfsel.problem.make import Asked, make_problem
from pyfsel.problem.objectives import OBJECTIVES, Objective
from pyfsel.problem.problem import Problem, check_sizes


def problem_from_table(
    X: Any,
    y: Any = None,
    *,
    measure: Any = None,
    task: str = "auto",
    missing: str = "error",
    random_state: int | None = None,
    n_jobs: int | None = None,
    redundancy_measure: str | None = None,
    cache_dir: str | Path | None = None,
    **asked: Unpack[Asked],
) -> Problem:
    """Measure the qualities of the features of a table and build the problem.

    Everything that can be wrong with the other arguments is found before the measure starts.

    Parameters
    ----------
    X : DataFrame, array or Table
        A `pyfsel.measures.tables.table.Table` is prepared already; `y`, `task`, `missing` and `feature_names`
        are not used then.
    y : array-like, shape (n_rows,)
    measure : str, array of shape (n_features,) or callable, optional
        By default mutual information, and symmetrical uncertainty for CFS. A name or numbers as in
        `pyfsel.measures.quality`; objectives with redundancy need a name, and use it
        for pairs of features as well. A callable gets the prepared ``(X, y)`` and returns one score per
        feature, or a tuple that begins with them, as the score functions of scikit-learn do.
    task, missing
        As in `pyfsel.measures.prepare`.
    random_state : int, optional
    n_jobs : int, optional
    redundancy_measure, cache_dir
        As in `pyfsel.measures.pair_measures`.
    **asked
        `k` and the other keyword arguments of `pyfsel.make_problem`: how many sets of which features, their
        objective and their constraints. Names are those of the table's columns, and `min_quality` is on the
        scale of the qualities as they are used: normalised, but for "fcbf".

    Returns
    -------
    Problem

    Raises
    ------
    InputError
        If the table or an argument is not allowed.
    TypeError
        If `k` is missing, or there is no such argument.
    """
    names = asked.get("feature_names")
    table = X if isinstance(X, Table) else prepare(X, y, task=task, missing=missing, feature_names=names)
    asked["feature_names"] = table.feature_names
    asked["forced"] = list_of("forced", asked.get("forced", ()))
    asked["forbidden"] = list_of("forbidden", asked.get("forbidden", ()))
    asked["groups"] = list_of("groups", asked.get("groups", ()))
    objective = asked.setdefault("objective", Problem.objective)
    one_of("objective", objective, OBJECTIVES)
    if measure is None:
        measure = default_measure(objective)
    unmeasured = asked.copy()
    if OBJECTIVES[objective].needs_pairs:
        unmeasured["objective"] = Problem.objective
    check_sizes(objective, make_problem(np.zeros(table.n_features), **unmeasured).sizes)
    if callable(measure) and not OBJECTIVES[objective].needs_pairs:
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
    return make_problem(q, r, **asked)


def default_measure(objective: str) -> str:
    """Return the measure that an objective takes if none is named."""
    return OBJECTIVES.get(objective, Objective).default_measure


def _scores(measure: Any, table: Table) -> Any:
    scores = measure(table.X, table.y)
    return scores[0] if isinstance(scores, tuple) else scores
