"""The weight Δ of a feature in the graph methods of paper 004: 0 for the best, 1 for useless ones."""

from __future__ import annotations

from typing import Any

from pyfsel.measures.arrays import Floats
from pyfsel.measures.compute import quality, vertex_weights
from pyfsel.measures.tables.table import Table
from pyfsel.problem.objectives import GraphScore

CLASS_OVERLAP = "class_overlap"


def delta(table: Table, measure: Any = CLASS_OVERLAP) -> Floats:
    """Return Δ of each feature, in [0, 1]; less is better.

    Paper 004 takes Δ from its reference [58] without repeating the definition, and only says that it measures
    the overlap of the classes. So it is a choice here.

    Parameters
    ----------
    table : Table
    measure : str, array of shape (n_features,) or callable
        "class_overlap": the overlap of the classes' histograms, see
        `pyfsel.measures.class_overlap.class_separation`. Any name of `relevance_measures`, qualities of your
        own, or a score function of ``(X, y)``: one minus the quality divided by the largest one, negative
        qualities counting as 0.

    Returns
    -------
    array of float, shape (n_features,)
        Constant columns have Δ = 1.

    Examples
    --------
    >>> from pyfsel.measures.tables.table import prepare
    >>> delta(prepare([[0.0, 3.0], [0.0, 5.0], [1.0, 3.0], [1.0, 5.0]], [0, 0, 1, 1])).tolist()
    [0.0, 1.0]
    """
    if callable(measure):
        scores = measure(table.X, table.y)
        measure = scores[0] if isinstance(scores, tuple) else scores
    if isinstance(measure, str) and measure == CLASS_OVERLAP:
        measure = GraphScore.default_measure
    named = measure if isinstance(measure, str) else None
    return vertex_weights(quality(table, measure), named)
