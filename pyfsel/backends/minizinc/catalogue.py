"""The declarative models by what they solve: a new variant is one ``.mzn`` file and its ``[[model]]``.

They are listed in ``catalogue.toml`` of their folder.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pyfsel.drivers.minizinc.installed import PROPAGATION
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem.fields import SIDE_CONSTRAINTS
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SET_TERMS, SUM_AND_MIN
from pyfsel.problem.values import is_interchangeable, kinds_of, largest_graph_score
from pyfsel.results.control import STRENGTHENED

MOST_SETS_OF_PATTERNS = 10


def refuse_marked_features(problem: Instance) -> str | None:
    """Return why counting features by the sets that they are in does not determine the sets, or None."""
    if not is_interchangeable(problem) or problem.previous:
        return "patterns need features that differ in quality only"
    if not 2 <= problem.n_sets <= MOST_SETS_OF_PATTERNS:
        return f"patterns are for 2 to {MOST_SETS_OF_PATTERNS} sets, not {problem.n_sets}"
    return None


def largest_load(problem: Instance) -> int:
    """Return an upper bound on the sum of all qualities, shifted so that none is negative."""
    shift = min(0, int(problem.quality.min()))
    return max(int((problem.quality - shift).sum()), problem.largest_total)


def largest_cfs_product(problem: Instance) -> int:
    """Return an upper bound on the products that compare the squares of two sides of 000 Eq. 20."""
    k, scale = problem.k, int(problem.scale)
    relevance = int(np.sort(problem.quality)[-k:].sum())
    correlation = scale * k + k * (k - 1) * int(problem.pairs.max())
    return correlation * relevance**2


@dataclass(frozen=True)
class CatalogueModel:
    """A MiniZinc model and what it is for.

    Parameters
    ----------
    name : str
    objectives : tuple of str
        What the model takes: kinds (`pyfsel.problem.objectives.ObjectiveKind`) or names of objectives.
    formulation : str
        "literal" for the formulation of the paper, "strengthened", or a name of its own.
    equation : str
        Where the formulation comes from.
    description : str
    aggregates : tuple of str
        How the sets' qualities may become one objective.
    single_set : bool
        Whether the model finds one set only, given previous ones.
    side_constraints : tuple of str
        The constraints on single sets that the model has, of
        `pyfsel.problem.fields.SIDE_CONSTRAINTS`.
    is_soft : bool
        Whether the model is for problems whose objective has more than a sum or a minimum, and for no others.
    refuses : callable
        Takes a problem, returns why the model cannot take it although objective and aggregate suit, or None.
    families : tuple of str
        Families of solvers on which "strengthened" is this model, if there are several sets.
    largest_number : callable
        Takes a problem, returns the largest integer that occurs (solvers have number ranges): the largest
        of its objectives unless given.
    """

    name: str
    objectives: tuple[str, ...]
    formulation: str
    equation: str
    description: str
    aggregates: tuple[str, ...] = SUM_AND_MIN
    single_set: bool = False
    side_constraints: tuple[str, ...] = SIDE_CONSTRAINTS
    is_soft: bool = False
    refuses: Callable[[Instance], str | None] = lambda problem: None
    families: tuple[str, ...] = ()
    largest_number: Callable[[Instance], int] = lambda problem: problem.largest_total

    @property
    def path(self) -> Path:
        """The model file."""
        return models_dir() / f"{self.name}.mzn"

    def is_meant_for(self, problem: Instance) -> bool:
        """Return whether objective, aggregate, number of sets and side constraints suit."""
        return (
            not kinds_of(problem).isdisjoint(self.objectives)
            and (problem.n_sets == 1 or problem.aggregate in self.aggregates)
            and (problem.n_sets == 1 or not self.single_set)
            and set(problem.side_constraints) <= {*self.side_constraints, *SET_TERMS}
            and self.is_soft != SET_TERMS.isdisjoint(problem.side_constraints)
        )


MORE_THAN_LISTED: Mapping[str, Mapping[str, Any]] = {
    "graph_score": {"largest_number": largest_graph_score},
    "graph_score_literal": {"largest_number": largest_graph_score},
    "cfs_literal": {"largest_number": largest_cfs_product},
    "sum_by_counts": {
        "refuses": lambda problem: "counts need several sets" if problem.n_sets == 1 else None,
    },
    "patterns": {"refuses": refuse_marked_features},
    "patterns_alone": {
        "refuses": refuse_marked_features,
        # lines through the sums of the best qualities
        "largest_number": lambda problem: (
            int(np.abs(problem.quality).max()) * problem.n_sets * problem.k * (problem.n_sets + 1)
        ),
    },
    "partition": {
        "refuses": lambda problem: (
            f"a partition needs disjoint sets (max_shared=0), not max_shared={problem.max_shared}"
            if problem.max_shared
            else None
        ),
        "largest_number": largest_load,
    },
}
"""Functions that give what models accept and refuse, by the models' names."""


def _model_of(entry: Mapping[str, Any]) -> CatalogueModel:
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()
    }
    return CatalogueModel(**given, **MORE_THAN_LISTED.get(entry["name"], {}))


def catalogue_file() -> Path:
    """Return the list of the models."""
    return models_dir() / "catalogue.toml"


CATALOGUE = tuple(map(_model_of, tomllib.loads(catalogue_file().read_text(encoding="utf-8"))["model"]))


def find_model(problem: Instance, formulation: str, family: str = PROPAGATION) -> CatalogueModel | None:
    """Return the first model of the catalogue meant for this problem, formulation and solvers, or None.

    "strengthened" depends on the family of the solver: what helps propagation slows others down.
    "propagation" is the model that is strengthened for propagation, whatever the solver.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2, 1], n_sets=2, k=2, max_shared=1)
    >>> find_model(problem, "strengthened").name
    'simultaneous_sum'
    """
    if formulation == PROPAGATION:
        formulation, family = STRENGTHENED, PROPAGATION
    suitable = [model for model in CATALOGUE if model.is_meant_for(problem)]
    is_by_family = formulation == STRENGTHENED and problem.n_sets > 1
    preferred = [model for model in suitable if is_by_family and family in model.families]
    others = (model for model in suitable if model.formulation == formulation)
    return next(iter([*preferred, *others]), None)


def refusal(problem: Instance, formulation: str, family: str = PROPAGATION) -> str | None:
    """Return why no model of the catalogue takes this problem in this formulation, or None."""
    model = find_model(problem, formulation, family)
    if model is not None:
        return model.refuses(problem)
    aggregate = "one set" if problem.n_sets == 1 else f"aggregate {problem.aggregate}"
    limits = ", ".join(("", *problem.side_constraints))
    return f"no {formulation} model for objective {problem.objective}, {aggregate}{limits}"


def formulations() -> tuple[str, ...]:
    """Return the formulations of the catalogue, in its order."""
    return tuple(dict.fromkeys((STRENGTHENED, PROPAGATION, *(model.formulation for model in CATALOGUE))))
