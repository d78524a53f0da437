"""From one weight per feature to a set: the automatic cut of 001, Section 6.1.

The cut is where the weights fall and many features stay below. The paper's formula is taken for weights in
*ascending* order: it says decreasing, but calls the last one the greatest.
"""

from typing import Any

import numpy as np

from pyfsel.problem.checks import finite_array, one_of
from pyfsel.problem.objectives import FeatureSet


def cut_weights(weights: Any, cut: str = "knee") -> FeatureSet:
    """Return the features above the automatic cut (001 §6.1).

    With weights w_1 ≤ … ≤ w_n the cut is at the j with the largest (w_n − w_j)/(w_n − w_1)·j/n, the last of
    the many low weights. Weights more than two standard deviations from the mean do not take part in the
    search for j; those above are kept. (The paper sets aside what is "two variances" from the mean, in
    other units than the weights; read as standard deviations.)

    Parameters
    ----------
    weights : array of float, shape (n_features,)
    cut : {"knee", "literal"}
        Keep what lies above x_j, or, by the letter of the paper, x_j too.

    Returns
    -------
    tuple of int
        All features if all weights are equal.

    Examples
    --------
    >>> cut_weights([0.02, 0.05, 0.1, 0.4, 0.5])
    (3, 4)
    >>> cut_weights([0, 0, 0, 0, 1, 1, 1, 1]), cut_weights([0, 0, 0, 0, 1, 1, 1, 1], cut="literal")
    ((4, 5, 6, 7), (3, 4, 5, 6, 7))
    """
    one_of("cut", cut, ("knee", "literal"))
    w = finite_array("weights", weights, (None,))
    usual = np.abs(w - w.mean()) <= 2 * w.std()
    order = np.flatnonzero(usual)[np.argsort(w[usual], kind="stable")]
    ascending = w[order]
    if ascending[0] == ascending[-1]:
        above_all = np.flatnonzero(w > ascending[-1])
        return tuple((above_all if len(above_all) else np.flatnonzero(w >= ascending[0])).tolist())
    share_below = np.arange(1, len(order) + 1) / len(order)
    values = (ascending[-1] - ascending) / (ascending[-1] - ascending[0]) * share_below
    knee = int(values.argmax())
    above = order[knee + 1 :] if cut == "knee" else order[knee:]
    outliers = np.flatnonzero(~usual & (w > ascending[knee]))
    return tuple(sorted(np.concatenate([above, outliers]).tolist()))
