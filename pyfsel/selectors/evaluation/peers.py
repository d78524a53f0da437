"""Selectors of scikit-learn to compare with, by short names, as the command line and the report take them."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.feature_selection import RFE, SelectKBest, SelectorMixin, f_classif, f_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

PEERS = ("kbest", "rfe")


class Peer(SelectorMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """SelectKBest, or RFE with a linear model, made for the task when it is fitted.

    Parameters
    ----------
    name : {"kbest", "rfe"}
    k : int
        Features to keep; all if there are fewer.
    task : {"auto", "classification", "regression"}
        "auto" takes floats for numbers and all else for classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> Peer("kbest", 2).fit(X, y).get_support().tolist()
    [False, False, True, True]
    """

    def __init__(self, name: str = "kbest", k: int = 5, task: str = "auto") -> None:
        self.name = name
        self.k = k
        self.task = task

    def fit(self, X: Any, y: Any) -> Peer:
        """Select."""
        is_class = self.task == "classification" or (self.task == "auto" and y.dtype.kind != "f")
        k = min(self.k, X.shape[1])
        if self.name == "kbest":
            selector = SelectKBest(f_classif if is_class else f_regression, k=k)
        else:
            model = LogisticRegression(max_iter=2000) if is_class else Ridge()
            selector = RFE(
                make_pipeline(StandardScaler(), model),
                n_features_to_select=k,
                importance_getter=f"named_steps.{type(model).__name__.lower()}.coef_",
            )
        self.selector_ = selector.fit(X, y)
        self.n_features_in_ = X.shape[1]
        if hasattr(X, "columns"):
            self.feature_names_in_ = X.columns.to_numpy(dtype=object)
        return self

    def _get_support_mask(self) -> Any:
        return self.selector_.get_support()
