"""Alternative feature selection with the conventions of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from pyfsel.backends import get_backend
from pyfsel.core.arrays import Bools
from pyfsel.errors import InputError, NoSetsError, warn
from pyfsel.interface.answer import Answer
from pyfsel.interface.problem import SEARCHES, Problem
from pyfsel.interface.scores import Scores, measure
from pyfsel.interface.solving import Progress, as_solver, solve
from pyfsel.measures.from_table import selectable
from pyfsel.measures.tables.containers import is_anndata
from pyfsel.measures.tables.encoding import as_numbers_if_possible
from pyfsel.measures.tables.rows import with_rows
from pyfsel.measures.tables.target import UNSUPERVISED
from pyfsel.objectives import Model, as_objective, refuse_unused
from pyfsel.problem.checks import integer_in, is_a, number_of_jobs, one_of
from pyfsel.problem.rules import Constraints, as_constraints, as_dissimilarity, sizes_of
from pyfsel.problem.value import Value
from pyfsel.questions.feasible import nearest_text, ways_out
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.results.control import Limits
from pyfsel.results.jobs import progress_shown
from pyfsel.selectors.conventions import TargetMixin, prepared_in_time, seed_of
from pyfsel.selectors.wrapper.by_model import sets_by_model

VALUES: dict[str, Callable[[Any], Value]] = {
    "objective": as_objective,
    "dissimilarity": as_dissimilarity,
    "constraints": as_constraints,
}
"""Parameters that have parameters, and how shorthand for them becomes a value."""
OF_PROBLEM = ("n_sets", "dissimilarity", "objective", "constraints", "search")
OF_MEASURE = ("task", "missing", "near_duplicates", "chance", "n_jobs")


@dataclass(eq=False, repr=False)
class AlternativeFeatureSelector(TargetMixin, BaseEstimator):  # type: ignore[misc]
    """Selects several dissimilar feature sets; transforms to one of them.

    ``set_params(use_set=1)`` makes it the selector of the first alternative; that needs no new fit. The
    parameters of its values can be set and searched too, such as ``constraints__budget``, ``objective__beta``
    and ``dissimilarity__at_least``.

    Parameters
    ----------
    k : int or tuple of two int
        Features per set, or the minimum and the maximum.
    n_sets : int
        The number of sets: the original set and its alternatives.
    dissimilarity : float, str or Dissimilarity
        How different any two sets must be: from 0 (equal sets are allowed) to 1 (disjoint), in Dice;
        "jaccard:0.5"; "shared:2" (at most 2 features); "0.6,price=0.1" (what each shared feature costs);
        "0.6,relatives=0.7" (features with this correlation count as shared). In Python also a
        `Dissimilarity`.
    objective : str or a value of `pyfsel.objectives`
        The quality of a set: univariate, fcbf, mrmr, jmi, mifs, cife, cfs, r2, facility_location or
        graph_score; "mrmr:beta=0.5" has a parameter; "model:estimator=forest" is the score of a model. "auto"
        chooses r2, jmi or univariate by the table.
    measure : str, array of shape (n_features,) or callable, optional
        The relevance score of a feature, by name. The default suits the objective: information beyond chance
        for sums. In Python also your own numbers, or a score function of scikit-learn.
    constraints : Constraints, optional
        Rules that every set obeys.
    search : {"sequential", "sum", "min", "min_then_sum"}
        The goal: the best set given the earlier ones, one after another, the largest sum or minimum of the
        qualities, or the largest minimum and then the largest sum.
    near_duplicates : {"auto", "note", "merge", "ignore"} or "merge:0.7"
        Whether near-duplicates are reported or count as one feature; the number is the minimum correlation.
        "auto" merges at 0.8 for sums and JMI without rules for single features, if that leaves enough for all
        sets.
    chance : {"mark", "forbid", "off"}, optional
        How features that are not significant are treated. By default they are marked; mRMR forbids them.
    task : {"auto", "classification", "regression", "survival", "unsupervised"}
        The kind of target; "unsupervised" needs no target.
    missing : {"error", "impute", "drop", "category"}
        How missing values are treated while features are measured. In Python `transform` keeps them, and all
        rows.
    solver : str, MiniZincModel or Program
        "auto", the name of a solver (`solvers` lists them), a name with a formulation ("cpsat/literal"), your
        own model ("mine.mzn", "highs:mine.mzn"), or a program ("open-wbo {wcnf}").
    time_limit : float, optional
        Seconds for finding the sets, in addition to the time for measuring.
    random_state : int, RandomState instance or None
        Seed of the measure and of the solver.
    n_jobs : int, optional
        Processes or threads for the measure.
    verbose : int
        1 prints a summary, and in terminals and notebooks shows a bar while features are measured; 2 also
        prints every better solution.
    use_set : int
        The set that `transform` and `get_support` use: 0 is the original one.

    Attributes
    ----------
    sets_ : tuple of FeatureSet
        With the numbers of their columns, also if near-duplicates are merged.
    answer_ : Answer
        The sets with their status: what is proved, and what to know before they are used.
    scores_ : Scores
        What was measured, and how far to trust it.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if `fit` got a table with names of columns.

    See Also
    --------
    pyfsel.solve : for scores that are known already.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = AlternativeFeatureSelector(3, n_sets=2, dissimilarity=1, measure="f_statistic").fit(X, y)
    >>> selector.sets_[0].names
    ('flavanoids', 'od280/od315_of_diluted_wines', 'proline')
    >>> list(selector.set_params(use_set=1).get_feature_names_out()) == list(selector.sets_[1])
    True
    """

    __metadata_request__fit: ClassVar[dict[str, Any]] = {"groups": None, "sample_weight": None, "times": None}

    k: Any = 5
    _: KW_ONLY
    n_sets: int = 3
    dissimilarity: Any = 0.6
    objective: Any = "univariate"
    measure: Any = None
    constraints: Constraints | None = None
    search: str = "sequential"
    near_duplicates: Any = "auto"
    chance: str | None = None
    task: str = "auto"
    missing: str = "error"
    solver: Any = "auto"
    time_limit: float | None = 60
    random_state: Any = 0
    n_jobs: int | None = None
    verbose: int = 0
    use_set: int = 0

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, and the parameters of values as ``constraints__budget``.

        What cannot be read has no such names: scikit-learn looks at nonsense too, and `fit` complains.
        """
        found: dict[str, Any] = super().get_params(deep=False)
        for name, as_value in VALUES.items() if deep else ():
            with suppress(Exception):
                inner = as_value(found[name]).get_params()
                found |= {f"{name}__{one}": given for one, given in inner.items()}
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``constraints__budget=9`` replaces the value, so no other selector changes."""
        nested = {name: given for name, given in params.items() if "__" in name}
        super().set_params(**{name: given for name, given in params.items() if name not in nested})
        for name, given in nested.items():
            outer, _, inner = name.partition("__")
            one_of("parameter", outer, tuple(VALUES))
            value = VALUES[outer](getattr(self, outer))
            setattr(self, outer, value.with_params(outer, **{inner: given}))
        return self

    def fit(self, X: Any, y: Any = None, **metadata: Any) -> Self:
        """Measure the features and find the sets.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame, shape (n_rows, n_features)
            With the name of a column for `y` also what can be read in parts, such as a LazyFrame, a DataFrame
            of Spark or files: see `pyfsel.measures.streams.sources.open_source`.
        y : array or Series, shape (n_rows,) or (n_rows, n_outputs), or str
            Class labels, or numbers for regression (float with more than 20 different values; see `task`).
            Not used for the task "unsupervised": a pipeline passes the target of its model to all steps.
        **metadata
            ``groups``, shape (n_rows,): which rows belong together, such as the rows of one patient;
            significance and errors are by group. ``sample_weight``, shape (n_rows,): how much each row
            counts; an error for measures without weights. Pipelines and searches hand them on after
            ``set_fit_request(sample_weight=True, groups=True)``. ``times``, shape (n_rows,): when each row
            was measured; only `objectives.Model` uses them: it trains on earlier rows than it scores.

        Returns
        -------
        AlternativeFeatureSelector
            This selector, fitted.

        Raises
        ------
        InputError
            If the table or a parameter is not allowed.
        NoSetsError
            If no set is found; its `answer` says whether that is proved.
        KeyboardInterrupt
            After Ctrl-C; the selector is fitted with the sets found until then, if there are any.

        Warns
        -----
        UserWarning
            If fewer sets were found than requested, or the table has fewer features than `k`.
        """
        seed = self._checked_seed()
        of_rows = self._of_rows(metadata)
        if self.task != UNSUPERVISED:
            self._require_target(y)
        elif not isinstance(y, str):
            y = None  # of the next step of a pipeline
        self.scores_ = self._measured(as_numbers_if_possible(X), y, seed, of_rows)
        if isinstance(y, str) and not is_anndata(X):
            self.feature_names_in_ = np.array(self.scores_.names, dtype=object)
            self.n_features_in_ = len(self.scores_.names)
        else:
            self._remember_columns(X)
        answer = self._found(seed)
        place = {name: j for j, name in enumerate(self.scores_.names)}
        self.sets_ = tuple(replace(one, indices=tuple(place[name] for name in one)) for one in answer.sets)
        self.answer_ = answer
        if self.verbose:
            print(f"{answer.status}: {answer.headline} in {answer.runtime:.2f} s")
        if answer.stop_reason == StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        if not self.sets_:
            raise NoSetsError(f"{answer.headline}. {_way_out(answer)}".strip(), answer)
        if len(self.sets_) < self.n_sets:
            warn(f"{answer.headline}. {answer.claim} {nearest_text(answer)}".strip())
        return self

    def _checked_seed(self) -> int | None:
        """Check what can be wrong without a table, and return the seed."""
        seed = seed_of(self.random_state)
        number_of_jobs(self.n_jobs)
        integer_in("verbose", int(self.verbose) if isinstance(self.verbose, bool) else self.verbose, 0, None)
        integer_in("use_set", self.use_set, 0, integer_in("n_sets", self.n_sets, 1, None) - 1)
        one_of("search", self.search, SEARCHES)
        sizes_of(self.k)
        for name, as_value in VALUES.items():
            as_value(getattr(self, name))
        refuse_unused(self.objective, vars(self))
        Limits.starting_now(self.time_limit, seed)
        backend = as_solver(self.solver)["backend"]
        if isinstance(backend, str) and backend != "auto":
            get_backend(backend)
        return seed

    def _found(self, seed: int | None) -> Answer:
        asked = {name: getattr(self, name) for name in OF_PROBLEM} | {"k": self._sizes()}
        given: dict[str, Any] = {"time_limit": self.time_limit, "random_state": seed}
        objective = as_objective(asked.pop("objective"))
        if isinstance(objective, Model):
            asked |= given
            return sets_by_model(
                self.scores_, objective, **asked, n_jobs=self.n_jobs, progress=self.verbose > 0
            )
        watch = _print_progress if self.verbose >= 2 else None
        with progress_shown("measuring", self.verbose > 0):
            problem = Problem(self.scores_, objective=objective, **asked)
        return solve(problem, self.solver, **given, on_progress=watch)

    def _measured(self, X: Any, y: Any, seed: int | None, of_rows: dict[str, Any]) -> Scores:
        given = {name: getattr(self, name) for name in OF_MEASURE}
        objective, times = as_objective(self.objective), of_rows.pop("times", None)
        is_read = isinstance(y, str) and not is_anndata(X)
        if isinstance(objective, Model) and not is_read:  # it may score in the order of time
            reading = {name: given.pop(name) for name in ("task", "missing")}
            table = prepared_in_time(X, y, objective.cv, dates="number", **reading)
            weights, groups = of_rows.pop("sample_weight", None), of_rows.pop("groups", None)
            X, y = with_rows(table, weights, groups, times), None
        try:
            return measure(X, y, by=self.measure, random_state=seed, **given, **of_rows)
        except InputError as error:
            if not str(error).startswith(("by=", "by:")):  # its name for what is `measure` here
                raise
            raise InputError(f"measure{str(error).removeprefix('by')}") from None

    def _sizes(self) -> Any:
        """Return `k`, with a warning at most what can be selected, as elsewhere in scikit-learn."""
        low, high = sizes_of(self.k)
        table = self.scores_.table
        most, others = selectable(table, as_constraints(self.constraints))
        if high <= most or not most:
            return self.k
        warn(f"k={self.k}: {others}; sets have {most}")
        return most if low is None else (min(low, most), most)

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self, "sets_")
        number = integer_in("use_set", self.use_set, 0, len(self.sets_) - 1)
        return np.isin(np.arange(self.n_features_in_), self.sets_[number].indices)

    def _repr_html_inner(self) -> str:
        """Return the diagram of scikit-learn, and under it the sets if there are some."""
        diagram = super()._repr_html_inner()
        return f"<div>{diagram}{self.answer_._repr_html_()}</div>" if hasattr(self, "answer_") else diagram

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.task != UNSUPERVISED
        return tags


def selector_or_default(given: Any) -> Any:
    """Return a selector that a user gave, checked, or the default one."""
    if given is None:
        return AlternativeFeatureSelector()
    is_a("selector", given, AlternativeFeatureSelector, "an AlternativeFeatureSelector")
    return given


def _way_out(answer: Answer) -> str:
    """Return what would be possible in place of the impossible, or why nothing was found."""
    problem, ways = answer.problem, ""
    if answer.status is Status.INFEASIBLE:
        ways = ways_out(problem.instance, problem.dissimilarity, "{}={}".format)
    return ways or answer.claim


def _print_progress(progress: Progress) -> None:
    print(f"{progress.time:8.2f} s  {progress.low} to {progress.high}")
