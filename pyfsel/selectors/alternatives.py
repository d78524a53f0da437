"""Alternative feature selection with the conventions of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from traceback import walk_stack
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from pyfsel.errors import NoSetsError
from pyfsel.measures.from_table import problem_from_table, with_near_copies
from pyfsel.measures.relations import relations
from pyfsel.measures.streams.problem import OF_ROWS, read_in_parts
from pyfsel.measures.streams.read import ReadTable
from pyfsel.measures.tables.encoding import is_anndata
from pyfsel.measures.tables.table import Table
from pyfsel.problem.checks import integer_in, number_of_jobs
from pyfsel.problem.instance import Instance
from pyfsel.problem.side_constraints import Group
from pyfsel.problem.wording import number_of
from pyfsel.questions.feasible import feasible_choices
from pyfsel.questions.least_share import split_share, with_least_share
from pyfsel.questions.nearest import nearest_text
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.control import chosen_search
from pyfsel.results.copies import MOST_GROUPS, copy_groups, near_groups
from pyfsel.results.result import Result
from pyfsel.selectors.conventions import row_metadata
from pyfsel.selectors.several_sets import OWN, SeveralSetsMixin
from pyfsel.solving.solve import solve

VALIDATION = "sklearn.model_selection._validation"


@dataclass(eq=False, repr=False)
class AlternativeFeatureSelector(SeveralSetsMixin, BaseEstimator):  # type: ignore[misc]
    """Selects several feature sets, each as good as possible and dissimilar to the others.

    As a transformer it is the selector of the original (first) set; `with_alternative` gives the others, and
    so does ``alternative=1``, …, in `transform`, `get_support` and `get_feature_names_out`.

    Parameters
    ----------
    n_features_to_select : int
        Features per set, k.
    n_alternatives : int
        Sets to find in addition to the original one, a.
    tau : float
        Dissimilarity threshold in [0, 1]: 0 allows equal sets, 1 wants disjoint ones.
    dissimilarity : {"dice", "jaccard", "overlap", "hamming"}
    objective : str
        Quality of a set: see `pyfsel.make_instance`.
    measure : str, array of shape (n_features,), callable or None
        Where the qualities of the features come from: a name that `pyfsel.measures.quality` knows, your own
        numbers, or a score function of ``(X, y)`` such as `sklearn.feature_selection.f_classif`. None is
        information beyond chance, and for CFS its share of both entropies.
    search : {"sequential", "simultaneous"} or None
        One set after another, or all at once. None is sequential, unless an aggregate is given.
    aggregate : {"sum", "min"} or None
        In simultaneous search: what is maximised over the sets; None is their sum.
    backend : str
        A name of `pyfsel.backends()`, or "auto".
    time_limit : float or None
        Wall-clock seconds for finding the sets. Computing the qualities is not included, nor are the up to
        10 s that an error about infeasible parameters takes to find feasible ones.
    random_state : int, RandomState instance or None
        Seed of the measure and of the solver.
    n_jobs : int or None
        Processes or threads for the measure.
    verbose : int
        1 prints a summary, and in terminals and notebooks (with ipywidgets) shows a bar with count and
        expected time while qualities are measured; 2 also prints every better solution.
    min_features_to_select : int or None
        Makes `n_features_to_select` the largest number of features per set, and this the smallest.
    forced, forbidden : sequences of str or int
        Features that every set holds, and that none holds: names of columns, 0-based numbers, or patterns
        such as ``"lab_*"``.
    groups : sequence of Group
        Features of which every set holds at least and at most so many, or all or none.
    costs : array of shape (n_features,), mapping of features to numbers, or None
    budget : float or None
        The most that the features of one set may cost together.
    min_quality : float, str or None
        The least quality of every set: on the scale of `qualities_`; "1.2 nats" in the unit of the measure;
        or "90%" of the quality of the best set.
    max_overlap : int or None
        The largest number of features that two sets share; `tau` is not used then.
    alternative : int
        Which set `transform` uses: 0 is the original one. A grid search can so choose the set together with k
        and τ.
    task : {"auto", "classification", "regression", "survival", "unsupervised"}
    missing : {"error", "drop", "impute", "category"}
        What to do about missing values while the qualities are measured, see `pyfsel.measures.prepare`;
        `transform` leaves the rows and their gaps as they are.
    dates : {"error", "number"}
        Whether columns of dates are measured as numbers of days.
    copies : {"note", "merge", "ignore"} or clusters
        What to do about columns that are equal or nearly so. "note": `copies_` names those of the answer,
        and a warning tells of copies in two sets or twice in one. "merge": each group counts as one feature,
        and what is proved is proved among one representative of each. Clusters, lists of columns, are merged
        as they are.
    copy_threshold : float
        From which absolute rank correlation columns count as copies, see `pyfsel.measures.copies`.
    normalise : bool
        Whether qualities are shares of the sum over all columns; False keeps the unit of the measure.
    outputs : {"mean", "min"}
        For several outputs: the quality of a feature is the mean of its (normalised) qualities, or the
        smallest.
    beta : float or None
        By what mRMR, MIFS and CIFE multiply redundancies; None is 1.
    ridge : float or None
        Penalty on the squared coefficients in ``objective="r2"``, of columns of length 1; None is 0.
    criterion : {"adjusted_r2", "aic", "bic"} or None
        By what ``objective="r2"`` compares sets that differ in size (`min_features_to_select`).
    chance : {"mark", "forbid", "off"} or None
        What to do about columns that are not shown to tell more than chance: mark them in the result, or
        forbid them; None marks them, but forbids them for mRMR (`pyfsel.measures.above_chance`).
    redundancy_measure : str or None
        That of pairs of features, for objectives with redundancy; None is `measure`.
    relatives : float or None
        A feature of at least this absolute rank correlation (of categories: proportion of shared information)
        with one of an earlier set counts as shared with that set: other columns measure something else. Sets
        have one size then, and are found one after another. 0.7 is a good start.

    Attributes
    ----------
    feature_sets_ : list of arrays of int
        0-based indices of the features of each set, the original one first.
    feature_names_ : list of lists of str
    qualities_ : array of shape (number of sets found,)
        Quality of each set.
    scores_ : array of shape (n_features_in_,)
        Quality of each feature.
    result_ : Result
        Status, bound, problem and history. If copies are merged its features are the representatives, and its
        numbers are not those of the columns.
    copies_ : list of lists of str
        Groups of columns that are nearly equal; with "note" those of the sets only.
    relations_ : Relations
        How many independent features each set is worth, and how many new features of each alternative are
        related to set 0 (`pyfsel.measures.relations`); of a table in memory.
    alternative_ : int
        Which set `transform` and `get_support` refer to; see `with_alternative`.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if `fit` got a table with column names.

    See Also
    --------
    pyfsel.solve : for qualities that are known already.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = AlternativeFeatureSelector(3, n_alternatives=1, tau=1, measure="f_statistic")
    >>> selector.fit(X, y).feature_names_[0]
    ['flavanoids', 'od280/od315_of_diluted_wines', 'proline']
    >>> selector.transform(X, alternative=1).shape
    (178, 3)
    """

    n_features_to_select: int = 5
    n_alternatives: int = 3
    tau: float | None = 0.6
    dissimilarity: str = "dice"
    objective: str = "univariate"
    measure: Any = None
    search: str | None = None
    aggregate: str | None = None
    backend: str = "auto"
    time_limit: float | None = 60
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
    min_features_to_select: int | None = None
    forced: Sequence[int | str] = ()
    forbidden: Sequence[int | str] = ()
    groups: Sequence[Group] = ()
    costs: Any = None
    budget: float | None = None
    min_quality: float | str | None = None
    max_overlap: int | None = None
    alternative: int = 0
    task: str = "auto"
    missing: str = "error"
    dates: str = "error"
    copies: Any = "note"
    copy_threshold: float = 0.95
    normalise: bool = True
    outputs: str = "mean"
    beta: float | None = None
    ridge: float | None = None
    criterion: str | None = None
    chance: str | None = None
    redundancy_measure: str | None = None
    relatives: float | None = None

    def fit(self, X: Any, y: Any = None, **metadata: Any) -> Self:
        """Compute the qualities of the features and find the sets.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame, shape (n_rows, n_features)
            Or, with a name for `y`, whatever can be read in parts, such as a LazyFrame, a DataFrame of Spark
            or files: see `pyfsel.measures.streams.sources.open_source`.
        y : array or Series, shape (n_rows,) or (n_rows, n_outputs), or str
            Class labels, or numbers for regression (float with more than 20 different values; see `task`);
            None for the task "unsupervised".
        **metadata
            ``sample_weight``, shape (n_rows,): how much each row counts in the measure; an error for measures
            that cannot be weighted. ``groups``, shape (n_rows,): which rows belong together, such as those of
            one patient; chance and errors are by group. Pipelines and searches hand them on after
            ``set_fit_request(sample_weight=True, groups=True)``.

        Returns
        -------
        AlternativeFeatureSelector
            This selector, fitted.

        Raises
        ------
        InputError
            If the table or a parameter is not allowed.
        NoSetsError
            If there are no such sets; the message says what would be feasible.
        NoSetsError
            If none were found, within the time limit or by a heuristic.

        KeyboardInterrupt
            After Ctrl-C; the selector is fitted with the sets found until then, if there are any.

        Warns
        -----
        UserWarning
            If fewer sets were found than asked for, sets hold copies of each other, or the table has fewer
            features than a set is to hold: then sets hold all.
        """
        seed = self._seed()
        number_of_jobs("n_jobs", self.n_jobs)
        integer_in("verbose", int(self.verbose) if isinstance(self.verbose, bool) else self.verbose, 0, None)
        of_rows = row_metadata(metadata, ("groups", "sample_weight"))
        if isinstance(y, str) and not is_anndata(X):
            read = self._read_in_parts(X, y, **of_rows)
            self.feature_names_in_ = np.array(read.feature_names, dtype=object)
            self.n_features_in_ = read.n_features
            return self._find(read, [], seed)
        tables = self._prepared(X, y, **of_rows)
        self._remember_columns(X)
        return self._find(tables[0], tables, seed)

    def _read_in_parts(self, X: Any, y: str, sample_weight: Any = None, groups: Any = None) -> ReadTable:
        """Return a table whose target is a column of it, after checking the numbers of the sets."""
        self._check_sizes()
        named = ("measure", "objective", "task", "missing", "n_jobs", "copies", *OF_ROWS)
        own = {name: given for name, given in self.get_params(deep=False).items() if name in named}
        return read_in_parts(X, y, **own, sample_weight=sample_weight, row_groups=groups)

    def _find(self, table: Table | ReadTable, tables: Sequence[Table], seed: int | None) -> Self:
        """Find the sets of a table, or of those of several outputs."""
        least, least_share = split_share(self.min_quality)
        problem = self._problem(table, tables, seed, least)
        solving: dict[str, Any] = {
            "backend": self.backend,
            "time_limit": self.time_limit,
            "random_state": seed,
        }
        problem, told = with_least_share(problem, least_share, **solving)
        result = solve(
            problem,
            search=chosen_search(self.search, self.aggregate),
            on_incumbent=self._print_incumbent if self.verbose >= 2 else None,
            **solving,
        )
        result = replace(result, message=f"{result.message} {told}".strip())
        interrupted = result.stop_reason is StopReason.INTERRUPTED
        if not interrupted:
            self._check_found(result)
        if self.verbose:
            sets = number_of(len(result.sets), "set")
            print(f"{result.status}: {sets} in {result.runtime:.2f} s. {result.message}")
        if result.sets:
            result = with_near_copies(result, table, self.copies, self.copy_threshold)
            self._keep(result, table)
            self.qualities_ = np.array(result.qualities)
            self.scores_ = self._scores_of_columns(problem, table)
            self.copies_ = copy_groups(problem, result.near_copies)
            self._warn_of_copies(result)
            if isinstance(table, Table):
                self.relations_ = relations(table, [members.tolist() for members in self.feature_sets_])
                if self.relations_.is_one_signal:
                    warnings.warn(_in_python(self.relations_.lines()[0]), UserWarning, stacklevel=3)
        if interrupted:
            raise KeyboardInterrupt
        return self

    def _problem(
        self, table: Table | ReadTable, tables: Sequence[Table], seed: int | None, least: Any
    ) -> Instance:
        size = self._set_size(table, self.forced)
        smallest = self.min_features_to_select
        if isinstance(smallest, int) and size < smallest <= self.n_features_to_select:
            smallest = size
        changed = {**self._overlap(size), "min_quality": least, "aggregate": self.aggregate or "sum"}
        return problem_from_table(
            tables or table,
            k=size,
            min_k=smallest,
            progress=self.verbose > 0,
            **self._handed_on(*OWN, "search", "backend", "time_limit", random_state=seed, **changed),
        )

    @staticmethod
    def _scores_of_columns(problem: Instance, table: Table | ReadTable) -> NDArray[np.float64]:
        """Return the quality of each column; a column behind a representative has that of the latter."""
        quality_of = dict(zip(problem.feature_names, problem.quality_floats, strict=True))
        quality_of |= {name: problem.quality_floats[feature] for feature, name in problem.copies}
        return np.array([quality_of[name] for name in table.feature_names])

    @staticmethod
    def _warn_of_copies(result: Result) -> None:
        inside = {j for members in result.sets for j in members}
        both = tuple(pair for pair in result.near_copies if inside.issuperset(pair))
        if both and not _is_fitted_to_a_fold():
            groups = "; ".join(near_groups(result.problem, result.sets, both)[:MOST_GROUPS])
            warnings.warn(
                f"X: nearly equal columns count as different features of the sets: {groups}; with "
                "copies='merge' each group counts as one",
                UserWarning,
                stacklevel=4,
            )

    def _check_found(self, result: Result) -> None:
        asked, found = result.problem.n_sets, len(result.sets)
        if result.status is Status.INFEASIBLE:
            limit = f"tau={self.tau}" if self.max_overlap is None else f"max_overlap={self.max_overlap}"
            choices = (
                ""
                if self.tau is None or self.max_overlap is not None
                else feasible_choices(result.problem, self.tau, self.dissimilarity)
            )
            raise NoSetsError(
                f"n_features_to_select={self.n_features_to_select}, n_alternatives={self.n_alternatives}, "
                f"{limit}: no feature sets satisfy the constraints. {choices}".strip(),
                result,
            )
        if not found:
            raise NoSetsError(
                f"backend={result.backend!r}: found no feature set within time_limit={self.time_limit}. "
                f"{result.message}",
                result,
            )
        if found < asked:
            warnings.warn(
                f"{found} of the {asked} feature sets asked for were found (n_alternatives="
                f"{self.n_alternatives}). {result.claim} {result.message}{nearest_text(result)}".strip(),
                UserWarning,
                stacklevel=4,
            )

    @staticmethod
    def _print_incumbent(incumbent: Any) -> None:
        print(f"{incumbent.time:8.2f} s  objective {incumbent.objective} (integer)")


def _is_fitted_to_a_fold() -> bool:
    """Return whether scikit-learn's validation calls: a search then tells of copies once, when it refits."""
    return any(frame.f_globals.get("__name__") == VALIDATION for frame, _ in walk_stack(None))


def _in_python(line: str) -> str:
    return line.replace("--copies merge --copy-threshold 0.8", "copies='merge', copy_threshold=0.8")
