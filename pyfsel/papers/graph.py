"""The graph methods of paper 004 with the conventions of scikit-learn: Graph-FS, SDP-1 and ASDP."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from pyfsel.algorithms.heuristics.asdp import ONE_PASS, asdp, sdp_1
from pyfsel.core.arrays import Indices, Reals
from pyfsel.errors import InputError
from pyfsel.measures import delta, redundancy
from pyfsel.papers.graph_fs import GraphSelection, graph_fs
from pyfsel.papers.graph_score import graph_score_problem
from pyfsel.problem import values
from pyfsel.problem.checks import one_of
from pyfsel.selectors.conventions import OneSetMixin


@dataclass(eq=False, repr=False, kw_only=True)
class _GraphMethod(OneSetMixin, BaseEstimator):  # type: ignore[misc]
    """What the selectors share: Δ and P from a table, and the features that `select` takes by them."""

    measure: Any = "class_overlap"
    task: str = "auto"
    rounds: int = 1
    decay: float = 0.8
    missing: str = "error"
    dates: str = "error"

    def fit(self, X: Any, y: Any, **metadata: Any) -> Self:
        """Measure the features and select.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame, shape (n_rows, n_features)
        y : array or Series, shape (n_rows,)
            Class labels, or numbers for regression.

        Returns
        -------
        selector
            This selector, fitted.

        Raises
        ------
        InputError
            If the table or a parameter is not allowed, or Graph-FS keeps no feature.
        """
        table = self._read(X, y, **metadata).dense()
        if table.weights is not None:
            raise InputError("sample_weight: is not for similarities of pairs. Leave it out")
        self.delta_ = delta(table, measure=self.measure)
        self.similarity_ = redundancy(table, "pearson")
        self.features_ = self.select(self.delta_, self.similarity_)
        return self

    @abstractmethod
    def select(self, weights: Reals, similarity: Reals) -> Indices:
        """Return the features that are selected by Δ and the similarities of pairs."""


@dataclass(eq=False, repr=False)
class GraphSelector(_GraphMethod):
    """Selects good features that are not similar to each other, by graph cuts (Graph-FS, 004 §3.1).

    Parameters
    ----------
    t_delta : float
        Largest Δ of a feature, T_Δ; 1 keeps all.
    t_p : float
        Absolute Pearson correlation from which two features count as similar, T_p.
    rounds, decay
        Of a cascade, see `pyfsel.papers.graph_fs.graph_fs`.
    measure : str, array of shape (n_features,) or callable
        Where Δ comes from, see `pyfsel.measures.delta`.
    task : {"auto", "classification", "regression"}
    missing : {"error", "drop", "impute", "category"}
        What `fit` does about missing values, see `pyfsel.measures.prepare`.
    dates : {"error", "number"}
        Whether dates and durations become numbers of days.

    Attributes
    ----------
    features_ : array of int
        The selected features, ascending.
    selection_ : GraphSelection
        The trace: which feature removed which others, and those that were too weak.
    delta_ : array of float, shape (n_features_in_,)
    similarity_ : array of float, shape (n_features_in_, n_features_in_)
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if `fit` got a table with column names.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> GraphSelector(t_delta=0.3, t_p=0.6).fit(X, y).get_feature_names_out().tolist()
    ['flavanoids', 'proline']
    """

    t_delta: float = 1.0
    t_p: float = 0.7

    def select(self, weights: Reals, similarity: Reals) -> Indices:
        self.selection_ = graph_fs(weights, similarity, **self._given_to(graph_fs))
        return np.array(self.selection_.features, dtype=np.intp)


@dataclass(eq=False, repr=False)
class ASDPSelector(_GraphMethod):
    """Selects the set of lowest graph score that dynamic programming finds (004 §3.2).

    Parameters
    ----------
    weight : float
        w in [0, 1]: how much the features' own Δ counts against the similarity of pairs.
    shift_delta, shift_p : float or None
        What is subtracted from all Δ and all similarities; the larger they are, the more features are
        selected. None takes the medians.
    method : {"asdp", "sdp-1"}
        Alternating traversals, or a single pass.
    initialisation : {"one-pass", "prefixes", "empty"}
        How ASDP starts, see `pyfsel.algorithms.heuristics.asdp.asdp`.
    max_iterations : int
        Largest number of traversals of ASDP.
    t_delta, t_p : float or None
        Thresholds of Graph-FS, which selects first if `t_p` is given; see `GraphSelector`.
    rounds, decay
        Of Graph-FS as a cascade.
    measure, task, missing, dates
        As for `GraphSelector`.

    Attributes
    ----------
    features_ : array of int
        The selected features, ascending.
    score_ : float
        Their graph score (004, Eq. 11).
    history_ : list of float
        The score after the initialisation and after every traversal, of the quantised problem.
    problem_ : Instance
        The problem in integers, of the features that Graph-FS kept: `pyfsel.solve` finds its optimum.
    selection_ : GraphSelection or None
        The trace of Graph-FS.
    delta_, similarity_, n_features_in_, feature_names_in_
        As for `GraphSelector`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = ASDPSelector(shift_delta=0.3, shift_p=0.1).fit(X, y)
    >>> selector.get_feature_names_out().tolist(), round(selector.score_, 3)
    (['flavanoids'], -0.059)
    """

    weight: float = 0.5
    shift_delta: float | None = None
    shift_p: float | None = None
    method: str = "asdp"
    initialisation: str = ONE_PASS
    max_iterations: int = 100
    t_delta: float | None = None
    t_p: float | None = None

    def select(self, weights: Reals, similarity: Reals) -> Indices:
        one_of("method", self.method, ("asdp", "sdp-1"))
        self.selection_ = self._filtered(weights, similarity)
        kept = np.arange(len(weights)) if self.selection_ is None else np.array(self.selection_.features)
        own = weights[kept], similarity[np.ix_(kept, kept)]
        self.problem_ = graph_score_problem(*own, **self._given_to(graph_score_problem))
        if self.method == "sdp-1":
            run = sdp_1(-self.problem_.quality, self.problem_.pairs)
        else:
            run = asdp(-self.problem_.quality, self.problem_.pairs, **self._given_to(asdp))
        self.score_ = -values.qualities(self.problem_, [run.features])[0]
        self.history_ = [traversal.score / self.problem_.scale for traversal in run.history]
        return kept[list(run.features)]

    def _filtered(self, weights: Reals, similarity: Reals) -> GraphSelection | None:
        if self.t_p is None:
            if self.t_delta is not None:
                raise InputError(f"t_delta={self.t_delta!r}: needs t_p as well")
            return None
        limit = float(weights.max()) if self.t_delta is None else self.t_delta
        selection = graph_fs(weights, similarity, **self._given_to(graph_fs, t_delta=limit))
        if not selection.features:
            raise InputError(f"t_delta={self.t_delta!r}: no feature has so small a Δ")
        return selection
