"""Objectives, which define the quality of a set, as values with parameters; or by name, "mrmr".

Examples
--------
>>> from pyfsel import objectives
>>> objectives.MRMR(beta=0.5)
MRMR(beta=0.5)
>>> objectives.as_objective("mrmr:beta=0.5") == objectives.MRMR(beta=0.5)
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of
from pyfsel.problem.value import Value, split_shorthand, typed

MOST_FOR_JMI, MOST_FOR_R2 = 2000, 200
"""Features up to which pairs are measured, and best subsets of 5 are proved, in seconds."""
Chosen = tuple[tuple[str, str], ...]
"""A fact for the answer: which objective was chosen and why; empty if it was named."""
BY_NAME: dict[str, type[Objective]] = {}
"""All objectives; each enters itself."""
TYPES = {"float": float, "int": int}
"""The types of parameters in a shorthand; parameters of other types stay text."""
LARGEST_FOR_R2 = 5
"""Sets of 10 are rarely proved best by R²."""


@dataclass_transform(frozen_default=True)
class Objective(Value):
    """The base of all objectives."""

    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.name = re.sub("(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
        BY_NAME[cls.name] = dataclass(frozen=True, repr=False)(cls)

    def resolved(self, scores: Any, low: int | None, k: int) -> tuple[Objective, Chosen]:
        """Return the objective for some scores and from `low` to `k` features, and why if it was chosen."""
        return self, ()

    @property
    def arguments(self) -> dict[str, Any]:
        """The parameters as arguments of functions that build a problem."""
        given = {name: value for name, value in self.get_params().items() if value is not None}
        if "pairs" in given:
            given["redundancy_measure"] = given.pop("pairs")
        return {"objective": self.name, **given}


class Univariate(Objective):
    """The sum of the scores of the features (paper 000, Eq. 11)."""


class FCBF(Objective):
    """The sum of the scores, of sets without redundant pairs (paper 000, Eq. 12)."""


class MRMR(Objective):
    """Mean relevance minus `beta` times the mean redundancy of pairs, of one size (paper 000, Eq. 13).

    Parameters
    ----------
    beta : float, optional
        The weight of redundancy, at least 0; 1 by default.
    pairs : str, optional
        The measure of pairs; by default, the measure of single features.
    """

    beta: float | None = None
    pairs: str | None = None


class JMI(Objective):
    """Joint mutual information: a mean over pairs, of one size (Yang and Moody 1999)."""


class MIFS(Objective):
    """The sum of relevances minus `beta` times the sum of redundancies, of any size (Battiti 1994)."""

    beta: float | None = None
    pairs: str | None = None


class CIFE(Objective):
    """MIFS with redundancies that are conditional on the target (Lin and Tang 2006)."""

    beta: float | None = None


class CFS(Objective):
    """Relevance relative to the correlation of the features (Hall 2000; paper 000, Eq. 20)."""

    pairs: str | None = None


class R2(Objective):
    """The explained proportion of the variance of a linear fit: best subsets of least squares.

    Parameters
    ----------
    ridge : float, optional
        A penalty, at least 0, on squared coefficients of columns of length 1.
    criterion : {"adjusted_r2", "aic", "bic"}, optional
        The criterion by which sets of different sizes are compared.
    n_rows : int, optional
        The number of rows that were measured; needed only with your own numbers, not with a table.
    """

    ridge: float | None = None
    criterion: str | None = None
    n_rows: int | None = None


class FacilityLocation(Objective):
    """How well a set represents all features: the sum over features of the best similarity to the set."""

    pairs: str | None = None


class GraphScore(Objective):
    """Vertex weights minus correlations, of any size (paper 004, Eq. 11)."""


class Model(Objective):
    """The cross-validated score of a model, found by hill climbing and never proved; for tables only.

    Parameters
    ----------
    estimator : estimator of scikit-learn or str
        "tree", "linear", "forest", "neighbours" or "boosting".
    scoring : str, optional
        A scorer of scikit-learn.
    cv : int, splitter or iterable
        The cross-validation, as in scikit-learn.
    max_fits : int, optional
        The maximum number of sets that are scored.
    """

    estimator: Any = "tree"
    scoring: str | None = None
    cv: Any = 5
    max_fits: int | None = None

    def resolved(self, scores: Any, low: int | None, k: int) -> tuple[Objective, Chosen]:
        """Raise `InputError`: no numbers are a model's scores of sets."""
        raise InputError("objective=Model(…): trains models. Use AlternativeFeatureSelector")


class Auto(Objective):
    """R², JMI or the sum of the scores, chosen for the table; for measured tables only.

    ``benchmarks/results/objective_auto.md`` shows which one is chosen and what it gains on held-out rows:
    there is a gain for numeric targets, and none was shown for classes.
    """

    def resolved(self, scores: Any, low: int | None, k: int) -> tuple[Objective, Chosen]:
        """Return R², JMI or sums, and why."""
        if not hasattr(scores, "tables"):
            raise InputError("objective='auto': chooses by a table. Give Scores, or the name of an objective")
        table = scores.table
        is_linear = table.task == "regression" and not np.any(table.is_unordered)
        sums, n = Univariate(), table.n_features
        cases = [
            (sums, "a measure is given", scores.options["measure"] is not None),
            (sums, "the target has several outputs", len(scores.tables) > 1),
            (sums, "the target has neither classes nor numbers", table.task in ("survival", "unsupervised")),
            (sums, "sets differ in size", low),
            (sums, f"pairs of more than {MOST_FOR_JMI:,} features take too long", n > MOST_FOR_JMI),
            (
                R2(),
                f"at most {LARGEST_FOR_R2} features for a numeric target",
                is_linear and k <= LARGEST_FOR_R2 and n <= MOST_FOR_R2,
            ),
            (JMI(), f"pairs of {n:,} features can be measured", True),
        ]
        found, why, _ = next(case for case in cases if case[-1])
        return found, (("objective", f"{found.name}, chosen by auto: {why}"),)


def as_objective(given: Any, argument: str = "objective") -> Objective:
    """Return an objective that is given as a value, a name, or a shorthand such as "mrmr:beta=0.5".

    Raises
    ------
    InputError
        If an objective or a parameter is unknown, or a parameter is not a number.
    """
    if isinstance(given, Objective):
        return given
    if not isinstance(given, str):
        raise InputError(
            f"{argument}={given!r}: is not an objective. Expected a name or a value of objectives"
        )
    word, options = split_shorthand(argument, given)
    name = word.lower()
    one_of(argument, name, BY_NAME)
    kind = BY_NAME[name]
    types = {one.name: TYPES.get(str(one.type).split()[0], str) for one in fields(kind)}  # type: ignore[arg-type]
    return kind(**typed(name, options, types))
