"""LP and MPS files: names, and the output of other programs."""

import subprocess
import sys

import numpy as np
import pytest

from pyfsel import InputError
from pyfsel.backends.export import FORMATS, export
from pyfsel.backends.lp import decode_values
from pyfsel.drivers.linear.files import one_sided
from pyfsel.drivers.linear.model import linear_model
from pyfsel.model.build import build
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.results.verify import violations
from pyfsel.solving.solve import solve

HIGHS = """
import sys, highspy
solver = highspy.Highs()
solver.silent()
solver.readModel(sys.argv[1])
solver.run()
solver.writeSolution(sys.argv[2], int(sys.argv[3]))
"""


def problem_with(**changes):
    rng = np.random.default_rng(1)
    pairs = np.triu(rng.integers(-9, 9, (6, 6)), 1)
    changes = {"objective": "mrmr", "redundancy": pairs + pairs.T} | changes
    return Instance(rng.integers(-3, 10, 6), n_sets=3, k=3, max_shared=2, **changes)


@pytest.mark.parametrize("style", [0, 1, 3])
def test_every_style_of_highs_with_names_is_read(style, tmp_path):
    problem = problem_with()
    path, solution = tmp_path / "model.lp", tmp_path / "solution.txt"
    path.write_text(export(problem, "lp"))
    subprocess.run([sys.executable, "-c", HIGHS, path, solution, str(style)], check=True, timeout=60)
    sets = decode_values(problem, solution.read_text())
    assert violations(problem, sets) == []
    assert (
        problem_values.total(problem, sets)
        == solve(problem, "brute-force", search="simultaneous").integer_objective
    )


def test_xml_of_cplex_is_read():
    problem = Instance(quality=[3, 2], n_sets=1, k=1, max_shared=1)
    output = """<CPLEXSolution version="1.2"><variables>
  <variable name="x_0_0" index="0" value="0.99999999"/>
  <variable name="x_0_1" index="1" value="0"/>
</variables></CPLEXSolution>"""
    assert decode_values(problem, output) == [(0,)]


def test_no_name_stands_twice():
    problem = problem_with(aggregate="min", previous=[[0, 1, 2]])
    model = linear_model(build(problem))
    for names in ([name for name, *_ in one_sided(model)], [column.name for column in model.columns]):
        assert len(set(names)) == len(names)
    assert max(len(line) for line in export(problem, "lp").splitlines()) < 255


def test_unknown_format_and_formulation():
    problem = problem_with()
    with pytest.raises(InputError, match="format='xls': must be one of"):
        export(problem, "xls")
    for name in ("lp", "mps", "json"):
        with pytest.raises(InputError, match="formulation='best'"):
            export(problem, name, "best")
    assert set(FORMATS) >= {"json", "lp", "mps"}
