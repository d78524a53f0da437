"""The Greedy Wrapper with the conventions of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from math import nan
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from pyfsel.errors import NoSetsError
from pyfsel.interface.answer import FeatureSet
from pyfsel.measures.tables.frames import target_series
from pyfsel.problem.side_constraints import Group
from pyfsel.results.answer import Status, StopReason
from pyfsel.selectors.conventions import row_metadata
from pyfsel.selectors.several_sets import OWN, SeveralSetsMixin
from pyfsel.selectors.wrapper.wrapper import WrapperResult, greedy_wrapper


@dataclass(eq=False, repr=False)
class GreedyWrapperSelector(SeveralSetsMixin, BaseEstimator):  # type: ignore[misc]
    """Selects several dissimilar feature sets with which a model predicts well (paper 000, Algorithm 1).

    A hill climb that trains models; every candidate is made valid by an exact solver (Eq. 16). As a
    transformer it is the selector of the original (first) set; `with_alternative` gives the others, and
    so does ``alternative=1``, …, in `transform`, `get_support` and `get_feature_names_out`.

    Parameters
    ----------
    estimator : estimator or None
        Any of scikit-learn's conventions; None: a decision tree.
    n_features_to_select : int
        Features per set, k.
    n_alternatives : int
        Sets to find in addition to the original one, a.
    tau : float
        Dissimilarity threshold in [0, 1].
    dissimilarity : {"dice", "jaccard", "overlap", "hamming"}
    scoring, cv
        As in `sklearn.model_selection.cross_val_score`.
    scored_by : {"cross-validation", "masked"}
        "masked": one model is fitted, and a set is scored by minus its loss with all other features masked.
    search : {"sequential", "simultaneous"}
    aggregate : {"sum", "min"}
        In simultaneous search: what is maximised over the scores of the sets.
    max_iters : int
        Most solver calls per set (sequential) or for all sets together (simultaneous).
    time_limit : float or None
        Seconds.
    state_file : path or None
        Where the state is saved, and from where it is continued.
    random_state : int, RandomState instance or None
        Seed of the solver, and of the estimator if it has none.
    n_jobs : int or None
        Processes that train models.
    verbose : int
        1 shows a progress bar, in terminals and notebooks.
    max_overlap : int or None
        The largest number of features that two sets share; `tau` is not used then.
    alternative, task, missing, dates, copies, copy_threshold
        As for `pyfsel.AlternativeFeatureSelector`; models are trained on rows without gaps, or filled in.
    min_features_to_select, forced, forbidden, groups, costs, budget
        What each set must satisfy, as there.

    Attributes
    ----------
    feature_sets_ : list of arrays of int
        0-based indices of the features of each set, the original one first.
    feature_names_ : list of lists of str
    scores_of_sets_ : array of shape (number of sets found,)
        Mean cross-validated score of each set, or minus its masked loss.
    result_ : WrapperResult
        Also numbers of solver calls and of models trained.
    alternative_ : int
        Which set `transform` and `get_support` refer to.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if `fit` got a table with column names.

    See Also
    --------
    pyfsel.selectors.wrapper.wrapper.greedy_wrapper : the same as a function.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LogisticRegression(max_iter=1000)
    >>> selector = GreedyWrapperSelector(model, n_features_to_select=2, n_alternatives=1, tau=1).fit(X, y)
    >>> selector.feature_names_[0]
    ['petal length (cm)', 'petal width (cm)']
    """

    estimator: Any = None
    n_features_to_select: int = 5
    n_alternatives: int = 3
    tau: float | None = 0.6
    dissimilarity: str = "dice"
    scoring: Any = None
    cv: Any = None
    search: str | None = None
    aggregate: str | None = None
    max_iters: int = 1000
    time_limit: float | None = None
    state_file: Any = None
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
    max_overlap: int | None = None
    alternative: int = 0
    task: str = "auto"
    missing: str = "error"
    dates: str = "error"
    copies: Any = "note"
    copy_threshold: float = 0.95
    min_features_to_select: int | None = None
    forced: Sequence[int | str] = ()
    forbidden: Sequence[int | str] = ()
    groups: Sequence[Group] = ()
    costs: Any = None
    budget: float | None = None
    _: KW_ONLY
    scored_by: str = "cross-validation"

    __metadata_request__fit: ClassVar[dict[str, Any]] = {"times": None}

    def fit(self, X: Any, y: Any, **metadata: Any) -> Self:
        """Find the sets.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame, shape (n_rows, n_features)
        y : array or Series, shape (n_rows,)
        **metadata
            ``groups``, shape (n_rows,): rows that the folds keep together. ``sample_weight``, shape
            (n_rows,): for the estimator and the scorer, which must accept weights. ``times``, shape
            (n_rows,): models are trained on earlier rows than they are scored on. Pipelines and searches hand
            them on after ``set_fit_request(groups=True)``.

        Returns
        -------
        GreedyWrapperSelector
            This selector, fitted.

        Raises
        ------
        InputError
            If the table or a parameter is not allowed.
        NoSetsError
            If there are no such sets.
        NoSetsError
            If the time was up before the first set was found.
        KeyboardInterrupt
            After Ctrl-C; the selector is fitted with the sets found until then, if there are any.

        Warns
        -----
        UserWarning
            If fewer sets were found than asked for.
        """
        seed = self._seed()
        by_row = row_metadata(metadata, self.get_metadata_routing().fit.requests)
        self._require_target(y)
        self._check_sizes()
        reading = {"task": self.task, "missing": self.missing, "dates": self.dates}
        table = self._prepared_in_time(X, target_series(y), **reading)
        size = self._set_size(table, self.forced)
        self._remember_columns(X)
        result = greedy_wrapper(
            table,
            k=size,
            min_k=self.min_features_to_select,
            cv_groups=by_row.pop("groups", None),
            **by_row,
            progress=self.verbose > 0,
            **self._handed_on(*OWN, random_state=seed, **self._overlap(size)),
        )
        interrupted = result.stop_reason is StopReason.INTERRUPTED
        if not interrupted:
            self._check_found(result)
        if result.sets:
            self._keep(result, table)
            self.scores_of_sets_ = np.array(result.scores)
            found = zip(self.feature_names_, self.feature_sets_, result.scores, strict=True)
            self.sets_ = tuple(
                FeatureSet(tuple(names), tuple(members.tolist()), score, nan)
                for names, members, score in found
            )
        if interrupted:
            raise KeyboardInterrupt
        return self

    def _check_found(self, result: WrapperResult) -> None:
        asked, found = result.problem.n_sets, len(result.sets)
        question = (
            f"n_features_to_select={self.n_features_to_select}, n_alternatives={self.n_alternatives}, "
            f"tau={self.tau}"
        )
        if result.status is Status.INFEASIBLE:
            raise NoSetsError(f"{question}: no feature sets satisfy the constraints.", result)
        if not found:
            raise NoSetsError(f"time_limit={self.time_limit}: no feature set was found in this time.", result)
        if found < asked:
            warnings.warn(
                f"{found} of the {asked} feature sets asked for were found ({question}; "
                f"{result.stop_reason}).",
                UserWarning,
                stacklevel=3,
            )
