"""Encodings: problems as weighted partial MaxSAT, with the way back to feature sets.

`encode` knows two formulations. "literal" is the textbook translation of paper 000, Eq. 22: a soft clause per
feature and set, products for overlaps, cardinality encodings. "strengthened" adds what is known about
solutions (dominance, symmetry, counting of pairs) and rewrites the objective so that a core-guided solver has
little left to prove.

Read `terms` (the objective of one set) and `constraints`, the literal encoding; then `univariate`, `minimum`
and `nogoods`, the strengthened one.
"""

from __future__ import annotations

from math import comb

from pyfsel.backends.maxsat.encoding.constraints import add_sets, membership
from pyfsel.backends.maxsat.encoding.minimum import encode_minimum
from pyfsel.backends.maxsat.encoding.nogoods import add_nogoods
from pyfsel.backends.maxsat.encoding.terms import reward_graph_scores, reward_terms, set_terms
from pyfsel.backends.maxsat.encoding.univariate import encode_one_set, encode_sum
from pyfsel.errors import InputError
from pyfsel.model.strengthening import set_order
from pyfsel.problem.objectives import Kind
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality, kinds_of, objective_of
from pyfsel.results.control import LITERAL, STRENGTHENED
from pyfsel.solvers.sat.counters import at_least_amount, cardinality_type
from pyfsel.solvers.sat.formula import Encoding, Formula

FORMULATIONS = (STRENGTHENED, LITERAL)
KINDS = (Kind.SUMS, Kind.PAIRS_OF_ONE_SIZE, Kind.PAIRS)
LARGEST_NUMBER_OF_PRODUCTS = 500_000  # two clauses and more for each


def encoding_unsupported(problem: Problem) -> str | None:
    """Return why there is no MaxSAT encoding of a problem, or None."""
    if kinds_of(problem).isdisjoint(KINDS):
        return f"no MaxSAT encoding of objective={problem.objective!r}"
    objective = objective_of(problem)
    if objective.is_sum and problem.has_size_range:
        return f"no MaxSAT encoding of sets of {problem.sizes_text} features for {problem.objective}"
    if problem.has_size_range and problem.aggregate_weights[1]:
        return "no MaxSAT encoding of the smallest quality of sets that differ in size"
    if problem.has_size_range and problem.min_quality is not None:
        return "no MaxSAT encoding of a least quality of sets that differ in size"
    if problem.overlap_factor is not None:
        return "no MaxSAT encoding of overlaps in proportion to sizes"
    products = comb(problem.n_features, 2) * problem.n_sets
    if not objective.is_sum and products > LARGEST_NUMBER_OF_PRODUCTS:
        return f"{products} products of features are more than {LARGEST_NUMBER_OF_PRODUCTS}"
    return None


def check_formulation(formulation: str) -> None:
    """Raise an `InputError` if there is no such formulation."""
    if formulation not in FORMULATIONS:
        raise InputError(f"formulation={formulation!r}: must be one of {', '.join(FORMULATIONS)}")


def encode(problem: Problem, formulation: str = STRENGTHENED, cardinality: str = "seqcounter") -> Encoding:
    """Return a problem as weighted partial MaxSAT.

    Parameters
    ----------
    problem : Problem
    formulation : {"strengthened", "literal"}
    cardinality : str
        Key of `pyfsel.solvers.sat.counters.CARDINALITIES`: how sizes and overlaps become clauses.

    Returns
    -------
    Encoding

    Raises
    ------
    InputError
        If a name is unknown, or the objective has no encoding.

    Examples
    --------
    >>> encoding = encode(Problem(quality=[3, 2, 1], n_sets=1, set_size=2, max_overlap=2))
    >>> encoding.decode([1, 2, -3])
    ((0, 1),)
    """
    check_formulation(formulation)
    why_not = encoding_unsupported(problem)
    if why_not is not None:
        raise InputError(f"problem: {why_not}")
    cardinality_type(cardinality)
    formula = Formula()
    x = membership(formula, problem)
    literal = formulation == LITERAL
    objective = objective_of(problem)
    if problem.aggregate_weights[1]:
        encode_minimum(formula, problem, x, cardinality, literal=literal)
    elif literal or not objective.is_sum or problem.overlap_cost:
        add_sets(formula, problem, x, cardinality, literal=literal)
        reward = reward_graph_scores if problem.has_size_range else reward_terms
        reward(formula, problem, x, literal=literal)
        if not literal:
            formula.add_all(set_order(x, by_quality(problem), formula.variable))
        if not literal and problem.n_sets == 1 and not problem.side_constraints:
            add_nogoods(formula, problem, x[0])
    elif problem.n_sets == 1:
        encode_one_set(formula, problem, x, cardinality)
    else:
        encode_sum(formula, problem, x, cardinality)
    if problem.min_quality is not None:
        for s, row in enumerate(x):
            terms = set_terms(formula, problem, row, s, literal=literal)
            at_least_amount(formula, f"enough[{s}]", terms, problem.min_quality)
    return formula.finish(problem, formulation, x)
