"""Files of models for other programs, which find the optimum of brute force and whose output is read."""

import random
import re
import sys
from pathlib import Path

import pytest
from conformance import is_solution, optimum, total_of
from fake_pseudo_boolean import solved
from faulty_backends import together
from fuzzing.domain import whole_domain_problem
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF
from running import ended

from pyfsel.backends.by_model import model_of
from pyfsel.backends.decode import read_sets as decode
from pyfsel.backends.export import export
from pyfsel.backends.maxsat.program import MaxSat
from pyfsel.drivers.linear.linear_model import linear_model
from pyfsel.drivers.linear.lp_files import one_sided
from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem.instance import Instance


def by_cbc(text, folder):
    path, solution = folder / ("m.mps" if "ROWS" in text else "m.lp"), folder / "solution"
    path.write_text(text)
    ended("cbc", path, "ratio", "0", "solve", "solution", solution, check=True)
    text = solution.read_text()
    is_optimal, cost = re.match(r"(Optimal)?.* (\S+)", text).groups()
    return (round(float(cost)), text) if is_optimal else None


def by_rc2(text, folder):
    with RC2(WCNF(from_string=text), adapt=True, exhaust=True, minz=True) as solver:
        model = solver.compute()
        return model and (solver.cost, f"v {' '.join(map(str, model))} 0\n")


OTHERS = {"opb": lambda text, folder: solved(text), "lp": by_cbc, "mps": by_cbc, "wcnf": by_rc2}


@pytest.mark.parametrize(
    ("file_format", "seed"),
    [(name, seed) for name in OTHERS for seed in range(60 if name == "opb" else 24)],
)
def test_its_optimum_is_that_of_brute_force(file_format, seed, tmp_path):
    rng = random.Random(seed)
    problem = whole_domain_problem(rng, ["facility_location"])
    best, text = optimum(problem), export(problem, file_format)
    answer = OTHERS[file_format](text, tmp_path)
    assert (answer is None) == (best is None)
    if answer is not None:
        cost, solution = answer
        found = re.search(r"(-?\d+) - least cost", text)
        assert int(found[1]) - cost == best
        sets = decode(problem, solution)
        assert is_solution(problem, sets)
        assert total_of(problem, sets) == best


def test_no_name_stands_twice_and_lines_are_short():
    problem = Instance(range(6), n_sets=3, k=3, max_shared=2, aggregate="min", previous=[[0, 1, 2]])
    model = linear_model(model_of(problem, "literal", "lp"))
    for names in ([name for name, *_ in one_sided(model)], [column.name for column in model.columns]):
        assert len(set(names)) == len(names)
    assert max(len(line) for line in export(problem, "lp").splitlines()) < 255


def test_what_it_cannot_say_is_refused():
    problem = Instance([3, 2], n_sets=1, k=1, max_shared=1)
    with pytest.raises(InputError, match="format='xls': must be one of"):
        export(problem, "xls")
    for objective in ("cfs", "r2"):
        fraction = problem.replace(objective=objective, pairs=[[0, 1], [1, 0]], scale=3)
        for name in ("opb", "lp"):
            with pytest.raises(InputError, match=f"objective {objective} has no 0/1 model"):
                export(fraction, name)
    with pytest.raises(InputError, match="nothing about variable 2"):
        decode(problem, "v x1")


FAKE = Path(__file__).parents[1] / "fake_pseudo_boolean.py"


@pytest.mark.parametrize(
    ("lie", "evidence"),
    [("", ""), ("cost", "states the objective 49"), ("model", "1 feature"), ("infeasible", "found by")],
)
def test_a_program_solves_it_and_its_lies_do_not_pass(lie, evidence):
    backend = MaxSat("command", f"'{sys.executable}' '{FAKE}' '{lie}' {{opb}}")
    if evidence:
        with pytest.raises(FalseClaimError, match=evidence):
            together(backend)
        return
    result = together(backend)
    assert (result.status, result.objective) == ("OPTIMAL", 48)
