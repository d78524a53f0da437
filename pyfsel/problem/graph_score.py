"""Qualities and redundancies of the graph score (paper 004, Eq. 11)."""

from __future__ import annotations

import numpy as np

from pyfsel.core.arrays import Reals
from pyfsel.problem.checks import finite_number, share


def shifted(
    delta: Reals,
    similarity: Reals,
    weight: float = 0.5,
    shift_delta: float | None = None,
    shift_p: float | None = None,
) -> tuple[Reals, Reals]:
    """Return the qualities and redundancies of the negated score; see `pyfsel.papers.graph_score`."""
    weight = share("weight", weight)
    if shift_delta is None:
        shift_delta = float(np.median(delta))
    if shift_p is None:
        shift_p = float(np.median(similarity[np.triu_indices(len(delta), 1)])) if len(delta) > 1 else 0.0
    shift_delta, shift_p = finite_number("shift_delta", shift_delta), finite_number("shift_p", shift_p)
    return -weight * (delta - shift_delta) + 0.0, (1 - weight) * (similarity - shift_p)
