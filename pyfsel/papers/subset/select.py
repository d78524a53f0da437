"""From a table to a subset: criterion and method by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from math import inf
from typing import Any, TypedDict, Unpack

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures import delta, quality, redundancy
from pyfsel.measures.tables.rows import with_rows
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.papers.consistency.problem import consistency_problem
from pyfsel.papers.graph import ASDPSelector, GraphSelector
from pyfsel.papers.own_search import AllowedSets
from pyfsel.papers.subset.criteria import ConsistencyCriterion, Criterion, EntropyCriterion, ModelCriterion
from pyfsel.papers.subset.run import Goal, Run, SubsetResult
from pyfsel.papers.subset.searches import METHODS, check_known, prefixes, search_subsets
from pyfsel.papers.subset.weights import cut_weights
from pyfsel.problem.checks import integer_in, one_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Limits
from pyfsel.selectors.splits import reusable, split_times

OF_MODEL = ("estimator", "scoring", "cv")
OF_VALUES: dict[str, type[ConsistencyCriterion | EntropyCriterion]] = {
    "consistency": ConsistencyCriterion,
    "conditional-entropy": EntropyCriterion,
}
CRITERIA = (*OF_VALUES, "model")
RANKINGS: dict[str, tuple[str, dict[str, Any], Sequence[str]]] = {
    "relief": ("relief", {"n_neighbors": 1}, ("cut", "n_neighbors", "n_samples")),
    "information-gain": ("mutual_info_binned", {}, ("cut", "n_bins")),
}
"""The measure, its options that differ, and the options of the method."""
GRAPHS: dict[str, tuple[type[GraphSelector | ASDPSelector], dict[str, Any]]] = {
    "graph-fs": (GraphSelector, {}),
    "asdp": (ASDPSelector, {}),
    "sdp-1": (ASDPSelector, {"method": "sdp-1"}),
}
ALL_METHODS = (*METHODS, *RANKINGS, *GRAPHS)


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
        Sets that do not lead to one of these are worse than all others, see `subset_alternatives`.
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
    of_model = {"estimator": estimator, "scoring": scoring, "cv": reusable(cv)}
    common = {**of_model, "time_limit": time_limit, "random_state": random_state, "n_jobs": n_jobs}
    own: dict[str, Any] = {**options}
    if first is not None:
        more = {"n_bins": n_bins, "max_evaluations": max_evaluations, **own}
        goal = {"method": method, "size": size, "threshold": threshold}
        return _after(first, X, criterion, common, {**goal, **more})
    limits = Limits.checked(time_limit, random_state)
    table = X.untimed().dense()
    _check_used(criterion, ("model",), of_model)
    if method == "information-gain":
        own |= {} if n_bins is None else {"n_bins": n_bins}
    else:
        _check_used(criterion, tuple(OF_VALUES), {"n_bins": n_bins})
    trained = {**of_model, "random_state": limits.random_state, "n_jobs": n_jobs}
    J = _criterion(table, criterion, n_bins, trained)
    if allowed is not None:
        J = _AmongAllowed(J, allowed)
    if method in METHODS:
        bounds: Any = {"size": size, "threshold": threshold, "max_evaluations": max_evaluations}
        return search_subsets(J, method, limits=limits, **bounds, **own)
    run = Run(J, Goal(range(table.n_features + 1)), limits, max_evaluations)
    if method in GRAPHS:
        if size is not None or threshold is not None:
            raise InputError(f"method={method!r}: takes no size or threshold")
        return _only(run, method, _of_graph(method, table, own))
    return _ranked(run, method, table, size, threshold, n_jobs, own)


class _AmongAllowed:
    """A criterion by which sets that do not lead to an allowed one are worse than all others."""

    is_monotone = False

    def __init__(self, criterion: Criterion, allowed: AllowedSets) -> None:
        self.criterion = criterion
        self.allowed = allowed
        self.feature_names = criterion.feature_names
        self.batch_size = criterion.batch_size
        self.value = criterion.value
        self.least_key = criterion.least_key

    def keys(self, sets: Sequence[FeatureSet]) -> list[float]:
        """Return the key of each set, or −∞."""
        good = [self.allowed.is_on_the_way(members) for members in sets]
        known = iter(self.criterion.keys([s for s, is_good in zip(sets, good, strict=True) if is_good]))
        return [next(known) if is_good else -inf for is_good in good]


def _of_graph(method: str, table: Table, options: dict[str, Any]) -> FeatureSet:
    """Return the features that a method of paper 004 selects."""
    selector, fixed = GRAPHS[method]
    known = set(signature(selector).parameters) & SubsetOptions.__annotations__.keys()
    check_known(method, options, sorted(known))
    chosen = selector(**fixed, **options).select(delta(table), redundancy(table, "pearson"))
    return tuple(sorted(map(int, chosen)))


def _ranked(
    run: Run,
    method: str,
    table: Table,
    size: int | None,
    threshold: float | None,
    n_jobs: int | None,
    options: dict[str, Any],
) -> SubsetResult:
    """Rank the features and use a prefix of them, or what lies above the cut."""
    measure, defaults, known = RANKINGS[method]
    check_known(method, options, known)
    cut = options.pop("cut", "knee")
    fixed: Any = {"random_state": run.limits.random_state, "n_jobs": n_jobs}
    weights = quality(table, measure=measure, **fixed, **{**defaults, **options})
    if size is None and threshold is None:
        return _only(run, method, cut_weights(weights, cut))
    if cut != "knee":
        raise InputError(f"cut={cut!r}: is for neither a size nor a threshold")
    run.goal = Goal.requested(run.criterion, size, threshold)
    if size is not None:
        run.goal = Goal(range(1, integer_in("size", size, 1, table.n_features) + 1))
    return run.execute(method, lambda run: prefixes(run, weights))


def _only(run: Run, method: str, features: FeatureSet) -> SubsetResult:
    """Return the result that consists of one set."""

    def only_one(run: Run) -> bool:
        run.step(features)
        return False

    return run.execute(method, only_one)


def _after(
    first: str, table: Table, criterion: str | Criterion, common: dict[str, Any], then: dict[str, Any]
) -> SubsetResult:
    """Search among the features that another method selects, and number them as in the whole table."""
    one_of("first", first, ALL_METHODS)
    if not isinstance(criterion, str):
        raise InputError("first: needs a criterion by its name, which can be asked about fewer features")
    narrowed = select_subset(table, method=first, criterion=criterion, **common)
    kept = np.array(narrowed.features, dtype=np.intp)
    if not len(kept):
        raise InputError(f"first={first!r}: selects no feature")
    found = select_subset(table.select(kept.tolist()), criterion=criterion, **common, **then)

    def numbered(members: FeatureSet) -> FeatureSet:
        return tuple(kept[list(members)].tolist())

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
