"""Consequences of errors of measured qualities for sets: margins, selection bias, rivals of the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pyfsel.core.arrays import Indices, Reals
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet, Numbers
from pyfsel.problem.values import objective_of, qualities
from pyfsel.results.display import percent

NOT_ABOVE_CHANCE = "*"
NORMAL_95 = 1.96  # standard errors on either side hold 95% of a normal distribution
MOST_COMPARED = 2_000
"""Sets that are compared with the first one, 200 replicates of each."""
RESIDUE = 1e-12
"""Margins of less than this share of the largest quality are left by rounding, where there are none."""
SMALL = 0.02
"""Luck of less than this share of the margin is hardly any."""


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
        none was found among some.
    all_compared : bool
        Whether these three are about all sets. Up to `MOST_COMPARED` sets of the features that can best
        replace one of the first set are compared; if there can be further rivals, the bias and the rivals are
        at least as many, and the set is selected again at most as often.
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
        margins = tuple(NORMAL_95 * float(np.sqrt((e**2).mean())) for e in errors if e is not None)
        margins = tuple(margin if margin > least else 0.0 for margin in margins)
        if len(margins) < len(sets):
            return None
        if not _is_choice_of_best(problem, sets[0]):
            return cls(margins)
        return cls(margins, *_compared(problem, sets[0]))


def _is_choice_of_best(problem: Instance, first: FeatureSet) -> bool:
    """Return whether the first set was chosen among several, as the best one of one size without rules."""
    others = set(problem.side_constraints) - {"forbidden"}
    if others or problem.has_conflicts or problem.previous or problem.lazy_pairs is not None:
        return False
    allowed = _allowed(problem)
    if not objective_of(problem).is_sum:
        return len(allowed) > problem.k
    best = np.sort(problem.quality[allowed])[::-1][: problem.k]
    return len(allowed) > len(best) and bool(problem.quality[list(first)].sum() == best.sum())


def _allowed(problem: Instance) -> Indices:
    return np.setdiff1d(np.arange(problem.n_features), problem.forbidden)


def _errors(problem: Instance, features: Any, sets: ArrayLike) -> Reals | None:
    """Return replicates of the errors of sets of these features, all ascending, shape (200, n_sets)."""
    found = None if problem.evidence is None else problem.evidence.errors(features)
    if found is None:
        return None
    listed, objective = np.searchsorted(features, sets), objective_of(problem)
    known = problem.pairs_floats
    pairs = None if known is None else known[np.ix_(features, features)]
    numbers = Numbers(problem.quality_floats[list(features)], pairs)
    return objective.changes(numbers, listed, Numbers(*found)) / objective.factor(listed.shape[1])


def _compared(problem: Instance, first: FeatureSet) -> tuple[float, float, int | None, bool]:
    """Return selection bias, how often the set is the best again, rivals, and whether these are about all.

    Sets of the nearest features are compared. Each replicate stands for another sample: quality + error is
    the quality there.
    """
    pool, is_whole = _nearest(problem, first)
    sets = np.array(list(combinations(pool, len(first))))
    errors, values = _errors(problem, pool, sets), np.array(qualities(problem, sets))
    assert errors is not None
    own = int(np.flatnonzero((sets == np.sort(first)).all(axis=1))[0])
    best = (values + errors).argmax(axis=1)
    luck = float((np.take_along_axis(errors, best[:, None], axis=1)[:, 0] - errors[:, own]).mean())
    apart = NORMAL_95 * np.sqrt(((errors - errors[:, [own]]) ** 2).mean(axis=0))
    rivals = int((values[own] - values <= apart).sum()) - 1
    return luck, float((best == own).mean()), rivals if is_whole or rivals else None, is_whole


def _nearest(problem: Instance, first: FeatureSet) -> tuple[list[int], bool]:
    """Return a set and the features whose exchange for one of it costs least, and whether these suffice."""
    allowed, k = _allowed(problem), len(first)
    most = k
    while comb(most + 1, k) <= MOST_COMPARED and most < len(allowed):
        most += 1
    others, is_sum = np.setdiff1d(allowed, first), objective_of(problem).is_sum
    if is_sum:
        values = problem.quality_floats[others]
    else:
        exchanged = [(*rest, j) for j in others for rest in combinations(first, k - 1)]
        values = np.reshape(qualities(problem, exchanged), (len(others), -1)).max(axis=1)
    order = others[np.argsort(-values, kind="stable")]
    near, rest = order[: most - k], order[most - k :]
    suffices = not len(rest) or (is_sum and _cannot_be_near(problem, first, rest))
    return sorted([*first, *near.tolist()]), suffices


def _cannot_be_near(problem: Instance, first: FeatureSet, rest: Indices) -> bool:
    """Return whether every set with one of the rest is significantly worse than the best sum.

    Let a set exchange features of the best one for others. The error of the difference of both is at most the
    sum of the errors of the exchanges. So the set is near only if the margins of these, 1.96 errors minus the
    loss, add up to 0 or more.
    """
    allowed, q = _allowed(problem), problem.quality_floats
    errors, own = _errors(problem, allowed, allowed[:, None]), np.isin(allowed, first)
    assert errors is not None
    margins = np.max(
        [
            NORMAL_95 * np.sqrt(((errors - errors[:, [j]]) ** 2).mean(axis=0)) - (q[allowed[j]] - q[allowed])
            for j in np.flatnonzero(own)
        ],
        axis=0,
    )
    of_others = np.sort(np.maximum(margins[~own], 0))[::-1][: len(first) - 1].sum()
    return bool(margins[np.isin(allowed, rest)].max() + of_others < 0)


def selection_text(sampling: Sampling | None) -> list[tuple[str, str]]:
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
