"""Alternative feature selection with the conventions of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from pyfsel.errors import InfeasibleError, NoSolutionError
from pyfsel.measures.from_table import problem_from_table
from pyfsel.problem.checks import integer_in, number_of_jobs
from pyfsel.problem.make import ASKED
from pyfsel.problem.side_constraints import Group
from pyfsel.questions.feasible import feasible_choices
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.result import Result
from pyfsel.selectors.several_sets import SeveralSetsMixin
from pyfsel.solving.solve import solve


class AlternativeFeatureSelector(SeveralSetsMixin, BaseEstimator):  # type: ignore[misc]
    """Selects several feature sets, each as good as possible and dissimilar to the others.

    As a transformer it is the selector of the original (first) set; `with_alternative` gives the others, and
    so does ``alternative=1``, …, in `transform`, `get_support` and `get_feature_names_out`.

    Parameters
    ----------
    n_features_to_select : int
        Features per set, k.
    n_alternatives : int
        Sets to find besides the original one, a.
    tau : float
        Dissimilarity threshold in [0, 1]: 0 allows equal sets, 1 wants disjoint ones.
    dissimilarity : {"dice", "jaccard"}
    objective : {"univariate", "fcbf", "mrmr", "cfs"}
        Quality of a set (paper 000, Eq. 11, 12, 13, 20).
    measure : str, array of shape (n_features,), callable or None
        Where the qualities of the features come from: a name that `pyfsel.measures.quality` knows, your own
        numbers, or a score function of ``(X, y)`` such as `sklearn.feature_selection.f_classif`. None is
        mutual information, and for CFS symmetrical uncertainty.
    search : {"sequential", "simultaneous"}
        One set after another, or all at once.
    aggregate : {"sum", "min"}
        In simultaneous search: what is maximised over the sets.
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
        1 prints a summary, 2 also every better solution.
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
    min_quality : float or None
        The least quality of every set.

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
        Status, bound, problem and history.
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

    def __init__(
        self,
        n_features_to_select: int = 5,
        n_alternatives: int = 3,
        tau: float = 0.6,
        dissimilarity: str = "dice",
        objective: str = "univariate",
        measure: Any = None,
        search: str = "sequential",
        aggregate: str = "sum",
        backend: str = "auto",
        time_limit: float | None = 60,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        min_features_to_select: int | None = None,
        forced: Sequence[int | str] = (),
        forbidden: Sequence[int | str] = (),
        groups: Sequence[Group] = (),
        costs: Any = None,
        budget: float | None = None,
        min_quality: float | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_alternatives = n_alternatives
        self.tau = tau
        self.dissimilarity = dissimilarity
        self.objective = objective
        self.measure = measure
        self.search = search
        self.aggregate = aggregate
        self.backend = backend
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.min_features_to_select = min_features_to_select
        self.forced = forced
        self.forbidden = forbidden
        self.groups = groups
        self.costs = costs
        self.budget = budget
        self.min_quality = min_quality

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the qualities of the features and find the sets.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame, shape (n_rows, n_features)
        y : array or Series, shape (n_rows,)
            Class labels, or numbers for regression (float with more than 20 different values).

        Returns
        -------
        AlternativeFeatureSelector
            This selector, fitted.

        Raises
        ------
        InputError
            If the table or a parameter is not allowed.
        InfeasibleError
            If there are no such sets; the message says what would be feasible.
        NoSolutionError
            If none were found, within the time limit or by a heuristic.

        KeyboardInterrupt
            After Ctrl-C; the selector is fitted with the sets found until then, if there are any.

        Warns
        -----
        UserWarning
            If fewer sets were found than asked for.
        """
        seed = self._seed()
        number_of_jobs("n_jobs", self.n_jobs)
        integer_in("verbose", int(self.verbose) if isinstance(self.verbose, bool) else self.verbose, 0, None)
        table = self._prepared(X, y)
        asked = {name: given for name, given in self.get_params(deep=False).items() if name in ASKED}
        problem = problem_from_table(
            table,
            k=self.n_features_to_select,
            min_k=self.min_features_to_select,
            measure=self.measure,
            random_state=seed,
            n_jobs=self.n_jobs,
            **asked,
        )
        validate_data(self, X, skip_check_array=True)
        result = solve(
            problem,
            self.backend,
            search=self.search,
            time_limit=self.time_limit,
            random_state=seed,
            on_incumbent=self._print_incumbent if self.verbose >= 2 else None,
        )
        interrupted = result.stop_reason is StopReason.INTERRUPTED
        if not interrupted:
            self._check_found(result)
        if self.verbose:
            print(f"{result.status}: {len(result.sets)} sets in {result.runtime:.2f} s. {result.message}")
        if result.sets:
            self._keep(result)
            self.qualities_ = np.array(result.qualities)
            self.scores_ = np.array(problem.quality_floats)
        if interrupted:
            raise KeyboardInterrupt
        return self

    def _check_found(self, result: Result) -> None:
        asked, found = result.problem.n_sets, len(result.sets)
        if result.status is Status.INFEASIBLE:
            choices = feasible_choices(result.problem, self.tau, self.dissimilarity)
            raise InfeasibleError(
                f"n_features_to_select={self.n_features_to_select}, n_alternatives={self.n_alternatives}, "
                f"tau={self.tau}: no feature sets satisfy the constraints. {choices}"
            )
        if not found:
            raise NoSolutionError(
                f"backend={result.backend!r}: found no feature set within time_limit={self.time_limit}. "
                f"{result.message}"
            )
        if found < asked:
            warnings.warn(
                f"{found} of the {asked} feature sets asked for were found (n_alternatives="
                f"{self.n_alternatives}): {result.message}",
                UserWarning,
                stacklevel=3,
            )

    @staticmethod
    def _print_incumbent(incumbent: Any) -> None:
        print(f"{incumbent.time:8.2f} s  objective {incumbent.objective} (integer)")
