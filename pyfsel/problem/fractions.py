"""Objectives with values that are not sums over pairs of features: rounded fractions, and maxima."""

from __future__ import annotations

from math import floor, inf, isqrt, sqrt
from typing import Any, ClassVar

import numpy as np

from pyfsel.core.arrays import Array
from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of
from pyfsel.problem.least_squares import CRITERIA, SENSITIVITY, STEPS, coefficients, explained, size_weight
from pyfsel.problem.objectives import FeatureSet, Numbers, Objective, ObjectiveKind


class FractionObjective(Objective):
    """A value that is not a sum of features and pairs: it has no weights; `scale` may be its resolution."""

    is_fraction = True
    simultaneous: ClassVar[bool] = False
    allowed: ClassVar[tuple[float, float, str] | None] = None
    """The least and the largest of the user's numbers, and what such numbers are; None: any."""

    def weights(self, k: int) -> tuple[int, int]:
        raise NotImplementedError("a fraction has no weights")

    def data(self, k: int) -> dict[str, int]:
        return {}

    def check(self, numbers: Numbers) -> None:
        if self.allowed is None:
            return
        scale = numbers.unit
        if scale != int(scale):
            raise InputError(f"scale={scale}: objective={self.name!r} needs a whole number")
        (low, high), words = (scale * limit for limit in self.allowed[:2]), self.allowed[2]
        for name in ("quality", "pairs"):
            found = getattr(numbers, name)
            wrong = [] if found is None else found[(found < low) | (found > high)]
            if len(wrong):
                raise InputError(f"{name}: has {wrong[0]}; objective={self.name!r} needs {words}")


