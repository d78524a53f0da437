"""From a table to a problem: what the estimator and the command line have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from pyfsel.measures import pair_measures
from pyfsel.measures.copies import THRESHOLD, copies_of, find_copies
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.problem.checks import list_of, one_of, share
from pyfsel.problem.make import Asked, make_problem
from pyfsel.problem.objectives import OBJECTIVES, FeatureSet, Objective
from pyfsel.problem.problem import Problem, check_sizes
from pyfsel.results.result import Result

COPIES = ("note", "merge", "ignore")
Copies = str | Iterable[Iterable[int | str]]


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
    copies: Copies = "note",
    copy_threshold: float = THRESHOLD,
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
    copies : {"note", "merge", "ignore"} or clusters
        "merge": columns that `find_copies` finds equal or nearly so count as one feature, of which a set
        holds at most one. Clusters, as `pyfsel.make_problem` takes them, are merged as they are. The two
        other words leave the problem as it is, see `with_near_copies`.
    copy_threshold : float
        From which columns count as copies, see `pyfsel.measures.copies`.
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
    share("copy_threshold", copy_threshold)
    asked["feature_names"] = table.feature_names
    clusters = _clusters(table, copies, copy_threshold)
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
    check_sizes(objective, make_problem(np.zeros(table.n_features), copies=clusters, **unmeasured).sizes)
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
    return make_problem(q, r, copies=clusters, **asked)


def _clusters(table: Table, copies: Copies, threshold: float) -> list[Any]:
    if not isinstance(copies, str):
        return list_of("copies", copies)
    one_of("copies", copies, COPIES)
    return find_copies(table, threshold) if copies == "merge" else []


def with_near_copies(result: Result, table: Table, copies: Copies, threshold: float = THRESHOLD) -> Result:
    """Return a result that tells which columns of its sets are nearly equal to others, if that is wanted.

    Parameters
    ----------
    result : Result
        Of a problem that `problem_from_table` made.
    table : Table
    copies : {"note", "merge", "ignore"} or clusters
        Only "note" looks: at the columns of the sets, each compared with all columns.
    threshold : float

    Examples
    --------
    >>> from pyfsel.measures.tables.table import load_dataset
    >>> from pyfsel.solving.solve import solve
    >>> table = prepare(*load_dataset("breast_cancer"))
    >>> result = solve(problem_from_table(table, measure="f_statistic", k=2))
    >>> result.feature_sets
    [['worst perimeter', 'worst concave points']]
    >>> with_near_copies(result, table, "note").near_copies
    ((0, 22), (2, 22), (3, 22), (20, 22), (22, 23))
    """
    return replace(result, near_copies=near_copies(table, result.sets, copies, threshold))


def near_copies(
    table: Table, sets: Sequence[FeatureSet], copies: Copies, threshold: float = THRESHOLD
) -> tuple[tuple[int, int], ...]:
    """Return the pairs of nearly equal columns of which one is in a set; none unless `copies` is "note"."""
    inside = {j for members in sets for j in members}
    return copies_of(table, inside, threshold) if copies == "note" and inside else ()


def default_measure(objective: str) -> str:
    """Return the measure that an objective takes if none is named."""
    return OBJECTIVES.get(objective, Objective).default_measure


def _scores(measure: Any, table: Table) -> Any:
    scores = measure(table.X, table.y)
    return scores[0] if isinstance(scores, tuple) else scores
