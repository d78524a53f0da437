"""Consequences of errors of measured qualities for sets: margins, selection bias, rivals of the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.redundancies import LazyRedundancyFloats
from pyfsel.problem.values import objective_of
from pyfsel.results.display import percent

NOT_ABOVE_CHANCE = "*"
NORMAL_95 = 1.96  # standard errors on either side hold 95% of a normal distribution
MOST_SETS = 200_000  # that are listed to count rivals; they are kept as rows of one array
MOST_COMPARED = 2_000
"""Sets whose errors are computed from pairs of features, 200 replicates of each."""
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
        For each set: quality ± margin covers the true quality in 95% of samples of rows.
    luck : float or None
        The selection bias: how much better the first set is expected to look than it is, as it was chosen.
    comes_again : float or None
        The proportion of samples in which the first set is the best one again.
    rivals : int or None
        The number of other sets that are not significantly different from the first one: their differences,
        on the rows and columns of both, are within 1.96 standard errors. Each is tested by itself; None if
        they are too many to be listed.
    all_compared : bool
        Whether these three are about all sets. If the quality depends on pairs, only sets of the features
        that can best replace one of the first set are compared: the bias and the rivals are at least as
        many, and the set is selected again at most as often.
    """

    margins: tuple[float, ...]
    luck: float | None = None
    comes_again: float | None = None
    rivals: int | None = None
    all_compared: bool = True

    @classmethod
    def of(cls, problem: Instance, sets: Sequence[FeatureSet]) -> Sampling | None:
        """Return what the replicates of a problem say of the sets found for it; None without replicates."""
        if problem.evidence is None or not sets:
            return None
        errors = [_errors(problem, sorted(members), [sorted(members)]) for members in sets]
        least = RESIDUE * float(np.abs(problem.quality_floats).max())
        margins = tuple(NORMAL_95 * _deviation(each) for each in errors if each is not None)
        margins = tuple(margin if margin > least else 0.0 for margin in margins)
        if len(margins) < len(sets):
            return None
        if not _is_choice_of_best(problem, sets[0]):
            return cls(margins)
        compare = _among_sums if objective_of(problem).is_sum else _among_pairs
        return cls(margins, *compare(problem, sets[0]))


def _is_choice_of_best(problem: Instance, first: FeatureSet) -> bool:
    """Return whether the first set was chosen among several, as the best one of one size without rules."""
    others = set(problem.side_constraints) - {"forbidden"}
    if others or problem.conflicts or problem.previous or problem.lazy_pairs is not None:
        return False
    allowed = _allowed(problem)
    if not objective_of(problem).is_sum:
        return len(allowed) > problem.k
    best = np.sort(problem.quality[allowed])[::-1][: problem.k]
    return len(allowed) > len(best) and bool(problem.quality[list(first)].sum() == best.sum())


def _allowed(problem: Instance) -> NDArray[np.intp]:
    return np.setdiff1d(np.arange(problem.n_features), problem.forbidden)


def _errors(problem: Instance, features: Sequence[int], sets: ArrayLike) -> NDArray[np.float64] | None:
    """Return replicates of the errors of sets of these features, all ascending, shape (200, n_sets)."""
    found = None if problem.evidence is None else problem.evidence.errors(features)
    if found is None:
        return None
    listed, objective = np.searchsorted(features, sets), objective_of(problem)
    known: Any = problem.pairs_floats
    pairs = None if known is None else known[tuple(np.ix_(features, features))]
    changes = objective.changes(problem.quality_floats[list(features)], pairs, listed, *found)
    return np.asarray(changes / objective.factor(listed.shape[1]))


def _among_sums(problem: Instance, first: FeatureSet) -> tuple[float, float, int | None]:
    """Return selection bias, how often the set is the best again, and rivals, of sums over features."""
    assert problem.evidence is not None
    errors = np.asarray(problem.evidence.replicates, dtype=np.float64)
    q, k, allowed = problem.quality_floats, problem.k, _allowed(problem)
    # each replicate stands for another sample: q + error are the qualities there
    elsewhere = q[allowed] + errors[:, allowed]
    best = allowed[np.argpartition(-elsewhere, k - 1, axis=1)[:, :k]]
    of_best = np.take_along_axis(errors, best, axis=1).sum(axis=1)
    luck = float((of_best - errors[:, list(first)].sum(axis=1)).mean())
    again = float((np.sort(best, axis=1) == np.sort(first)).all(axis=1).mean())
    return luck, again, _count_rivals(q, errors, allowed, first)


def _among_pairs(problem: Instance, first: FeatureSet) -> tuple[float, float, int | None, bool]:
    """Return the same if pairs count, and whether all sets were compared: sets of the nearest features."""
    pool, is_whole = _nearest(problem, first)
    sets = np.array(list(combinations(pool, len(first))))
    errors, values = _errors(problem, pool, sets), _floats(problem, sets)
    assert errors is not None
    own = int(np.flatnonzero((sets == np.sort(first)).all(axis=1))[0])
    best = (values + errors).argmax(axis=1)
    luck = float((np.take_along_axis(errors, best[:, None], axis=1)[:, 0] - errors[:, own]).mean())
    apart = NORMAL_95 * np.sqrt(((errors - errors[:, [own]]) ** 2).mean(axis=0))
    rivals = int((values[own] - values <= apart).sum()) - 1
    return luck, float((best == own).mean()), rivals if is_whole or rivals else None, is_whole


def _nearest(problem: Instance, first: FeatureSet) -> tuple[list[int], bool]:
    """Return a set and the features whose exchange for one of it costs least, and whether these are all."""
    allowed, k = _allowed(problem), len(first)
    most = k
    while comb(most + 1, k) <= MOST_COMPARED and most < len(allowed):
        most += 1
    others = np.setdiff1d(allowed, first)
    exchanged = [[*rest, j] for j in others for rest in combinations(first, k - 1)]
    values = _floats(problem, np.array(exchanged)).reshape(len(others), -1).max(axis=1)
    near = others[np.argsort(-values, kind="stable")[: most - k]]
    return sorted([*first, *near.tolist()]), len(near) == len(others)


def _floats(problem: Instance, sets: NDArray[np.intp]) -> NDArray[np.float64]:
    objective, pairs = objective_of(problem), problem.pairs_floats
    assert not isinstance(pairs, LazyRedundancyFloats)
    found = objective.evaluate(problem.quality_floats, pairs, sets)
    return np.asarray(found / objective.factor(sets.shape[1]))


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
    least, most = ("about", "about") if sampling.all_compared else ("at least", "at most")
    bias = "negligible" if is_small and sampling.all_compared else f"{least} {sampling.luck:.2g}"
    again = f"set 0 is the best set again in {most} {percent(sampling.comes_again)} of resampled tables"
    return [("selection", f"selection bias of set 0: {bias}; {again}")]


def marked_names(problem: Instance, members: FeatureSet) -> list[str]:
    """Return the names of the features of a set, with a mark at features that are not significant."""
    some = set() if problem.evidence is None else set(problem.evidence.not_above_chance(members).tolist())
    names = zip(members, problem.names_of(members), strict=True)
    return [f"{name}{NOT_ABOVE_CHANCE}" if j in some else name for j, name in names]