class CFS(FractionObjective):
    """Correlation-based feature selection, Σ q / √(k + Σ_{i≠j} r), for k features (paper 000, Eq. 20).

    The quality of a set is irrational. Its integer value is ``⌊scale · quality⌋``, computed exactly from the
    integers: with A the sum of the qualities, and D = scale · k + the redundancies of all ordered pairs, it
    is the integer square root of ``scale · A² / D``. So `scale` is also the resolution of the values.
    Qualities and redundancies are correlations without sign.
    """

    pairs: str | None = None

    equation = "000 Eq. 20"
    default_measure = "information_share"
    allowed = 0, inf, "correlations without sign"

    def evaluate(self, numbers: Numbers, sets: Array) -> Array:
        relevance, unit = numbers.quality[sets].sum(axis=1), numbers.unit
        correlation = numbers.pairs[sets[:, :, None], sets[:, None, :]].sum(axis=(1, 2))
        if relevance.dtype.kind != "i":
            return np.asarray(relevance * np.sqrt(unit / (unit * sets.shape[1] + correlation)))
        scale = int(unit)
        pairs = zip(relevance.tolist(), correlation.tolist(), strict=True)
        return np.array([isqrt(scale * a * a // (scale * sets.shape[1] + r)) for a, r in pairs], np.int64)

    def changes(self, numbers: Numbers, sets: Array, by: Numbers) -> Array:
        """Return dA / √D − A · dD / (2 D^(3/2)) of the value A / √D."""
        inside = _placed(np.ones(sets.shape), sets, len(numbers.quality))
        A, D = inside @ numbers.quality, sets.shape[1] + _quadratic(inside, numbers.pairs[None])[0]
        return np.asarray(
            by.quality @ inside.T / np.sqrt(D) - A * _quadratic(inside, by.pairs) / (2 * D**1.5)
        )

    def magnitude(self, k: int, n_features: int) -> int:
        return isqrt(k - 1) + 1

    def rounding_loss(self, problem: Any) -> float:
        """Return the loss of rounding qualities, redundancies, and the value itself.

        For k features the quality changes by at most √k/(2·scale), as D is at least k, and, as the
        redundancies do by k(k−1)/(2·scale) together, by a share of (k−1)/(4·scale); it is at most
        √k times the largest quality of a feature.
        """
        if problem.is_exact:
            return float(1 / problem.scale)
        k, largest = problem.k, float(problem.quality_floats.max())
        return float((1 + sqrt(k) / 2 + sqrt(k) * largest * (k - 1) / 4) / problem.scale)


class R2(FractionObjective):
    """The share of the target's variance that a linear fit on the features explains, R² = cᵀG⁻¹c.

    Qualities c are correlations with the target, redundancies those between features, both with their sign.
    The integer value of a set is ``scale · R²`` rounded down to one of 10⁸ steps, computed exactly from the
    integers, and 0 where the coefficients add up to more than 1000 (`pyfsel.problem.least_squares`).

    With a criterion for sets that differ in size it is 1 − w · (1 − R²), rounded down, w being the weight of
    the size: adjusted R² itself, and where AIC and BIC are least it is largest.

    Parameters
    ----------
    ridge : float, optional
        A penalty, at least 0, on squared coefficients of columns of length 1. A set is worth the maximum of
        2cᵀβ − βᵀGβ − ridge·βᵀβ. Penalties of standardised columns of N rows are N times as large.
    criterion : {"adjusted_r2", "aic", "bic"}, optional
        The criterion by which sets of different sizes are compared, without a ridge.
    n_rows : int, optional
        The number of rows that were measured, N; needed only with your own numbers, not with a table.
    """

    ridge: float | None = None
    criterion: str | None = None
    n_rows: int | None = None

    equation = "best subsets, Furnival and Wilson 1974"
    is_signed = True
    simultaneous = True
    default_measure = "pearson"
    usual_scale = 1e14
    allowed = -1, 1, "correlations, from -scale to scale"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.criterion is not None:
            one_of("criterion", self.criterion, CRITERIA)

    @classmethod
    def of(cls, problem: Any) -> R2:
        """Return the objective of an instance whose objective it is."""
        return cls(criterion=problem.objective_criterion, n_rows=problem.objective_rows)

    @property
    def multipliers(self) -> tuple[float, float]:
        """By what correlations are multiplied: (G + ridge·I) / (1 + ridge) has ones on its diagonal again."""
        shrinkage = 1.0 + float(self.ridge or 0)
        return shrinkage**-0.5, 1 / shrinkage

    @property
    def instance_fields(self) -> dict[str, Any]:
        """The fields of an instance that say which objective it is."""
        return {
            **super().instance_fields,
            "objective_ridge": float(self.ridge or 0),
            "objective_criterion": self.criterion,
            "objective_rows": self.n_rows,
        }

    def kinds(self, *, one_size: bool) -> frozenset[ObjectiveKind]:
        return frozenset({ObjectiveKind.LEAST_SQUARES})

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

    def evaluate(self, numbers: Numbers, sets: Array) -> Array:
        quality, pairs, unit = numbers
        gram = _grams(pairs, sets, unit)
        if quality.dtype.kind != "i":
            systems = zip(gram, quality[sets], strict=True)  # of columns that determine R² (`counts`)
            shares = np.array([c @ np.linalg.lstsq(G, c, rcond=None)[0] for G, c in systems])
            return 1 - float(size_weight(self.criterion, sets.shape[1], self.n_rows)) * (1 - shares)
        step = self.step(unit)
        systems = zip(gram.tolist(), quality[sets].tolist(), strict=True)
        exact = [explained(G, c) // step * step for G, c in systems]
        return np.array([self.value_of(share, sets.shape[1], unit) for share in exact], np.int64)

    def changes(self, numbers: Numbers, sets: Array, by: Numbers) -> Array:
        """Return 2βᵀdc − βᵀdGβ: R² is the maximum over β of 2cᵀβ − βᵀGβ, so β need not change with them."""
        quality, pairs, _ = numbers
        beta = (np.linalg.pinv(_grams(pairs, sets, 1)) @ quality[sets][:, :, None])[:, :, 0]
        beta = _placed(beta, sets, len(quality))
        weight = float(size_weight(self.criterion, sets.shape[1], self.n_rows))
        return np.asarray(weight * (2 * by.quality @ beta.T - _quadratic(beta, by.pairs)))

    def counts(self, numbers: Numbers, feature_set: FeatureSet) -> bool:
        members = np.array(feature_set)
        (gram,) = _grams(numbers.pairs, members[None], numbers.unit).tolist()
        return coefficients(gram, numbers.quality[members].tolist()) is not None

    def magnitude(self, k: int, n_features: int) -> int:
        return 1

    def rounding_loss(self, problem: Any) -> float:
        """Return the loss of rounding the correlations, and the value itself."""
        weight = float(size_weight(self.criterion, problem.k, self.n_rows))
        rounded = self.step(problem.scale) + (0 if problem.is_exact else SENSITIVITY / 2)
        return float((weight * rounded + (self.criterion is not None)) / problem.scale)


class FacilityLocation(FractionObjective):
    """How well a set represents all columns: Σ_i max_{j in S} s_ij, for similarities s (k-medoids).

    Redundancies are the similarities of pairs, the quality of a feature is its own with itself; so is each
    column represented by the feature of the set that resembles it most. Forbidden features and those left
    over are represented, too: they are only not chosen.
    """

    pairs: str | None = None

    equation = "facility location, Cornuejols, Fisher and Nemhauser 1977"
    default_measure = "itself"
    default_redundancy = "pearson"
    usual_scale = 1e6

    def kinds(self, *, one_size: bool) -> frozenset[ObjectiveKind]:
        return frozenset({ObjectiveKind.MAXIMA})

    def evaluate(self, numbers: Numbers, sets: Array) -> Array:
        similarity = numbers.pairs.copy()
        np.fill_diagonal(similarity, numbers.quality)
        best = similarity[sets[:, 0]]
        for place in range(1, sets.shape[1]):
            best = np.maximum(best, similarity[sets[:, place]])
        total: Array = best.sum(axis=1)
        return total

    def magnitude(self, k: int, n_features: int) -> int:
        """Return the number of columns: the maximum of each changes by no more than its numbers do."""
        return n_features


def _grams(pairs: Array, sets: Array, own: float) -> Array:
    """Return the pairs of the features of each set, and of each with itself, shape (m, k, k)."""
    found, place = pairs[sets[:, :, None], sets[:, None, :]], np.arange(sets.shape[1])
    found[:, place, place] = own
    return found


def _placed(numbers: Array, sets: Array, n_features: int) -> Array:
    """Return numbers of members at the places of their features, else zeros, shape (m, n_features)."""
    found = np.zeros((len(sets), n_features))
    np.put_along_axis(found, sets, numbers, axis=1)
    return found


def _quadratic(rows: Array, matrices: Array) -> Array:
    """Return xᵀMx of each row x of some and each matrix M, shape (n_matrices, n_rows)."""
    return np.asarray(np.einsum("si,bij,sj->bs", rows, matrices, rows, optimize=True))
