"""What held-out scores of folds allow to say: intervals of a score, and of paired differences.

Scores of different folds are not independent, as their training sets overlap: the variance of a mean is
taken as ``s² · (1/J + test/train)`` instead of ``s²/J`` (Nadeau and Bengio, "Inference for the
Generalization Error", Machine Learning 52, 2003: the corrected resampled t-test).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, isnan, log1p, nan, sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Scores = Sequence[float] | NDArray[np.float64]
Name = TypeVar("Name")
LEVEL = 0.05
TINY = 1e-12
"""Scores that differ by less are equal."""
FEW_FOLDS = 10
"""With fewer of them intervals are wide for that reason alone: repeats, not rows, are missing."""
MARGIN = 0.02
"""A set that scores at most this much less is not worse, unless another margin is given."""
SHOWN, REFUTED, NOT_SHOWN = "shown", "refuted", "not shown"
BETTER, WORSE = "better", "worse"
SAYINGS = {
    BETTER: "significantly better",
    SHOWN: "shown to be at most {margin:g} worse",
    REFUTED: "more than {margin:g} worse",
    WORSE: "significantly worse",
    NOT_SHOWN: "not shown to be at most {margin:g} worse",
}
NORMAL_80 = 0.84
"""What is shown with a probability of 80% needs this many standard errors more than the quantile."""
NEVER_WORSE = 3.0
"""What never happens in n rows may happen in 3/n of all: −ln 0.05, a one-sided interval of 95%."""
FEW_GROUPS = 20
NO_EVENT = 3.7
"""What never happens in n rows may happen in 3.7/n of all: −ln 0.025, a two-sided interval of 95 %."""
OF_ROWS = ("accuracy", "top_k_accuracy")
OF_CLASSES = ("average_precision", "concordance", "f1", "jaccard", "precision", "recall", "roc_auc")
AT_MOST_ONE = ("r2", "explained_variance", "d2_")


@dataclass(frozen=True)
class HeldOutRows:
    """The rows that scores rest on.

    Parameters
    ----------
    n_rows : int
        Different rows that were held out.
    class_counts : tuple of int
        How many of each class that occurs in them, for survival how many events; empty for regression.
    n_groups : int, optional
        How many groups that stay together.
    n_dropped : int
        Rows left out because of missing values.
    design_effect : float, optional
        By what groups divide the number of rows (`Clusters.design_effect`); None: each group is one row.
    is_forward : bool
        Whether training rows are earlier than held-out ones, whatever their groups.
    """

    n_rows: int
    class_counts: tuple[int, ...] = ()
    n_groups: int | None = None
    n_dropped: int = 0
    design_effect: float | None = None
    is_forward: bool = False

    def __str__(self) -> str:
        groups = "" if self.n_groups is None else f" of {self.n_groups:,} groups"
        dropped = f" ({self.n_dropped:,} rows with missing values left out)" if self.n_dropped else ""
        return f"{self.n_rows:,} held-out{groups}{dropped}"

    @property
    def few_groups(self) -> list[str]:
        """A caution if there are few groups."""
        if self.n_groups is None or self.n_groups >= FEW_GROUPS:
            return []
        return [f"The rows are of only {self.n_groups} groups, so the intervals are wide and uncertain"]

    def behind(self, scoring: str) -> float:
        """Return how many independent rows a score rests on at most.

        Each class counts alike in balanced accuracy, so the smallest one decides on its error; the
        smallest class limits what goes by class.

        Examples
        --------
        >>> rows = HeldOutRows(100, (80, 20))
        >>> rows.behind("accuracy"), rows.behind("balanced_accuracy"), rows.behind("roc_auc")
        (100, 64.0, 20)
        """
        counts, n = self.class_counts, float(self.n_rows)
        if counts and scoring == "balanced_accuracy":
            n = len(counts) ** 2 / sum(1 / count for count in counts)
        elif counts and scoring.startswith(OF_CLASSES):
            n = min(counts)
        else:
            n = self.n_rows
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


@dataclass(frozen=True)
class Clusters:
    """How much the held-out rows of one group resemble each other: an analysis of variance, over folds.

    Each row has a part in the score, such as whether it is predicted right, minus the mean of its class.

    Parameters
    ----------
    between, within : float
        Sums of squares of the parts.
    n_rows, n_groups, n_folds : int
        All numbers are sums over folds.
    squares : float
        Sum of the squared sizes of the groups.

    References
    ----------
    Kish, "Survey Sampling", 1965, Section 5.4: the design effect.

    Examples
    --------
    >>> alike = Clusters.of(np.array([1.0, 1, 0, 0, 1, 1, 0, 0]), np.array([0, 0, 1, 1, 2, 2, 3, 3]))
    >>> alike.design_effect
    2.0
    """

    between: float
    within: float
    n_rows: int
    n_groups: int
    squares: float
    n_folds: int = 1

    @classmethod
    def of(cls, parts: NDArray[np.float64], groups: NDArray[np.generic]) -> Clusters:
        """Return that of the rows of one fold."""
        _, codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        mean = np.bincount(codes, parts) / sizes
        between = float((sizes * (mean - parts.mean()) ** 2).sum())
        within = float(((parts - mean[codes]) ** 2).sum())
        return cls(between, within, len(parts), len(sizes), float((sizes.astype(float) ** 2).sum()))

    @property
    def design_effect(self) -> float | None:
        """By what the number of rows is divided, at least 1; None if all parts are alike."""
        if self.between + self.within <= TINY * self.n_rows:
            return None
        spare = max(1, self.n_groups - self.n_folds)
        between, within = self.between / spare, self.within / max(1, self.n_rows - self.n_groups)
        size = (self.n_rows - self.squares / self.n_rows * self.n_folds) / spare
        spread = between + (size - 1) * within
        correlation = max(0.0, (between - within) / spread) if spread > 0 else 1.0
        return max(1.0, 1 + (self.squares / self.n_rows - 1) * correlation)


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


def interval(scores: Scores, test_per_train: float, level: float = LEVEL) -> tuple[float, float]:
    """Return a confidence interval of the mean over folds by Student's t; NaN with fewer than two.

    Parameters are those of `standard_error`, and how often the interval may miss.

    Examples
    --------
    >>> [round(end, 3) for end in interval([0.8, 0.9, 1.0], 0.5)]
    [0.507, 1.293]
    """
    half = _quantile(scores, level) * standard_error(scores, test_per_train)
    mean = float(np.mean(scores))
    return mean - half, mean + half


def score_interval(
    scores: Scores, test_per_train: float, scoring: str, rows: HeldOutRows
) -> tuple[float, float]:
    """Return a confidence interval of a mean score that does not leave the range of the score.

    For shares and correlations of classes it is Wilson's, of as many rows as have the standard error of the
    folds, but not more than there are; for R² it is made on the scale of −log(1 − R²); for scores without a
    known range it is `interval`. The last two are NaN if all folds score alike, which tells no error.

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
    quantile = _quantile(scores, LEVEL)
    if rows.n_groups is not None:  # few groups know their own spread badly
        quantile = max(quantile, _quantile(range(rows.n_groups), LEVEL))
    if isnan(error):
        return nan, nan
    if scoring.startswith(AT_MOST_ONE) and error > 0:
        half = quantile * error / (1 - mean)
        return tuple(-exp(-end) + 1 for end in (-log1p(-mean) - half, -log1p(-mean) + half))  # type: ignore[return-value]
    if is_share(scoring):
        return wilson(mean, error, rows.behind(scoring), quantile)
    if scoring == "matthews_corrcoef":
        low, high = wilson((1 + mean) / 2, error / 2, rows.behind(scoring), quantile)
        return 2 * low - 1, 2 * high - 1
    return interval(scores, test_per_train) if error > 0 else (nan, nan)


