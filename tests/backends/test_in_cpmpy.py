"""Models of CPMpy with constraints of one's own, held against brute force."""

from itertools import combinations, product

import cpmpy as cp
import numpy as np
import pytest
from conformance import is_solution, quality_of, sizes_of, total_of
from running import python

from pyfsel import InputError
from pyfsel.backends import in_cpmpy
from pyfsel.backends.export import export
from pyfsel.backends.in_cpmpy import to_cpmpy
from pyfsel.errors import FalseClaimError
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import by_quality
from pyfsel.solving.solve import solve

SOLVERS = [
    name
    for name, kind in cp.SolverLookup.base_solvers()
    if name in ("ortools", "exact", "highs", "scip") and kind.supported()
]
RNG = np.random.default_rng(1)
PAIRS = np.triu(RNG.integers(0, 50, (6, 6)), 1)
QUALITY = RNG.integers(1, 100, 6)
PROBLEMS = {
    "sum": {},
    "minimum": {"aggregate": "min"},
    "weighted": {"aggregate": "weighted", "sum_weight": 1, "min_weight": 3},
    "difference": {"aggregate": "difference"},
    "mRMR": {"objective": "mrmr", "pairs": PAIRS + PAIRS.T},
    "minimum of mRMR": {"objective": "mrmr", "pairs": PAIRS + PAIRS.T, "aggregate": "min"},
    "facility location": {"objective": "facility_location", "pairs": PAIRS + PAIRS.T, "n_sets": 1},
    "sizes": {"k_min": 1, "shared_weight": 2, "size_weight": 1, "quality": QUALITY - 40},
}


def problem_of(name):
    return Instance(**{"quality": QUALITY, "n_sets": 2, "k": 3, "max_shared": 1} | PROBLEMS[name])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_optimum_with_two_further_constraints_is_that_of_brute_force(name, solver):
    """The best feature is in one set only, and every set that has the second has the third one."""
    problem = problem_of(name)
    a, b, c = by_quality(problem)[:3]

    def is_wanted(sets):
        return sum(a in s for s in sets) == 1 and all(b not in s or c in s for s in sets)

    alone = [members for size in sizes_of(problem) for members in combinations(range(6), size)]
    families = product(alone, repeat=problem.n_sets)
    allowed = [sets for sets in families if is_solution(problem, sets) and is_wanted(sets)]
    made = to_cpmpy(problem)
    made.model += cp.sum(made.x[:, a]) == 1
    for row in made.x:
        made.model += row[b].implies(row[c])
    assert made.model.solve(solver=solver)
    sets = made.sets()
    assert is_wanted(sets)
    assert total_of(problem, sets) == max(total_of(problem, sets) for sets in allowed)
    assert [value.value() for value in made.values] == [quality_of(problem, members) for members in sets]


def test_the_text_is_a_program_that_finds_the_optimum():
    found = python("-c", export(problem_of("sum"), "cpmpy"))
    assert int(found.stdout.split()[0]) == solve(problem_of("sum"), search="simultaneous").integer_objective


def test_thousands_of_features_are_a_program_that_python_compiles():
    problem = Instance(range(4000), n_sets=1, k=2, max_shared=2)
    compile(export(problem, "cpmpy"), "model", "exec")
    assert to_cpmpy(problem).x.shape == (1, 4000)


def test_what_a_solver_says_is_checked(monkeypatch):
    made = to_cpmpy(problem_of("sum"))
    with pytest.raises(FalseClaimError, match="has no solution"):
        made.sets()
    made.model.solve()
    with monkeypatch.context() as patched:
        patched.setattr(made.model, "objective_value", lambda: 3)
        with pytest.raises(FalseClaimError, match="states the objective 3 for sets that have"):
            made.sets()
    for x in made.x.flatten():
        x._value = True
    with pytest.raises(FalseClaimError, match="has 6 features"):
        made.sets()


def test_what_has_no_model_is_refused(monkeypatch):
    with pytest.raises(InputError, match="objective cfs has no 0/1 model"):
        to_cpmpy(Instance([3, 2], pairs=[[0, 1], [1, 0]], n_sets=1, k=1, max_shared=1, objective="cfs"))
    monkeypatch.setattr(in_cpmpy, "is_installed", lambda name: False)
    with pytest.raises(InputError, match="pip install cpmpy"):
        to_cpmpy(problem_of("sum"))
