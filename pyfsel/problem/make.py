"""From the user's float qualities to the integer `Instance`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pyfsel.core.arrays import Indices, Reals
from pyfsel.errors import InputError, warn
from pyfsel.problem.among import merged
from pyfsel.problem.checks import (
    LARGEST_INTEGER,
    finite_array,
    finite_number,
    integer_in,
    list_of,
    positive_number,
)
from pyfsel.problem.dissimilarity import max_overlap_for, overlap_rule
from pyfsel.problem.fields import default_names
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import objective_named
from pyfsel.problem.labels import first_labels, in_order
from pyfsel.problem.names import side_fields
from pyfsel.problem.objectives import Objective
from pyfsel.problem.quantise import choose_scale, quantise
from pyfsel.problem.redundancies import LazyRedundancy
from pyfsel.problem.rules import Constraints, Dissimilarity, as_constraints, as_dissimilarity, sizes_of
from pyfsel.problem.values import objective_of, set_rounding_loss

FLOAT_SLACK = 2.0**-48
"""More than the relative rounding error of a sum of floats, 2⁻⁵³ for each of up to 32 additions."""
DIRECTION_NOISE = 1e-9
"""Relative difference of two directions that rounding alone explains."""


def make_instance(
    quality: ArrayLike,
    pairs: ArrayLike | LazyRedundancy | None = None,
    *,
    k: int | tuple[int, int],
    n_sets: int = 1,
    dissimilarity: Any = None,
    objective: str | Objective = "univariate",
    constraints: Constraints | None = None,
    aggregate: str = "sum",
    relatives: Sequence[tuple[int, int]] = (),
    feature_names: Sequence[str] | None = None,
    scale: float | None = None,
    copies: Sequence[Sequence[int]] = (),
) -> Instance:
    """Build an `Instance` from float qualities, which are quantised here once and never again.

    Parameters
    ----------
    quality : array-like of float, shape (n_features,)
        Quality of each feature. Normalising belongs to the measures. The labels of a pandas Series are the
        names of the features.
    pairs : array-like of float, shape (n_features, n_features), or LazyRedundancy, optional
        Pairwise dependence ``pairs[j, i]`` of feature j on feature i, which may be negative but for
        ``objective="cfs"``; the labels of a DataFrame are the features in any order. It is made symmetric
        by averaging with its transpose, with a warning if that changes it, and its diagonal is ignored; for
        CFS 1 is the correlation of a feature with itself. For ``objective="fcbf"`` it must be in the unit of
        `quality` and gives the conflicts.
    k : int or tuple of two int
        Features per set, or the minimum and the maximum. A threshold of the dissimilarity then refers to the
        sizes of the two sets that are compared; a number of shared features stays a number.
    n_sets : int
        The original set and its alternatives.
    dissimilarity : float, str or Dissimilarity, optional
        How different any two sets are (`pyfsel.problem.rules.Dissimilarity`), which several sets need. Its
        price is on the scale of the quality of a set, and rounded to the integers of the problem.
    objective : Objective, or the name of one without parameters
        A value of `pyfsel.problem.objectives` or `pyfsel.problem.fractions`: paper 000, Eq. 11, 12 and 13;
        `JMI`, `MIFS` and `CIFE`; paper 000, Eq. 20; `R2`, of correlations with their sign.
    constraints : Constraints, optional
        Rules for every set (`pyfsel.problem.rules.Constraints`). The minimum quality excludes no set that
        truly has it: a set may fall short of it by the rounding loss of its quality
        (`pyfsel.problem.objectives.Objective.rounding_loss`).
    aggregate : {"sum", "min", "weighted", "difference"}
        How the qualities of the sets become one objective in simultaneous search: their sum, the minimum,
        both with weights, or the minimum minus the maximum (paper 000, Eq. 17 and 18, and A.1).
    relatives : sequence of pairs of int
        Features that measure the same: one that is related to a feature of an earlier set counts as shared
        with it. The sets are found one after another then, and have one size.
    feature_names : sequence of str, optional
        The labels of `quality` or `pairs` if not given, else ``x0``, ``x1``, …
    scale : float, optional
        Factor between floats and integers; chosen by `pyfsel.problem.quantise.choose_scale` if not given.
    copies : sequence of sequences of int
        Clusters of near-duplicates, as `pyfsel.measures.find_copies` finds them. Each counts as one feature,
        of which a set contains at most one: the problem is over one representative of each cluster (a forced
        feature, else an allowed one of maximum quality, the cheapest of these, the first), and what is proved
        is proved among these; see `pyfsel.problem.among` for when that loses nothing. All other arguments
        are about all features; the numbers in the problem's sets are positions among those that are left,
        and `Instance.copies` names the others.

    Returns
    -------
    Instance

    Raises
    ------
    InputError
        If an argument is missing, out of range, not finite, or does not fit the others, such as labels that
        are not the features.

    Examples
    --------
    >>> make_instance([0.5, 0.3, 0.2], k=2, n_sets=2, dissimilarity=0.5).max_shared
    1
    """
    given = _in_order(quality, pairs, feature_names)
    k_min, k = sizes_of(k)
    k = integer_in("k", k, 1, len(given["quality"]))
    n_sets = integer_in("n_sets", n_sets, 1, None)
    rule = None if dissimilarity is None else as_dissimilarity(dissimilarity)
    rules = as_constraints(constraints)
    if rule is not None and rule.relatives is not None:
        raise InputError(
            f"dissimilarity: relatives={rule.relatives:g}: is a similarity of columns, which is measured in "
            "tables. Give Scores in place of numbers"
        )
    given |= {"relatives": relatives, **side_fields(given["feature_names"], rules)}
    kind = objective_named(objective)
    if kind.needs_pairs and given["pairs"] is None is given["lazy_pairs"]:
        raise InputError(f"pairs: is missing; objective={kind.name!r} needs it")
    if copies:
        given = merged(copies, given, k)
    if kind.has_conflicts and given["pairs"] is not None:
        given["conflicts"] = fcbf_conflicts(given["quality"], given["pairs"])
    if kind.is_sum:
        given["pairs"] = None
    given |= overlaps(k_min, k, rule, len(given["quality"]), is_alone=n_sets == 1 and not given["previous"])
    given |= _integers(kind, given, 0.0 if rule is None else rule.price, k, n_sets, scale)
    problem = Instance(
        n_sets=n_sets,
        k=k,
        k_min=k_min,
        aggregate=aggregate,
        **kind.instance_fields,
        **given,
    )
    if rules.min_quality is None:
        return problem
    return problem.replace(min_quality=least_value(problem, rules.min_quality))


def _in_order(quality: Any, pairs: Any, names: Iterable[str] | None) -> dict[str, Any]:
    """Return the numbers in the order of the features, and the names of these, as fields of an instance."""
    known = first_labels(quality, pairs) if names is None else tuple(list_of("feature_names", names))
    quality, pairs = (
        given if given is None or isinstance(given, np.ndarray) else in_order(name, given, known)
        for name, given in (("quality", quality), ("pairs", pairs))
    )
    q = finite_array("quality", quality, (None,))
    if not len(q):
        raise InputError("quality: is empty, must hold at least one feature")
    wide = pairs if isinstance(pairs, LazyRedundancy) else None
    return {
        "quality": q,
        "pairs": None if pairs is None or wide else finite_array("pairs", pairs, (len(q), len(q))),
        "lazy_pairs": wide,
        "feature_names": known or default_names(len(q)),
    }


def _integers(
    kind: Objective,
    given: dict[str, Any],
    price: float,
    k: int,
    n_sets: int,
    scale: float | None,
) -> dict[str, Any]:
    """Return the fields that are quantised: qualities, pairs and the price of a shared feature."""
    q, wide = given["quality"], given["lazy_pairs"]
    of_quality, of_pairs = kind.multipliers
    r = None if given["pairs"] is None else of_pairs * _symmetric(given["pairs"], given["feature_names"])
    bound = of_pairs * wide.bound if wide else 0
    if scale is None:
        fraction = min(price % 1, float(np.abs(q).max()) or price)
        scale = _scale(kind, np.append(q, fraction), np.array([bound]) if wide else r, k, n_sets)
    else:
        scale = positive_number("scale", scale)
    q = of_quality * q
    integers, is_exact = quantise(q, scale)
    of_r, is_exact_r = (None, True) if r is None else quantise(r, scale)
    if q.any() and not integers.any() and (of_r is None or not of_r.any()):
        raise InputError(f"scale={scale!r}: rounds every quality to 0. Try a larger one")
    if price and not round(price * scale):
        raise InputError(f"dissimilarity: price={price!r} is too small. Expected at least {1 / scale:g} here")
    return {
        "quality": integers,
        "pairs": of_r,
        "lazy_pairs": wide and wide.scaled(round(scale * bound), bound),
        "scale": scale,
        "shared_price": round(price * scale),
        "exact_quality": None if is_exact else q,
        "exact_pairs": None if is_exact_r else r,
    }


def _scale(
    kind: Objective,
    quality: Reals,
    redundancy: Reals | None,
    k: int,
    n_sets: int,
) -> float:
    """Return the factor from floats to integers that suits an objective."""
    if kind.usual_scale is not None:
        return kind.usual_scale
    if kind.is_fraction:  # it is rounded down, as the values of CFS: the scale is the resolution
        return max(1.0, choose_scale(quality, inf))
    numbers = quality if redundancy is None else np.concatenate([quality, redundancy.ravel()])
    return choose_scale(numbers, kind.magnitude(k, len(quality)) * n_sets)


def overlaps(
    k_min: int | None, k: int, rule: Dissimilarity | None, n: int, *, is_alone: bool
) -> dict[str, Any]:
    """Return the fields of a problem that say how many features two sets may share."""
    if rule is None and not is_alone:
        raise InputError("dissimilarity: is missing. Several sets need one. Try 0.6 or 'shared:2'")
    if rule is None or rule.at_least is None:
        most = None if rule is None else rule.max_shared
        return {"max_shared": k if most is None else integer_in("dissimilarity: shared", most, 0, k)}
    found = {"max_shared": max_overlap_for(k, rule.at_least, rule.by, n)}
    if k_min is not None and k_min < k:
        found |= overlap_rule(rule.at_least, rule.by, n).fields()
    return found


def least_value(problem: Instance, min_quality: Any) -> int:
    """Return an integer value that every set of at least this quality reaches.

    It is as large as is safe: the rounding loss of one set, and of adding up floats, are subtracted.

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
    asked = Fraction(repr(finite_number("min_quality", min_quality)))
    safe = asked - Fraction(set_rounding_loss(problem))
    unit = Fraction(problem.scale) * objective_of(problem).factor(problem.k)
    slack = Fraction(FLOAT_SLACK) * (problem.largest_total // problem.n_sets)
    return int(np.clip(ceil(safe * unit - slack), -LARGEST_INTEGER, LARGEST_INTEGER))


def fcbf_conflicts(quality: Reals, redundancy: Reals) -> Indices:
    """Return the pairs that FCBF forbids: some order has q(X_i, y) ≤ q(X_j, X_i) (paper 000, Eq. 12).

    Shape (n_pairs, 2), sorted.
    """
    dominated = quality[None, :] <= redundancy
    either = dominated | dominated.T
    return np.argwhere(np.triu(either, 1))


def _symmetric(matrix: Reals, names: Sequence[str]) -> Reals:
    """Return the means of both directions, zero on the diagonal; warn if these differ by more than noise."""
    mean = matrix / 2 + matrix.T / 2
    apart = np.abs(matrix - matrix.T)
    if apart.max() > DIRECTION_NOISE * np.abs(matrix).max():
        j, i = divmod(int(apart.argmax()), len(matrix))
        warn(
            f"pairs: is {matrix[j, i]:.6g} of {names[j]!r} on {names[i]!r} and {matrix[i, j]:.6g} the "
            "other way round; the mean of both directions is taken"
        )
    np.fill_diagonal(mean, 0.0)
    return mean
