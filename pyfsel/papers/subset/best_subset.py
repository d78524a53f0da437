"""From a table to a subset: criterion and method by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pyfsel.errors import InputError
from pyfsel.measures import delta, quality, redundancy
from pyfsel.measures.tables.rows import with_rows
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.papers.consistency.distinct_rows import consistency_problem
from pyfsel.papers.graph import ASDPSelector, GraphSelector
from pyfsel.papers.own_search import AllowedSets, Search
from pyfsel.papers.subset.criteria import ConsistencyCriterion, Criterion, EntropyCriterion, ModelCriterion
from pyfsel.papers.subset.search_state import SubsetResult, SubsetRun
from pyfsel.papers.subset.searches import (
    CONTRADICTIONS,
    METHODS,
    NEEDS,
    OF_RUN,
    OPTIONS,
    STEPWISE,
    SubsetMethod,
    prefixes,
)
from pyfsel.papers.subset.weights import cut_weights
from pyfsel.problem.checks import integer_in, one_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import Limits
from pyfsel.selectors.splits import reusable, split_times

CRITERIA: dict[str, Any] = {
    "consistency": ConsistencyCriterion,
    "conditional-entropy": EntropyCriterion,
    "model": ModelCriterion,
}
OF_VALUES = ("consistency", "conditional-entropy")


def ranked(run: SubsetRun, table: Table, cut: str = "knee", **measure: Any) -> bool:
    """Rank the features by a measure and use a prefix, or what lies above the cut without a goal."""
    weights = quality(table, **measure)
    if len(run.sizes) > len(run.names) and run.least is None:
        run.step(cut_weights(weights, cut))
        return False
    return prefixes(run, weights)


def selected(
    run: SubsetRun, table: Table, selector: type[GraphSelector | ASDPSelector], **options: Any
) -> bool:
    """Use the features that a method of paper 004 selects."""
    chosen = selector(**options).select(delta(table), redundancy(table, "pearson"))
    run.step(tuple(sorted(map(int, chosen))))
    return False


RANKED = (*STEPWISE, "cut")
CUTS = ("t_delta", "t_p", "rounds", "decay")
SHIFTS = (*CUTS, "weight", "shift_delta", "shift_p")
RANKINGS = {
    "relief": SubsetMethod(
        partial(ranked, measure="relief", n_neighbors=1), (*RANKED, "n_neighbors", "n_samples"), has_end=True
    ),
    "information-gain": SubsetMethod(
        partial(ranked, measure="mutual_info_binned"), (*RANKED, "n_bins"), has_end=True
    ),
}
GRAPHS = {
    "graph-fs": SubsetMethod(partial(selected, selector=GraphSelector), CUTS, has_end=True),
    "asdp": SubsetMethod(partial(selected, selector=ASDPSelector), SHIFTS, has_end=True),
    "sdp-1": SubsetMethod(partial(selected, selector=ASDPSelector, method="sdp-1"), SHIFTS, has_end=True),
}
ALL_METHODS = {**METHODS, **RANKINGS, **GRAPHS}


@dataclass(frozen=True)
class SubsetSearch:
    """A search for one set of features, checked as far as it can be before there is a table.

    Parameters
    ----------
    method : str
        A search, a ranking, or a graph method of paper 004.
    criterion : {"consistency", "conditional-entropy", "model"}
        J, what a set is worth. In Python your own `Criterion` is possible too.
    k : int, optional
        The number of features (type 1 of paper 001); of a ranking, the maximum.
    threshold : float, optional
        Look for the smallest set whose J is at least this (type 2). Without it and without k, searches use
        what all features reach.
    first : str, optional
        The method that goes first, with its defaults: `method` then searches among the features that it
        selects, as in Relief before LVF (paper 001, Section 7). Without k and threshold it uses what these
        reach together; nothing is proved of the features that are left out.
    n_bins : int, optional
        Quantile bins of continuous columns, for consistency and entropy, where values are compared exactly
        without them, and for information gain, where there are ten.
    estimator : scikit-learn estimator, optional
        For the criterion "model": see `ModelCriterion`.
    scoring : str or callable, optional
        For the criterion "model": a score of scikit-learn.
    cv : int or splitter, optional
        For the criterion "model": the number of folds, by default 5, or time:COLUMN.
    time_limit : float, optional
        Seconds for the whole search, which keeps the best set found.
    max_evaluations : int, optional
        The maximum number of sets to evaluate.
    random_state : int, optional
        The seed of random sets and of ties.
    n_jobs : int, optional
        Processes that train models for the criterion "model", or weigh features for "relief".
    ties : {"random", "lowest"}
        Which one of equally good features is used: one that seed, step and names decide, or the first.
    allowed : AllowedSets, optional
        Sets that do not lead to one of these are worse than all others, see `stepwise_search`.
    max_tries : int, optional
        For "lvf", "lvi" and "qbb": the number of sets that are drawn, by default 1,000.
    draw : {"all", "shrinking"}, optional
        For "lvf", "lvi" and "qbb": draw from all features (default), or from the smallest set so far.
    portion : float, optional
        For "lvi": the proportion of the rows to begin with, by default 0.1.
    check : {"all", "rest"}, optional
        For "lvi": test a set on all rows (default), or on the rows outside of the sample.
    cut : {"knee", "literal"}, optional
        For rankings without k and threshold: keep the features above the knee of the weights (default), or
        the feature at the knee too.
    n_neighbors : int, optional
        For "relief": the nearest rows of each class, by default one, as in paper 001.
    n_samples : int, optional
        For "relief": the number of rows that are drawn, by default 500.
    t_delta : float, optional
        For the graph methods: the maximum Δ of a feature.
    t_p : float, optional
        For the graph methods: the correlation from which features are similar.
    rounds : int, optional
        For the graph methods: the rounds of a cascade of Graph-FS, by default one.
    decay : float, optional
        For the graph methods: what multiplies both thresholds from one round to the next.
    weight : float, optional
        For "asdp" and "sdp-1": how much Δ counts against the similarity of pairs, by default 0.5.
    shift_delta : float, optional
        For "asdp" and "sdp-1": what is subtracted from all Δ, by default the median.
    shift_p : float, optional
        For "asdp" and "sdp-1": what is subtracted from all similarities, by default the median.

    Raises
    ------
    InputError
        If an argument is not allowed, or the method cannot use it or the criterion.
    """

    method: str = "floating-forward"
    criterion: Any = "consistency"
    k: int | None = None
    threshold: float | None = None
    first: str | None = None
    n_bins: int | None = None
    estimator: Any = None
    scoring: Any = None
    cv: Any = None
    time_limit: float | None = None
    max_evaluations: int | None = None
    random_state: int | None = None
    n_jobs: int | None = None
    ties: str = "random"
    allowed: AllowedSets | None = None
    max_tries: int | None = None
    draw: str | None = None
    portion: float | None = None
    check: str | None = None
    cut: str | None = None
    n_neighbors: int | None = None
    n_samples: int | None = None
    t_delta: float | None = None
    t_p: float | None = None
    rounds: int | None = None
    decay: float | None = None
    weight: float | None = None
    shift_delta: float | None = None
    shift_p: float | None = None

    def __post_init__(self) -> None:
        Limits.starting_now(self.time_limit, self.random_state)
        if isinstance(self.criterion, str):
            one_of("criterion", self.criterion, CRITERIA)
        elif self.first is not None:
            raise InputError("first: needs a criterion by its name, which can be asked about fewer features")
        method, options = self._named("method", self.method), self._options
        for name in ("n_bins", "estimator", "scoring", "cv"):
            given, criteria = getattr(self, name), OF_VALUES if name == "n_bins" else ("model",)
            if given is not None and self.criterion not in criteria and name not in method.options:
                raise InputError(f"{name}={given!r}: is for the criterion {' or '.join(criteria)} only")
        if self.n_bins is not None:
            OPTIONS["n_bins"]("n_bins", self.n_bins)
        for name, given in options.items():
            if name not in (*method.options, *OF_RUN):
                others = ", ".join(other for other in ALL_METHODS if name in ALL_METHODS[other].options)
                raise InputError(f"{name}={given!r}: is not for method={self.method!r}, but for {others}")
            OPTIONS[name](name, given)
        for one, other in CONTRADICTIONS:
            if one in options and other in options:
                raise InputError(
                    f"{one}={options[one]!r}: excludes {other}={options[other]!r}. Give one of the two"
                )
        if self.first is not None:
            self._named("first", self.first)

    def _named(self, argument: str, name: str) -> SubsetMethod:
        """Return the method of this name, if the criterion, or its type, has what it needs."""
        one_of(argument, name, ALL_METHODS)
        needs = ALL_METHODS[name].needs
        if needs and not getattr(CRITERIA.get(self.criterion, self.criterion), needs, False):
            raise InputError(f"{argument}={name!r}: needs a criterion that {NEEDS[needs]}: consistency")
        return ALL_METHODS[name]

    @property
    def _options(self) -> dict[str, Any]:
        """What is given of the options that methods have; bins may belong to the criterion."""
        own = [name for name in OPTIONS if name != "n_bins" or name in ALL_METHODS[self.method].options]
        return {name: getattr(self, name) for name in own if getattr(self, name) is not None}

    def of(self, table: Table, limits: Limits | None = None) -> SubsetResult:
        """Search in a table; after a limit or Ctrl-C return the best set until then."""
        limits = limits or Limits.starting_now(self.time_limit, self.random_state)
        if self.first is not None:
            return self._after(self.first, table, limits)
        table = table.untimed().dense()
        trained = {"random_state": limits.random_state, "n_jobs": self.n_jobs}
        measured: dict[str, Any] = {} if self.method in METHODS else {"table": table}
        if self.method in RANKINGS:
            measured |= trained
        return self.by(self._criterion(table, trained), limits, **measured)

    def by(self, criterion: Criterion, limits: Limits | None = None, **measured: Any) -> SubsetResult:
        """Search with a criterion; `measured` is what else the method needs, such as a table."""
        method, options, n = ALL_METHODS[self.method], self._options, len(criterion.feature_names)
        of_run = {name: options.pop(name) for name in OF_RUN if name in options}
        k, threshold = options.pop("k", None), options.pop("threshold", None)
        sizes, least = range(n + 1), None
        if k is not None:
            sizes = range(1 if method.has_end else k, integer_in("k", k, 1, n) + 1)
        elif threshold is not None:
            least = criterion.least_key(threshold)
        elif not method.has_end:
            least = criterion.keys([tuple(range(n))])[0]
        run = SubsetRun(criterion, sizes, least, limits or Limits(), allowed=self.allowed, **of_run)
        return run.execute(self.method, partial(method.search, **options, **measured))

    def _criterion(self, table: Table, trained: dict[str, Any]) -> Any:
        criterion = self.criterion
        if not isinstance(criterion, str):
            return criterion
        if criterion == "model":
            return ModelCriterion(table, self.estimator, self.scoring, self.cv, **trained)
        if table.weights is not None:
            raise InputError(
                f"sample_weight: is not for criterion={criterion!r}; criterion='model' accepts weights"
            )
        if table.task != "classification":
            raise InputError(
                f"y: holds numbers; criterion={criterion!r} needs classes, 'model' takes numbers"
            )
        n_bins = None if "n_bins" in self._options else self.n_bins
        return CRITERIA[criterion](consistency_problem(table, n_bins=n_bins))

    def _before(self, first: str) -> SubsetSearch:
        """Return the search that goes first: this one with another method, and its defaults."""
        given: dict[str, Any] = dict.fromkeys((*self._options, "n_bins", "first"))
        return replace(self, **given | {"ties": "random", "method": first})

    def _after(self, first: str, table: Table, limits: Limits) -> SubsetResult:
        """Search among the features that another method selects, and number them as in the whole table.

        If that method was stopped, its set is the best one until then. Proofs are about the features that it
        selects, so they are of the whole table only if these are all.
        """
        before = self._before(first).of(table, limits)
        if before.stop_reason is not StopReason.FINISHED:
            return replace(before, reached=False)
        kept = before.features
        if not kept:
            raise InputError(f"first={first!r}: selects no feature")
        found = replace(self, first=None).of(table.select(kept), limits)

        def numbered(members: FeatureSet) -> FeatureSet:
            return tuple(kept[j] for j in members)

        return replace(
            found,
            method=f"{first}, {found.method}",
            feature_names=table.feature_names,
            sets=tuple(map(numbered, found.sets)),
            is_proved=found.is_proved and len(kept) == table.n_features,
            trace=tuple(visit._replace(features=numbered(visit.features)) for visit in found.trace),
        )


def select_subset(X: Any, y: Any = None, *, missing: str = "error", **question: Any) -> SubsetResult:
    """Select one set of features by a classic search or a ranking (paper 001), or a graph (paper 004).

    Parameters
    ----------
    X : DataFrame, array or Table
    y : array-like, shape (n_rows,)
    missing : {"error", "drop", "impute"}
    **question
        As for `SubsetSearch`.

    Returns
    -------
    SubsetResult
        After a limit or Ctrl-C with the best set until then.

    Raises
    ------
    InputError
        If an argument or the table is not allowed.

    Examples
    --------
    >>> from pyfsel.bench.instances import Request, generated
    >>> frame = generated("parity", Request(n_features=3, n_irrelevant=4, n_redundant=0), 1).table
    >>> X, y = frame.drop(columns="target"), frame["target"]
    >>> result = select_subset(X, y, method="backward")
    >>> sorted(result.names_of(result.features)), result.value
    (['relevant_0', 'relevant_1', 'relevant_2'], 1.0)
    """
    search = SubsetSearch(**{**question, "cv": reusable(question.get("cv"))})
    if not isinstance(X, Table):
        X, times, gap = split_times(X, search.cv)
        X = with_rows(prepare(X, y, missing=missing), times=times, time_gap=gap)
    return search.of(X)


def stepwise_search(table: Table, method: str = "floating-forward", **options: Any) -> Search:
    """Return a search for alternatives by a method that goes feature by feature.

    The method does not leave the way to sets that are allowed: to it all others are worse than any.

    Parameters
    ----------
    table : Table
    method : {"forward", "backward", "floating-forward", "floating-backward"}
    **options
        As for `SubsetSearch`; time and evaluations are limited for each set.

    Examples
    --------
    >>> from pyfsel.measures import load_dataset
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
        found = SubsetSearch(method, k=allowed.problem.k, allowed=allowed, **options).of(table)
        return next((members for members in found.sets if members in allowed), None)

    return search
