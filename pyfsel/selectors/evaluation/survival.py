"""Times until an event: a Cox model by statsmodels, and the concordance of held-out rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from pyfsel.errors import InputError
from pyfsel.measures.survival import shares_in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

PENALTY = 0.1


class CoxModel(BaseEstimator):  # type: ignore[misc]
    """Proportional hazards with a ridge penalty; predicts the logarithm of the relative hazard.

    Parameters
    ----------
    penalty : float
        The mean partial log-likelihood of a row, equal times as Efron counts them, minus half of this times
        the squared coefficients is the largest; columns should be standardised.
    """

    def __init__(self, penalty: float = PENALTY) -> None:
        self.penalty = penalty

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Fit coefficients; `y` has the fields ``event`` and ``time``."""
        try:
            from statsmodels.duration.hazard_regression import PHReg
        except ImportError:
            raise InputError(
                "estimator: Cox models take statsmodels (pip install 'pyfsel[survival]')"
            ) from None
        from scipy.optimize import minimize

        table, n_rows = np.asarray(X, dtype=np.float64), len(y)
        model = PHReg(y["time"], table, status=y["event"].astype(int), ties="efron")
        found = minimize(
            lambda beta: self.penalty / 2 * beta @ beta - model.loglike(beta) / n_rows,
            np.zeros(table.shape[1]),
            jac=lambda beta: self.penalty * beta - model.score(beta) / n_rows,
            method="BFGS",
        )
        self.coef_ = found.x
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return a number for each row that is larger the earlier its event is expected."""
        return np.asarray(np.asarray(X, dtype=np.float64) @ self.coef_)


def concordance_of(model: Any, X: Any, y: NDArray[Any]) -> float:
    """Return the concordance of what a model predicts, as a scorer of scikit-learn; 1/2 is that of chance."""
    risk = np.asarray(model.predict(X), dtype=np.float64)[:, None]
    return float(shares_in_order(risk, y["time"], y["event"])[0])
