"""From a table to a subset: criterion and method by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import signature
from math import inf
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.measures import delta, quality, redundancy
from pyfsel.measures.contingency import value_codes
from pyfsel.measures.tables.rows import with_rows
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.papers.consistency.criterion import ConsistencyCriterion
from pyfsel.papers.consistency.problem import consistency_problem
from pyfsel.papers.graph import ASDPSelector, GraphSelector
from pyfsel.papers.subset.model_criterion import ModelCriterion
from pyfsel.papers.subset_search.criterion import Criterion, EntropyCriterion
from pyfsel.papers.subset_search.ranking import cut_weights, prefixes
from pyfsel.papers.subset_search.registry import METHODS, search_subsets
from pyfsel.papers.subset_search.result import SubsetResult
from pyfsel.papers.subset_search.run import Asked, Goal, Run
from pyfsel.problem.checks import integer_in, one_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Limits
from pyfsel.selectors.splits import reusable, split_times
from pyfsel.selectors.wrapper.own_search import AllowedSets

OF_VALUES = ("consistency", "conditional-entropy")
CRITERIA = (*OF_VALUES, "model")
RANKINGS = {
    "relief": ("relief", {"n_neighbors": 1}),
    "information-gain": ("mutual_info_binned", {}),
}
OF_ALL = ("estimator", "scoring", "cv", "time_limit", "random_state", "n_jobs")
OF_RANKINGS = {"relief": ("cut", "n_neighbors", "n_samples"), "information-gain": ("cut", "n_bins")}
GRAPHS: dict[str, tuple[type[GraphSelector | ASDPSelector], dict[str, Any]]] = {
    "graph-fs": (GraphSelector, {}),
    "asdp": (ASDPSelector, {}),
    "sdp-1": (ASDPSelector, {"method": "sdp-1"}),
}
ALL_METHODS = (*METHODS, *RANKINGS, *GRAPHS)


class SubsetOptions(TypedDict, total=False):
    """Of criteria, searches and rankings: arguments of `select_subset`, which describes them."""

    n_bins: int | None
    estimator: Any
    scoring: Any
    cv: Any
    time_limit: float | None
    max_evaluations: int | None
    random_state: int | None
    n_jobs: int | None
    ties: str
    patience: int | None
    margin: int
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
    **options: Unpack[SubsetOptions],
) -> SubsetResult:
    """Select one set of features by a classic search or a ranking (paper 001).

    Parameters
    ----------
    X : DataFrame, array or Table
    y : array-like, shape (n_rows,)
    method : str
        The searches "forward", "backward", "floating-forward", "floating-backward", "lvf", "lvi", "abb" and
        "qbb", see `pyfsel.papers.subset_search`; the rankings "relief" and "information-gain", which
        select what lies above the automatic cut if neither size nor threshold is given; or "graph-fs", "asdp"
        and "sdp-1" of paper 004, whose graph score is their own goal.
    criterion : {"consistency", "conditional-entropy", "model"} or Criterion
        What is to be large: 1/(1 + inconsistency rate), minus the entropy of the class given the features, or
        a model's cross-validated score.
    size : int, optional
        Number of features; of a ranking, the largest one.
    threshold : float, optional
        Find the smallest set whose criterion is at least this. If neither is given, searches take what all
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
    n_jobs : int, optional
        Processes that train models for the criterion "model", or weigh features for "relief".
    time_limit : float, optional
        Seconds.
    max_evaluations : int, optional
        Most sets to evaluate.
    random_state : int, optional
        Seed of random sets and of ties.
    **options
        ``ties``, ``patience``, ``margin``, ``max_tries``, ``draw``, ``portion``, ``check`` of the searches,
        see `search_subsets`; ``cut`` of rankings ("knee", "literal"), and ``n_neighbors`` and ``n_samples``
        of Relief, as in the measure `relief`; here one neighbour is the default, as in 001; ``t_delta``,
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
    >>> from pyfsel.bench.instances import Request, generate
    >>> import pandas as pd
    >>> table = generate("parity", Request(n_features=3, n_irrelevant=4, n_redundant=0), 1)
    >>> frame = pd.DataFrame(dict(table.columns))
    >>> X, y = frame.drop(columns="target"), frame["target"]
    >>> result = select_subset(X, y, method="backward")
    >>> sorted(result.names_of(result.features)), result.value
    (['relevant_0', 'relevant_1', 'relevant_2'], 1.0)
    """
    one_of("method", method, ALL_METHODS)
    if not isinstance(X, Table):
        X, times, gap = split_times(X, options.get("cv"))
        X = with_rows(prepare(X, y, missing=missing), times=times, time_gap=gap)
    if "cv" in options:
        options["cv"] = reusable(options["cv"])
    if first is not None:
        return _after(first, X, criterion, options, method=method, size=size, threshold=threshold)
    of_method: dict[str, Any] = {**options}
    of_model = {name: of_method.pop(name, None) for name in ("estimator", "scoring", "cv")}
    n_bins, n_jobs, max_evaluations, time_limit, random_state = (
        of_method.pop(name, None)
        for name in ("n_bins", "n_jobs", "max_evaluations", "time_limit", "random_state")
    )
    _check_used(criterion, ("model",), of_model)
    if method != "information-gain":
        _check_used(criterion, OF_VALUES, {"n_bins": n_bins})
    limits = Limits.checked(time_limit, random_state)
    table = X.untimed().dense()

    def model() -> Criterion:
        return ModelCriterion(table, **of_model, random_state=limits.random_state, n_jobs=n_jobs)

    J = _criterion(table, criterion, n_bins, model)
    if allowed is not None:
        J = _AmongAllowed(J, allowed)
    if method == "information-gain" and n_bins is not None:
        of_method["n_bins"] = n_bins
    if method in RANKINGS:
        asked = Asked(size, threshold)
        cut = _cut(method, asked, of_method)
        run = Run(J, _goal_of_ranking(table, J, asked), limits, max_evaluations)
        measure, defaults = RANKINGS[method]
        fixed = {"normalise": False, "random_state": limits.random_state, "n_jobs": n_jobs}
        weights = quality(table, measure=measure, **fixed, **{**defaults, **of_method})
        return _ranked(run, method, weights, cut)
    asked = Asked(size, threshold, of_method.pop("patience", None), of_method.pop("margin", 0))
    if method in GRAPHS:
        if asked != Asked():
            raise InputError(f"method={method!r}: takes no size, threshold, patience or margin")
        run = Run(J, Goal(range(table.n_features + 1)), limits, max_evaluations)
        return _only(run, method, _of_graph(method, table, of_method))
    return search_subsets(J, method, asked, limits=limits, max_evaluations=max_evaluations, **of_method)


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
    unknown = [name for name in options if name not in known]
    if unknown:
        allowed = ", ".join(sorted(known))
        raise InputError(f"{unknown[0]}={options[unknown[0]]!r}: method={method!r} takes {allowed}")
    chosen = selector(**fixed, **options).select(delta(table), redundancy(table, "pearson"))
    return tuple(sorted(map(int, chosen)))


def _after(
    first: str, table: Table, criterion: str | Criterion, options: SubsetOptions, **then: Any
) -> SubsetResult:
    """Search among the features that another method selects, and number them as in the whole table."""
    one_of("first", first, ALL_METHODS)
    if not isinstance(criterion, str):
        raise InputError("first: needs a criterion by its name, which can be asked about fewer features")
    shared: Any = {name: value for name, value in options.items() if name in OF_ALL}
    kept = np.array(select_subset(table, method=first, criterion=criterion, **shared).features, dtype=np.intp)
    if not len(kept):
        raise InputError(f"first={first!r}: selects no feature")
    found = select_subset(table.select(kept.tolist()), criterion=criterion, **then, **options)

    def numbered(members: FeatureSet) -> FeatureSet:
        return tuple(kept[list(members)].tolist())

    return replace(
        found,
        method=f"{first}, {found.method}",
        feature_names=tuple(table.feature_names),
        sets=tuple(map(numbered, found.sets)),
        trace=tuple(replace(visit, features=numbered(visit.features)) for visit in found.trace),
    )


def _check_used(criterion: str | Criterion, criteria: Sequence[str], options: dict[str, Any]) -> None:
    """Raise `InputError` for an option that only other criteria have."""
    for name, given in options.items():
        if given is not None and criterion not in criteria:
            those = " and ".join(f"criterion={one!r}" for one in criteria)
            raise InputError(f"{name}={given!r}: is for {those} only")


def _criterion(
    table: Table, criterion: str | Criterion, n_bins: int | None, model: Callable[[], Criterion]
) -> Criterion:
    if not isinstance(criterion, str):
        return criterion
    one_of("criterion", criterion, CRITERIA)
    if criterion == "model":
        return model()
    if table.weights is not None:
        raise InputError(
            f"sample_weight: is not for criterion={criterion!r}; criterion='model' accepts weights"
        )
    if table.task != "classification":
        raise InputError(f"y: holds numbers; criterion={criterion!r} needs classes, 'model' takes numbers")
    if criterion == "consistency":
        return ConsistencyCriterion(consistency_problem(table, n_bins=n_bins))
    return EntropyCriterion(value_codes(table, n_bins), table.y, table.feature_names)


def _cut(method: str, asked: Asked, options: dict[str, Any]) -> str | None:
    """Remove the cut from a ranking's options and return it; None if a size or threshold is given."""
    for name, given in options.items():
        if name not in OF_RANKINGS[method]:
            allowed = ", ".join(OF_RANKINGS[method])
            raise InputError(f"{name}={given!r}: method={method!r} takes {allowed}")
    cut: str = options.pop("cut", "knee")
    if asked == Asked():
        return cut
    if cut != "knee":
        raise InputError(f"cut={cut!r}: is for neither a size nor a threshold")
    return None


def _goal_of_ranking(table: Table, J: Criterion, asked: Asked) -> Goal:
    if asked.size is not None:
        most = integer_in("size", asked.size, 1, table.n_features)
        return Goal(range(1, most + 1))
    return Goal(range(table.n_features + 1)) if asked == Asked() else asked.goal(J)


def _ranked(run: Run, method: str, weights: NDArray[np.float64], cut: str | None) -> SubsetResult:
    """Take a prefix of the features by weight, or what lies above the cut."""
    if cut is None:
        return run.execute(method, lambda run: prefixes(run, weights.tolist()))
    return _only(run, method, cut_weights(weights, cut))


def _only(run: Run, method: str, features: FeatureSet) -> SubsetResult:
    """Return the result that consists of one set."""

    def only_one(run: Run) -> bool:
        run.step(features)
        return False

    return run.execute(method, only_one)
