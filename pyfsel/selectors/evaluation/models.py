"""Models by short names, for times until an event too, selectors to compare with, and models that vote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, f_classif, f_regression
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from pyfsel.core.arrays import Array, Reals
from pyfsel.errors import InputError, PyfselError
from pyfsel.measures.survival_times import shares_in_order
from pyfsel.measures.tables.target import SURVIVAL
from pyfsel.problem.checks import suggestion

MODELS = ("linear", "tree", "forest", "neighbours", "boosting")
PENALTY, LEAST_RISK = 0.1, 1e-300


def model_of(name: Any, task: str) -> Any:
    """Return a model as it is fitted in each fold: as it was given, or one of `MODELS` by its name.

    Of times until an event there is a linear one only.
    """
    if not isinstance(name, str):
        return name
    from sklearn import ensemble, neighbors, tree

    if task == SURVIVAL:
        if name != "linear":
            raise InputError(f"model={name!r}: must be linear (a Cox model) for times until an event")
        return make_pipeline(StandardScaler(), CoxModel())
    is_class = task == "classification"
    if name == "linear":
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000) if is_class else Ridge())
    module, kind = {
        "tree": (tree, "DecisionTree"),
        "forest": (ensemble, "RandomForest"),
        "neighbours": (neighbors, "KNeighbors"),
        "boosting": (ensemble, "HistGradientBoosting"),
    }[name]
    model = getattr(module, f"{kind}{'Classifier' if is_class else 'Regressor'}")()
    return make_pipeline(StandardScaler(), model) if name == "neighbours" else model


def seeded(model: Any, number: int, *, keep: bool = False) -> Any:
    """Return an unfitted copy of a model or selector with a seed; `keep` leaves those that it has."""
    seeds = {
        name: number
        for name, given in model.get_params().items()
        if name.endswith("random_state") and not (keep and given is not None)
    }
    return clone(model).set_params(**seeds)


def estimator_of(given: Any, task: str, random_state: int | None) -> Any:
    """Return an unfitted copy of an estimator, or a decision tree, with the seed where it has none."""
    if given is None:
        given = model_of("tree", task)
    if not hasattr(given, "fit") or not hasattr(given, "get_params"):
        raise InputError(f"estimator={given!r}: must be an estimator of scikit-learn's conventions")
    return seeded(given, random_state or 0, keep=True)


@contextmanager
def words_of_others(what: str) -> Iterator[None]:
    """Raise what an estimator or a score of another package complains of as one line that names it."""
    try:
        yield
    except PyfselError:
        raise
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{what}: {' '.join(str(error).split())}") from error


def check_scoring_name(scoring: Any) -> None:
    """Raise `InputError` for a text that is not the name of a scorer of scikit-learn."""
    from sklearn.metrics import get_scorer_names

    if isinstance(scoring, str) and scoring not in get_scorer_names():
        hint = suggestion(scoring, get_scorer_names())
        raise InputError(f"scoring={scoring!r}: must be the name of a scorer of scikit-learn.{hint}")


def f_scores(X: Any, y: Any) -> Any:
    """Return the F statistics that suit the target, with their p-values."""
    return (f_regression if y.dtype.kind == "f" else f_classif)(X, y)


class LinearCoefficients(BaseEstimator):  # type: ignore[misc]
    """A linear model that suits the target, for the coefficients of standardised features.

    Parameters
    ----------
    is_sparse : bool, default False
        Whether absolute coefficients are penalised (many become 0) in place of their squares.
    """

    def __init__(self, is_sparse: bool = False) -> None:
        self.is_sparse = is_sparse

    def fit(self, X: Any, y: Any) -> Self:
        """Fit it."""
        if y.dtype.kind == "f":
            model = LassoCV() if self.is_sparse else Ridge()
        else:
            model = (
                LinearSVC(penalty="l1", dual=False) if self.is_sparse else LogisticRegression(max_iter=2000)
            )
        self.coef_ = model.fit(StandardScaler().fit_transform(X), y).coef_
        return self


PEERS: dict[str, Callable[[int], Any]] = {
    "select_k_best": lambda k: SelectKBest(f_scores, k=k),
    "rfe": lambda k: RFE(LinearCoefficients(), n_features_to_select=k),
    "lasso": lambda k: SelectFromModel(LinearCoefficients(True), threshold=-np.inf, max_features=k),
}
"""Selectors of scikit-learn to compare with, by the names of the command line."""


class Voting(BaseEstimator):  # type: ignore[misc]
    """Predicts by the votes of fitted models, each of which sees columns of its own.

    Of classifiers the mean probabilities count, or the votes where a model has none; of others the mean. Of
    classes with as many votes the first is taken. In place of a table it gets a list of tables, one for each
    model.

    Parameters
    ----------
    models : sequence of fitted estimators

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 1, 1])
    >>> trees = [DecisionTreeClassifier().fit(X[:, [j]], y) for j in range(2)]
    >>> Voting(trees).predict([X[:, [0]], X[:, [1]]]).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, models: Sequence[Any]) -> None:
        self.models = models
        self.classes_: Any = getattr(models[0], "classes_", None)

    def __sklearn_tags__(self) -> Any:
        return self.models[0].__sklearn_tags__()

    def _told(self, method: str, X: Sequence[Any]) -> Array:
        return np.array([getattr(model, method)(part) for model, part in zip(self.models, X, strict=True)])

    def predict_proba(self, X: Sequence[Any]) -> Reals:
        """Return the mean probabilities, or the shares of votes of models that have none."""
        if all(hasattr(model, "predict_proba") for model in self.models):
            return np.asarray(self._told("predict_proba", X).mean(axis=0))
        return np.asarray((self._told("predict", X)[:, :, None] == self.classes_).mean(axis=0))

    def predict(self, X: Sequence[Any]) -> Array:
        """Return the class of most votes, or the mean prediction."""
        if is_classifier(self.models[0]):
            return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
        return np.asarray(self._told("predict", X).mean(axis=0))


