"""Values of feature sets: the only place where an objective is computed.

Every objective is written once, for arrays, so the same lines serve the quantised integers (where
optimality and bounds are decided) and the user's own floats (what is shown).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from math import floor, inf, isqrt, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.problem.least_squares import (
    SENSITIVITY,
    STEPS,
    coefficients,
    explained,
    size_weight,
)

Array = NDArray[Any]
"""Of integers, or of the user's floats."""
FeatureSet = tuple[int, ...]


class ObjectiveKind(StrEnum):
    """What the value of a set is, for backends and models to say what they take."""

    SUMS = "sums of qualities"
    PAIRS_OF_ONE_SIZE = "pairs in sets of one size"
    PAIRS = "pairs in sets of any size"
    FRACTIONS = "fractions"
    LEAST_SQUARES = "least squares"
    MAXIMA = "sums of maxima"


UP_TO_PAIRS = (
    ObjectiveKind.SUMS,
    ObjectiveKind.PAIRS_OF_ONE_SIZE,
    ObjectiveKind.PAIRS,
    ObjectiveKind.FRACTIONS,
)
"""The kinds that are made of sums over features and pairs."""


class ObjectiveFunction:
    """Quality of one feature set, maximised: a sum over its features and, if `has_pairs`, over their pairs.

    With a and b from `weights`, the integer value of a set is a · Σ quality − b · Σ redundancy over its
    pairs, which is `factor` times the quality; without pairs a is 1. All else follows: a new objective is one
    class that says its weights, and its place in `OBJECTIVES`. Nobody asks for its name.

    Attributes
    ----------
    name, title, meaning, equation : str
        Of the arguments and files, for readers, in one sentence, and where it comes from.
    has_pairs : bool
        Whether pairs of features count.
    is_fraction : bool
        Whether it is not a sum, but rounded from a fraction, so a search takes steps
        (`pyfsel.algorithms.cfs`).
    has_conflicts : bool
        Whether the dependence between features forbids pairs of them.
    has_one_size : bool
        Whether values of sets that differ in size cannot be compared, as `weights` depend on the size.
    simultaneous : bool
        Whether several sets can be requested at once.
    takes : tuple of str
        What else a user may say: by which β redundancies are multiplied, the penalty of a ridge, by what
        criterion sizes are compared.
    is_signed : bool
        Whether its numbers are correlations with their signs, and no others.
    usual_scale : float or None
        The factor from floats to integers, where it does not depend on the numbers.
    default_measure : str
        Where the numbers come from if a user does not say.
    default_redundancy : str
        Where the numbers of pairs come from; "" is the measure of the qualities.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    meaning: ClassVar[str]
    equation: ClassVar[str]
    has_pairs: ClassVar[bool] = False
    is_fraction: ClassVar[bool] = False
    has_conflicts: ClassVar[bool] = False
    has_one_size: ClassVar[bool] = False
    simultaneous: ClassVar[bool] = True
    takes: ClassVar[tuple[str, ...]] = ()
    is_signed: ClassVar[bool] = False
    usual_scale: ClassVar[float | None] = None
    default_redundancy: ClassVar[str] = ""
    default_measure: ClassVar[str] = "information"

    @property
    def is_sum(self) -> bool:
        """Whether the value of a set is the sum of the qualities of its features."""
        return not (self.has_pairs or self.is_fraction)

    @property
    def needs_pairs(self) -> bool:
        """Whether building a problem takes the dependence between features."""
        return self.has_conflicts or not self.is_sum

    def kinds(self, *, one_size: bool) -> frozenset[ObjectiveKind]:
        """Return what kinds of objective it is for sets that have one size, or may differ in it."""
        if not self.has_pairs:
            return frozenset({ObjectiveKind.FRACTIONS if self.is_fraction else ObjectiveKind.SUMS})
        fixed = {ObjectiveKind.PAIRS_OF_ONE_SIZE} if one_size else set()
        return frozenset(fixed if self.has_one_size else {*fixed, ObjectiveKind.PAIRS})

    def check(self, quality: Array, redundancy: Array | None, scale: float) -> None:
        """Raise `InputError` if the integers of a problem are not what the objective is defined for."""

    def weights(self, k: int) -> tuple[int, int]:
        """Return a and b where the value of a set is a · Σ quality − b · Σ redundancy over its pairs."""
        return 1, int(self.has_pairs)

    def data(self, k: int) -> dict[str, int]:
        """Return the weights and the factor by their names in files."""
        per_feature, per_pair = self.weights(k)
        weights = {"objective_per_feature": per_feature, "objective_per_pair": per_pair}
        return weights | {"objective_unit": self.factor(k)}

    def factor(self, k: int) -> int:
        """Return the integer by which `evaluate` is larger than the objective of the paper."""
        return 1

    def counts(self, quality: Array, redundancy: Array | None, feature_set: FeatureSet, unit: float) -> bool:
        """Return whether the integers give a set the value of its features, not of an empty set.

        One rule for integers and floats: floats alone cannot decide whether columns depend on each other.
        """
        return True

    def evaluate(self, quality: Array, redundancy: Array | None, sets: Array, unit: float = 1) -> Array:
        """Return the values of several sets.

        Parameters
        ----------
        quality : array of shape (n_features,)
        redundancy : array of shape (n_features, n_features) or None
        sets : array of shape (m, k), 0-based feature indices
        unit : float
            What the user's number 1 is among these: the problem's scale for its integers.

        Returns
        -------
        array of shape (m,), of the dtype of `quality`
        """
        per_feature, per_pair = self.weights(sets.shape[1])
        total: Array = per_feature * quality[sets].sum(axis=1)
        if per_pair:
            assert redundancy is not None
            for place in range(1, sets.shape[1]):
                total = total - per_pair * redundancy[sets[:, place, None], sets[:, :place]].sum(axis=1)
        return total

    def changes(
        self, quality: Array, redundancy: Array | None, sets: Array, by: Array, by_pairs: Array | None
    ) -> Array:
        """Return how values change, to first order, if the numbers do; here values are linear in them.

        Parameters
        ----------
        quality, redundancy, sets
            Floats, as for `evaluate`.
        by : array of shape (n_changes, n_features)
        by_pairs : array of shape (n_changes, n_features, n_features) or None

        Returns
        -------
        array of shape (n_changes, m)
        """
        last = None if by_pairs is None else np.moveaxis(by_pairs, 0, -1)
        return np.asarray(self.evaluate(by.T, last, sets).T)

    def magnitude(self, k: int, n_features: int) -> int:
        """Return the largest possible absolute value of a set whose numbers are all in [−1, 1]."""
        per_feature, per_pair = self.weights(k)
        return k * per_feature + k * (k - 1) // 2 * per_pair

    def rounding_loss(self, k: int, n_features: int, scale: float, *, exact: bool, largest: float) -> float:
        """Return the most by which quantising can change the quality of one set: half a unit per number.

        Parameters
        ----------
        k, n_features : int
        scale : float
        exact : bool
            Whether the integers divided by the scale are the user's numbers.
        largest : float
            The user's largest quality of a feature.
        """
        largest_value = self.magnitude(k, n_features)
        return 0.0 if exact else largest_value / (2 * scale * self.factor(k))


class UnivariateFunction(ObjectiveFunction):
    """Sum of the qualities of the selected features (paper 000, Eq. 11)."""

    name = "univariate"
    title = "univariate"
    meaning = "a set is as good as the sum of the qualities of its features"
    equation = "000 Eq. 11"


class Fcbf(ObjectiveFunction):
    """Univariate quality under the pairwise conflicts of FCBF (paper 000, Eq. 12).

    The conflicts themselves are constraints and belong to the problem.
    """

    name = "fcbf"
    title = "FCBF"
    meaning = "the sum of the qualities, without pairs of features that are redundant for each other"
    equation = "000 Eq. 12"
    has_conflicts = True


class Mrmr(ObjectiveFunction):
    """Relevance minus redundancy for a fixed size k (paper 000, Eq. 13), multiplied by k(k−1)."""

    name = "mrmr"
    title = "mRMR"
    meaning = "the relevance of the features minus the redundancy between them"
    equation = "000 Eq. 13"
    has_pairs = True
    has_one_size = True
    takes = ("beta",)

    def weights(self, k: int) -> tuple[int, int]:
        return max(1, k - 1), 2

    def factor(self, k: int) -> int:
        return max(1, k * (k - 1))


class Jmi(ObjectiveFunction):
    """Joint mutual information: the mean of I(X_i, X_j; Y) over the pairs of k features (Yang, Moody 1999).

    Their search adds one feature after another, each time the feature with the largest sum of I(X_i, X_j; Y)
    with those before; this is that sum over all pairs of a set. By the chain rule
    ``I(X_i, X_j; Y) = I(X_i; Y) + I(X_j; Y) − r_ij`` with ``r_ij = I(X_i; X_j) − I(X_i; X_j | Y)``, which is
    negative if two features are more informative together than apart. In k features each has k − 1 partners,
    so the sum over pairs is (k−1) · Σ I(X_i; Y) − Σ r_ij, and k(k−1)/2 times the mean. For k = 1 it is
    I(X; Y).
    """

    name = "jmi"
    title = "JMI"
    meaning = "how informative two features of a set are together about the target, on average over its pairs"
    equation = "Yang and Moody 1999"
    has_pairs = True
    has_one_size = True
    default_redundancy = "co_information"

    def weights(self, k: int) -> tuple[int, int]:
        return max(1, k - 1), 1

    def factor(self, k: int) -> int:
        return max(1, k * (k - 1) // 2)


class Mifs(ObjectiveFunction):
    """Σ I(X_i; Y) − β · Σ I(X_i; X_j) over the pairs of a set of any size (MIFS, Battiti 1994)."""

    name = "mifs"
    title = "MIFS"
    meaning = "the relevance of the features minus β times the redundancy of their pairs, in sets of any size"
    equation = "Battiti 1994"
    has_pairs = True
    takes = ("beta",)


class Cife(Mifs):
    """MIFS with the redundancies of `Jmi`: the information of features and pairs (Lin and Tang 2006)."""

    name = "cife"
    title = "CIFE"
    meaning = "how informative features are together, as far as pairs of them show, in sets of any size"
    equation = "Lin and Tang 2006"
    default_redundancy = "co_information"


class GraphScoreFunction(ObjectiveFunction):
    """The negated graph score: Σ quality − Σ redundancy over the pairs of a set (paper 004, Eq. 11).

    The score is minimised in the paper; ``quality = −w(Δ − shiftΔ)`` and ``redundancy = (1−w)(P − shiftP)``
    make it a quality that is maximised, over sets of any size.
    """

    name = "graph_score"
    title = "graph score"
    meaning = "the qualities of the features minus the correlations between them, in sets of any size"
    equation = "004 Eq. 11"
    has_pairs = True
    default_measure = "class_separation"
    default_redundancy = "pearson"


class FractionObjective(ObjectiveFunction):
    """A value that is not a sum of features and pairs: it has no weights; `scale` may be its resolution."""

    is_fraction = True
    simultaneous: ClassVar[bool] = False

    def weights(self, k: int) -> tuple[int, int]:
        raise NotImplementedError("a fraction has no weights")

    def data(self, k: int) -> dict[str, int]:
        return {}

    def allowed(self, scale: float) -> tuple[float, float, str]:
        """Return the least and the largest number, and what such numbers are."""
        return -inf, inf, "numbers"

    def check(self, quality: Array, redundancy: Array | None, scale: float) -> None:
        if scale != int(scale):
            raise InputError(f"scale={scale}: objective={self.name!r} needs a whole number")
        low, high, words = self.allowed(scale)
        for name, numbers in (("quality", quality), ("pairs", redundancy)):
            wrong: Array | list[int] = [] if numbers is None else numbers[(numbers < low) | (numbers > high)]
            if len(wrong):
                raise InputError(f"{name}: has {wrong[0]}; objective={self.name!r} needs {words}")


class Cfs(FractionObjective):
    """Correlation-based feature selection, Σ q / √(k + Σ_{i≠j} r), for k features (paper 000, Eq. 20).

    The quality of a set is irrational. Its integer value is ``⌊scale · quality⌋``, computed exactly from the
    integers: with A the sum of the qualities, and D = scale · k + the redundancies of all ordered pairs, it
    is the integer square root of ``scale · A² / D``. So `scale` is also the resolution of the values.
    Qualities and redundancies are correlations without sign.
    """

    name = "cfs"
    title = "CFS"
    meaning = "the relevance of the features relative to the correlation between them"
    equation = "000 Eq. 20"
    default_measure = "information_share"

    def allowed(self, scale: float) -> tuple[float, float, str]:
        return 0, inf, "correlations without sign"

    def evaluate(self, quality: Array, redundancy: Array | None, sets: Array, unit: float = 1) -> Array:
        assert redundancy is not None
        relevance = quality[sets].sum(axis=1)
        correlation = redundancy[sets[:, :, None], sets[:, None, :]].sum(axis=(1, 2))
        if relevance.dtype.kind != "i":
            return np.asarray(relevance * np.sqrt(unit / (unit * sets.shape[1] + correlation)))
        scale = int(unit)
        pairs = zip(relevance.tolist(), correlation.tolist(), strict=True)
        return np.array([isqrt(scale * a * a // (scale * sets.shape[1] + r)) for a, r in pairs], np.int64)

    def changes(
        self, quality: Array, redundancy: Array | None, sets: Array, by: Array, by_pairs: Array | None
    ) -> Array:
        """Return dA / √D − A · dD / (2 D^(3/2)) of the value A / √D."""
        assert redundancy is not None
        assert by_pairs is not None
        inside = _placed(np.ones(sets.shape), sets, len(quality))
        A, D = inside @ quality, sets.shape[1] + _quadratic(inside, redundancy[None])[0]
        return np.asarray(by @ inside.T / np.sqrt(D) - A * _quadratic(inside, by_pairs) / (2 * D**1.5))

    def magnitude(self, k: int, n_features: int) -> int:
        return isqrt(k - 1) + 1

    def rounding_loss(self, k: int, n_features: int, scale: float, *, exact: bool, largest: float) -> float:
        """Return the loss of rounding qualities, redundancies, and the value itself.

        For k features the quality changes by at most √k/(2·scale), as D is at least k, and, as the
        redundancies do by k(k−1)/(2·scale) together, by a share of (k−1)/(4·scale); it is at most
        √k times the largest quality of a feature.
        """
        if exact:
            return 1 / scale
        return (1 + sqrt(k) / 2 + sqrt(k) * largest * (k - 1) / 4) / scale


class LeastSquares(FractionObjective):
    """The share of the target's variance that a linear fit on the features explains, R² = cᵀG⁻¹c.

    Qualities c are correlations with the target, redundancies those between features, both with their sign.
    The integer value of a set is ``scale · R²`` rounded down to one of 10⁸ steps, computed exactly from the
    integers, and 0 where the coefficients add up to more than 1000 (`pyfsel.problem.least_squares`).

    With a criterion for sets that differ in size it is 1 − w · (1 − R²), rounded down, w being the weight of
    the size: adjusted R² itself, and where AIC and BIC are least it is largest.

    Parameters
    ----------
    criterion, n_rows
        As in `pyfsel.Instance`.
    """

    name = "r2"
    title = "R²"
    meaning = "how much of the target's variance a linear fit on the features explains"
    equation = "best subsets, Furnival and Wilson 1974"
    is_signed = True
    simultaneous = True
    takes = ("ridge", "criterion")
    default_measure = "pearson"
    usual_scale = 1e14

    def __init__(self, criterion: str | None = None, n_rows: int | None = None) -> None:
        self.criterion = criterion
        self.n_rows = n_rows

    def kinds(self, *, one_size: bool) -> frozenset[ObjectiveKind]:
        return frozenset({ObjectiveKind.LEAST_SQUARES})

    def allowed(self, scale: float) -> tuple[float, float, str]:
        return -scale, scale, f"correlations, from -{scale} to {scale}"

    @staticmethod
    def step(scale: float) -> int:
        """Return of what each integer R² is a multiple."""
        return max(1, int(scale) // STEPS)

    def value_of(self, share: int, size: int, scale: float) -> int:
        """Return the integer value of a set of some size with this integer R²."""
        if self.criterion is None:
            return share
        return floor(int(scale) - size_weight(self.criterion, size, self.n_rows) * (int(scale) - share))

    def least_share(self, value: int, size: int, scale: float) -> int:
        """Return the least integer R² with which sets of some size reach a value."""
        weight, step = size_weight(self.criterion, size, self.n_rows), self.step(scale)
        return max(0, -floor((int(scale) - value) / weight - int(scale)) + step - 1) // step * step

    def evaluate(self, quality: Array, redundancy: Array | None, sets: Array, unit: float = 1) -> Array:
        assert redundancy is not None
        gram = redundancy[sets[:, :, None], sets[:, None, :]]
        own = np.arange(sets.shape[1])
        gram[:, own, own] = unit
        if quality.dtype.kind != "i":
            shares = np.array([_share(G, c) for G, c in zip(gram, quality[sets], strict=True)])
            return 1 - float(size_weight(self.criterion, sets.shape[1], self.n_rows)) * (1 - shares)
        step = self.step(unit)
        pairs = zip(gram.tolist(), quality[sets].tolist(), strict=True)
        exact = [explained(G, c) // step * step for G, c in pairs]
        return np.array([self.value_of(share, sets.shape[1], unit) for share in exact], np.int64)

    def changes(
        self, quality: Array, redundancy: Array | None, sets: Array, by: Array, by_pairs: Array | None
    ) -> Array:
        """Return 2βᵀdc − βᵀdGβ: R² is the maximum over β of 2cᵀβ − βᵀGβ, so β need not change with them."""
        assert redundancy is not None
        assert by_pairs is not None
        gram, own = redundancy[sets[:, :, None], sets[:, None, :]], np.arange(sets.shape[1])
        gram[:, own, own] = 1
        beta = (np.linalg.pinv(gram) @ quality[sets][:, :, None])[:, :, 0]
        beta = _placed(beta, sets, len(quality))
        weight = float(size_weight(self.criterion, sets.shape[1], self.n_rows))
        return np.asarray(weight * (2 * by @ beta.T - _quadratic(beta, by_pairs)))

    def counts(self, quality: Array, redundancy: Array | None, feature_set: FeatureSet, unit: float) -> bool:
        assert redundancy is not None
        own = list(feature_set)
        gram = redundancy[np.ix_(own, own)]
        np.fill_diagonal(gram, int(unit))
        return coefficients(gram.tolist(), quality[own].tolist()) is not None

    def magnitude(self, k: int, n_features: int) -> int:
        return 1

    def rounding_loss(self, k: int, n_features: int, scale: float, *, exact: bool, largest: float) -> float:
        """Return the loss of rounding the correlations, and the value itself."""
        weight = float(size_weight(self.criterion, k, self.n_rows))
        rounded = self.step(scale) + (0 if exact else SENSITIVITY / 2)
        return (weight * rounded + (self.criterion is not None)) / scale


class FacilityLocationFunction(FractionObjective):
    """How well a set represents all columns: Σ_i max_{j in S} s_ij, for similarities s (k-medoids).

    Redundancies are the similarities of pairs, the quality of a feature is its own with itself; so is each
    column represented by the feature of the set that resembles it most. Forbidden features and those left
    over are represented, too: they are only not chosen.
    """

    name = "facility_location"
    title = "facility location"
    meaning = "how well each column is represented by the feature of the set that is most similar to it"
    equation = "facility location, Cornuejols, Fisher and Nemhauser 1977"
    default_measure = "itself"
    default_redundancy = "pearson"
    usual_scale = 1e6

    def kinds(self, *, one_size: bool) -> frozenset[ObjectiveKind]:
        return frozenset({ObjectiveKind.MAXIMA})

    def check(self, quality: Array, redundancy: Array | None, scale: float) -> None:
        """Take any numbers."""

    def evaluate(self, quality: Array, redundancy: Array | None, sets: Array, unit: float = 1) -> Array:
        assert redundancy is not None
        similarity = redundancy.copy()
        np.fill_diagonal(similarity, quality)
        best = similarity[sets[:, 0]]
        for place in range(1, sets.shape[1]):
            best = np.maximum(best, similarity[sets[:, place]])
        total: Array = best.sum(axis=1)
        return total

    def magnitude(self, k: int, n_features: int) -> int:
        return n_features

    def rounding_loss(self, k: int, n_features: int, scale: float, *, exact: bool, largest: float) -> float:
        """Return half a unit for each column, whose maximum changes by no more than its numbers do."""
        return 0.0 if exact else n_features / (2 * scale)


def _placed(numbers: Array, sets: Array, n_features: int) -> Array:
    """Return numbers of members at the places of their features, else zeros, shape (m, n_features)."""
    found = np.zeros((len(sets), n_features))
    np.put_along_axis(found, sets, numbers, axis=1)
    return found


def _quadratic(rows: Array, matrices: Array) -> Array:
    """Return xᵀMx of each row x of some and each matrix M, shape (n_matrices, n_rows)."""
    return np.asarray(np.einsum("si,bij,sj->bs", rows, matrices, rows, optimize=True))


def _share(gram: NDArray[np.float64], target: NDArray[np.float64]) -> float:
    """Return R² in floats, of columns of which `LeastSquares.counts` says that they determine it."""
    return float(target @ np.linalg.lstsq(gram, target, rcond=None)[0])


OBJECTIVES: dict[str, ObjectiveFunction] = {
    objective.name: objective
    for objective in (
        UnivariateFunction(),
        Fcbf(),
        Mrmr(),
        Jmi(),
        Mifs(),
        Cife(),
        GraphScoreFunction(),
        Cfs(),
        LeastSquares(),
        FacilityLocationFunction(),
    )
}
KNOWN_TO_MODELS = frozenset(OBJECTIVES)
"""The objectives whose weights `models/lib/problem.mzn` computes; files state the weights of others."""
SEARCHES = ("sequential", "simultaneous")
AGGREGATES = ("sum", "min", "weighted", "difference")
SUM_AND_MIN = AGGREGATES[:2]
SET_TERMS = frozenset({"shared_price", *AGGREGATES[2:]})
"""What the objective of several sets can have in addition to their sum or minimum, if a backend can."""


def with_kinds(words: Iterable[str]) -> frozenset[str]:
    """Return names of objectives and kinds, and the kinds of those objectives."""
    named = (OBJECTIVES[word].kinds(one_size=True) for word in words if word in OBJECTIVES)
    return frozenset(words).union(*named)


def check_sizes(objective: str, sizes: range) -> None:
    """Raise `InputError` if the sets of an objective that knows one size only may differ in size."""
    if len(sizes) > 1 and OBJECTIVES[objective].has_one_size:
        raise InputError(f"k_min={sizes[0]}: objective={objective!r} has one size; the smallest is best")


def require_taken(objective: str, **asked: object) -> None:
    """Raise `InputError` if something is given that the objective does not take."""
    for name, given in asked.items():
        known = [one for one, kind in OBJECTIVES.items() if name in kind.takes]
        if given is not None and objective not in known:
            raise InputError(f"{name}={given!r}: is for objective {', '.join(known)}, not {objective!r}")


def taken_by(words: Iterable[str]) -> list[str]:
    """Return the objectives that one takes who says these names and kinds."""
    return [name for name in OBJECTIVES if with_kinds([name]) & set(words)]
