"""The declarative models by what they solve: a new variant is one ``.mzn`` file and one entry here.

The two models of ``counts_loop`` solve nothing by themselves and are not listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from pyfsel.backends.minizinc.candidates import candidate_data, too_many_candidates
from pyfsel.errors import InputError
from pyfsel.problem.objectives import AGGREGATES, SET_TERMS, SUM_AND_MIN, UP_TO_PAIRS, Kind, with_kinds
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import FIXED_SIZE_CONSTRAINTS, SIDE_CONSTRAINTS
from pyfsel.problem.values import kinds_of, largest_graph_score
from pyfsel.results.control import LITERAL, STRENGTHENED, TIGHT_BIG_M, Control
from pyfsel.solvers.minizinc.model_files import models_dir

SETS = "sets"
COUNTS = "counts"
POOL = "pool"
POOL_PACKING = "pool-packing"
PARTITION = "partition"
PAIRS = "pairs"


def no_refusal(problem: Problem) -> str | None:
    """Return None: the model takes any problem of its objectives and aggregates."""
    return None


def no_more_data(problem: Problem, control: Control) -> Mapping[str, Any]:
    """Return nothing: the model needs the problem only."""
    return {}


def refuse_shared_features(problem: Problem) -> str | None:
    """Return why the sets of a problem are no partition of features, or None."""
    if problem.max_overlap == 0:
        return None
    return f"a partition needs disjoint sets (max_overlap=0), not max_overlap={problem.max_overlap}"


def refuse_one_set(problem: Problem) -> str | None:
    """Return why counting the sets of each feature says nothing, or None."""
    return "counts need several sets" if problem.n_sets == 1 else None


def largest_total(problem: Problem) -> int:
    """Return the largest absolute integer objective."""
    return problem.largest_total


def largest_load(problem: Problem) -> int:
    """Return an upper bound on the sum of all qualities, shifted so that none is negative."""
    shift = min(0, int(problem.quality.min()))
    return max(int((problem.quality - shift).sum()), problem.largest_total)


def largest_cfs_product(problem: Problem) -> int:
    """Return an upper bound on the products that compare the squares of two sides of 000 Eq. 20."""
    assert problem.redundancy is not None
    k, scale = problem.set_size, int(problem.scale)
    relevance = int(np.sort(problem.quality)[-k:].sum())
    correlation = scale * k + k * (k - 1) * int(problem.redundancy.max())
    return correlation * relevance**2


@dataclass(frozen=True)
class Model:
    """A MiniZinc model and what it is for.

    Parameters
    ----------
    name : str
    objectives : tuple of str
        What the model takes: kinds (`pyfsel.problem.objectives.Kind`) or names of objectives.
    formulation : str
        "literal" for the formulation of the paper, "strengthened", or a name of its own.
    equation : str
        Where the formulation comes from.
    description : str
    file : str
        Name of the ``.mzn`` file in `models_dir`, `name` unless it is given.
    aggregates : tuple of str
        How the sets' qualities may become one objective.
    single_set : bool
        Whether the model finds one set only, given previous ones.
    side_constraints : tuple of str
        The constraints on single sets that the model has, of
        `pyfsel.problem.side_constraints.SIDE_CONSTRAINTS`.
    is_soft : bool
        Whether the model is for problems whose objective has more than a sum or a minimum, and for no others.
    refuses : callable
        Takes a problem, returns why the model cannot take it although objective and aggregate suit, or None.
    more_data : callable
        Takes a problem and a `Control`, returns data that the model needs besides the problem.
    data : tuple of Path
        Files with further data.
    largest_number : callable
        Takes a problem, returns the largest integer that occurs (solvers have number ranges).
    """

    name: str
    objectives: tuple[str, ...]
    formulation: str
    equation: str
    description: str
    file: str = ""
    aggregates: tuple[str, ...] = SUM_AND_MIN
    single_set: bool = False
    side_constraints: tuple[str, ...] = SIDE_CONSTRAINTS
    is_soft: bool = False
    refuses: Callable[[Problem], str | None] = no_refusal
    more_data: Callable[[Problem, Control], Mapping[str, Any]] = no_more_data
    data: tuple[Path, ...] = ()
    largest_number: Callable[[Problem], int] = largest_total

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", self.file or f"{self.name}.mzn")

    @property
    def path(self) -> Path:
        """The model file."""
        return models_dir() / self.file

    def is_meant_for(self, problem: Problem) -> bool:
        """Return whether objective, aggregate, number of sets and side constraints suit."""
        return (
            not kinds_of(problem).isdisjoint(self.objectives)
            and (problem.n_sets == 1 or problem.aggregate in self.aggregates)
            and (problem.n_sets == 1 or not self.single_set)
            and set(problem.side_constraints) <= {*self.side_constraints, *SET_TERMS}
            and self.is_soft != SET_TERMS.isdisjoint(problem.side_constraints)
        )

    def rivals(self, other: Model) -> bool:
        """Return whether both are meant for some problem of several sets, or both for one set only."""
        mine, others = set(self.objectives), set(other.objectives)
        return (
            bool(with_kinds(mine) & others or mine & with_kinds(others))
            and (self.single_set, self.is_soft) == (other.single_set, other.is_soft)
            and (self.single_set or bool(set(self.aggregates) & set(other.aggregates)))
        )


def require_own_formulations(models: Sequence[Model]) -> None:
    """Raise `InputError` if one model hides another, which `find_model` would then never return."""
    for model, other in combinations(models, 2):
        if model.name == other.name:
            raise InputError(f"model {model.name!r}: {model.file} and {other.file} have this name")
        if model.formulation == other.formulation and model.rivals(other):
            raise InputError(
                f"formulation={model.formulation!r}: the models {model.name!r} and {other.name!r} are both "
                "meant for some problem; give one of them a formulation of its own"
            )


CATALOGUE = (
    Model(
        name="sequential",
        objectives=(Kind.SUMS,),
        formulation=STRENGTHENED,
        equation="000 Definition 2, Eq. 12, 21",
        description="one set given previous ones; better features first among interchangeable ones",
        single_set=True,
    ),
    Model(
        name="sequential_literal",
        objectives=(Kind.SUMS,),
        formulation=LITERAL,
        equation="000 Definition 2, Eq. 12, 21",
        description="one set given previous ones",
        single_set=True,
    ),
    Model(
        name="simultaneous_sum",
        objectives=(Kind.SUMS,),
        aggregates=("sum",),
        formulation=STRENGTHENED,
        equation="000 Definition 4, Eq. 12, 17, 22",
        description="counts per feature with dominance, pair counting, prefix bounds, ordered sets",
    ),
    Model(
        name="simultaneous_sum_literal",
        objectives=(Kind.SUMS,),
        aggregates=("sum",),
        formulation=LITERAL,
        equation="000 Definition 4, Eq. 6, 12, 17, 22",
        description="products of memberships for each pair of sets",
    ),
    Model(
        name="simultaneous_min",
        objectives=(Kind.SUMS,),
        aggregates=("min",),
        formulation=STRENGTHENED,
        equation="000 Definition 5, Eq. 12, 18, 19",
        description="prefix bounds per set and on means of several sets, no strict subsets, ordered sets",
    ),
    Model(
        name="simultaneous_min_literal",
        objectives=(Kind.SUMS,),
        aggregates=("min",),
        formulation=LITERAL,
        equation="000 Definition 5, Eq. 6, 12, 18, 19",
        description="products of memberships for each pair of sets",
    ),
    Model(
        name="graph_score",
        objectives=(Kind.PAIRS,),
        formulation=STRENGTHENED,
        equation="004 Eq. 11",
        description="a product per pair of features, bounded on one side; best features first",
        single_set=True,
        largest_number=largest_graph_score,
    ),
    Model(
        name="graph_score_literal",
        objectives=(Kind.PAIRS,),
        formulation=LITERAL,
        equation="004 Eq. 11",
        description="a product per pair of features",
        single_set=True,
        largest_number=largest_graph_score,
    ),
    Model(
        name="mrmr",
        objectives=(Kind.PAIRS_OF_ONE_SIZE,),
        formulation=STRENGTHENED,
        equation="000 Eq. 13, 17-19",
        description="pair variables with row sums, ordered sets, best features first",
    ),
    Model(
        name="mrmr_literal",
        objectives=(Kind.PAIRS_OF_ONE_SIZE,),
        formulation=LITERAL,
        equation="000 Eq. 6, 14, 17-19, 22",
        description="one redundancy variable per feature and set, one big-M for all",
    ),
    Model(
        name="mrmr_tight_big_m",
        objectives=(Kind.PAIRS_OF_ONE_SIZE,),
        formulation=TIGHT_BIG_M,
        equation="000 Eq. 6, 14, 17-19, 22",
        description="one redundancy variable and one big-M per feature",
    ),
    Model(
        name="mrmr_pairs",
        objectives=(Kind.PAIRS_OF_ONE_SIZE,),
        formulation=PAIRS,
        equation="000 Eq. 6, 13, 17-19, 22",
        description="heaviest subgraphs: one variable per set and pair of features, with row sums",
    ),
    Model(
        name="cfs_literal",
        objectives=(Kind.FRACTIONS,),
        formulation=LITERAL,
        equation="000 Eq. 20",
        description="the fraction squared and multiplied out, for coarse scales",
        single_set=True,
        largest_number=largest_cfs_product,
    ),
    Model(
        name="facility_location",
        objectives=(Kind.MAXIMA,),
        formulation=STRENGTHENED,
        equation="Cornuejols, Fisher, Nemhauser 1977",
        description="each column is represented by one feature of the set",
        single_set=True,
    ),
    Model(
        name="set_variables",
        objectives=(Kind.SUMS,),
        formulation=SETS,
        equation="000 Eq. 8, 11, 12, 17-19",
        description="set variables, cardinalities and intersections",
    ),
    Model(
        name="sum_by_counts",
        objectives=(Kind.SUMS,),
        aggregates=("sum",),
        formulation=COUNTS,
        equation="000 Eq. 8, 11, 12, 17",
        description="counts per feature with dominance and pair counting, nothing else",
        refuses=refuse_one_set,
    ),
    Model(
        name="pool",
        objectives=(Kind.SUMS, Kind.PAIRS_OF_ONE_SIZE),
        formulation=POOL,
        equation="000 Eq. 8, 11-13, 17-19",
        side_constraints=FIXED_SIZE_CONSTRAINTS,
        description="picks compatible sets from a pool of candidates, which is part of the data",
        refuses=too_many_candidates,
        more_data=candidate_data,
    ),
    Model(
        name="pool_packing",
        objectives=(Kind.SUMS, Kind.PAIRS_OF_ONE_SIZE),
        formulation=POOL_PACKING,
        equation="000 Eq. 8, 11-13, 17-19",
        side_constraints=FIXED_SIZE_CONSTRAINTS,
        description="the same with a 0/1 variable per set and candidate, for linear solvers",
        refuses=too_many_candidates,
        more_data=candidate_data,
    ),
    Model(
        name="partition",
        objectives=(Kind.SUMS,),
        formulation=PARTITION,
        equation="000 3.4.2, Prop. 6-11",
        side_constraints=FIXED_SIZE_CONSTRAINTS,
        description="disjoint sets as bins: global_cardinality and bin_packing_load",
        refuses=refuse_shared_features,
        largest_number=largest_load,
    ),
    Model(
        name="soft_alternatives",
        objectives=UP_TO_PAIRS[:-1],
        aggregates=AGGREGATES,
        formulation=STRENGTHENED,
        equation="000 A.1, 7.2",
        description="overlap is paid for; the sum and the smallest quality weighted, or best and worst alike",
        is_soft=True,
    ),
)
require_own_formulations(CATALOGUE)
_OF_USER: list[Model] = []


def all_models() -> tuple[Model, ...]:
    """Return the catalogue, and the models of the user's own that were added to it."""
    return (*CATALOGUE, *_OF_USER)


