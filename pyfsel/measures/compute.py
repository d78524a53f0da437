"""Qualities and redundancies of the features of a table."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.arrays import Floats, Ints
from pyfsel.measures.correlation import signed_correlations
from pyfsel.measures.on_demand import ON_DEMAND
from pyfsel.measures.parts import Parts
from pyfsel.measures.registry import (
    IN_PARTS,
    Measure,
    accepted_options,
    find,
    is_own,
    redundancy_measures,
    relevance_measures,
    require_complete,
    require_task,
    require_weighted,
    sees_target,
    shared_options,
    takes_any_entries,
    uses_order,
)
from pyfsel.measures.tables.encoded import warn_of_no_order
from pyfsel.measures.tables.table import Columns, Reading, Table, prepare, prepare_columns
from pyfsel.problem.checks import finite_array, number_of_jobs, one_of, seed_or_generator, taken
from pyfsel.problem.graph_score import shifted
from pyfsel.problem.objectives import OBJECTIVES, GraphScore, Objective
from pyfsel.problem.redundancies import LazyRedundancy

LITTLE_MEMORY = 10**9
"""Bytes for which it is not asked what is free."""
DEFAULT_MEASURE = Objective.default_measure
MOST_FEATURES_IN_MEMORY = 5000
MOST_FEATURES_BY_NEIGHBOURS = 2000
MOST_FEATURES_IN_PARTS = 500
"""The pairs of more features of a table that is read in parts are counted when a search needs them."""


class Running(TypedDict, total=False):
    """How a measure is run: arguments of `quality`, which describes them."""

    random_state: Any
    n_jobs: int | None


def quality(
    X: Any,
    y: Any = None,
    measure: Any = DEFAULT_MEASURE,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Floats:
    """Return the quality of each feature, in the unit of the measure.

    Parameters
    ----------
    X : Table, or whatever `pyfsel.measures.prepare` takes
    y : array-like, shape (n_rows,), optional
        The target; not needed for a `Table`.
    measure : str or array-like of float, shape (n_features,)
        A name from `relevance_measures`, or your own numbers.
    random_state : int, RandomState or None
        Seed of the measures that draw random numbers: mutual_info (its value depends on the seed, by about
        1e-3 of the sum of all qualities), model_importance, permutation_importance, relief. The same seed
        gives the same numbers.
    n_jobs : int, optional
        Number of processes of the measures that work in parallel; does not change the result.
    **options
        Options of the measure, for example ``n_bins``, ``n_neighbors`` or ``estimator``; and unless X is a
        `Table`, `task`, `missing` and `dates` as for `pyfsel.measures.prepare`.

    Returns
    -------
    array of float, shape (n_features,)
        Constant columns have quality 0.

    Raises
    ------
    InputError
        If the table, the measure's name or an option is not allowed.
    """
    table = _table(X, y, options)
    _check_general(random_state, n_jobs)
    if isinstance(measure, str):
        function = find(relevance_measures(), measure)
        require_task(measure, table.task)
        if table.weights is not None:
            require_weighted(measure, table.task)
        if table.gaps is not None:
            require_complete(measure)
        _say_unordered(table, f"measure={measure!r}", uses_order(measure))
        chosen = accepted_options(measure, function, _general(random_state, n_jobs), options)
        varying = ~table.is_constant
        values = np.zeros(table.n_features)
        if varying.any():
            measured = table.varying
            if not takes_any_entries(measure):
                measured = measured.dense()
            values[varying] = _run(function, measured, chosen)
        return values
    return np.array(finite_array("measure", measure, (table.n_features,)))


def redundancy(
    X: Any,
    measure: str = DEFAULT_MEASURE,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Floats:
    """Return how much each feature tells about each other one, in the unit of the measure.

    The result takes 8·n² bytes (200 MB for 5000 features), computing it up to three times that and 150 MB,
    and the work grows with n²: with thousands of features keep the best ones (`keep_best` of
    `pyfsel.measure`).

    Parameters
    ----------
    X : Table, Columns, or features as `pyfsel.measures.prepare` takes them
    measure : str
        A name from `redundancy_measures`.
    random_state, n_jobs, **options
        As for `quality`.

    Returns
    -------
    array of float, shape (n_features, n_features)
        Row j, column i: what feature j tells about feature i; the diagonal is 0. Symmetric but for
        mutual_info, whose two directions differ a little. Constant columns have redundancy 0. Of
        co_information, which needs a Table with a target, how much less both tell about it together than
        apart.

    Raises
    ------
    InputError
        If the table, the measure's name or an option is not allowed.
    """
    columns = _columns(X, options)
    _check_general(random_state, n_jobs)
    function = find(redundancy_measures(), measure)
    if columns.gaps is not None:
        require_complete(measure)
    if columns.row_weights is not None:
        require_weighted(measure, None)
    if sees_target(measure) and not isinstance(columns, Table):
        raise InputError(f"X: must be a Table, which holds the target that measure={measure!r} needs")
    _say_unordered(columns, f"measure={measure!r}", uses_order(measure, of_pairs=True))
    chosen = accepted_options(measure, function, _general(random_state, n_jobs), options)
    _require_room(columns)
    if not takes_any_entries(measure, of_pairs=True):
        columns = columns.dense()
    varying = np.flatnonzero(~columns.is_constant)
    if len(varying) == columns.n_features:
        values = _run(function, columns, chosen)
    else:
        values = np.zeros((columns.n_features, columns.n_features))
        if len(varying):
            some = _run(function, columns.select(varying), chosen)
            values[np.ix_(varying, varying)] = some
    np.fill_diagonal(values, 0.0)
    return values


def pair_measures(
    X: Any,
    y: Any = None,
    measure: str = DEFAULT_MEASURE,
    *,
    objective: str = "mrmr",
    redundancy_measure: str | None = None,
    **options: Any,
) -> tuple[Floats, Floats | LazyRedundancy | None]:
    """Return the qualities and redundancies that `pyfsel.make_instance` needs for an objective.

    Parameters
    ----------
    X, y, **options
        As for `quality`, with `random_state` and `n_jobs`.
    measure : str
        Of the qualities and, unless `redundancy_measure` is given, of the redundancies.
    objective : str
        "univariate" has no redundancies. "fcbf": the redundancies of features of no relevance, which conflict
        with all others, are 0 and not measured. The measure of "cfs" should be 1 for a feature with itself,
        such as "information_share". "r2": correlations with their sign. "graph_score": Δ and P of paper
        004, shifted by their medians and weighted alike (`pyfsel.graph_score_problem` takes other numbers).
        "facility_location": similarities of columns, and of each with itself.
    redundancy_measure : str, optional
        Another measure for the redundancies. If not given, JMI and CIFE take "co_information", which goes
        with the measure "information" only: I(X_i; X_j) − I(X_i; X_j | Y), which may be negative; the graph
        score and facility location take "pearson".

    Returns
    -------
    quality : array of float, shape (n_features,)
    redundancy : array of float, shape (n_features, n_features), or None
        For mRMR and MIFS over more than 5,000 features by a measure of `pyfsel.measures.on_demand.ON_DEMAND`:
        `pyfsel.problem.redundancies.LazyRedundancy`, whose pairs are measured when a search needs them.

    Raises
    ------
    InputError
        If an argument is not allowed, or FCBF is asked for with two different measures.

    Examples
    --------
    >>> from pyfsel.problem.make import make_instance
    >>> from pyfsel.measures.tables.table import load_dataset
    >>> q, r = pair_measures(*load_dataset("wine"), objective="mrmr")
    >>> make_instance(q, r, objective="mrmr", k=5, n_alternatives=2, tau=0.4).n_features
    13
    """
    one_of("objective", objective, OBJECTIVES)
    kind = OBJECTIVES[objective]
    table = _table(X, y, options)
    common = taken(Running, options)
    if kind.is_signed:
        if redundancy_measure is not None or measure != kind.default_measure:
            raise InputError(f"measure: must be {kind.default_measure!r}, for objective={objective!r}")
        _say_unordered(table, f"objective={objective!r}", True)
        return signed_correlations(table)
    if not kind.needs_pairs and redundancy_measure is not None:
        raise InputError(
            f"redundancy_measure={redundancy_measure!r}: objective={objective!r} has no redundancies"
        )
    if not kind.needs_pairs:
        return quality(table, measure=measure, **common, **options), None
    named = measure if isinstance(measure, str) else None
    if kind.has_conflicts and redundancy_measure not in (None, named):
        raise InputError(
            f"redundancy_measure={redundancy_measure!r}: {kind.title} needs the same as measure={measure!r}"
        )
    pair_measure = redundancy_measure or kind.default_redundancy
    name = pair_measure or measure
    is_one = not pair_measure or pair_measure == named
    find(redundancy_measures(), name, "measure" if is_one else "redundancy_measure")
    shared = shared_options(name, measure, options)
    q = quality(table, measure=measure, **common, **options)
    if isinstance(kind, GraphScore):
        return shifted(vertex_weights(q, named), redundancy(table, name, **common, **shared))
    if (
        name.startswith("mutual_info")
        and name not in ON_DEMAND
        and table.n_features > MOST_FEATURES_BY_NEIGHBOURS
    ):
        raise InputError(
            f"measure={name!r}: the pairs of {table.n_features:,} columns by nearest neighbours take hours. "
            f"At most {MOST_FEATURES_BY_NEIGHBOURS:,} columns are allowed. Try 'information', or keep fewer "
            "columns (--keep-best)"
        )
    if is_on_demand(objective, name, table):
        if table.weights is not None:
            raise InputError(
                f"sample_weight: pairs of {table.n_features:,} columns are measured when they are asked for, "
                "without weights; keep the best only (--keep-best)"
            )
        _say_unordered(table, f"measure={name!r}", uses_order(name, of_pairs=True))
        return q, ON_DEMAND[name](table, **accepted_options(name, ON_DEMAND[name], common, shared))
    some = _selectable(q, name) if kind.has_conflicts else np.arange(table.n_features)
    if len(some) == table.n_features:
        r = redundancy(table, name, **common, **shared)
    else:
        r = np.zeros((table.n_features, table.n_features))
        if len(some):
            r[np.ix_(some, some)] = redundancy(table.select(some), name, **common, **shared)
    return q, r


def _say_unordered(columns: Columns, argument: str, uses_order: bool) -> None:
    if uses_order and columns.is_unordered is not None:
        warn_of_no_order(columns.feature_names, columns.is_unordered, argument)


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


def vertex_weights(q: Floats, measure: str | None) -> Floats:
    """Return Δ of qualities, in [0, 1]: one minus the classes' separation, or minus a share of the best."""
    if measure == GraphScore.default_measure:
        return 1.0 - q
    useful = np.maximum(q, 0.0)
    largest = useful.max()
    return np.asarray(1.0 - useful / largest if largest > 0 else np.ones_like(useful))


