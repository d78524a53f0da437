"""The declarative models by what they solve: a new variant is one ``.mzn`` file and one entry here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyfsel.backends.base import LITERAL, STRENGTHENED
from pyfsel.model_files import models_dir
from pyfsel.problem import Problem


@dataclass(frozen=True)
class Model:
    """A MiniZinc model and what it is for.

    Parameters
    ----------
    name : str
    file : str
        Name of the ``.mzn`` file in `models_dir`.
    objectives : tuple of str
        Objectives of a set that the model knows.
    aggregates : tuple of str
        How the sets' qualities become one objective.
    formulation : str
        "literal" for the formulation of the paper, "strengthened", or a name of its own.
    equation : str
        Where the formulation comes from.
    description : str
    single_set : bool
        Whether the model finds one set only, given previous ones.
    """

    name: str
    file: str
    objectives: tuple[str, ...]
    aggregates: tuple[str, ...]
    formulation: str
    equation: str
    description: str
    single_set: bool = False

    @property
    def path(self) -> Path:
        """The model file."""
        return models_dir() / self.file

    def accepts(self, problem: Problem) -> bool:
        """Return whether the model is meant for this problem."""
        return (
            problem.objective in self.objectives
            and problem.aggregate in self.aggregates
            and (problem.n_sets == 1 or not self.single_set)
        )


SUM_OF_QUALITIES = ("univariate", "fcbf")

CATALOGUE = (
    Model(
        name="sequential",
        file="sequential.mzn",
        objectives=SUM_OF_QUALITIES,
        aggregates=("sum", "min"),
        formulation=STRENGTHENED,
        equation="000 Definition 2, Eq. 12, 21",
        description="one set given previous ones; better features first among interchangeable ones",
        single_set=True,
    ),
    Model(
        name="sequential_literal",
        file="sequential_literal.mzn",
        objectives=SUM_OF_QUALITIES,
        aggregates=("sum", "min"),
        formulation=LITERAL,
        equation="000 Definition 2, Eq. 12, 21",
        description="one set given previous ones",
        single_set=True,
    ),
    Model(
        name="simultaneous_sum",
        file="simultaneous_sum.mzn",
        objectives=SUM_OF_QUALITIES,
        aggregates=("sum",),
        formulation=STRENGTHENED,
        equation="000 Definition 4, Eq. 12, 17, 22",
        description="counts per feature with dominance, pair counting, prefix bounds, ordered sets",
    ),
    Model(
        name="simultaneous_sum_literal",
        file="simultaneous_sum_literal.mzn",
        objectives=SUM_OF_QUALITIES,
        aggregates=("sum",),
        formulation=LITERAL,
        equation="000 Definition 4, Eq. 6, 12, 17, 22",
        description="products of memberships for each pair of sets",
    ),
    Model(
        name="simultaneous_min",
        file="simultaneous_min.mzn",
        objectives=SUM_OF_QUALITIES,
        aggregates=("min",),
        formulation=STRENGTHENED,
        equation="000 Definition 5, Eq. 12, 18, 19",
        description="prefix bounds per set and on means of several sets, no strict subsets, ordered sets",
    ),
    Model(
        name="simultaneous_min_literal",
        file="simultaneous_min_literal.mzn",
        objectives=SUM_OF_QUALITIES,
        aggregates=("min",),
        formulation=LITERAL,
        equation="000 Definition 5, Eq. 6, 12, 18, 19",
        description="products of memberships for each pair of sets",
    ),
)


def find_model(problem: Problem, formulation: str) -> Model | None:
    """Return the first model of the catalogue for this problem and formulation, or None.

    Examples
    --------
    >>> problem = Problem(quality=[3, 2, 1], n_sets=2, set_size=2, max_overlap=1)
    >>> find_model(problem, "strengthened").name
    'simultaneous_sum'
    """
    suitable = (m for m in CATALOGUE if m.formulation == formulation and m.accepts(problem))
    return next(suitable, None)


def formulations() -> tuple[str, ...]:
    """Return the formulations of the catalogue, in its order."""
    return tuple(dict.fromkeys(model.formulation for model in CATALOGUE))