class CoxModel(BaseEstimator):  # type: ignore[misc]
    """Proportional hazards with a ridge penalty; predicts the logarithm of the relative hazard.

    No package that is kept has it with weights of rows, which is why it is here.

    Parameters
    ----------
    penalty : float
        The mean partial log-likelihood of a row, equal times as Breslow counts them, minus half of this times
        the squared coefficients is the largest; columns should be standardised.

    References
    ----------
    Breslow, "Covariance analysis of censored survival data", Biometrics 30, 1974.
    """

    def __init__(self, penalty: float = PENALTY) -> None:
        self.penalty = penalty

    def fit(self, X: Any, y: Array, sample_weight: Any = None) -> Self:
        """Fit coefficients; `y` has the fields ``event`` and ``time``."""
        from scipy.optimize import minimize

        order = np.argsort(y["time"], kind="stable")
        table, times = np.asarray(X, dtype=np.float64)[order], y["time"][order]
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, np.float64)[order]
        events, total = weights * y["event"][order], weights.sum()
        at_risk = np.searchsorted(times, times)  # the first row that is at risk at the time of each row

        def loss(beta: Reals) -> tuple[float, Reals]:
            risk = table @ beta
            risk -= risk.max()
            hazards = weights * np.exp(risk)
            # 0 if only weights of 0 are left
            left = np.maximum(hazards[::-1].cumsum()[::-1][at_risk], LEAST_RISK)
            until = np.bincount(at_risk, events / left, len(y)).cumsum()
            likely, slope = events @ (risk - np.log(left)), (events - hazards * until) @ table
            return self.penalty / 2 * beta @ beta - likely / total, self.penalty * beta - slope / total

        self.coef_ = minimize(loss, np.zeros(table.shape[1]), jac=True, method="BFGS").x
        return self

    def predict(self, X: Any) -> Reals:
        """Return a number for each row that is larger the earlier its event is expected."""
        return np.asarray(np.asarray(X, dtype=np.float64) @ self.coef_)


def concordance_of(model: Any, X: Any, y: Array, sample_weight: Any = None) -> float:
    """Return the concordance of what a model predicts, as a scorer of scikit-learn; 1/2 is chance."""
    risk = np.asarray(model.predict(X), dtype=np.float64)[:, None]
    return float(shares_in_order(risk, y["time"], y["event"], sample_weight)[0])
