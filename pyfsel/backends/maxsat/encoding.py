"""A problem in the input of MaxSAT and pseudo-Boolean solvers: its model, literal or strengthened."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

from pyfsel.drivers.sat.opb import PseudoBoolean
from pyfsel.errors import InputError
from pyfsel.model import build
from pyfsel.model.model import Model
from pyfsel.problem.checks import one_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Kind
from pyfsel.problem.values import kinds_of, objective_of
from pyfsel.results.control import LITERAL, STRENGTHENED

if TYPE_CHECKING:
    from pyfsel.drivers.sat.formula import Encoding

FORMULATIONS = (STRENGTHENED, LITERAL)
LARGEST_NUMBER_OF_PRODUCTS = 500_000  # two clauses and more for each


def too_large(problem: Instance) -> str | None:
    """Return why the model of a problem is too large for clauses, or None."""
    products = 0
    if Kind.MAXIMA in kinds_of(problem):
        products = problem.n_features**2 * problem.n_sets
    elif not objective_of(problem).is_sum:
        products = comb(problem.n_features, 2) * problem.n_sets
    if products > LARGEST_NUMBER_OF_PRODUCTS:
        return f"{products} products of features are more than {LARGEST_NUMBER_OF_PRODUCTS}"
    return None


def check_formulation(formulation: str | None) -> str:
    """Return the name of a formulation, strengthened for None; raise `InputError` if there is no such one."""
    if formulation is not None:
        one_of("formulation", formulation, FORMULATIONS)
    return formulation or STRENGTHENED


def encode(problem: Instance, formulation: str = STRENGTHENED, cardinality: str = "seqcounter") -> Encoding:
    """Return a problem as weighted partial MaxSAT.

    Parameters
    ----------
    problem : Instance
    formulation : {"strengthened", "literal"}
    cardinality : str
        Key of `pyfsel.drivers.sat.counters.CARDINALITIES`: how sizes and overlaps become clauses.

    Raises
    ------
    InputError
        If a name is unknown.
    InputError
        If the objective has no 0/1 model.

    Examples
    --------
    >>> encoding = encode(Instance(quality=[3, 2, 1], n_sets=1, k=2, max_shared=2))
    >>> encoding.decode([1, 2, -3])
    ((0, 1),)
    """
    from pyfsel.drivers.sat.encoding import encode_model

    return encode_model(_model(problem, formulation, "sat"), cardinality, prices=formulation != LITERAL)


def pseudo_boolean(problem: Instance, formulation: str = STRENGTHENED) -> PseudoBoolean:
    """Return a problem in linear rows of 0/1 variables; parameters and errors as for `encode`.

    Examples
    --------
    >>> pseudo_boolean(Instance(quality=[3, 2], n_sets=1, k=1, max_shared=1), "literal").constant
    0
    """
    return PseudoBoolean(_model(problem, formulation, "cp"))


def _model(problem: Instance, formulation: str, family: str) -> Model:
    literal = check_formulation(formulation) == LITERAL
    if why_not := build.unsupported(problem):
        raise InputError(why_not)
    return build.build(problem, build.LITERAL if literal else build.style_for(problem, family))
