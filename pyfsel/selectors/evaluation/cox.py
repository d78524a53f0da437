"""Times until an event: a Cox model with a ridge penalty, and the concordance of held-out rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from pyfsel.measures.survival_times import shares_in_order

PENALTY = 0.1
TINY = 1e-300


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

    def fit(self, X: Any, y: NDArray[Any], sample_weight: Any = None) -> Self:
        """Fit coefficients; `y` has the fields ``event`` and ``time``."""
        from scipy.optimize import minimize

        order = np.argsort(y["time"], kind="stable")
        table, times = np.asarray(X, dtype=np.float64)[order], y["time"][order]
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, np.float64)[order]
        events, total = weights * y["event"][order], weights.sum()
        at_risk = np.searchsorted(times, times)  # the first row that is at risk at the time of each row

        def loss(beta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            risk = table @ beta
            risk -= risk.max()
            hazards = weights * np.exp(risk)
            left = np.maximum(hazards[::-1].cumsum()[::-1][at_risk], TINY)  # 0 if only weights of 0 are left
            until = np.bincount(at_risk, events / left, len(y)).cumsum()
            likely, slope = events @ (risk - np.log(left)), (events - hazards * until) @ table
            return self.penalty / 2 * beta @ beta - likely / total, self.penalty * beta - slope / total

        self.coef_ = minimize(loss, np.zeros(table.shape[1]), jac=True, method="BFGS").x
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return a number for each row that is larger the earlier its event is expected."""
        return np.asarray(np.asarray(X, dtype=np.float64) @ self.coef_)


def concordance_of(model: Any, X: Any, y: NDArray[Any], sample_weight: Any = None) -> float:
    """Return the concordance of what a model predicts, as a scorer of scikit-learn; 1/2 is chance."""
    risk = np.asarray(model.predict(X), dtype=np.float64)[:, None]
    return float(shares_in_order(risk, y["time"], y["event"], sample_weight)[0])
