"""Graph-FS: feature selection by cutting the neighbourhoods of the best features (paper 004, Section 3.1)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pyfsel.core.arrays import Bools, Reals
from pyfsel.errors import InputError
from pyfsel.problem.checks import finite_array, finite_number, integer_in, share

ROUNDING = 1e-9
"""By how much of the largest the two directions of a pair may differ; `np.corrcoef` rounds each by itself."""


@dataclass(frozen=True)
class Cut:
    """One step: the feature selected, and its neighbours, which it removed from the graph."""

    selected: int
    removed: tuple[int, ...]


@dataclass(frozen=True)
class GraphSelection:
    """The features that Graph-FS selects, and its trace.

    Parameters
    ----------
    cuts : tuple of Cut
        In the order of selection.
    too_weak : tuple of int
        The features above the threshold of Δ, which were never in the graph.
    """

    cuts: tuple[Cut, ...]
    too_weak: tuple[int, ...]

    @property
    def features(self) -> tuple[int, ...]:
        """The selected features, ascending."""
        return tuple(sorted(cut.selected for cut in self.cuts))


def graph_fs(
    delta: ArrayLike,
    similarity: ArrayLike,
    *,
    t_delta: float,
    t_p: float,
    rounds: int = 1,
    decay: float = 0.8,
) -> GraphSelection:
    """Select the best feature, remove those similar to it, and repeat with what is left.

    The neighbours of the selected feature are found in its row of the matrix, so n features take O(n)
    vectorised steps of O(n) whatever the number of edges.

    Parameters
    ----------
    delta : array-like of float, shape (n,)
        Δ of each feature, less is better.
    similarity : array-like of float, shape (n, n)
        P of each pair, symmetric but for rounding, such as the absolute Pearson correlation.
    t_delta : float
        Features with ``delta > t_delta`` are left out.
    t_p : float
        Features with ``similarity ≥ t_p`` are neighbours.
    rounds : int
        A cascade (paper 004, Section 5, which gives no numbers): each further round looks at the features not
        yet selected, with lower thresholds, and adds what it selects.
    decay : float
        By what both thresholds are multiplied from one round to the next, in [0, 1].

    Returns
    -------
    GraphSelection
        The cuts of all rounds; what one round removes another one may select.

    Raises
    ------
    InputError
        If the arrays do not fit together, something is not finite, or an option is out of its range.

    Examples
    --------
    >>> similarity = [[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]]
    >>> graph_fs([0.3, 0.2, 0.4], similarity, t_delta=0.6, t_p=0.6).cuts
    (Cut(selected=1, removed=(0,)), Cut(selected=2, removed=()))
    """
    weights, pairs = _checked(delta, similarity, t_delta, t_p)
    integer_in("rounds", rounds, 1, None)
    share("decay", decay)
    cuts: list[Cut] = []
    for number in range(rounds):
        left = weights <= t_delta * decay**number
        left[[cut.selected for cut in cuts]] = False
        cuts += _cuts(weights, pairs, left, t_p * decay**number)
    return GraphSelection(tuple(cuts), tuple(np.flatnonzero(weights > t_delta).tolist()))


def _cuts(weights: Reals, pairs: Reals, left: Bools, t_p: float) -> Iterator[Cut]:
    """Yield the cuts of one round among the features that are left."""
    for best in np.argsort(weights, kind="stable"):
        if not left[best]:
            continue
        left[best] = False
        neighbours = left & (pairs[best] >= t_p)
        left &= ~neighbours
        yield Cut(int(best), tuple(np.flatnonzero(neighbours).tolist()))


def _checked(delta: ArrayLike, similarity: ArrayLike, t_delta: float, t_p: float) -> tuple[Reals, Reals]:
    weights = finite_array("delta", delta, (None,))
    pairs = finite_array("similarity", similarity, (len(weights), len(weights)))
    finite_number("t_delta", t_delta)
    finite_number("t_p", t_p)
    if np.abs(pairs - pairs.T).max(initial=0) > ROUNDING * np.abs(pairs).max(initial=0):
        raise InputError("similarity: must be symmetric")
    return weights, (pairs + pairs.T) / 2