def range_text(low: float | None, high: float | None, scoring: str, dash: str = "–", digits: int = 3) -> str:
    """Return an interval of a score in words; how bad an R² below −1 is tells nobody anything.

    Examples
    --------
    >>> range_text(0.5, 0.75, "accuracy"), range_text(-0.1, 0.2, "r2"), range_text(-8e9, 0.9, "r2")
    ('0.500–0.750', '−0.100 to 0.200', 'below −1 to 0.900')
    """
    if low is None or high is None or isnan(low):
        return dash
    if scoring.startswith(AT_MOST_ONE) and low < -1:
        return f"below −1 to {high:.{digits}f}".replace("-", "−")
    ends = [f"{end:.{digits}f}" if round(end, digits) or not end else f"{end:.1g}" for end in (low, high)]
    return ("–" if low >= 0 else " to ").join(ends).replace("-", "−")


def is_share(scoring: str) -> bool:
    """Return whether a score lies between 0 and 1."""
    return scoring.startswith((*OF_ROWS, *OF_CLASSES, "balanced_accuracy"))


def wilson(share: float, error: float, n_rows: float, quantile: float) -> tuple[float, float]:
    """Return Wilson's interval of a share whose standard error is known, of at most so many rows.

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


def _quantile(scores: Scores, level: float) -> float:
    from scipy.stats import t

    return float(t.ppf(1 - level / 2, max(1, np.size(scores) - 1)))


@dataclass(frozen=True)
class Difference:
    """By how much a set scores higher than the one that it is compared with, on the same folds.

    Parameters
    ----------
    mean : float
    low, high : float
        Confidence interval; 0 lies in it exactly if the p-value is above 0.05.
    p_value : float
        Adjusted for all comparisons (Holm).
    is_equal : bool
        Whether both score alike in every fold.
    n_folds : int
        With few of them an interval is wide for that reason alone.
    margin : float
    verdict : {"shown", "refuted", "not shown"}
        Whether it scores at most `margin` less: one-sided at 5%, adjusted for all comparisons (Holm).
    growth : float
        By what the number of rows is multiplied so that equal sets are shown with a probability of 80%.
    """

    mean: float
    low: float
    high: float
    p_value: float
    is_equal: bool
    n_folds: int
    margin: float = MARGIN
    verdict: str = NOT_SHOWN
    growth: float = nan

    def verdict_of(self, scoring: str, rows: HeldOutRows) -> str:
        """Return the verdict; sets that are equal in every fold need enough rows for it."""
        if not self.is_equal:
            return self.verdict
        return SHOWN if is_share(scoring) and NEVER_WORSE / rows.behind(scoring) <= self.margin else NOT_SHOWN

    def kind(self, scoring: str, rows: HeldOutRows) -> str:
        """Return what is said of the set: significantly better or worse, or the verdict about the margin."""
        verdict, is_significant = self.verdict_of(scoring, rows), self.p_value <= LEVEL
        if is_significant and self.mean > 0:
            return BETTER
        return WORSE if is_significant and verdict == NOT_SHOWN else verdict

    def text(self, scoring: str, rows: HeldOutRows) -> str:
        """Return in words what may be said of the difference.

        Examples
        --------
        >>> rows = HeldOutRows(500, (250, 250))
        >>> Difference(-0.03, -0.051, -0.003, 0.02, False, 20).text("accuracy", rows)
        'significantly worse (−0.051 to −0.003)'
        >>> Difference(0.01, -0.03, 0.05, 0.6, False, 20, growth=4).text("accuracy", rows)
        'not shown to be at most 0.02 worse (−0.030 to 0.050)'
        """
        if self.is_equal:
            most = f"; up to about {NO_EVENT / rows.behind(scoring):.2g} cannot be excluded"
            return f"equal in every fold{most if is_share(scoring) else ''}"
        if isnan(self.low):
            return "not compared: too few folds, or the same difference in each"
        ends = range_text(self.low, self.high, "difference")
        return f"{SAYINGS[self.kind(scoring, rows)].format(margin=self.margin)} ({ends})"

    def rows_needed(self, scoring: str, rows: HeldOutRows) -> str:
        """Return with how many rows equal sets would be shown to be so; "" if more rows are no remedy."""
        is_known = is_share(scoring) or scoring.startswith(AT_MOST_ONE)
        if self.n_folds < FEW_FOLDS or not is_known or not self.growth > 1:
            return ""
        return f"{float(f'{rows.n_rows * self.growth:.1e}'):,.0f}"


def differences(given: Mapping[Name, tuple[Scores, float]], margin: float = MARGIN) -> dict[Name, Difference]:
    """Compare several with one, on the same folds, so one false claim among all is as rare as of one.

    Holm's steps: the smallest p-value is compared at the level 0.05/m, the next at 0.05/(m − 1), …, until one
    is above; the others at the level at which it stopped. The intervals are of these levels: each holds by
    itself, not all of them together. Whether one scores at most `margin` less is a family of its own, by
    one-sided tests; so is whether it scores more than that less.

    Parameters
    ----------
    given : mapping of names to (differences by fold, held-out rows per training row)
    margin : float

    References
    ----------
    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6,
    1979.

    Examples
    --------
    >>> found = differences({"a": ([0.1, 0.12, 0.11], 0.5), "b": ([0.0, 0.0, 0.0], 0.5)})
    >>> round(found["a"].p_value, 3), found["a"].verdict, found["b"].is_equal
    (0.007, 'shown', True)
    """
    from scipy.stats import t

    means = np.array([np.mean(by_fold) if len(by_fold) else nan for by_fold, _ in given.values()])
    errors = np.array([standard_error(*one) or nan for one in given.values()])  # 0: no error is seen
    spare = np.array([len(by_fold) - 1 for by_fold, _ in given.values()])
    above = (means + margin) / errors
    two_sided, levels = _holm(2 * t.sf(np.abs(means) / errors, spare))
    shown, shown_levels = _holm(t.sf(above, spare))
    refuted, _ = _holm(t.sf(-above, spare))
    found = {}
    for i, (name, (by_fold, ratio)) in enumerate(given.items()):
        is_equal = len(by_fold) > 1 and not np.any(by_fold)
        verdict = SHOWN if shown[i] <= LEVEL else REFUTED if refuted[i] <= LEVEL else NOT_SHOWN
        needed = _quantile(by_fold, 2 * shown_levels[i]) + NORMAL_80
        growth = (needed * errors[i] / margin) ** 2 if margin > 0 else nan
        ends = interval(by_fold, ratio, levels[i]) if errors[i] > 0 else (nan, nan)
        mean, p_value = float(means[i]), float(two_sided[i])
        found[name] = Difference(mean, *ends, p_value, is_equal, len(by_fold), margin, verdict, float(growth))
    return found


def _holm(p_values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the adjusted p-values, and the levels at which they were compared; NaN stays NaN."""
    order = np.argsort(p_values)[: int((~np.isnan(p_values)).sum())]
    left = len(order) - np.arange(len(order))
    adjusted, levels = np.full((2, len(p_values)), nan)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(left * p_values[order]))
    levels[order] = LEVEL / np.maximum(left, len(order) - (adjusted[order] <= LEVEL).sum())
    return adjusted, levels
