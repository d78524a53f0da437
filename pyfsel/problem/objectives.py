"""Values of feature sets: the only place where an objective is computed.

Every objective is written once, for arrays, so that the same lines serve the quantised integers (where
optimality and bounds are decided) and the user's own floats (what is shown).
"""

from __future__ import annotations

from math import isqrt, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyfsel.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

FeatureSet = tuple[int, ...]


class Objective:
    """Quality of one feature set, maximised.

    ``evaluate`` returns ``factor(set_size)`` times the quality, so that integer input gives integers. What
    others must know of an objective are its flags, so that a new objective is one class and its place in
    `OBJECTIVES`: nobody asks for its name but those who list the objectives that they take.

    Attributes
    ----------
    name, title, meaning, equation : str
        Of the arguments and files, for readers, in one sentence, and where it comes from.
    is_sum : bool
        Whether the value of a set is the sum of the qualities of its features.
    has_pairs : bool
        Whether it is the sum of the qualities minus that of the redundancies of all pairs, times `weights`.
    is_fraction : bool
        Whether it is rounded from a fraction, so that a search takes steps (`pyfsel.algorithms.cfs`).
    has_conflicts : bool
        Whether the dependence between features forbids pairs of them.
    has_one_size : bool
        Whether values of sets that differ in size cannot be compared, as `weights` depend on the size.
    is_measured : bool
        Whether `pyfsel.measures.pair_measures` gives its numbers.
    simultaneous : bool
        Whether several sets can be asked for at once.
    default_measure : str
        Where the numbers come from if a user does not say.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    meaning: ClassVar[str]
    equation: ClassVar[str]
    is_sum: ClassVar[bool] = False
    has_pairs: ClassVar[bool] = False
    is_fraction: ClassVar[bool] = False
    has_conflicts: ClassVar[bool] = False
    has_one_size: ClassVar[bool] = False
    is_measured: ClassVar[bool] = True
    simultaneous: ClassVar[bool] = True
    default_measure: ClassVar[str] = "mutual_info"

    @property
    def needs_pairs(self) -> bool:
        """Whether building a problem takes the dependence between features."""
        return self.has_conflicts or not self.is_sum

    @property
    def has_pairs_of_any_size(self) -> bool:
        """Whether pairs of features weigh the same in sets of any size."""
        return self.has_pairs and not self.has_one_size

    def check(self, quality: NDArray[Any], redundancy: NDArray[Any] | None, scale: float) -> None:
        """Raise `InputError` if the integers of a problem are not what the objective is defined for."""

    def factor(self, set_size: int) -> int:
        """Return the integer by which `evaluate` is larger than the objective of the paper."""
        return 1

    def evaluate(
        self,
        quality: NDArray[Any],
        redundancy: NDArray[Any] | None,
        sets: NDArray[np.intp],
        unit: float = 1,
    ) -> NDArray[Any]:
        """Return the values of several sets.

        Parameters
        ----------
        quality : array of shape (n_features,)
        redundancy : array of shape (n_features, n_features) or None
        sets : array of shape (m, set_size), 0-based feature indices
        unit : float
            What the user's number 1 is among these: the problem's scale for its integers.

        Returns
        -------
        array of shape (m,), of the dtype of `quality`
        """
        raise NotImplementedError

    def weights(self, set_size: int) -> tuple[int, int]:
        """Return a and b where the value of a set is a · Σ quality − b · Σ redundancy over its pairs."""
        raise NotImplementedError

    def magnitude(self, set_size: int) -> int:
        """Return the largest possible absolute value of a set whose numbers are all in [−1, 1]."""
        return set_size

    def rounding_loss(self, set_size: int, scale: float, *, exact: bool, largest: float) -> float:
        """Return the most by which quantising can change the quality of one set.

        Parameters
        ----------
        set_size : int
        scale : float
        exact : bool
            Whether the integers divided by the scale are the user's numbers.
        largest : float
            The user's largest quality of a feature.
        """
        return 0.0 if exact else set_size / (2 * scale)


class Univariate(Objective):
    """Sum of the qualities of the selected features (paper 000, Eq. 11)."""

    name = "univariate"
    title = "univariate"
    meaning = "a set is as good as the sum of the qualities of its features"
    equation = "000 Eq. 11"
    is_sum = True

    def evaluate(
        self,
        quality: NDArray[Any],
        redundancy: NDArray[Any] | None,
        sets: NDArray[np.intp],
        unit: float = 1,
    ) -> NDArray[Any]:
        total: NDArray[Any] = quality[sets].sum(axis=1)
        return total

    def weights(self, set_size: int) -> tuple[int, int]:
        return 1, 0


class Fcbf(Univariate):
    """Univariate quality under the pairwise conflicts of FCBF (paper 000, Eq. 12).

    The conflicts themselves are constraints and belong to the problem.
    """

    name = "fcbf"
    title = "FCBF"
    meaning = "the sum of the qualities, without pairs of features that are redundant for each other"
    equation = "000 Eq. 12"
    has_conflicts = True


class Mrmr(Objective):
    """Relevance minus redundancy for a fixed size k (paper 000, Eq. 13), multiplied by k(k−1)."""

    name = "mrmr"
    title = "mRMR"
    meaning = "the relevance of the features minus the redundancy between them"
    equation = "000 Eq. 13"
    has_pairs = True
    has_one_size = True

    def factor(self, set_size: int) -> int:
        return max(1, set_size * (set_size - 1))

    def evaluate(
        self,
        quality: NDArray[Any],
        redundancy: NDArray[Any] | None,
        sets: NDArray[np.intp],
        unit: float = 1,
    ) -> NDArray[Any]:
        assert redundancy is not None
        set_size = sets.shape[1]
        total: NDArray[Any] = max(1, set_size - 1) * quality[sets].sum(axis=1)
        for position in range(set_size):
            for other in range(position):
                total = total - 2 * redundancy[sets[:, position], sets[:, other]]
        return total

    def weights(self, set_size: int) -> tuple[int, int]:
        return max(1, set_size - 1), 2

    def magnitude(self, set_size: int) -> int:
        return 2 * self.factor(set_size)

    def rounding_loss(self, set_size: int, scale: float, *, exact: bool, largest: float) -> float:
        return 0.0 if exact else (1 if set_size > 1 else 0.5) / scale


class GraphScore(Objective):
    """The negated graph score: Σ quality − Σ redundancy over the pairs of a set (paper 004, Eq. 11).

    The score is minimised in the paper; ``quality = −w(Δ − shiftΔ)`` and ``redundancy = (1−w)(P − shiftP)``
    make it a quality that is maximised, over sets of any size.
    """

    name = "graph_score"
    title = "graph score"
    meaning = "the qualities of the features minus the correlations between them, in sets of any size"
    equation = "004 Eq. 11"
    has_pairs = True
    is_measured = False

    def evaluate(
        self,
        quality: NDArray[Any],
        redundancy: NDArray[Any] | None,
        sets: NDArray[np.intp],
        unit: float = 1,
    ) -> NDArray[Any]:
        assert redundancy is not None
        pairs = redundancy[sets[:, :, None], sets[:, None, :]].sum(axis=(1, 2))
        total: NDArray[Any] = quality[sets].sum(axis=1) - (
            pairs // 2 if pairs.dtype.kind == "i" else pairs / 2
        )
        return total

    def weights(self, set_size: int) -> tuple[int, int]:
        return 1, 1

    def magnitude(self, set_size: int) -> int:
        return set_size * (set_size + 1) // 2

    def rounding_loss(self, set_size: int, scale: float, *, exact: bool, largest: float) -> float:
        return 0.0 if exact else self.magnitude(set_size) / (2 * scale)


class Cfs(Objective):
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
    is_fraction = True
    simultaneous = False
    default_measure = "symmetrical_uncertainty"

    def check(self, quality: NDArray[Any], redundancy: NDArray[Any] | None, scale: float) -> None:
        if scale != int(scale):
            raise InputError(f"scale={scale}: objective='cfs' needs a whole number")
        for name, numbers in (("quality", quality), ("redundancy", redundancy)):
            if numbers is not None and numbers.min() < 0:
                raise InputError(
                    f"{name}: holds {numbers.min()}; objective='cfs' needs correlations without sign"
                )

    def evaluate(
        self,
        quality: NDArray[Any],
        redundancy: NDArray[Any] | None,
        sets: NDArray[np.intp],
        unit: float = 1,
    ) -> NDArray[Any]:
        assert redundancy is not None
        relevance = quality[sets].sum(axis=1)
        correlation = redundancy[sets[:, :, None], sets[:, None, :]].sum(axis=(1, 2))
        if relevance.dtype.kind != "i":
            return np.asarray(relevance * np.sqrt(unit / (unit * sets.shape[1] + correlation)))
        scale = int(unit)
        pairs = zip(relevance.tolist(), correlation.tolist(), strict=True)
        return np.array([isqrt(scale * a * a // (scale * sets.shape[1] + r)) for a, r in pairs], np.int64)

    def magnitude(self, set_size: int) -> int:
        return isqrt(set_size - 1) + 1

    def rounding_loss(self, set_size: int, scale: float, *, exact: bool, largest: float) -> float:
        """Return the loss of rounding qualities, redundancies, and the value itself.

        For k features the quality changes by at most √k/(2·scale), as D is at least k, and, as the
        redundancies do by k(k−1)/(2·scale) together, by a share of (k−1)/(4·scale); it is at most
        √k times the largest quality of a feature.
        """
        if exact:
            return 1 / scale
        return (1 + sqrt(set_size) / 2 + sqrt(set_size) * largest * (set_size - 1) / 4) / scale


OBJECTIVES: dict[str, Objective] = {
    objective.name: objective for objective in (Univariate(), Fcbf(), Mrmr(), GraphScore(), Cfs())
}
SUMS_OF_QUALITIES = tuple(name for name, objective in OBJECTIVES.items() if objective.is_sum)
AGGREGATES = ("sum", "min")
