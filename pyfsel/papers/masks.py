"""The best masks of a linear model, proved: its masked loss is quadratic in the set (paper 002)."""

from dataclasses import replace
from typing import Any

import numpy as np

from pyfsel.core.arrays import Reals
from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer
from pyfsel.interface.problem import Problem
from pyfsel.interface.solving import solve
from pyfsel.papers.masked_model import MaskedModel
from pyfsel.problem.checks import shown


def best_masks(
    model: Any,
    X_val: Any,
    y_val: Any,
    *,
    k: int | None = None,
    n_sets: int = 1,
    dissimilarity: Any = 0.6,
    search: str = "sequential",
    fill: str = "mean",
    **solving: Any,
) -> Answer:
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
        As for `pyfsel.papers.masked_model.MaskedModel`.
    k : int, optional
        Features that are not masked; any number, but at least one, unless given.
    n_sets, dissimilarity, search
        As for `pyfsel.Problem`.
    **solving
        As for `pyfsel.solve`, such as ``solver`` and ``time_limit``.

    Returns
    -------
    Answer
        Its sets are the features that are not masked; the quality of a set is half of what it takes off the
        loss of the model with everything masked. ``details["losses"]`` has the mean squared error of each
        masked model, from its own predictions.

    Raises
    ------
    InputError
        If the model is not linear, or an argument is not allowed.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.array([[-1.0, -1, 1], [-1, 1, -1], [1, -1, -1], [1, 1, 1]])
    >>> y = 3 * X[:, 0] + X[:, 1] - 2 * X[:, 2]
    >>> found = best_masks(LinearRegression().fit(X, y), X, y, k=2, n_sets=2, dissimilarity=0.5)
    >>> [(one.indices, round(loss, 6)) for one, loss in zip(found, found.details["losses"])]
    [((0, 2), 1.0), ((0, 1), 4.0)]
    >>> best_masks(LinearRegression().fit(X[:, :2], y), X[:, :2], 3 * X[:, 0])[0].indices
    (0,)
    """
    masked = MaskedModel(model, X_val, y_val, "mse", fill)
    n = len(masked.feature_names)
    single, pairs = _quadratic(masked)
    problem = Problem(
        single / 2,
        pairs,
        k=(1, n) if k is None else k,
        n_sets=n_sets,
        dissimilarity=dissimilarity,
        objective="graph_score",
        search=search,
        names=masked.feature_names,
    )
    answer = solve(problem, **solving)
    return replace(answer, details={**answer.details, "losses": masked.losses([s.indices for s in answer])})


def _quadratic(masked: MaskedModel) -> tuple[Reals, Reals]:
    """Return a and B of the loss, B with a diagonal of zeros."""
    model = masked.estimator
    if not hasattr(model, "coef_") or not hasattr(model, "intercept_"):
        raise InputError(f"model={shown(model)}: must be linear, with coef_ and intercept_")
    weights = np.ravel(model.coef_)
    intercept = np.ravel(model.intercept_)
    if len(weights) != masked.X.shape[1] or len(intercept) != 1:
        raise InputError(f"model={shown(model)}: must have one target")
    columns = (np.asarray(masked.X) - masked.fill) * weights
    everything_masked = float(intercept[0] + weights @ masked.fill)
    rest = masked.y - everything_masked
    # the formula is held against the model itself: a classifier has coefficients too
    found = ((columns.sum(axis=1) - rest) ** 2).mean()
    if not np.isclose(found, masked.losses([range(masked.X.shape[1])])[0], rtol=1e-6, atol=1e-9):
        raise InputError(f"model={shown(model)}: its predictions must be linear in the features")
    single = 2 * (columns * rest[:, None]).mean(axis=0) - (columns**2).mean(axis=0)
    pairs = columns.T @ columns / len(rest)
    np.fill_diagonal(pairs, 0.0)
    return single, pairs
