"""Encodings: costs are objectives, the optimum is that of brute force."""

from itertools import combinations

from hypothesis import given, settings
from pysat.solvers import Solver
from small_problems import problems

from pyfsel.backends.by_model import model_of
from pyfsel.drivers.sat.maxsat_encoding import encode_model
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import total
from pyfsel.results.verify import violations

tiny = problems(most_features=5, most_sets=2)


def encode(problem, formulation="strengthened"):
    return encode_model(model_of(problem, formulation, "sat"), prices=formulation != "literal")


def solutions(encoding):
    """Return the families of all solutions with the objective of one of each."""
    found = {}
    variables = [x for row in encoding.model.member for x in row]
    with Solver("glucose4", bootstrap_with=encoding.hard) as solver:
        while solver.solve():
            model = solver.get_model()
            found[encoding.decode(model)] = encoding.constant - encoding.cost(model)
            solver.add_clause([-model[x - 1] for x in variables])
    return found


@settings(max_examples=40, deadline=None, derandomize=True)
@given(problem=tiny)
def test_the_literal_encoding_has_exactly_the_feasible_solutions(problem):
    found = solutions(encode(problem, "literal"))
    alone = list(combinations(range(problem.n_features), problem.k))
    families = [(one,) for one in alone] if problem.n_sets == 1 else [(a, b) for a in alone for b in alone]
    expected = {sets: total(problem, sets) for sets in families if not violations(problem, sets)}
    assert found.keys() == expected.keys()
    is_sum = problem.aggregate == "sum"
    assert all(found[s] == expected[s] if is_sum else found[s] <= expected[s] for s in expected)


def test_dual_values_leave_little_to_prove():
    """One membership more costs the value of the last feature that fits; at overlap 0 nothing is left."""
    problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=2, k=2, max_shared=2)
    assert encode(problem).constant == 34
    assert encode(problem.replace(max_shared=0)).constant == 27
    assert encode(problem, "literal").constant == 60
