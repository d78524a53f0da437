"""Qualities and redundancies of the features of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.arrays import Floats
from pyfsel.measures.correlation import signed_correlations
from pyfsel.measures.registry import PAIRS, QUALITY, find
from pyfsel.measures.tables.entries import is_read
from pyfsel.measures.tables.table import Columns, Table
from pyfsel.problem.checks import finite_array, number_of_jobs, seed_or_generator
from pyfsel.problem.known_objectives import objective_named
from pyfsel.problem.objectives import GraphScore, Objective
from pyfsel.problem.redundancies import LazyRedundancy

LITTLE_MEMORY = 10**9
"""Bytes for which it is not asked what is free."""
DEFAULT_MEASURE = Objective.default_measure
MOST_FEATURES_IN_MEMORY = 5000
MOST_FEATURES_BY_NEIGHBOURS = 2000
MOST_FEATURES_IN_PARTS = 500
"""The pairs of more features of a table that is read in parts are counted when a search needs them."""


def quality(
    table: Table,
    measure: Any = DEFAULT_MEASURE,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Floats:
    """Return the quality of each feature, in the unit of the measure.

    Parameters
    ----------
    table : Table
    measure : str, array-like of float, shape (n_features,), or callable
        A name from `relevance_measures`, or your own numbers. A callable gets ``(X, y)``, sparse or in single
        precision as the user's X, and returns one score per feature, or a tuple that begins with them, as the
        score functions of scikit-learn do.
    random_state : int, RandomState or None
        Seed of the measures that draw random numbers: mutual_info (its value depends on the seed, by about
        1e-3 of the sum of all qualities), model_importance, permutation_importance, relief. The same seed
        gives the same numbers.
    n_jobs : int, optional
        Number of processes of the measures that work in parallel; does not change the result.
    **options
        Options of the measure, for example ``n_bins``, ``n_neighbors`` or ``estimator``.

    Returns
    -------
    array of float, shape (n_features,)
        Constant columns have quality 0.

    Raises
    ------
    InputError
        If the table, the measure's name or an option is not allowed.
    """
    seed_or_generator(random_state)
    number_of_jobs(n_jobs)
    if isinstance(measure, str):
        return _measured(table, QUALITY, measure, random_state, n_jobs, options)
    if callable(measure):
        scores = measure((table.dense() if is_read(table.X) else table).X, table.y)
        measure = scores[0] if isinstance(scores, tuple) else scores
    return np.array(finite_array("measure", measure, (table.n_features,)))


def redundancy(
    columns: Columns,
    measure: str = DEFAULT_MEASURE,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Floats:
    """Return how informative each feature is about each other one, in the unit of the measure.

    The result takes 8·n² bytes (200 MB for 5000 features), computing it up to three times that and 150 MB,
    and the work grows with n²: with thousands of features keep the best ones (`keep_best` of
    `pyfsel.measure`).

    Parameters
    ----------
    columns : Columns or Table
    measure : str
        A name from `redundancy_measures`.
    random_state, n_jobs, **options
        As for `quality`.

    Returns
    -------
    array of float, shape (n_features, n_features)
        Row j, column i: how informative feature j is about feature i; the diagonal is 0. It is symmetric
        except for mutual_info, whose two directions differ a little. Constant columns have redundancy 0.
        For co_information, which needs a Table with a target, the entry is the information of each
        feature about the target, summed, minus the information of both together.

    Raises
    ------
    InputError
        If the table, the measure's name or an option is not allowed.
    """
    seed_or_generator(random_state)
    number_of_jobs(n_jobs)
    return _measured(columns, PAIRS, measure, random_state, n_jobs, options)


def _measured(
    columns: Columns, kind: str, name: object, random_state: Any, n_jobs: int | None, options: dict[str, Any]
) -> Floats:
    """Return what a measure says of the columns that vary, or of their pairs, and 0 of the others."""
    measure = find(kind, name)
    measure.require(kind, columns)
    measure.warn_unordered(columns)
    function, chosen = measure.call(kind, {"random_state": random_state, "n_jobs": n_jobs}, options)
    varying, n, is_of_pairs = np.flatnonzero(~columns.is_constant), columns.n_features, kind == PAIRS
    if is_of_pairs:
        _require_room(columns)
    values = np.zeros((n, n) if is_of_pairs else n)
    if len(varying):
        some = columns.varying if measure.any_entries else columns.varying.dense()
        values[np.ix_(varying, varying) if is_of_pairs else varying] = function(some, **chosen)
    if is_of_pairs:
        np.fill_diagonal(values, 0.0)
    return values


def pair_measures(
    table: Table,
    measure: str = DEFAULT_MEASURE,
    *,
    objective: str | Objective = "mrmr",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> tuple[Floats, Floats | LazyRedundancy | None]:
    """Return the qualities and redundancies that `pyfsel.problem.make.make_instance` needs for an objective.

    Parameters
    ----------
    table, random_state, n_jobs
        As for `quality`.
    measure : str
        Of the qualities and, unless the objective has another one, of the redundancies.
    objective : str or Objective
        "univariate" has no redundancies. The measure of "cfs" should be 1 for a feature with itself,
        such as "information_share". "r2": correlations with their sign. "graph_score": Δ and P of paper
        004, shifted by their medians and weighted alike (others: `pyfsel.papers.graph_score_problem`).
        "facility_location": similarities of columns, and of each with itself. The `pairs` of an objective
        are another measure for the redundancies; without, JMI and CIFE use "co_information", which goes
        with the measure "information" only: I(X_i; X_j) − I(X_i; X_j | Y), which may be negative; the graph
        score and facility location use "pearson".

    Returns
    -------
    quality : array of float, shape (n_features,)
    redundancy : array of float, shape (n_features, n_features), or None
        For mRMR and MIFS over more than 5,000 features by a measure of
        `pyfsel.measures.redundancy_rows.ON_DEMAND`: `pyfsel.problem.redundancies.LazyRedundancy`, whose pairs
        are measured when a search needs them.

    Raises
    ------
    InputError
        If an argument is not allowed, or FCBF is requested with two different measures.

    Examples
    --------
    >>> from pyfsel.problem.make import make_instance
    >>> from pyfsel.measures import load_dataset, prepare
    >>> q, r = pair_measures(prepare(*load_dataset("wine")), objective="mrmr")
    >>> make_instance(q, r, objective="mrmr", k=5, n_sets=3, dissimilarity=0.4).n_features
    13
    """
    kind = objective_named(objective)
    running = {"random_state": random_state, "n_jobs": n_jobs}
    if kind.is_signed:
        if measure != kind.default_measure:
            raise InputError(f"measure: must be {kind.default_measure!r}, for objective={kind.name!r}")
        find(PAIRS, measure).warn_unordered(table)
        return signed_correlations(table)
    if not kind.needs_pairs:
        return quality(table, measure, **running), None
    named = measure if isinstance(measure, str) else None
    other = kind.pairs_measure
    name = other or measure
    pairs = find(PAIRS, name, QUALITY if other in ("", named) else PAIRS)
    if pairs.goes_with and named != pairs.goes_with:
        raise InputError(
            f"measure={measure!r}: must be {pairs.goes_with!r}, for objective={kind.name!r}, whose pairs are "
            f"by {name}"
        )
    q = quality(table, measure, **running)
    if isinstance(kind, GraphScore):
        from pyfsel.problem.graph_score import shifted

        return shifted(vertex_weights(q, named), redundancy(table, name, **running))
    if pairs.module == "mutual_info" and table.n_features > MOST_FEATURES_BY_NEIGHBOURS:
        raise InputError(
            f"measure={name!r}: the pairs of {table.n_features:,} columns by nearest neighbours take hours. "
            f"At most {MOST_FEATURES_BY_NEIGHBOURS:,} columns are allowed. Try 'information', or keep fewer "
            "columns (--keep-best)"
        )
    most = MOST_FEATURES_IN_MEMORY if table.coded is None else MOST_FEATURES_IN_PARTS
    if kind.has_pairs and table.n_features > most:
        from pyfsel.measures.redundancy_rows import ON_DEMAND

        if name in ON_DEMAND:
            pairs.warn_unordered(table)
            if table.weights is not None:
                raise InputError(
                    f"sample_weight: pairs of {table.n_features:,} columns are measured when they are "
                    "needed, without weights; keep the best only (--keep-best)"
                )
            return q, ON_DEMAND[name](table)
    return q, redundancy(table, name, **running)


def _require_room(columns: Columns) -> None:
    """Raise `InputError` if all columns in double precision, and pairs, do not fit into what is free.

    An operating system may grant such memory, and end the process when it is used.
    """
    n_rows, n_columns = columns.X.shape
    needed = 8 * n_columns * (n_columns + (n_rows if columns.coded is None else 0))
    if needed < LITTLE_MEMORY:
        return
    import psutil

    free = psutil.virtual_memory().available
    if needed > free:
        raise InputError(
            f"X: pairs of {n_columns:,} columns of {n_rows:,} rows take at least {needed / 1e9:,.1f} GB, and "
            f"{free / 1e9:,.1f} GB are free; keep the best only (--keep-best), or read files in parts (in "
            "Python by the name of the target for y)"
        )


def delta(table: Table, measure: Any = "class_overlap") -> Floats:
    """Return Δ of each feature, in [0, 1]; less is better.

    Paper 004 takes Δ from its reference [58] without repeating the definition, and only says that it measures
    the overlap of the classes. So it is a choice here.

    Parameters
    ----------
    table : Table
    measure : str, array of shape (n_features,) or callable
        "class_overlap": the overlap of the classes' histograms, see
        `pyfsel.measures.class_overlap.class_separation`. Any name of `relevance_measures`, qualities of your
        own, or a score function of ``(X, y)``: one minus the quality divided by the largest one, negative
        qualities counting as 0.

    Returns
    -------
    array of float, shape (n_features,)
        Constant columns have Δ = 1.

    Examples
    --------
    >>> from pyfsel.measures.tables.table import prepare
    >>> delta(prepare([[0.0, 3.0], [0.0, 5.0], [1.0, 3.0], [1.0, 5.0]], [0, 0, 1, 1])).tolist()
    [0.0, 1.0]
    """
    named = measure if isinstance(measure, str) else None
    if named == "class_overlap":
        named = measure = GraphScore.default_measure
    return vertex_weights(quality(table, measure), named)


def vertex_weights(q: Floats, measure: str | None) -> Floats:
    """Return Δ of qualities, in [0, 1]: one minus the classes' separation, or minus a share of the best."""
    if measure == GraphScore.default_measure:
        return 1.0 - q
    useful = np.maximum(q, 0.0)
    largest = useful.max()
    return 1.0 - useful / largest if largest > 0 else np.ones_like(useful)
