"""The best masks of a linear model, proved: its masked loss is quadratic in the set (paper 002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.measures.masked_model import MaskedModel
from pyfsel.problem.checks import integer_in, shown
from pyfsel.problem.make import make_instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Status
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve


@dataclass(frozen=True)
class BestMasks:
    """Masks of a linear model and what is proved about them.

    Attributes
    ----------
    sets : tuple of feature sets
        The features that are not masked.
    losses : tuple of float
        Mean squared errors of the masked model, from its own predictions.
    status : Status
        OPTIMAL: no other masks are better, in the sense of `result.search` and up to the rounding of
        qualities to `result.problem.scale`.
    result : Result
        Of the problem that was solved; its quality of a set is half of what the set takes off the loss of
        the model with everything masked.
    """

    sets: tuple[FeatureSet, ...]
    losses: tuple[float, ...]
    status: Status
    result: Result


def best_masks(
    model: Any,
    X_val: Any,
    y_val: Any,
    *,
    k: int | None = None,
    n_alternatives: int = 0,
    tau: float | None = None,
    fill: Any = "mean",
    **solving: Any,
) -> BestMasks:
    """Find the features with which a fitted linear model has the least squared error, the others masked.

    With f(x) = b + Σ w_j x_j and constants c_j for masked features, let C_j = w_j (x_j − c_j) on the
    validation rows and e = y − b − Σ w_j c_j. The loss of a set A is

        mean(e²) − Σ_{j ∈ A} a_j + 2 Σ_{i < j ∈ A} B_ij,   a_j = 2 mean(C_j e) − mean(C_j²),   B = CᵀC/rows,

    which is a problem of the objective ``"graph_score"``: exact searches prove the best set, and alternatives
    that are dissimilar to it. FLBMO and GBMO eliminate greedily, so they can miss it.

    Parameters
    ----------
    model : fitted linear model
        With ``coef_`` and ``intercept_`` of one target, such as LinearRegression, Ridge or Lasso.
    X_val, y_val, fill
        As for `pyfsel.measures.masked_model.MaskedModel`.
    k : int, optional
        Features that are not masked; any number, but at least one, unless given.
    n_alternatives, tau
        As in `pyfsel.make_instance`.
    **solving
        As in `pyfsel.solve`, such as ``search``, ``backend`` and ``time_limit``.

    Returns
    -------
    BestMasks

    Raises
    ------
    InputError
        If the model is not linear, or an argument is not allowed.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.array([[-1.0, -1, 1], [-1, 1, -1], [1, -1, -1], [1, 1, 1]])
    >>> y = 3 * X[:, 0] + X[:, 1] - 2 * X[:, 2]
    >>> found = best_masks(LinearRegression().fit(X, y), X, y, k=2, n_alternatives=1, tau=0.5)
    >>> found.sets, [round(loss, 6) for loss in found.losses], str(found.status)
    (((0, 2), (0, 1)), [1.0, 4.0], 'OPTIMAL')
    >>> best_masks(LinearRegression().fit(X[:, :2], y), X[:, :2], 3 * X[:, 0]).sets
    ((0,),)
    """
    masked = MaskedModel(model, X_val, y_val, "mse", fill)
    n = len(masked.feature_names)
    if k is not None:
        integer_in("k", k, 1, n)
    single, pairs = _quadratic(masked)
    problem = make_instance(
        single / 2,
        pairs,
        objective="graph_score",
        k=k or n,
        min_k=1 if k is None else None,
        n_alternatives=n_alternatives,
        tau=tau,
        feature_names=masked.feature_names,
    )
    result = solve(problem, **solving)
    return BestMasks(result.sets, tuple(masked.losses(result.sets)), result.status, result)


def _quadratic(masked: MaskedModel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a and B of the loss, B with a diagonal of zeros."""
    model = masked.estimator
    if not hasattr(model, "coef_") or not hasattr(model, "intercept_"):
        raise InputError(f"model={shown(model)}: must be linear, with coef_ and intercept_")
    weights = np.ravel(model.coef_)
    intercept = np.ravel(model.intercept_)
    if len(weights) != masked.X.shape[1] or len(intercept) != 1:
        raise InputError(f"model={shown(model)}: must have one target")
    columns = (masked.X - masked.fill) * weights
    everything_masked = float(intercept[0] + weights @ masked.fill)
    _require_linear(masked, columns.sum(axis=1) + everything_masked)
    rest = masked.y - everything_masked
    single = 2 * (columns * rest[:, None]).mean(axis=0) - (columns**2).mean(axis=0)
    pairs = columns.T @ columns / len(rest)
    np.fill_diagonal(pairs, 0.0)
    return single, pairs


def _require_linear(masked: MaskedModel, predicted: NDArray[np.float64]) -> None:
    """Hold the formula against the model itself: a classifier has coefficients too."""
    found = ((predicted - masked.y) ** 2).mean()
    if not np.isclose(found, masked.losses([range(masked.X.shape[1])])[0], rtol=1e-6, atol=1e-9):
        raise InputError(f"model={shown(masked.estimator)}: its predictions must be linear in the features")
