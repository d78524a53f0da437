"""The classic searches with the conventions of scikit-learn."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from pyfsel.errors import warn
from pyfsel.papers.subset.best_subset import SubsetSearch, select_subset
from pyfsel.results.backend_answer import StopReason
from pyfsel.selectors.conventions import OneSetMixin, seed_of


@dataclass(eq=False, repr=False)
class SubsetSelector(OneSetMixin, BaseEstimator):  # type: ignore[misc]
    """Selects one set of features by a classic search or a ranking (paper 001).

    Parameters
    ----------
    method : str
        "forward", "backward", "floating-forward", "floating-backward", "lvf", "lvi", "abb", "qbb", "relief"
        or "information-gain"; see `pyfsel.papers.subset.best_subset.select_subset`.
    criterion : {"consistency", "conditional-entropy", "model"}
    n_features_to_select : int or None
        Number of features; not for the methods that look for the smallest set.
    threshold : float or None
        Find the smallest set whose criterion is at least this; if both are None, what all features reach.
    n_bins : int or None
        Quantile bins of continuous columns, for consistency and entropy.
    estimator, scoring, cv
        Of the criterion "model".
    time_limit : float or None
        Seconds.
    max_evaluations : int or None
    options : dict or None
        Further options of the method, such as ``{"max_tries": 5000}``.
    random_state : int, RandomState instance or None
        Seed of random sets and of ties.
    n_jobs : int or None
        Processes that train models.
    missing : {"error", "drop", "impute", "category"}
        What `fit` does about missing values, see `pyfsel.measures.prepare`.
    dates : {"error", "number"}
        Whether dates and durations become numbers of days.

    Attributes
    ----------
    features_ : array of int
        The selected features, ascending.
    value_ : float
        The criterion of the selected set.
    result_ : SubsetResult
        All sets found that are as good, the trace, the number of evaluations, and why it ended.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if `fit` got a table with column names.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = SubsetSelector("forward", n_bins=3).fit(X, y)
    >>> len(selector.features_), selector.value_
    (5, 1.0)
    """

    method: str = "floating-forward"
    criterion: Any = "consistency"
    n_features_to_select: int | None = None
    threshold: float | None = None
    random_state: Any = None
    _: KW_ONLY
    n_bins: int | None = None
    estimator: Any = None
    scoring: Any = None
    cv: Any = None
    time_limit: float | None = None
    max_evaluations: int | None = None
    options: dict[str, Any] | None = None
    n_jobs: int | None = None
    missing: str = "error"
    dates: str = "error"

    __metadata_request__fit: ClassVar[dict[str, Any]] = {"times": None}

    def fit(self, X: Any, y: Any, **metadata: Any) -> Self:
        """Search.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame, shape (n_rows, n_features)
        y : array or Series, shape (n_rows,)
            Class labels; numbers only for the criterion "model".
        **metadata
            ``groups``, shape (n_rows,): rows that folds keep together. ``sample_weight``, shape (n_rows,):
            for the estimator and the scorer, or the measure of a ranking. ``times``, shape (n_rows,): models
            are trained on earlier rows than they are scored on. Pipelines and searches hand them on after
            ``set_fit_request(groups=True)``.

        Returns
        -------
        SubsetSelector
            This selector, fitted.

        Raises
        ------
        InputError
            If the table or a parameter is not allowed.
        KeyboardInterrupt
            After Ctrl-C; the selector is fitted with the best set until then, if there is one.

        Warns
        -----
        UserWarning
            If the search was stopped, or ended, without the requested size or threshold.
        """
        seed = seed_of(self.random_state)
        result = select_subset(
            self._read(X, y, **metadata),
            k=self.n_features_to_select,
            **self._given_to(SubsetSearch, random_state=seed),
            **(self.options or {}),
        )
        if result.sets:
            self.result_ = result
            self.features_ = np.array(result.features, dtype=np.intp)
            self.value_ = result.value
        if result.stop_reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        if not result.reached:
            warn(f"method={self.method!r}: no set has the requested size or threshold ({result.stop_reason})")
        return self
