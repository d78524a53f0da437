"""Objectives, which define the quality of a set: the base of all, and those that are sums over pairs.

Every objective is written once, as a value with its parameters and for arrays, so the same lines serve the
quantised integers (where optimality and bounds are decided) and the user's own floats (what is shown).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, dataclass_transform

import numpy as np

from pyfsel.core.arrays import Array
from pyfsel.errors import InputError
from pyfsel.problem.checks import finite_number
from pyfsel.problem.value import Value

Chosen = tuple[tuple[str, str], ...]
"""A fact for the answer: which objective was chosen and why; empty if it was named."""
FeatureSet = tuple[int, ...]
Family = tuple[FeatureSet, ...]
"""Of sets that are found together, or one after another."""


class Numbers(NamedTuple):
    """What sets are evaluated by: the integers of a problem, or the user's floats.

    Parameters
    ----------
    quality : array of shape (n_features,)
    pairs : array of shape (n_features, n_features) or what is indexed as one, optional
        Redundancies, for objectives that count them.
    unit : float
        What the user's number 1 is among these: the problem's scale for its integers.
    """

    quality: Array
    pairs: Any = None
    unit: float = 1


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


@dataclass_transform(frozen_default=True)
class Objective(Value):
    """Quality of one feature set, maximised: a sum over its features and, if `has_pairs`, over their pairs.

    With a and b from `weights`, the integer value of a set is a · Σ quality − b · Σ redundancy over its
    pairs, which is `factor` times the quality; without pairs a is 1. All else follows: a new objective is one
    class that says its weights, and its place in `pyfsel.problem.known_objectives`. Nobody asks for its name.
    Its parameters are the fields of a frozen dataclass, which each subclass becomes by itself.

    Attributes
    ----------
    name, equation : str
        Of the arguments and files, and where it comes from.
    is_sum : bool
        Whether the value of a set is the sum of the qualities of its features.
    needs_pairs : bool
        Whether building a problem takes the dependence between features.
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
    is_sum: ClassVar[bool]
    needs_pairs: ClassVar[bool]
    equation: ClassVar[str]
    has_pairs: ClassVar[bool] = False
    is_fraction: ClassVar[bool] = False
    has_conflicts: ClassVar[bool] = False
    has_one_size: ClassVar[bool] = False
    simultaneous: ClassVar[bool] = True
    is_signed: ClassVar[bool] = False
    usual_scale: ClassVar[float | None] = None
    default_redundancy: ClassVar[str] = ""
    default_measure: ClassVar[str] = "information"

    def __init_subclass__(cls) -> None:
        cls.name = re.sub("(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
        cls.is_sum = not (cls.has_pairs or cls.is_fraction)
        cls.needs_pairs = cls.has_conflicts or not cls.is_sum
        dataclass(frozen=True, repr=False)(cls)

    def __post_init__(self) -> None:
        for name in ("beta", "ridge"):
            number = getattr(self, name, None)
            if number is not None and finite_number(name, number) < 0:
                raise InputError(f"{name}={number!r}: must be at least 0")

    def resolved(self, scores: Any, low: int | None, k: int) -> tuple[Objective, Chosen]:
        """Return the objective for some scores and from `low` to `k` features, and why if it was chosen.

        Raises
        ------
        InputError
            If it is for measured tables only.
        """
        if getattr(self, "pairs", None) is not None and not hasattr(scores, "tables"):
            raise InputError("objective: pairs are measured in tables. Give the pairs as numbers")
        return self, ()

    @property
    def pairs_measure(self) -> str:
        """The measure of pairs in tables; "" is the measure of the qualities."""
        return getattr(self, "pairs", None) or self.default_redundancy

    @property
    def multipliers(self) -> tuple[float, float]:
        """By what qualities and redundancies are multiplied."""
        beta = getattr(self, "beta", None)
        return 1.0, 1.0 if beta is None else float(beta)

    @property
    def instance_fields(self) -> dict[str, Any]:
        """The fields of an instance that say which objective it is."""
        return {"objective": self.name}

    def kinds(self, *, one_size: bool) -> frozenset[ObjectiveKind]:
        """Return what kinds of objective it is for sets that have one size, or may differ in it."""
        if not self.has_pairs:
            return frozenset({ObjectiveKind.FRACTIONS if self.is_fraction else ObjectiveKind.SUMS})
        fixed = {ObjectiveKind.PAIRS_OF_ONE_SIZE} if one_size else set()
        return frozenset(fixed if self.has_one_size else {*fixed, ObjectiveKind.PAIRS})

    def check(self, numbers: Numbers) -> None:
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

    def counts(self, numbers: Numbers, feature_set: FeatureSet) -> bool:
        """Return whether the integers give a set the value of its features, not of an empty set.

        One rule for integers and floats: floats alone cannot decide whether columns depend on each other.
        """
        return True

    def evaluate(self, numbers: Numbers, sets: Array) -> Array:
        """Return the values of several sets.

        Parameters
        ----------
        numbers : Numbers
        sets : array of shape (m, k), 0-based feature indices

        Returns
        -------
        array of shape (m,), of the dtype of the qualities
        """
        per_feature, per_pair = self.weights(sets.shape[1])
        total: Array = per_feature * numbers.quality[sets].sum(axis=1)
        for place in range(1, sets.shape[1]) if per_pair else ():
            total = total - per_pair * numbers.pairs[sets[:, place, None], sets[:, :place]].sum(axis=1)
        return total

    def changes(self, numbers: Numbers, sets: Array, by: Numbers) -> Array:
        """Return how values change, to first order, if the numbers do; here values are linear in them.

        Parameters
        ----------
        numbers, sets
            Floats, as for `evaluate`.
        by : Numbers
            With one more axis, the first: the changes.

        Returns
        -------
        array of shape (n_changes, m)
        """
        last = None if by.pairs is None else np.moveaxis(by.pairs, 0, -1)
        return self.evaluate(Numbers(by.quality.T, last), sets).T

    def magnitude(self, k: int, n_features: int) -> int:
        """Return the largest possible absolute value of a set whose numbers are all in [−1, 1]."""
        per_feature, per_pair = self.weights(k)
        return k * per_feature + k * (k - 1) // 2 * per_pair

    def rounding_loss(self, problem: Any) -> float:
        """Return the most by which quantising can change the quality of one set of a problem.

        That is half a unit for each number, and nothing if the integers divided by the scale are the user's
        numbers.
        """
        largest_value = self.magnitude(problem.k, problem.n_features)
        return 0.0 if problem.is_exact else largest_value / (2 * problem.scale * self.factor(problem.k))


class Univariate(Objective):
    """Sum of the qualities of the selected features (paper 000, Eq. 11)."""

    equation = "000 Eq. 11"


class FCBF(Objective):
    """Univariate quality under the pairwise conflicts of FCBF (paper 000, Eq. 12).

    The conflicts themselves are constraints and belong to the problem.
    """

    equation = "000 Eq. 12"
    has_conflicts = True


class MRMR(Objective):
    """Mean relevance minus `beta` times the mean redundancy of pairs, of one size (paper 000, Eq. 13).

    Integer values are k(k−1) times as large.

    Parameters
    ----------
    beta : float, optional
        The weight of redundancy, at least 0; 1 by default.
    pairs : str, optional
        The measure of pairs; by default, the measure of single features.
    """

    beta: float | None = None
    pairs: str | None = None

    equation = "000 Eq. 13"
    has_pairs = True
    has_one_size = True

    def weights(self, k: int) -> tuple[int, int]:
        return max(1, k - 1), 2

    def factor(self, k: int) -> int:
        return max(1, k * (k - 1))


class JMI(Objective):
    """Joint mutual information: the mean of I(X_i, X_j; Y) over the pairs of k features (Yang, Moody 1999).

    Their search adds one feature after another, each time the feature with the largest sum of I(X_i, X_j; Y)
    with those before; this is that sum over all pairs of a set. By the chain rule
    ``I(X_i, X_j; Y) = I(X_i; Y) + I(X_j; Y) − r_ij`` with ``r_ij = I(X_i; X_j) − I(X_i; X_j | Y)``, which is
    negative if two features are more informative together than apart. In k features each has k − 1 partners,
    so the sum over pairs is (k−1) · Σ I(X_i; Y) − Σ r_ij, and k(k−1)/2 times the mean. For k = 1 it is
    I(X; Y).
    """

    equation = "Yang and Moody 1999"
    has_pairs = True
    has_one_size = True
    default_redundancy = "co_information"

    def weights(self, k: int) -> tuple[int, int]:
        return max(1, k - 1), 1

    def factor(self, k: int) -> int:
        return max(1, k * (k - 1) // 2)


class MIFS(Objective):
    """Σ I(X_i; Y) − β · Σ I(X_i; X_j) over the pairs of a set of any size (MIFS, Battiti 1994)."""

    beta: float | None = None
    pairs: str | None = None

    equation = "Battiti 1994"
    has_pairs = True


class CIFE(Objective):
    """MIFS with the redundancies of `JMI`: the information of features and pairs (Lin and Tang 2006)."""

    beta: float | None = None

    equation = "Lin and Tang 2006"
    has_pairs = True
    default_redundancy = "co_information"


class GraphScore(Objective):
    """The negated graph score: Σ quality − Σ redundancy over the pairs of a set (paper 004, Eq. 11).

    The score is minimised in the paper; ``quality = −w(Δ − shiftΔ)`` and ``redundancy = (1−w)(P − shiftP)``
    make it a quality that is maximised, over sets of any size.
    """

    equation = "004 Eq. 11"
    has_pairs = True
    default_measure = "class_separation"
    default_redundancy = "pearson"


SEARCHES = ("sequential", "simultaneous")
MIN_THEN_SUM = "min_then_sum"
"""Two simultaneous searches; their aggregate is the minimum."""
AGGREGATES = ("sum", "min", "weighted", "difference")
SUM_AND_MIN = AGGREGATES[:2]
SET_TERMS = frozenset({"shared_price", *AGGREGATES[2:]})
"""What the objective of several sets can have in addition to their sum or minimum, if a backend can."""