def _selectable(q: Floats, measure: str) -> Ints:
    """Return the features that FCBF lets be with another one, if the measure is one of ours, never negative.

    One of no relevance conflicts with all others: a redundancy of 0 says so already.
    """
    own = is_own(find(redundancy_measures(), measure))
    return np.flatnonzero(q > 0) if own else np.arange(len(q))


def is_on_demand(objective: str, measure: str, table: Columns) -> bool:
    """Return whether pairs of all features of a table are measured only when the search needs them."""
    most = MOST_FEATURES_IN_MEMORY if table.coded is None else MOST_FEATURES_IN_PARTS
    kind = OBJECTIVES.get(objective, Objective)
    return kind.has_pairs and measure in ON_DEMAND and table.n_features > most


def _check_general(random_state: Any, n_jobs: Any) -> None:
    """Check what every measure can be given, whether it needs it or not."""
    seed_or_generator("random_state", random_state)
    number_of_jobs("n_jobs", n_jobs)


def _general(random_state: Any, n_jobs: int | None) -> dict[str, Any]:
    """Return what a measure gets that has a parameter for it."""
    return {"random_state": random_state, "n_jobs": n_jobs, IN_PARTS: Parts(n_jobs)}


def _table(X: Any, y: Any, options: dict[str, Any]) -> Table:
    """Return the table, which takes its own ones out of the options."""
    reading = taken(Reading, options)
    if not isinstance(X, Table):
        return prepare(X, y, **reading)
    if y is not None:
        raise InputError("y: must not be given with a Table, which holds its target")
    _check_unread(reading)
    return X


def _columns(X: Any, options: dict[str, Any]) -> Columns:
    reading = taken(Reading, options)
    if not isinstance(X, Columns):
        return prepare_columns(X, **reading)
    _check_unread(reading)
    return X


def _check_unread(reading: dict[str, Any]) -> None:
    """Raise `InputError` if it is said how to read what is prepared already."""
    for name, given in reading.items():
        raise InputError(f"{name}={given!r}: must not be given with a Table, which is prepared already")


def _run(function: Measure, columns: Columns, options: dict[str, Any]) -> Floats:
    return np.asarray(function(columns, **options), dtype=np.float64)
