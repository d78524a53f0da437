"""Times until an event, of which some are only known to be longer: concordance and martingale residuals."""

from __future__ import annotations

import numpy as np

from pyfsel.measures.arrays import Bools, Floats
from pyfsel.measures.tables.table import Table


def concordance(table: Table) -> Floats:
    """|2 C − 1|, in [0, 1]: C is the share of comparable pairs in which the larger value has the event first.

    Harrell et al. 1982; pairs of equal values count half, and 0 is what chance gives. Of weighted rows a pair
    counts as the product of its weights.
    """
    assert table.events is not None
    return np.abs(2 * shares_in_order(table.X, table.y, table.events, table.weights) - 1)


def shares_in_order(X: Floats, times: Floats, events: Bools, weights: Floats | None = None) -> Floats:
    """Return the concordance of each column as a risk, shape (n_features,); 1/2 without comparable pairs.

    Comparable are a row with an event and any that is known to have had none until then; of equal times
    those without an event are.

    Examples
    --------
    >>> risk = np.array([[3.0], [2.0], [1.0]])
    >>> shares_in_order(risk, np.array([1.0, 2.0, 2.0]), np.array([True, True, False])).tolist()
    [1.0]
    """
    w = np.ones(len(times)) if weights is None else weights
    found, pairs = np.zeros(X.shape[1]), 0.0
    for row in np.flatnonzero(events):
        later = (times > times[row]) | ((times == times[row]) & ~events)
        found += w[row] * (w[later] @ np.sign(X[row] - X[later]))
        pairs += w[row] * w[later].sum()
    return 0.5 + found / (2 * pairs if pairs else 1)


def martingale_residuals(times: Floats, events: Bools, weights: Floats | None = None) -> Floats:
    """Return by how much more events each row had than all rows at risk would have had alike: Nelson–Aalen.

    Their products with a column add up to U of its score test, whatever the column; they hold the weights.
    """
    w = np.ones(len(times)) if weights is None else weights
    distinct, place = np.unique(times, return_inverse=True)
    n_events, n_rows = (np.bincount(place, by_row, len(distinct)) for by_row in (w * events, w))
    at_risk = n_rows[::-1].cumsum()[::-1]
    hazard = (n_events / np.where(at_risk > 0, at_risk, 1.0)).cumsum()
    return np.asarray(w * (events - hazard[place]))
