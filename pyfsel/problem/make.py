"""From the user's float qualities to the integer `Instance`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, Required, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsel.errors import InputError
from pyfsel.problem.checks import (
    finite_array,
    finite_number,
    index_pairs,
    integer_in,
    list_of,
    one_of,
    only_known,
    positive_number,
)
from pyfsel.problem.copies import Merging, checked_clusters
from pyfsel.problem.dissimilarity import DISSIMILARITIES, max_overlap_for, overlap_rule
from pyfsel.problem.instance import Instance, default_names
from pyfsel.problem.labels import first_labels, in_order_of
from pyfsel.problem.names import Constraints, side_fields
from pyfsel.problem.objectives import OBJECTIVES, Objective, require_taken
from pyfsel.problem.quantise import (
    choose_resolution,
    choose_scale,
    quantise,
)
from pyfsel.problem.redundancies import LazyRedundancy
from pyfsel.problem.values import objective_of, set_rounding_loss

FLOAT_SLACK = 2.0**-48
"""More than the relative rounding error of a sum of floats, 2⁻⁵³ for each of up to 32 additions."""
DIRECTION_NOISE = 1e-9
"""Relative difference of two directions that rounding alone explains."""


class Sets(Constraints, total=False):
    """How many sets of which features: arguments of `make_instance`, which describes them."""

    k: Required[int]
    min_k: int | None
    n_alternatives: int
    tau: float | None
    max_shared: int | None
    dissimilarity: str


class Asked(Sets, total=False):
    """What is asked: the arguments of `make_instance` in addition to the numbers.

    Functions that measure the numbers take them as ``**asked: Unpack[Asked]`` and hand them on.
    """

    objective: str
    aggregate: str
    previous: Sequence[Iterable[int]]
    relatives: Any
    feature_names: Sequence[str] | None
    scale: float | None
    min_quality: float | None
    beta: float | None
    ridge: float | None
    criterion: str | None
    n_rows: int | None
    shared_price: float
    sum_weight: int
    min_weight: int


def make_instance(
    quality: ArrayLike,
    redundancy: ArrayLike | LazyRedundancy | None = None,
    *,
    objective: str = "univariate",
    k: int,
    min_k: int | None = None,
    n_alternatives: int = 0,
    tau: float | None = None,
    max_shared: int | None = None,
    dissimilarity: str = "dice",
    aggregate: str = "sum",
    previous: Sequence[Iterable[int]] = (),
    relatives: Any = (),
    feature_names: Sequence[str] | None = None,
    scale: float | None = None,
    min_quality: float | None = None,
    copies: Iterable[Iterable[int | str]] = (),
    beta: float | None = None,
    ridge: float | None = None,
    criterion: str | None = None,
    n_rows: int | None = None,
    shared_price: float = 0,
    sum_weight: int = 1,
    min_weight: int = 1,
    **constraints: Unpack[Constraints],
) -> Instance:
    """Build a `Instance` from float qualities, which are quantised here once and never again.

    Parameters
    ----------
    quality : array-like of float, shape (n_features,)
        Quality of each feature, taken as it is; normalising belongs to the measures. The labels of a pandas
        Series are the names of the features.
    redundancy : array-like of float, shape (n_features, n_features), or LazyRedundancy, optional
        Pairwise dependence ``redundancy[j, i]`` of feature j on feature i, which may be negative but for
        ``objective="cfs"``; a DataFrame with labels is matched to the features by them. It is made symmetric
        by averaging with its transpose, with a warning if that changes it, and its diagonal is ignored; for
        CFS 1 is the correlation of a feature with itself. For ``objective="fcbf"`` it must be in the unit of
        `quality` and gives the conflicts.
    objective : str, a name of `pyfsel.problem.objectives.OBJECTIVES`
        Paper 000, Eq. 11, 12 and 13; `pyfsel.problem.objectives.Jmi`, `Mifs` and `Cife`; paper 000, Eq. 20;
        `LeastSquares`, of correlations with their sign.
    k : int
        Features per set.
    min_k : int, optional
        Makes `k` the largest number of features per set and this the smallest. `tau` then refers to the
        sizes of the two sets that are compared; `max_shared` stays a number.
    n_alternatives : int
        Number of sets in addition to the original one, a.
    tau, max_shared
        With alternatives or previous sets, exactly one of the two: the dissimilarity threshold in [0, 1], or
        the largest number of features that two sets share. With `shared_price` neither is needed.
    dissimilarity : {"dice", "jaccard", "overlap", "hamming"}
        What `tau` refers to: one of `pyfsel.problem.dissimilarity`. For one size the overlap coefficient is
        Dice; the Hamming distance, a share of all features, is at most 2k/n.
    aggregate : {"sum", "min", "weighted", "difference"}
        How the qualities of the sets become one objective in simultaneous search: their sum, the smallest
        one, both with weights, or the smallest one minus the largest one (paper 000, Eq. 17 and 18, and A.1).
    relatives : sequence of pairs of int
        Features that measure the same: one that is related to a feature of an earlier set counts as shared
        with it. The sets are found one after another then, and have one size.
    previous : sequence of iterables of int
        Sets of k features that the new ones must be dissimilar to.
    feature_names : sequence of str, optional
        The labels of `quality` or `redundancy` if not given, else ``x0``, ``x1``, …
    scale : float, optional
        Factor between floats and integers; chosen by `pyfsel.problem.quantise.choose_scale` if not given.
    min_quality : float, optional
        The least quality of every set. No set that truly has it is excluded: a set may fall short of it by
        the rounding loss of its quality (`pyfsel.problem.objectives.Objective.rounding_loss`).
    copies : iterable of iterables of int or str
        Clusters of features that say the same, by number or name, as `pyfsel.measures.find_copies` finds
        them. Each counts as one feature, of which a set holds at most one: the problem is over one
        representative of each cluster (a forced feature, else an allowed one of highest quality, the cheapest
        of these, the first), and what is proved is proved among these; see `pyfsel.problem.copies` for
        when that loses nothing. All other arguments are about all features; the numbers in the problem's
        sets are positions among those that are left, and `Instance.copies` names the others.
    beta : float, optional
        For mRMR, MIFS and CIFE: the number, at least 0, by which redundancies are multiplied; 1 if not given.
    ridge : float, optional
        For ``objective="r2"``: a penalty, at least 0, on the squared coefficients of columns of length 1; a
        set is worth the most that 2cᵀβ − βᵀGβ − ridge·βᵀβ reaches. Penalties of standardised columns of N
        rows are N times as large. (G + ridge·I) / (1 + ridge) has ones on its diagonal again: redundancies
        are divided by 1 + ridge, qualities by its root, and values are the same.
    criterion : {"adjusted_r2", "aic", "bic"}, optional
        For ``objective="r2"`` without a ridge: by what sets that differ in size are compared (`min_k`), for
        `n_rows` rows. The value of a set is 1 − w·(1 − R²), where w is (N−1)/(N−k−1), exp(2k/N) or
        exp(k·log(N)/N): adjusted R², or what is largest where AIC or BIC is least.
    n_rows : int, optional
        Rows of the table that was measured, N.
    shared_price : float
        What each feature that two sets share takes from the sum of their qualities, on the scale of the
        quality of a set: alternatives that pay for overlap (paper 000, 7.2). It is rounded to the integers
        of the problem.
    sum_weight, min_weight : int
        How often the sum and the smallest quality count with ``aggregate="weighted"``, at least once.
    forced, forbidden : iterables of str or int
        Features that every set holds, and that none holds: names, 0-based numbers, or patterns such as
        ``"lab_*"``, which mean every feature whose name matches.
    groups : iterable of Group
        Features of which every set holds at least and at most so many, or all or none; their features may
        be given like `forced`.
    costs : array-like of float, shape (n_features,), or mapping of features to numbers, optional
        Cost of each feature (paper 001, Definition 1), at most six decimals.
    budget : float, optional
        The most that the features of one set may cost together.

    Returns
    -------
    Instance

    Raises
    ------
    InputError
        If an argument is missing, out of range, not finite, or does not fit the others, such as labels that
        are not the features.
    TypeError
        If there is no such argument.

    Examples
    --------
    >>> make_instance([0.5, 0.3, 0.2], k=2, n_alternatives=1, tau=0.5).max_shared
    1
    """
    only_known("make_instance", Constraints, constraints)
    if feature_names is None:
        feature_names = first_labels(quality, redundancy)
    if feature_names is not None:
        feature_names = tuple(list_of("feature_names", feature_names))
        quality = in_order_of("quality", quality, feature_names)
        redundancy = in_order_of("redundancy", redundancy, feature_names)
    q = finite_array("quality", quality, (None,))
    n = len(q)
    if n == 0:
        raise InputError("quality: is empty, must hold at least one feature")
    k = integer_in("k", k, 1, n)
    n_sets = integer_in("n_alternatives", n_alternatives, 0, None) + 1
    relatives = () if relatives is None else relatives
    if isinstance(relatives, (int, float)):
        raise InputError(
            f"relatives={relatives!r}: is a similarity of columns, which is measured in tables. Give pairs "
            "of features here"
        )
    earlier = tuple(tuple(list_of("previous", members)) for members in list_of("previous", previous))
    names = default_names(n) if feature_names is None else feature_names
    if min_k is not None:
        min_k = integer_in("min_k", min_k, 1, k)
    price = finite_number("shared_price", shared_price)
    if price < 0:
        raise InputError(f"shared_price={shared_price!r}: must be at least 0")
    alone = (n_sets == 1 and not previous) or price > 0
    one_of("dissimilarity", dissimilarity, DISSIMILARITIES)
    clusters = checked_clusters(copies, names)
    side = side_fields(names, constraints)
    one_of("objective", objective, OBJECTIVES)
    kind = OBJECTIVES[objective]
    of_quality, factor = factors(objective, beta, ridge)
    wide = redundancy if isinstance(redundancy, LazyRedundancy) else None
    pairs = None if redundancy is None or wide else finite_array("redundancy", redundancy, (n, n))
    if redundancy is None and kind.needs_pairs:
        raise InputError(f"redundancy: is missing; objective={objective!r} needs it")
    merging = Merging.of(clusters, names, q, side) if clusters else None
    if merging is not None:
        if len(merging.kept) < k:
            raise InputError(
                f"k={k}: must be at most {len(merging.kept)}, the number of features if copies count once"
            )
        kept = np.array(merging.kept)
        q, pairs = q[kept], None if pairs is None else pairs[np.ix_(kept, kept)]
        wide = wide and wide.among(kept)
        names, n = tuple(names[j] for j in merging.kept), len(kept)
        earlier, side = merging.previous(earlier), merging.side(side)
        place = {j: number for number, j in enumerate(merging.kept)}
        relatives = [(place[i], place[j]) for i, j in relatives if i in place and j in place]
    overlaps = _overlaps(k, min_k, tau, max_shared, (dissimilarity, n), alone)
    forbidden_pairs = fcbf_conflicts(q, pairs) if kind.has_conflicts and pairs is not None else ()
    r = _symmetric(pairs, names) if not kind.is_sum and pairs is not None else None
    r = None if r is None else factor * r
    largest = r if wide is None else np.array([factor * wide.bound])
    fraction = [min(price % 1, float(np.abs(q).max()))]
    scale = (
        _scale(kind, np.append(q, fraction), largest, k, n_sets)
        if scale is None
        else positive_number("scale", scale)
    )
    q = of_quality * q
    q_integers, q_exact = quantise(q, scale)
    r_integers, r_exact = (None, True) if r is None else quantise(r, scale)
    if q.any() and not q_integers.any() and (r_integers is None or not r_integers.any()):
        raise InputError(f"scale={scale!r}: rounds every quality to 0, must be larger")
    if price and q.any() and not round(price * scale):
        raise InputError(
            f"shared_price={price!r}: is too small beside these qualities, must be at least {1 / scale:g}"
        )
    problem = Instance(
        quality=q_integers,
        n_sets=n_sets,
        k=k,
        k_min=min_k,
        objective=objective,
        aggregate=aggregate,
        redundancy=r_integers,
        lazy_redundancy=wide and wide.scaled(round(scale * factor * wide.bound), factor * wide.bound),
        conflicts=index_pairs("conflicts", forbidden_pairs, n),
        previous=earlier,
        relatives=relatives,
        scale=scale,
        shared_price=round(price * scale),
        sum_weight=sum_weight,
        min_weight=min_weight,
        ridge=float(ridge or 0),
        criterion=criterion,
        n_rows=n_rows,
        feature_names=names,
        exact_quality=None if q_exact else q,
        exact_pairs=None if r_exact else r,
        copies=() if merging is None else merging.copies,
        **overlaps,
        **side,
    )
    return problem if min_quality is None else problem.replace(min_quality=least_value(problem, min_quality))


def factors(objective: str, beta: float | None, ridge: float | None) -> tuple[float, float]:
    """Return by what qualities and redundancies are multiplied, by what a user may say of that."""
    require_taken(objective, beta=beta, ridge=ridge)
    for name, number in (("beta", beta), ("ridge", ridge)):
        if number is not None and finite_number(name, number) < 0:
            raise InputError(f"{name}={number!r}: must be at least 0")
    shrinkage = 1.0 + (0.0 if ridge is None else float(ridge))
    return shrinkage**-0.5, (1.0 if beta is None else float(beta)) / shrinkage


def _scale(
    kind: Objective,
    quality: NDArray[np.float64],
    redundancy: NDArray[np.float64] | None,
    k: int,
    n_sets: int,
) -> float:
    """Return the factor from floats to integers that suits an objective."""
    if kind.usual_scale is not None:
        return kind.usual_scale
    if kind.is_fraction:
        return choose_resolution(quality)
    numbers = quality if redundancy is None else np.concatenate([quality, redundancy.ravel()])
    return choose_scale(numbers, kind.magnitude(k, len(quality)) * n_sets)


def _overlaps(
    k: int,
    min_k: int | None,
    tau: float | None,
    max_shared: int | None,
    dissimilarity: tuple[str, int],
    alone: bool,
) -> dict[str, Any]:
    """Return the fields of a problem that say how many features two sets may share."""
    if tau is not None and max_shared is not None:
        raise InputError(f"tau={tau!r} and max_shared={max_shared!r}: give exactly one of the two")
    if tau is None:
        if max_shared is None and not alone:
            raise InputError("tau: is missing; with alternatives give exactly one of tau and max_shared")
        return {"max_shared": k if max_shared is None else integer_in("max_shared", max_shared, 0, k)}
    overlaps: dict[str, Any] = {"max_shared": max_overlap_for(k, tau, *dissimilarity)}
    if min_k is not None and min_k < k:
        overlaps |= overlap_rule(tau, *dissimilarity).fields()
    return overlaps


def least_value(problem: Instance, min_quality: float) -> int:
    """Return an integer value that every set of at least this quality reaches.

    It is as large as is safe: the rounding loss of one set, and that of adding up floats, are subtracted.

    Parameters
    ----------
    problem : Instance
        Its qualities, objective and largest size count.
    min_quality : float
        On the scale of the user's numbers.

    Raises
    ------
    InputError
        If it is not a finite number.

    Examples
    --------
    >>> problem = make_instance([0.3, 0.2, 0.1], k=2, scale=10)
    >>> least_value(problem, 0.3)
    3
    """
    quality = Fraction(repr(finite_number("min_quality", min_quality)))
    objective = objective_of(problem)
    unit = Fraction(problem.scale) * objective.factor(problem.k)
    loss = Fraction(set_rounding_loss(problem)) * unit
    slack = Fraction(FLOAT_SLACK) * (problem.largest_total // problem.n_sets)
    return ceil(quality * unit - loss - slack)


def fcbf_conflicts(quality: NDArray[np.float64], redundancy: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the pairs that FCBF forbids: some order has q(X_i, y) ≤ q(X_j, X_i) (paper 000, Eq. 12).

    Shape (n_pairs, 2), sorted.
    """
    dominated = quality[None, :] <= redundancy
    either = dominated | dominated.T
    return np.argwhere(np.triu(either, 1))


def _symmetric(matrix: NDArray[np.float64], names: Sequence[str]) -> NDArray[np.float64]:
    """Return the means of both directions, zero on the diagonal; warn if these differ by more than noise."""
    mean = (matrix + matrix.T) / 2
    apart = np.abs(matrix - matrix.T)
    if apart.max() > DIRECTION_NOISE * np.abs(matrix).max():
        j, i = divmod(int(apart.argmax()), len(matrix))
        warnings.warn(
            f"redundancy: is {matrix[j, i]:.6g} of {names[j]!r} on {names[i]!r} and {matrix[i, j]:.6g} the "
            "other way round; the mean of both directions is taken",
            UserWarning,
            stacklevel=3,
        )
    np.fill_diagonal(mean, 0.0)
    return mean
