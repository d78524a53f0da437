"""From the user's float qualities to the integer `Problem`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.checks import finite_array, integer_in, one_of, positive_number
from pyfsel.errors import InputError
from pyfsel.objectives import OBJECTIVES, Cfs
from pyfsel.problem import Problem
from pyfsel.quantise import choose_resolution, choose_scale, max_overlap_for, quantise

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def make_problem(
    quality: ArrayLike,
    redundancy: ArrayLike | None = None,
    *,
    objective: str = "univariate",
    k: int,
    n_alternatives: int = 0,
    tau: float | None = None,
    max_overlap: int | None = None,
    dissimilarity: str = "dice",
    aggregate: str = "sum",
    previous_sets: Sequence[Iterable[int]] = (),
    feature_names: Sequence[str] | None = None,
    scale: float | None = None,
) -> Problem:
    """Build a `Problem` from float qualities, which are quantised here once and never again.

    Parameters
    ----------
    quality : array-like of float, shape (n_features,)
        Quality of each feature, taken as it is; normalising belongs to the measures.
    redundancy : array-like of float, shape (n_features, n_features), optional
        Pairwise dependence ``redundancy[j, i]`` of feature j on feature i. For ``objective="mrmr"`` it is
        made symmetric by averaging with its transpose and its diagonal is ignored; so it is for
        ``objective="cfs"``, where 1 is the correlation of a feature with itself. For ``objective="fcbf"`` it
        must be in the unit of `quality` and gives the conflicts.
    objective : {"univariate", "fcbf", "mrmr", "cfs"}
        Paper 000, Eq. 11, 12, 13 and 20.
    k : int
        Features per set.
    n_alternatives : int
        Number of sets besides the original one, a.
    tau, max_overlap
        With alternatives or previous sets, exactly one of the two: the dissimilarity threshold in [0, 1], or
        the largest number of features that two sets share.
    dissimilarity : {"dice", "jaccard"}
        What `tau` refers to.
    aggregate : {"sum", "min"}
        How the qualities of the sets become one objective in simultaneous search.
    previous_sets : sequence of iterables of int
        Sets of k features that the new ones must be dissimilar to.
    feature_names : sequence of str, optional
    scale : float, optional
        Factor between floats and integers; chosen by `pyfsel.quantise.choose_scale` if not given.

    Returns
    -------
    Problem

    Raises
    ------
    InputError
        If an argument is missing, out of range, not finite, or does not fit the others.

    Examples
    --------
    >>> make_problem([0.5, 0.3, 0.2], k=2, n_alternatives=1, tau=0.5).max_overlap
    1
    """
    q = finite_array("quality", quality, (None,))
    assert q is not None
    n = len(q)
    if n == 0:
        raise InputError("quality: is empty, must hold at least one feature")
    k = integer_in("k", k, 1, n)
    n_sets = integer_in("n_alternatives", n_alternatives, 0, None) + 1
    previous = tuple(tuple(members) for members in previous_sets)
    if tau is not None and max_overlap is not None:
        raise InputError(f"tau={tau!r} and max_overlap={max_overlap!r}: give exactly one of the two")
    if tau is not None:
        max_overlap = max_overlap_for(k, tau, dissimilarity)
    elif max_overlap is None:
        if n_sets > 1 or previous:
            raise InputError("tau: is missing; with alternatives give exactly one of tau and max_overlap")
        max_overlap = k
    max_overlap = integer_in("max_overlap", max_overlap, 0, k)
    one_of("objective", objective, OBJECTIVES)
    r = finite_array("redundancy", redundancy, (n, n))
    if r is None and OBJECTIVES[objective].needs_pairs:
        raise InputError(f"redundancy: is missing; objective={objective!r} needs it")
    conflicts = fcbf_conflicts(q, r) if objective == "fcbf" and r is not None else ()
    r = _symmetric(r) if OBJECTIVES[objective].needs_redundancy and r is not None else None
    if scale is not None:
        scale = positive_number("scale", scale)
    elif objective == Cfs.name:
        scale = choose_resolution(q)
    else:
        numbers = q if r is None else np.concatenate([q, r.ravel()])
        scale = choose_scale(numbers, OBJECTIVES[objective].magnitude(k) * n_sets)
    q_integers, q_exact = quantise(q, scale)
    r_integers, r_exact = (None, True) if r is None else quantise(r, scale)
    return Problem(
        quality=q_integers,
        n_sets=n_sets,
        set_size=k,
        max_overlap=max_overlap,
        objective=objective,
        aggregate=aggregate,
        redundancy=r_integers,
        conflicts=conflicts,
        previous_sets=previous,
        scale=scale,
        feature_names=() if feature_names is None else tuple(feature_names),
        quality_values=None if q_exact else q,
        redundancy_values=None if r_exact else r,
    )


def fcbf_conflicts(
    quality: NDArray[np.float64], redundancy: NDArray[np.float64]
) -> tuple[tuple[int, int], ...]:
    """Return the pairs that FCBF forbids: some order has q(X_i, y) ≤ q(X_j, X_i) (paper 000, Eq. 12)."""
    dominated = quality[None, :] <= redundancy
    either = dominated | dominated.T
    return tuple((int(i), int(j)) for i, j in np.argwhere(np.triu(either, 1)))


def _symmetric(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    mean = (matrix + matrix.T) / 2
    np.fill_diagonal(mean, 0.0)
    return mean