@contextmanager
def added_models(models: Sequence[Model]) -> Iterator[None]:
    """Have models of the user's own in the catalogue inside a ``with`` block.

    Raises
    ------
    InputError
        If one hides another.
    """
    require_own_formulations((*all_models(), *models))
    before = len(_OF_USER)
    _OF_USER.extend(models)
    try:
        yield
    finally:
        del _OF_USER[before:]


def find_model(problem: Problem, formulation: str) -> Model | None:
    """Return the first model of the catalogue meant for this problem and formulation, or None.

    Examples
    --------
    >>> problem = Problem(quality=[3, 2, 1], n_sets=2, set_size=2, max_overlap=1)
    >>> find_model(problem, "strengthened").name
    'simultaneous_sum'
    """
    suitable = (m for m in all_models() if m.formulation == formulation and m.is_meant_for(problem))
    return next(suitable, None)


def refusal(problem: Problem, formulation: str) -> str | None:
    """Return why no model of the catalogue takes this problem in this formulation, or None."""
    model = find_model(problem, formulation)
    if model is not None:
        return model.refuses(problem)
    aggregate = "one set" if problem.n_sets == 1 else f"aggregate {problem.aggregate}"
    limits = ", ".join(("", *problem.side_constraints))
    return f"no {formulation} model for objective {problem.objective}, {aggregate}{limits}"


def formulations() -> tuple[str, ...]:
    """Return the formulations of the catalogue, in its order, and those of the user's own."""
    return tuple(dict.fromkeys(model.formulation for model in all_models()))
