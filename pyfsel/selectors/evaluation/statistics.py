"""Statistics of held-out scores of folds: intervals, paired differences, margins, stability.

Scores of different folds are not independent, as their training sets overlap: the variance of a mean is
taken as ``s² · (1/J + test/train)`` instead of ``s²/J`` (Nadeau and Bengio, "Inference for the
Generalization Error", Machine Learning 52, 2003: the corrected resampled t-test).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, isnan, nan, sqrt
from typing import Any

import numpy as np
import pandas as pd

from pyfsel.core.arrays import Array, Bools, Reals
from pyfsel.measures.above_chance import holm
from pyfsel.results.sampling import NORMAL_95
from pyfsel.selectors.evaluation.sentences import (
    AT_MOST_ONE,
    LEVEL,
    NOT_SHOWN,
    REFUTED,
    SHOWN,
    Record,
    comparison_text,
)

Scores = Sequence[float] | Reals
Selections = Sequence[Sequence[int]]
TINY = 1e-12
"""Scores that differ by less are equal."""
FEW_FOLDS = 10
"""With fewer of them intervals are wide for that reason alone: repeats, not rows, are missing."""
MARGIN = 0.02
"""A set that scores at most this much less is not worse, unless another margin is given."""
NOT_COMPARED = {
    **dict.fromkeys(("difference", "difference_low", "difference_high", "p_value", "rows_needed"), nan),
    **dict.fromkeys(("verdict", "compared"), ""),
}
"""What `compared` returns for others, of the set that they are compared with."""
NORMAL_80 = 0.84
"""What is shown with a probability of 80% needs this many standard errors more than the quantile."""
NEVER_WORSE = 3.0
"""What never happens in n rows may happen in 3/n of all: −ln 0.05, a one-sided interval of 95%."""
NO_EVENT = 3.7
"""What never happens in n rows may happen in 3.7/n of all: −ln 0.025, a two-sided interval of 95%."""
OF_ROWS = ("accuracy", "top_k_accuracy")
OF_CLASSES = ("average_precision", "concordance", "f1", "jaccard", "precision", "recall", "roc_auc")
SHARES = (*OF_ROWS, *OF_CLASSES, "balanced_accuracy")
"""Scores that lie between 0 and 1, by how their names begin."""


@dataclass(frozen=True)
class HeldOutRows:
    """The rows that scores rest on.

    Parameters
    ----------
    n_rows : int
        Different rows that were held out.
    class_counts : tuple of int
        How many of each class that occurs in them, for survival how many events; empty for regression. With
        weights, how many rows of equal weight would be as exact.
    n_groups : int, optional
        How many groups that stay together.
    design_effect : float, optional
        By what groups divide the number of rows (`design_effect`); None: each group is one row.
    n_effective : int, optional
        With weights, how many rows of equal weight would be as exact.
    """

    n_rows: int
    class_counts: tuple[int, ...] = ()
    n_groups: int | None = None
    design_effect: float | None = None
    n_effective: int | None = None

    def behind(self, scoring: str) -> float:
        """Return how many independent rows a score rests on at most.

        Each class counts alike in balanced accuracy, so the smallest one decides on its error; the
        smallest class limits what goes by class.

        Examples
        --------
        >>> rows = HeldOutRows(100, (80, 20))
        >>> rows.behind("accuracy"), rows.behind("balanced_accuracy"), rows.behind("roc_auc")
        (100.0, 64.0, 20)
        """
        counts, n = self.class_counts, float(self.n_effective or self.n_rows)
        if counts and scoring == "balanced_accuracy":
            n = len(counts) ** 2 / sum(1 / count for count in counts)
        elif counts and scoring.startswith(OF_CLASSES):
            n = min(counts)
        if self.n_groups is None:
            return n
        return min(n, self.n_groups) if self.design_effect is None else n / self.design_effect

    def by_chance(self, scoring: str) -> float | None:
        """Return what predictions by chance score, None where that is not known beforehand.

        Examples
        --------
        >>> HeldOutRows(100, (50, 30, 20, 0)).by_chance("balanced_accuracy")
        0.25
        """
        if scoring == "balanced_accuracy":
            return 1 / len(self.class_counts)
        if scoring.startswith(("roc_auc", "concordance")):
            return 0.5
        return 0.0 if scoring.startswith((*AT_MOST_ONE, "matthews")) else None


def cluster_sums(parts: Reals, groups: Array) -> dict[str, float]:
    """Return two sums of squares that say how much the rows of one group resemble each other.

    Parameters
    ----------
    parts : array of float, shape (n_rows,)
        The part that each row has in the score, such as whether it is predicted right, minus the mean of its
        class.
    groups : array, shape (n_rows,)

    Returns
    -------
    dict
        The squared sums of the parts ``of_groups``, and the squared parts ``of_rows``. They are added up over
        folds.
    """
    own = parts - parts.mean()
    sums = np.bincount(np.unique(groups, return_inverse=True)[1], own)
    return {
        "of_groups": float(sums @ sums) * len(sums) / max(1, len(sums) - 1),
        "of_rows": float(own @ own),
    }


def design_effect(sums: Any) -> float | None:
    """Return by what the number of rows is divided, at least 1; None if all parts are alike.

    That is the variance of a mean of rows in groups, relative to independent rows.

    Parameters
    ----------
    sums : mapping of str to float
        What `cluster_sums` returns, added up over folds.

    References
    ----------
    Kish, "Survey Sampling", 1965, Section 5.4.

    Examples
    --------
    >>> design_effect(cluster_sums(np.array([1.0, 1, 0, 0, 1, 1, 0, 0]), np.arange(8) // 2))
    2.6666666666666665
    """
    return max(1.0, float(sums["of_groups"] / sums["of_rows"])) if sums["of_rows"] > TINY else None


def standard_error(scores: Scores, test_per_train: float) -> float:
    """Return the standard error of a mean over folds, NaN with fewer than two.

    Parameters
    ----------
    scores : sequence of float
        One for each fold.
    test_per_train : float
        Held-out rows per training row.
    """
    found = np.asarray(scores, dtype=np.float64)
    if len(found) < 2:
        return nan
    if np.ptp(found) <= TINY * np.abs(found).max():  # rounding alone has a deviation, too
        return 0.0
    return float(np.std(found, ddof=1) * sqrt(1 / len(found) + test_per_train))


def score_interval(
    scores: Scores, test_per_train: float, scoring: str, rows: HeldOutRows
) -> tuple[float, float]:
    """Return a confidence interval of a mean score that does not leave the range of the score.

    For shares and correlations of classes it is Wilson's, of as many rows as have the standard error of the
    folds, but not more than there are; for R² it is made on the scale of −log(1 − R²); for scores without a
    known range it is Student's. The last two are NaN if all folds score alike, which shows no error.

    Parameters
    ----------
    scores, test_per_train
        As for `standard_error`.
    scoring : str
        Name of the score.
    rows : HeldOutRows

    References
    ----------
    Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
    Statistical Association 22, 1927.

    Examples
    --------
    >>> [round(end, 3) for end in score_interval([1.0, 1.0, 0.98], 0.5, "accuracy", HeldOutRows(150))]
    [0.753, 1.0]
    """
    mean, error = float(np.mean(scores)), standard_error(scores, test_per_train)
    is_correlation = scoring == "matthews_corrcoef"
    if isnan(error) or (error == 0 and not (scoring.startswith(SHARES) or is_correlation)):
        return nan, nan
    quantile = _quantile(len(scores))
    if rows.n_groups is not None:  # few groups know their own spread badly
        quantile = max(quantile, _quantile(rows.n_groups))
    if scoring.startswith(SHARES):
        return wilson(mean, error, rows.behind(scoring), quantile)
    if is_correlation:
        low, high = wilson((1 + mean) / 2, error / 2, rows.behind(scoring), quantile)
        return 2 * low - 1, 2 * high - 1
    if scoring.startswith(AT_MOST_ONE):
        factor = exp(quantile * error / (1 - mean))
        return 1 - (1 - mean) * factor, 1 - (1 - mean) / factor
    return mean - quantile * error, mean + quantile * error


def wilson(share: float, error: float, n_rows: float, quantile: float) -> tuple[float, float]:
    """Return Wilson's interval of a share whose standard error is known, of at most this many rows.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(81 / 263, 0, 263, 1.96)]  # Newcombe 1998, Table I
    [0.2553, 0.3662]
    """
    n = min(n_rows, share * (1 - share) / error**2) if error > 0 and 0 < share < 1 else n_rows
    spread = quantile**2 / n
    centre = (share + spread / 2) / (1 + spread)
    half = sqrt(spread * share * (1 - share) + spread**2 / 4) / (1 + spread)
    return min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half))


def _quantile(n: int) -> float:
    from scipy.stats import t

    return float(t.ppf(1 - LEVEL / 2, max(1, n - 1)))


def compared(
    given: Mapping[Any, tuple[Scores, float, HeldOutRows]], scoring: str, margin: float = MARGIN
) -> dict[Any, Record]:
    """Compare several with one, on the same folds, so one false claim among all is as rare as of one.

    The p-values are adjusted by Holm's procedure (`pyfsel.measures.above_chance.holm`). The intervals are of
    its levels: each holds by itself, not all of them together. Whether one scores at most `margin` less is a
    family of its own, by one-sided tests; so is whether it scores more than that less.

    Parameters
    ----------
    given : mapping of names to (differences by fold, held-out rows per training row, rows)
    scoring : str
        Name of the score.
    margin : float

    Returns
    -------
    dict
        For each the mean ``difference`` with its interval (``difference_low``, ``difference_high``; 0 lies in
        it exactly if the p-value is above 0.05), the adjusted ``p_value``, the ``verdict`` about the margin,
        all of it in words (``compared``), and with how many rows equal sets would be shown to be so with a
        probability of 80% (``rows_needed``; NaN if more rows do not help).

    Examples
    --------
    >>> rows = HeldOutRows(100)
    >>> found = compared({"a": ([0.1, 0.12, 0.11], 0.5, rows), "b": ([0.0, 0.0], 0.5, rows)}, "accuracy")
    >>> round(found["a"]["p_value"], 3), found["a"]["verdict"], found["b"]["compared"]
    (0.007, 'shown', 'equal in every fold; up to about 0.037 cannot be excluded')
    """
    from scipy.stats import t

    of_folds = [(np.asarray(scores, dtype=np.float64), ratio) for scores, ratio, _ in given.values()]
    means = np.array([scores.mean() if len(scores) else nan for scores, _ in of_folds])
    errors = np.array([standard_error(*one) or nan for one in of_folds])  # equal differences show none
    spare = np.array([len(scores) - 1 for scores, _ in of_folds])
    above = (means + margin) / errors
    p_values, levels = holm(2 * t.sf(np.abs(means) / errors, spare), LEVEL)
    shown, shown_levels = holm(t.sf(above, spare), LEVEL)
    refuted, _ = holm(t.cdf(above, spare), LEVEL)
    half = t.ppf(1 - levels / 2, spare) * errors
    growth = ((t.ppf(1 - shown_levels, spare) + NORMAL_80) * errors / (margin or nan)) ** 2
    is_of_rows = (spare >= FEW_FOLDS - 1) & (growth > 1) & scoring.startswith((*SHARES, *AT_MOST_ONE))
    columns = {
        "difference": means,
        "difference_low": means - half,
        "difference_high": means + half,
        "p_value": p_values,
        "verdict": np.select([shown <= LEVEL, refuted <= LEVEL], [SHOWN, REFUTED], NOT_SHOWN),
        "rows_needed": np.where(is_of_rows, growth, nan) * [rows.n_rows for *_, rows in given.values()],
    }
    found: dict[Any, Any] = pd.DataFrame(columns, index=list(given)).to_dict("index")
    for name, (scores, _, rows) in given.items():
        if len(scores) > 1 and not np.any(scores):
            found[name] |= _of_equals(scoring, rows, margin)
        else:
            found[name]["compared"] = comparison_text(found[name], margin)
    return found


def _of_equals(scoring: str, rows: HeldOutRows, margin: float) -> dict[str, str]:
    """Return what is said of scores that are equal in every fold: that needs enough rows."""
    if not scoring.startswith(SHARES):
        return {"compared": "equal in every fold"}
    n = rows.behind(scoring)
    return {
        "compared": f"equal in every fold; up to about {NO_EVENT / n:.2g} cannot be excluded",
        "verdict": SHOWN if NEVER_WORSE / n <= margin else NOT_SHOWN,
    }


def membership(selections: Selections, n_features: int) -> Bools:
    """Return which features selections have, given as sets of 0-based indices."""
    chosen = np.zeros((len(selections), n_features), dtype=bool)
    for row, members in zip(chosen, selections, strict=True):
        row[list(members)] = True
    return chosen


def stability_interval(chosen: Bools) -> tuple[float, float, float]:
    """Return how stable repeated selections are, corrected for chance, with a 95% interval.

    Parameters
    ----------
    chosen : array of bool, shape (n_selections, n_features)
        Which features each selection has; they may differ in size.

    Returns
    -------
    tuple of three float
        The index is 1 if all selections are equal, and 0 as by chance. NaN with fewer than two selections,
        or if no or all features are selected always; the ends are NaN if all selections are alike, which
        shows no error.

    References
    ----------
    Nogueira, Sechidis and Brown, "On the Stability of Feature Selection Algorithms", Journal of Machine
    Learning Research 18(174), 2018: Definition 4, Theorem 7 and Corollary 8.

    Examples
    --------
    >>> stability_interval(membership([(0, 1), (0, 1), (0, 1)], 4))
    (1.0, nan, nan)
    """
    density = chosen.mean() if len(chosen) > 1 else 0.0
    by_chance = density * (1 - density)
    if not by_chance:
        return nan, nan, nan
    index = float(1 - chosen.var(axis=0, ddof=1).mean() / by_chance)
    own = chosen.mean(axis=1)
    each = (chosen * chosen.mean(axis=0)).mean(axis=1) - own * density
    each += index / 2 * (2 * density * own - own - density + 1)
    half = NORMAL_95 * 2 / len(chosen) * sqrt(((each - each.mean()) ** 2).sum()) / by_chance
    return (index, nan, nan) if half < TINY else (index, index - half, min(1.0, index + half))
