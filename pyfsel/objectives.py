"""What a set is worth: objectives as values with their parameters. Shorthand: the lower-case name, "mrmr".

Examples
--------
>>> from pyfsel import objectives
>>> objectives.MRMR(beta=0.5)
MRMR(beta=0.5)
>>> objectives.as_objective("mrmr:beta=0.5") == objectives.MRMR(beta=0.5)
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of
from pyfsel.problem.value import Value, split_shorthand, typed


class Objective(Value):
    """The base of all objectives."""

    name: ClassVar[str]
    numbers: ClassVar[dict[str, type]] = {}
    """The parameters that a shorthand can have, and their types."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The parameters as arguments of functions that build a problem."""
        renamed = {"pairs": "redundancy_measure"}
        given = {renamed.get(name, name): value for name, value in self.get_params().items()}
        return {"objective": self.name} | {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, repr=False)
class Univariate(Objective):
    """The sum of the scores of the features (paper 000, Eq. 11)."""

    name: ClassVar[str] = "univariate"


@dataclass(frozen=True, repr=False)
class FCBF(Objective):
    """The sum of the scores, of sets without redundant pairs (paper 000, Eq. 12)."""

    name: ClassVar[str] = "fcbf"


@dataclass(frozen=True, repr=False)
class MRMR(Objective):
    """Mean relevance minus `beta` times the mean redundancy of pairs, of one size (paper 000, Eq. 13).

    Parameters
    ----------
    beta : float, optional
        At least 0; 1 unless given.
    pairs : str, optional
        The measure of pairs; that of single features unless given.
    """

    name: ClassVar[str] = "mrmr"
    numbers: ClassVar[dict[str, type]] = {"beta": float, "pairs": str}
    beta: float | None = None
    pairs: str | None = None


@dataclass(frozen=True, repr=False)
class JMI(Objective):
    """Joint mutual information: a mean over pairs, of one size (Yang and Moody 1999)."""

    name: ClassVar[str] = "jmi"


@dataclass(frozen=True, repr=False)
class MIFS(Objective):
    """The sum of relevances minus `beta` times the sum of redundancies, of any size (Battiti 1994)."""

    name: ClassVar[str] = "mifs"
    numbers: ClassVar[dict[str, type]] = {"beta": float, "pairs": str}
    beta: float | None = None
    pairs: str | None = None


@dataclass(frozen=True, repr=False)
class CIFE(Objective):
    """As MIFS, with redundancies given the target (Lin and Tang 2006)."""

    name: ClassVar[str] = "cife"
    numbers: ClassVar[dict[str, type]] = {"beta": float}
    beta: float | None = None


@dataclass(frozen=True, repr=False)
class CFS(Objective):
    """Relevance relative to the correlation of the features (Hall 2000; paper 000, Eq. 20)."""

    name: ClassVar[str] = "cfs"
    numbers: ClassVar[dict[str, type]] = {"pairs": str}
    pairs: str | None = None


@dataclass(frozen=True, repr=False)
class R2(Objective):
    """The explained proportion of the variance of a linear fit: best subsets of least squares.

    Parameters
    ----------
    ridge : float, optional
        A penalty, at least 0, on squared coefficients of columns of length 1.
    criterion : {"adjusted_r2", "aic", "bic"}, optional
        By what sets of different sizes are compared.
    n_rows : int, optional
        Rows that were measured; only with numbers of your own, tables know it.
    """

    name: ClassVar[str] = "r2"
    numbers: ClassVar[dict[str, type]] = {"ridge": float, "criterion": str, "n_rows": int}
    ridge: float | None = None
    criterion: str | None = None
    n_rows: int | None = None


@dataclass(frozen=True, repr=False)
class FacilityLocation(Objective):
    """How well a set represents all features: the sum over features of the best similarity to the set."""

    name: ClassVar[str] = "facility_location"
    numbers: ClassVar[dict[str, type]] = {"pairs": str}
    pairs: str | None = None


@dataclass(frozen=True, repr=False)
class GraphScore(Objective):
    """Vertex weights minus correlations, of any size (paper 004, Eq. 11)."""

    name: ClassVar[str] = "graph_score"


@dataclass(frozen=True, repr=False)
class Model(Objective):
    """The cross-validated score of a model, found by hill climbing and never proved; for tables only.

    Parameters
    ----------
    estimator : estimator of scikit-learn or str
        "tree", "linear", "forest", "neighbours" or "boosting".
    scoring : str, optional
        A score of scikit-learn.
    cv : int, splitter or iterable
    max_fits : int, optional
        The number of sets that are scored at most.
    """

    name: ClassVar[str] = "model"
    numbers: ClassVar[dict[str, type]] = {"estimator": str, "scoring": str, "cv": int, "max_fits": int}
    estimator: Any = "tree"
    scoring: str | None = None
    cv: Any = 5
    max_fits: int | None = None


BY_NAME: dict[str, type[Objective]] = {
    kind.name: kind
    for kind in (Univariate, FCBF, MRMR, JMI, MIFS, CIFE, CFS, R2, FacilityLocation, GraphScore, Model)
}


def as_objective(given: Any, argument: str = "objective") -> Objective:
    """Return an objective that is given as a value, a name, or a shorthand such as "mrmr:beta=0.5".

    Raises
    ------
    InputError
        If there is no such objective or parameter, or a parameter is not a number.
    """
    if isinstance(given, Objective):
        return given
    if not isinstance(given, str):
        raise InputError(
            f"{argument}={given!r}: is not an objective. Expected a name or a value of objectives"
        )
    word, options = split_shorthand(argument, given)
    name = word.lower()
    one_of(argument, name, tuple(BY_NAME))
    kind = BY_NAME[name]
    return kind(**typed(name, options, kind.numbers))
