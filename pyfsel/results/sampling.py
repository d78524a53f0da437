"""What the errors of measured qualities mean for sets: margins, selection bias, rivals of the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import objective_of
from pyfsel.results.display import percent

NOT_ABOVE_CHANCE = "*"
NORMAL_95 = 1.96  # standard errors on either side hold 95% of a normal distribution
MOST_SETS = 200_000  # that are listed to count rivals; they are kept as rows of one array
RESIDUE = 1e-12
"""Margins of less than this share of the largest quality are left by rounding, where there are none."""
SMALL = 0.02
"""Luck of less than this share of the margin is hardly any."""
SETS_AT_ONCE = 20_000  # each needs its part of the covariance matrix, k × k numbers


@dataclass(frozen=True)
class Sampling:
    """How far sets and their qualities would be others in another sample of rows.

    Parameters
    ----------
    margins : tuple of float
        For each set: quality ± margin covers the true quality in 95% of samples of rows. Of mRMR and CFS
        that is the error of the relevances.
    luck : float or None
        The selection bias: how much better the first set is expected to look than it is, as it was chosen.
    comes_again : float or None
        The proportion of samples in which the first set is the best one again.
    rivals : int or None
        The number of other sets that are not significantly different from the first one: their differences,
        on the rows and columns of both, are within 1.96 standard errors. Each is tested by itself; None if
        they are too many to be listed.
    """

    margins: tuple[float, ...]
    luck: float | None = None
    comes_again: float | None = None
    rivals: int | None = None

    @classmethod
    def of(cls, problem: Instance, sets: Sequence[FeatureSet]) -> Sampling | None:
        """Return what the replicates of a problem say of the sets found for it; None without replicates."""
        if problem.evidence is None or problem.evidence.replicates is None or not sets:
            return None
        errors = np.asarray(problem.evidence.replicates, dtype=np.float64)
        margins = tuple(NORMAL_95 * _deviation(_set_errors(problem, errors, members)) for members in sets)
        least = RESIDUE * float(np.abs(problem.quality_floats).max())
        margins = tuple(margin if margin > least else 0.0 for margin in margins)
        if not _is_choice_of_best(problem, sets[0]):
            return cls(margins)
        q, k = problem.quality_floats, problem.k
        allowed = np.setdiff1d(np.arange(problem.n_features), problem.forbidden)
        # each replicate stands for another sample: q + error are the qualities there
        elsewhere = q[allowed] + errors[:, allowed]
        best = allowed[np.argpartition(-elsewhere, k - 1, axis=1)[:, :k]]
        of_best = np.take_along_axis(errors, best, axis=1).sum(axis=1)
        luck = float((of_best - errors[:, list(sets[0])].sum(axis=1)).mean())
        again = (np.sort(best, axis=1) == np.sort(sets[0])).all(axis=1).mean()
        return cls(margins, luck, float(again), _count_rivals(q, errors, allowed, sets[0]))


def _is_choice_of_best(problem: Instance, first: FeatureSet) -> bool:
    """Return whether the first set was chosen among several, as the features of the highest qualities."""
    others = set(problem.side_constraints) - {"forbidden"}
    if not objective_of(problem).is_sum or others or problem.conflicts or problem.previous:
        return False
    allowed = np.setdiff1d(np.arange(problem.n_features), problem.forbidden)
    best = np.sort(problem.quality[allowed])[::-1][: problem.k]
    return len(allowed) > len(best) and bool(problem.quality[list(first)].sum() == best.sum())


def _set_errors(problem: Instance, errors: NDArray[np.float64], members: FeatureSet) -> NDArray[np.float64]:
    """Return the errors of the quality of a set, which is linear in the qualities of its features."""
    listed, pairs, n = np.array([members]), problem.pairs_floats, problem.n_features
    objective: Any = objective_of(problem)
    ones, zeros = (objective.evaluate(np.full(n, x), pairs, listed)[0] for x in (1.0, 0.0))
    slope = (ones - zeros) / objective.factor(len(members)) / len(members)
    return np.asarray(slope * errors[:, list(members)].sum(axis=1))


def _deviation(errors: NDArray[np.float64]) -> float:
    return float(np.sqrt((errors**2).mean()))


def _count_rivals(
    q: NDArray[np.float64], errors: NDArray[np.float64], allowed: NDArray[np.intp], best: FeatureSet
) -> int | None:
    """Count sets of its size not significantly different from the best one; None if too many are near.

    No set beyond a loss is: the error of a difference is at most the error of the best set plus the largest
    error of another, which is at most the sum of the largest errors of features (Cauchy and Schwarz).
    """
    k, members = len(best), list(best)
    single = np.sqrt((errors[:, allowed] ** 2).mean(axis=0))
    limit = NORMAL_95 * (_deviation(errors[:, members].sum(axis=1)) + np.sort(single)[-k:].sum())
    near = allowed[q[allowed] >= np.sort(q[allowed])[-k] - limit]
    if comb(len(near), k) > MOST_SETS:
        return None
    sets = np.array(list(combinations(range(len(near)), k)))
    q, errors, place = q[near], errors[:, near], np.flatnonzero(np.isin(near, members))
    return _number_near(q, errors, place, sets[q[sets].sum(axis=1) >= q[place].sum() - limit])


def _number_near(
    q: NDArray[np.float64], errors: NDArray[np.float64], best: NDArray[np.intp], sets: NDArray[np.intp]
) -> int:
    """Return how many of some sets but the best one are within 1.96 errors of the difference to it."""
    covariance = errors.T @ errors / len(errors)
    with_best, count = covariance[best].sum(axis=0), 0
    for some in (sets[first : first + SETS_AT_ONCE] for first in range(0, len(sets), SETS_AT_ONCE)):
        own = covariance[some[:, :, None], some[:, None, :]].sum(axis=(1, 2))
        # Var(A − B) = Var(A) + Var(B) − 2 Cov(A, B)
        variance = with_best[best].sum() + own - 2 * with_best[some].sum(axis=1)
        is_near = q[best].sum() - q[some].sum(axis=1) <= NORMAL_95 * np.sqrt(np.maximum(variance, 0.0))
        count += int((is_near & (some != best).any(axis=1)).sum())
    return count


def selection_text(problem: Instance, sampling: Sampling | None) -> list[tuple[str, str]]:
    """Return in words how much of the quality of set 0 is selection bias, if that is known."""
    if sampling is None or sampling.luck is None or sampling.comes_again is None:
        return []
    is_small = sampling.luck < SMALL * sampling.margins[0]
    bias = "negligible" if is_small else f"about {sampling.luck:.2g}"
    again = f"set 0 is the best set again in about {percent(sampling.comes_again)} of resampled tables"
    return [("selection", f"selection bias of set 0: {bias}; {again}")]


def marked_names(problem: Instance, members: FeatureSet) -> list[str]:
    """Return the names of the features of a set, with a mark at features that are not significant."""
    some = set() if problem.evidence is None else set(problem.evidence.not_above_chance(members).tolist())
    names = zip(members, problem.names_of(members), strict=True)
    return [f"{name}{NOT_ABOVE_CHANCE}" if j in some else name for j, name in names]
