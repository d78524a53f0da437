"""All optimal solutions by a SAT solver: each one found is excluded by a clause."""

from __future__ import annotations

from pyfsel.backends import get_backend
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.questions.enumeration.single_sets import Take
from pyfsel.results.control import LITERAL, Control

SOLVER = "cadical153"
CARDINALITY = "seqcounter"


def refusal(problem: Problem) -> str | None:
    """Return why there is no encoding of the problem, or None."""
    if objective_of(problem).has_pairs and problem.has_size_range:
        return f"the clauses do not know sets of {problem.sizes_text} features for {problem.objective}"
    return get_backend("rc2").refusal(problem, LITERAL)


def list_families(problem: Problem, value: int, control: Control, take: Take) -> None:
    """Hand over all solutions that reach the value."""
    from pysat.solvers import Solver

    clauses, x = _clauses(problem, value)
    with Solver(name=SOLVER, bootstrap_with=clauses) as solver:
        while True:
            control.check_time()
            if not solver.solve():
                return
            model = solver.get_model()
            signed = [[model[var - 1] for var in row] for row in x]
            take(tuple(_members(row) for row in signed))
            solver.add_clause([-literal for row in signed for literal in row])


def _members(row: list[int]) -> FeatureSet:
    return tuple(j for j, literal in enumerate(row) if literal > 0)


def _clauses(problem: Problem, value: int) -> tuple[list[tuple[int, ...]], list[list[int]]]:
    from pyfsel.backends.maxsat.encoding.constraints import add_sets, membership
    from pyfsel.backends.maxsat.encoding.terms import set_terms
    from pyfsel.model.strengthening import set_order
    from pyfsel.solvers.sat.counters import at_least_amount
    from pyfsel.solvers.sat.formula import Formula

    formula = Formula()
    x = membership(formula, problem)
    add_sets(formula, problem, x, CARDINALITY, literal=True)
    formula.add_all(set_order(x, range(problem.n_features), formula.variable))
    terms = [set_terms(formula, problem, row, s, literal=True) for s, row in enumerate(x)]
    for s, row in enumerate(terms):
        if problem.min_quality is not None:
            at_least_amount(formula, f"enough[{s}]", row, problem.min_quality)
        if problem.aggregate == "min":
            at_least_amount(formula, f"best[{s}]", row, value)
    if problem.aggregate == "sum":
        at_least_amount(formula, "best", [term for row in terms for term in row], value)
    return formula.hard, x
