"""The graph score of a feature set (paper 004, Eq. 11) as a problem."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pyfsel.errors import InputError
from pyfsel.problem.checks import finite_array
from pyfsel.problem.graph_score import shifted
from pyfsel.problem.instance import Instance
from pyfsel.problem.labels import first_labels, in_order
from pyfsel.problem.make import make_instance


def graph_score_problem(
    delta: ArrayLike,
    similarity: ArrayLike,
    *,
    weight: float = 0.5,
    shift_delta: float | None = None,
    shift_p: float | None = None,
    feature_names: Sequence[str] | None = None,
) -> Instance:
    """Return the problem of the non-empty set of lowest graph score, whatever its size.

    The score is ``w·Σ_{i∈S} (Δ_i − shiftΔ) + (1−w)·Σ_{i<j∈S} (P_ij − shiftP)``. Problems are maximised: the
    objective of a result is the negated score.

    Parameters
    ----------
    delta : array-like of float, shape (n,)
        Δ of each feature, less is better; see `pyfsel.measures.delta`.
    similarity : array-like of float, shape (n, n)
        P of each pair, such as the absolute Pearson correlation (`pyfsel.measures.redundancy`); made
        symmetric by averaging, the diagonal is ignored.
    weight : float
        w in [0, 1].
    shift_delta, shift_p : float, optional
        What is subtracted from all Δ and P; their medians if not given.
    feature_names : sequence of str, optional
        As for `pyfsel.problem.make.make_instance`, which says what the labels of pandas objects are for.

    Returns
    -------
    Instance

    Raises
    ------
    InputError
        If an argument is out of range or does not fit the others.

    Examples
    --------
    >>> from pyfsel.solving.solve import solve
    >>> similarity = np.array([[0, 0.9, 0.1], [0.9, 0, 0.2], [0.1, 0.2, 0]])
    >>> problem = graph_score_problem([0.2, 0.25, 0.4], similarity, shift_delta=0.5, shift_p=0.3)
    >>> problem
    <Instance: 1 sets of 1 to 3 of 3 features, graph_score, sum>
    >>> result = solve(problem, "brute-force")
    >>> result.sets[0], round(-result.objective, 3)
    ((0, 2), -0.3)
    """
    if feature_names is None:
        feature_names = first_labels(delta, similarity)
    delta = in_order("delta", delta, feature_names)
    similarity = in_order("similarity", similarity, feature_names)
    weights = finite_array("delta", delta, (None,))
    n = len(weights)
    if n == 0:
        raise InputError("delta: is empty, must hold at least one number")
    pairs = finite_array("similarity", similarity, (n, n))
    quality, redundancy = shifted(weights, pairs, weight, shift_delta, shift_p)
    problem = make_instance(
        quality,
        redundancy,
        objective="graph_score",
        k=n,
        feature_names=feature_names,
    )
    return problem.replace(k_min=1)


def shift_grid(values: ArrayLike) -> tuple[float, float, float, float, float]:
    """Return the shifts that paper 004, Section 4.1, tries: 0, the three quartiles, and 1.

    The quartiles are the medians of the lower half, of all, and of the upper half of the sorted values; with
    an odd number of values the middle one belongs to neither half.

    Examples
    --------
    >>> shift_grid([0.1, 0.2, 0.4, 0.6, 0.9])
    (0.0, 0.15000000000000002, 0.4, 0.75, 1.0)
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if len(ordered) == 0:
        raise InputError("values: are none, there must be at least one")
    half = max(1, len(ordered) // 2)
    middle = [float(np.median(part)) for part in (ordered[:half], ordered, ordered[-half:])]
    return (0.0, middle[0], middle[1], middle[2], 1.0)
