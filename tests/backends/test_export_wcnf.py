"""WCNF files: plain RC2 finds the optimum of brute force, and its solutions find the way back."""

import re
from random import Random

import pytest
from conformance import is_solution, optimum, total_of
from fuzzing.domain import whole_domain_problem
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF

from pyfsel.backends.decode import read_sets
from pyfsel.backends.export import export


@pytest.mark.parametrize("seed", range(24))
def test_a_file_has_the_optimum_of_the_problem(seed):
    problem = whole_domain_problem(Random(seed))
    best, text = optimum(problem), export(problem, "wcnf")
    with RC2(WCNF(from_string=text), adapt=True, exhaust=True, minz=True) as solver:
        model, cost = solver.compute(), solver.cost
    assert (model is None) == (best is None)
    if model:
        assert int(re.search(r"(-?\d+) - least cost", text)[1]) - cost == best
        sets = read_sets(problem, f"v {' '.join(map(str, model))} 0\n")
        assert is_solution(problem, sets)
        assert total_of(problem, sets) == best
