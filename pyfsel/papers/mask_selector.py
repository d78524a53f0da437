"""Mask elimination: the least useful features of a fitted model are masked, one after another (paper 002).

The order of elimination depends neither on a size nor on a slack: one path answers them all (Alg. 1 to 3).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from pyfsel.errors import InputError
from pyfsel.papers.masked_model import MaskedModel, fitted_masked_model
from pyfsel.papers.subset.criteria import Criterion
from pyfsel.papers.subset.search_state import SubsetResult, SubsetRun
from pyfsel.papers.subset.searches import stepwise
from pyfsel.problem.checks import finite_number, integer_in, one_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import Limits
from pyfsel.selectors.conventions import OneSetMixin, seed_of


@dataclass(frozen=True)
class EliminationPath:
    """Features in the order of their elimination, and the losses on the way.

    Parameters
    ----------
    n_features : int
    order : tuple of int
        The least useful feature first; shorter than `n_features` if a limit ended it.
    losses : tuple of float
        Minus the criterion with all features, after the first elimination, and so on.

    Examples
    --------
    >>> path = EliminationPath(3, order=(2, 1, 0), losses=(1.0, 1.0, 1.04, 9.0))
    >>> path.by_slack(0.01), path.by_slack(0.05), path.fixed_length(1)
    ((0, 1), (0,), (0,))
    """

    n_features: int
    order: tuple[int, ...]
    losses: tuple[float, ...]

    def after(self, n_eliminated: int) -> FeatureSet:
        """Return what is left after some eliminations."""
        gone = set(self.order[:n_eliminated])
        return tuple(j for j in range(self.n_features) if j not in gone)

    def fixed_length(self, k: int) -> FeatureSet:
        """Return the set of k features (FLBMO, Algorithm 3).

        Raises
        ------
        InputError
            If k is not from 0 to `n_features`, or the path was ended before.
        """
        fewest = self.n_features - len(self.order)
        return self.after(self.n_features - integer_in("k", k, fewest, self.n_features))

    def by_slack(self, slack: float, first: str = "tested") -> FeatureSet:
        """Return the set before the first elimination that costs too much (GBMO, Algorithm 2).

        At least one feature is left.

        Parameters
        ----------
        slack : float
            μ, not negative: an elimination is accepted if the loss after it is at most (1 + μ) times the loss
            before it, which may drift by that factor at every step, as the paper has it.
        first : {"tested", "free"}
            Whether the first elimination is tested as well; the paper always accepts it.
        """
        check_slack(slack, first)
        most = min(self.n_features - 1, len(self.order))
        too_much = (
            step
            for step, (before, after) in enumerate(pairwise(self.losses[: most + 1]))
            if after > before * (1 + slack) and (step or first == "tested")
        )
        return self.after(next(too_much, most))


def check_slack(slack: float = 0, first: str = "tested") -> None:
    """Raise `InputError` unless `EliminationPath.by_slack` allows these."""
    if finite_number("slack", slack) < 0:
        raise InputError(f"slack={slack!r}: must be at least 0")
    one_of("first", first, ("tested", "free"))


def elimination_path(
    criterion: Criterion, limits: Limits | None = None, max_evaluations: int | None = None
) -> tuple[EliminationPath, SubsetResult]:
    """Eliminate the least useful feature, of equal ones the first, until none is left (SLUF, Algorithm 1).

    Returns
    -------
    path : EliminationPath
    result : SubsetResult
        The run: its trace, evaluations and why it ended.
    """
    run = SubsetRun(criterion, range(1), None, limits or Limits(), max_evaluations, ties="lowest")
    result = run.execute("elimination", lambda run: stepwise(run, is_forward=False))
    steps = pairwise(visit.features for visit in result.trace)
    order = tuple(next(iter({*larger}.difference(smaller))) for larger, smaller in steps)
    losses = tuple(0.0 - visit.value for visit in result.trace)
    return EliminationPath(len(criterion.feature_names), order, losses), result


def select_mask(
    model: MaskedModel,
    *,
    k: int | None = None,
    slack: float = 0.01,
    first: str = "tested",
    limits: Limits | None = None,
    max_evaluations: int | None = None,
) -> tuple[SubsetResult, EliminationPath]:
    """Eliminate features of a masked model and stop by size (FLBMO) or by slack (GBMO).

    Parameters
    ----------
    model : MaskedModel
    k : int, optional
        Number of features; without it the slack decides.
    slack : float
        By what proportion an elimination may raise the loss, at every step; without effect if the number of
        features is given.
    first : {"tested", "free"}
        Whether the first elimination may cost as much as the others ("tested"), or anything ("free"), as in
        the paper.
    limits : Limits, optional
    max_evaluations : int, optional
        The maximum number of masks to evaluate.

    Returns
    -------
    result : SubsetResult
        After a limit or Ctrl-C the smallest set of the path that is allowed.
    path : EliminationPath
    """
    n = len(model.feature_names)
    check_slack(slack, first)
    if k is not None:
        integer_in("k", k, 1, n)
    path, run = elimination_path(model, limits, max_evaluations)
    run = replace(run, method="gbmo" if k is None else "flbmo")
    if not path.losses:
        return run, path
    fewest = n - len(path.order)
    found = path.by_slack(slack, first) if k is None else path.fixed_length(max(k, fewest))
    is_reached = len(found) > fewest or len(found) == 1 if k is None else len(found) == k
    loss = path.losses[n - len(found)]
    return replace(run, sets=(found,), values=(-loss,), reached=is_reached), path


@dataclass(eq=False, repr=False)
class MaskSelector(OneSetMixin, BaseEstimator):  # type: ignore[misc]
    """Selects what a fitted model needs, by masking its least useful features (GBMO and FLBMO, paper 002).

    A model is fitted once to a part of the rows, with all features. Then the feature whose masking costs
    least on the other rows is eliminated, and so on to the last; nothing is trained again. The path answers
    every slack and every size, see `elimination_path_`.

    Parameters
    ----------
    estimator : estimator or None
        None: histogram gradient boosting with small trees.
    n_features_to_select : int or None
        Number of features (FLBMO); None lets the slack decide (GBMO).
    slack : float
        μ: an elimination may raise the loss by this share of the loss before it.
    validation : float
        Share of the rows on which the losses are computed.
    loss : {"mse", "log_loss"}, callable or None
        See `pyfsel.papers.masked_model.MaskedModel`.
    fill : {"mean", "median", "zero"}
        What a masked feature holds. The paper puts zero, which is the mean of columns that are centred.
    random_state : int, RandomState instance or None
        Seed of the split and of the model.
    prefit : bool
        The estimator is fitted already; all rows given to `fit` are validation rows.
    first : {"tested", "free"}
        The paper eliminates the first feature whatever it costs: "free".
    time_limit : float or None
        Seconds.
    missing : {"error", "drop", "impute", "category"}
        What `fit` does about missing values, see `pyfsel.measures.prepare`.
    dates : {"error", "number"}
        Whether dates and durations become numbers of days.

    Attributes
    ----------
    features_ : array of int
        The selected features, ascending.
    order_ : array of int
        Features in the order of their elimination.
    losses_ : array of float, shape (len(order_) + 1,)
        The loss with all features and after each elimination.
    elimination_path_ : EliminationPath
        ``by_slack`` and ``fixed_length`` give other masks without new predictions.
    n_predictions_ : int
        Masks predicted with.
    estimator_ : the fitted model
    result_ : SubsetResult
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if `fit` got a table with column names.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = LogisticRegression(max_iter=10_000)
    >>> selector = MaskSelector(model, n_features_to_select=4, random_state=0).fit(X, y)
    >>> len(selector.features_), len(selector.order_), selector.elimination_path_.by_slack(0)
    (4, 13, (0, 1, 2, 3, 6, 8, 9, 10, 11, 12))
    """

    estimator: Any = None
    n_features_to_select: int | None = None
    slack: float = 0.01
    validation: float = 0.3
    loss: Any = None
    fill: str = "mean"
    random_state: Any = None
    _: KW_ONLY
    prefit: bool = False
    first: str = "tested"
    time_limit: float | None = None
    missing: str = "error"
    dates: str = "error"

    def fit(self, X: Any, y: Any, **metadata: Any) -> Self:
        """Fit the model, eliminate, and select.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame, shape (n_rows, n_features)
        y : array or Series, shape (n_rows,)
        **metadata
            ``groups``, shape (n_rows,): rows that are held out together. ``sample_weight``, shape (n_rows,):
            for the estimator, which must accept weights, and the loss.

        Returns
        -------
        MaskSelector
            This selector, fitted.

        Raises
        ------
        InputError
            If the table, the model or a parameter is not allowed.
        KeyboardInterrupt
            After Ctrl-C; the selector is fitted with the path until then, if there is one.
        """
        self._require_target(y)
        limits = Limits.starting_now(self.time_limit, seed_of(self.random_state))
        model = self._masked(X, y, limits.random_state, metadata)
        asked = self._given_to(select_mask, k=self.n_features_to_select, limits=limits)
        result, path = select_mask(model, **asked)
        self.estimator_ = model.estimator
        self.n_predictions_ = model.n_predictions
        if result.sets:
            self.result_, self.elimination_path_ = result, path
            self.order_ = np.array(path.order, dtype=np.intp)
            self.losses_ = np.array(path.losses)
            self.features_ = np.array(result.features, dtype=np.intp)
        if result.stop_reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        return self

    def _masked(self, X: Any, y: Any, seed: int, metadata: dict[str, Any]) -> MaskedModel:
        if self.prefit:
            if self._of_rows(metadata):
                raise InputError(
                    f"{next(iter(metadata))}: is not for a model that is fitted already (prefit)"
                )
            self._remember_columns(X)
            return MaskedModel(self.estimator, X, y, self.loss, self.fill)
        asked = self._given_to(fitted_masked_model, random_state=seed)
        return fitted_masked_model(self._read(X, y, **metadata).dense(), **asked)
