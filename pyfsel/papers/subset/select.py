"""From a table to a subset: criterion and method by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict, Unpack

from pyfsel.errors import InputError
from pyfsel.measures import delta, quality, redundancy
from pyfsel.measures.tables.rows import with_rows
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.papers.consistency.problem import consistency_problem
from pyfsel.papers.graph import ASDPSelector, GraphSelector
from pyfsel.papers.own_search import AllowedSets, Search
from pyfsel.papers.subset.criteria import ConsistencyCriterion, Criterion, EntropyCriterion, ModelCriterion
from pyfsel.papers.subset.run import Run, SubsetResult
from pyfsel.papers.subset.searches import METHODS, Method, prefixes, search_subsets
from pyfsel.papers.subset.weights import cut_weights
from pyfsel.problem.checks import one_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Limits
from pyfsel.selectors.splits import reusable, split_times

OF_VALUES: dict[str, type[ConsistencyCriterion | EntropyCriterion]] = {
    "consistency": ConsistencyCriterion,
    "conditional-entropy": EntropyCriterion,
}
CRITERIA = (*OF_VALUES, "model")


def ranked(run: Run, table: Table, cut: str | None = None, **measure: Any) -> bool:
    """Rank the features by a measure and use a prefix, or what lies above the cut if there is no goal."""
    weights = quality(table, **measure)
    if len(run.goal.sizes) > len(run.names) and run.goal.threshold is None:
        run.step(cut_weights(weights, cut or "knee"))
        return False
    if cut is not None:
        raise InputError(f"cut={cut!r}: is for neither a size nor a threshold")
    return prefixes(run, weights)


def selected(run: Run, table: Table, selector: type[GraphSelector | ASDPSelector], **options: Any) -> bool:
    """Use the features that a method of paper 004 selects."""
    chosen = selector(**options).select(delta(table), redundancy(table, "pearson"))
    run.step(tuple(sorted(map(int, chosen))))
    return False


CUTS = ("t_delta", "t_p", "rounds", "decay")
SHIFTS = ("weight", "shift_delta", "shift_p")
OF_TABLES = {
    "relief": Method(
        partial(ranked, measure="relief"),
        ("size", "threshold"),
        ("cut", "n_neighbors", "n_samples"),
        has_end=True,
    ),
    "information-gain": Method(
        partial(ranked, measure="mutual_info_binned"),
        ("size", "threshold"),
        ("cut", "n_bins"),
        has_end=True,
    ),
    "graph-fs": Method(partial(selected, selector=GraphSelector), (), CUTS, has_end=True),
    "asdp": Method(partial(selected, selector=ASDPSelector), (), (*CUTS, *SHIFTS), has_end=True),
    "sdp-1": Method(
        partial(selected, selector=ASDPSelector, method="sdp-1"), (), (*CUTS, *SHIFTS), has_end=True
    ),
}
"""Rankings and graph methods, which measure a table."""
GRAPHS = ("graph-fs", "asdp", "sdp-1")
ALL_METHODS = {**METHODS, **OF_TABLES}


class SubsetOptions(TypedDict, total=False):
    """Of searches, rankings and graph methods: further arguments of `select_subset`, which describes them."""

    ties: str
    patience: int | None
    max_tries: int
    draw: str
    portion: float
    check: str
    cut: str
    n_neighbors: int
    n_samples: int | None
    t_delta: float
    t_p: float
    rounds: int
    decay: float
    weight: float
    shift_delta: float
    shift_p: float


def select_subset(
    X: Any,
    y: Any = None,
    *,
    method: str = "floating-forward",
    criterion: str | Criterion = "consistency",
    size: int | None = None,
    threshold: float | None = None,
    missing: str = "error",
    first: str | None = None,
    allowed: AllowedSets | None = None,
    n_bins: int | None = None,
    estimator: Any = None,
    scoring: Any = None,
    cv: Any = None,
    time_limit: float | None = None,
    max_evaluations: int | None = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    **options: Unpack[SubsetOptions],
) -> SubsetResult:
    """Select one set of features by a classic search or a ranking (paper 001).

    Parameters
    ----------
    X : DataFrame, array or Table
    y : array-like, shape (n_rows,)
    method : str
        The searches "forward", "backward", "floating-forward", "floating-backward", "lvf", "lvi", "abb" and
        "qbb", see `pyfsel.papers.subset.searches`; the rankings "relief" and "information-gain", which
        select what lies above the automatic cut if neither size nor threshold is given; or "graph-fs", "asdp"
        and "sdp-1" of paper 004, whose graph score is their own goal.
    criterion : {"consistency", "conditional-entropy", "model"} or Criterion
        What is to be large: 1/(1 + inconsistency rate), minus the entropy of the class given the features, or
        a model's cross-validated score.
    size : int, optional
        Number of features; of a ranking, the largest one.
    threshold : float, optional
        Find the smallest set whose criterion is at least this. If neither is given, searches use what all
        features reach.
    missing : {"error", "drop", "impute"}
    first : str, optional
        One of the methods, which goes first, by its defaults: `method` then searches among the features that
        it selects, as in Relief before LVF (paper 001, Section 7).
    allowed : AllowedSets, optional
        Sets that do not lead to one of these are worse than all others, see `stepwise_search`.
    n_bins : int, optional
        Quantile bins of continuous columns, for consistency and entropy, where values are compared exactly
        without them, and for information gain, where there are ten.
    estimator, scoring, cv
        Of the criterion "model" only, see `ModelCriterion`.
    time_limit : float, optional
        Seconds.
    max_evaluations : int, optional
        Most sets to evaluate.
    random_state : int, optional
        Seed of random sets and of ties.
    n_jobs : int, optional
        Processes that train models for the criterion "model", or weigh features for "relief".
    **options
        ``ties``, ``patience``, ``max_tries``, ``draw``, ``portion``, ``check`` of the searches, see
        `search_subsets`; ``cut`` of rankings ("knee", "literal"), and ``n_neighbors`` and ``n_samples`` of
        Relief, as in the measure `relief`; here one neighbour is the default, as in 001; ``t_delta``,
        ``t_p``, ``rounds``, ``decay``, ``weight``, ``shift_delta`` and ``shift_p`` of the graph methods, see
        `GraphSelector` and `ASDPSelector`.

    Returns
    -------
    SubsetResult
        After a limit or Ctrl-C with the best set until then.

    Raises
    ------
    InputError
        If an argument or the table is not allowed, or the method cannot use the criterion.

    Examples
    --------
    >>> from pyfsel.bench.instances import Request, generated
    >>> import pandas as pd
    >>> table = generated("parity", Request(n_features=3, n_irrelevant=4, n_redundant=0), 1)
    >>> frame = pd.DataFrame(dict(table.columns))
    >>> X, y = frame.drop(columns="target"), frame["target"]
    >>> result = select_subset(X, y, method="backward")
    >>> sorted(result.names_of(result.features)), result.value
    (['relevant_0', 'relevant_1', 'relevant_2'], 1.0)
    """
    one_of("method", method, ALL_METHODS)
    if not isinstance(X, Table):
        X, times, gap = split_times(X, cv)
        X = with_rows(prepare(X, y, missing=missing), times=times, time_gap=gap)
    limits = Limits.checked(time_limit, random_state)
    of_model = {"estimator": estimator, "scoring": scoring, "cv": reusable(cv)}
    searching: Any = {"size": size, "threshold": threshold, "max_evaluations": max_evaluations, **options}
    if first is not None:
        one_of("first", first, ALL_METHODS)
        if not isinstance(criterion, str):
            raise InputError("first: needs a criterion by its name, which can be asked about fewer features")
        common = {**of_model, "criterion": criterion, "time_limit": time_limit}
        common |= {"random_state": random_state, "n_jobs": n_jobs}
        return _after(first, X, common, {**searching, "method": method, "n_bins": n_bins})
    table = X.untimed().dense()
    _check_used(criterion, ("model",), of_model)
    if method == "information-gain":
        searching |= {} if n_bins is None else {"n_bins": n_bins}
    else:
        _check_used(criterion, tuple(OF_VALUES), {"n_bins": n_bins})
    trained = {"random_state": limits.random_state, "n_jobs": n_jobs}
    J = _criterion(table, criterion, n_bins, {**of_model, **trained})
    methods = {**METHODS, **{name: _of_table(name, table, trained) for name in OF_TABLES}}
    return search_subsets(J, method, methods=methods, limits=limits, allowed=allowed, **searching)


def stepwise_search(table: Table, method: str = "floating-forward", **options: Any) -> Search:
    """Return a search for alternatives by a method that goes feature by feature.

    The method does not leave the way to sets that are allowed: to it all others are worse than any.

    Parameters
    ----------
    table : Table
    method : {"forward", "backward", "floating-forward", "floating-backward"}
    **options
        As for `select_subset`; time and evaluations are limited for each set.

    Examples
    --------
    >>> from pyfsel.measures.tables.table import load_dataset
    >>> from pyfsel.papers import alternatives_by
    >>> from pyfsel.problem.make import make_instance
    >>> table = prepare(*load_dataset("wine"))
    >>> problem = make_instance([0] * 13, k=2, n_sets=3, dissimilarity=1, feature_names=table.feature_names)
    >>> found = alternatives_by(problem, stepwise_search(table, "forward", n_bins=4))
    >>> [problem.names_of(members) for members in found]
    [['flavanoids', 'color_intensity'], ['od280/od315_of_diluted_wines', 'proline'], ['alcohol', 'hue']]
    """
    options["cv"] = reusable(options.get("cv"))

    def search(allowed: AllowedSets) -> FeatureSet | None:
        found = select_subset(table, method=method, size=allowed.problem.k, allowed=allowed, **options)
        return next((members for members in found.sets if members in allowed), None)

    return search


def _of_table(name: str, table: Table, trained: dict[str, Any]) -> Method:
    """Return a method that measures this table."""
    found = OF_TABLES[name]
    measured: dict[str, Any] = {} if name in GRAPHS else trained
    if name == "relief":
        measured = {"n_neighbors": 1, **measured}
    return found._replace(search=partial(found.search, table=table, **measured))


def _after(first: str, table: Table, common: dict[str, Any], then: dict[str, Any]) -> SubsetResult:
    """Search among the features that another method selects, and number them as in the whole table."""
    kept = select_subset(table, method=first, **common).features
    if not kept:
        raise InputError(f"first={first!r}: selects no feature")
    found = select_subset(table.select(list(kept)), **common, **then)

    def numbered(members: FeatureSet) -> FeatureSet:
        return tuple(kept[j] for j in members)

    return replace(
        found,
        method=f"{first}, {found.method}",
        feature_names=tuple(table.feature_names),
        sets=tuple(map(numbered, found.sets)),
        trace=tuple(visit._replace(features=numbered(visit.features)) for visit in found.trace),
    )


def _check_used(criterion: str | Criterion, criteria: Sequence[str], options: dict[str, Any]) -> None:
    """Raise `InputError` for an option that only other criteria have."""
    for name, given in options.items():
        if given is not None and criterion not in criteria:
            those = " and ".join(f"criterion={one!r}" for one in criteria)
            raise InputError(f"{name}={given!r}: is for {those} only")


def _criterion(
    table: Table, criterion: str | Criterion, n_bins: int | None, trained: dict[str, Any]
) -> Criterion:
    if not isinstance(criterion, str):
        return criterion
    one_of("criterion", criterion, CRITERIA)
    if criterion == "model":
        return ModelCriterion(table, **trained)
    if table.weights is not None:
        raise InputError(
            f"sample_weight: is not for criterion={criterion!r}; criterion='model' accepts weights"
        )
    if table.task != "classification":
        raise InputError(f"y: holds numbers; criterion={criterion!r} needs classes, 'model' takes numbers")
    return OF_VALUES[criterion](consistency_problem(table, n_bins=n_bins))
