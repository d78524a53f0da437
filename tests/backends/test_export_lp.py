"""LP and MPS files: other programs read them and find brute force's optimum."""

import subprocess
import sys

import numpy as np
import pytest
from ortools.linear_solver.python import model_builder

from pyfsel import InputError
from pyfsel.backends.export import FORMATS, export
from pyfsel.backends.lp import decode_values
from pyfsel.drivers.linear.from_model import linear_model
from pyfsel.model.build import build
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.results.solution_file import verify
from pyfsel.solving.solve import solve

FORMATS_OF_MODEL = ("lp", "mps")
HIGHS = """
import sys, highspy
solver = highspy.Highs()
solver.silent()
solver.readModel(sys.argv[1])
solver.run()
solver.writeSolution(sys.argv[2], int(sys.argv[3]))
"""


def random_problem(seed, **changes):
    rng = np.random.default_rng(seed)
    n = 6
    arguments = {"k": 3, "n_alternatives": 2, "max_overlap": int(rng.integers(1, 3))} | changes
    quality = rng.integers(-3, 10, n) * 1_234_567 if seed % 2 else rng.random(n)
    redundancy = rng.random((n, n)) - (0.5 if seed % 3 == 0 else 0)
    return make_instance(quality, redundancy * np.abs(quality).max(), **arguments)


def run_cbc(text, file_format, folder):
    """Return whether CBC proved an optimum, and the variables that are not zero in it."""
    path, solution = folder / f"model.{file_format}", folder / "solution.txt"
    path.write_text(text)
    subprocess.run(
        ["cbc", path, "ratio", "0", "solve", "solution", solution],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    status, *lines = [line.split() for line in solution.read_text().splitlines()]
    return status[0] == "Optimal", {name: float(value) for _, name, value, *_ in lines}


def sets_of(values, problem):
    chosen = [name.split("_")[1:] for name, value in values.items() if name[0] == "x" and round(value)]
    return [tuple(sorted(int(j) for number, j in chosen if int(number) == i)) for i in range(problem.n_sets)]


def least_cost_by_scip(text):
    model = model_builder.Model()
    assert model.import_from_mps_string(text)
    solver = model_builder.Solver("scip")
    status = solver.solve(model)
    return round(solver.objective_value) if status == model_builder.SolveStatus.OPTIMAL else None


@pytest.mark.parametrize("aggregate", ["sum", "min"])
@pytest.mark.parametrize("objective", ["univariate", "fcbf", "mrmr"])
@pytest.mark.parametrize("seed", range(2))
def test_other_solvers_find_the_optimum_of_brute_force(seed, objective, aggregate, tmp_path):
    problem = random_problem(seed, objective=objective, aggregate=aggregate, k=2 + seed % 2)
    expected = solve(problem, "brute-force", search="simultaneous").integer_objective
    assert least_cost_by_scip(export(problem, "mps")) == (None if expected is None else -expected)
    for file_format in FORMATS_OF_MODEL:
        optimal, values = run_cbc(export(problem, file_format), file_format, tmp_path)
        assert optimal == (expected is not None)
        if optimal:
            sets = sets_of(values, problem)
            assert verify(problem, sets) == []
            assert problem_values.total(problem, sets) == expected


def test_limits_of_any_size_are_kept(tmp_path):
    rng = np.random.default_rng(3)
    quality, costs = rng.integers(10**11, 10**13, (2, 6))
    for least, budget in [(None, costs.sum()), (quality.sum() // 3, costs.sum() // 2), (quality.max(), 0)]:
        problem = Instance(quality, n_sets=1, set_size=3, max_overlap=3, costs=costs, budget=int(budget))
        problem = problem.replace(min_quality=None if least is None else int(least))
        expected = solve(problem, "brute-force", search="simultaneous").sets
        for file_format in FORMATS_OF_MODEL:
            optimal, values = run_cbc(export(problem, file_format), file_format, tmp_path)
            assert optimal == bool(expected)
            assert not optimal or tuple(sets_of(values, problem)) == expected


@pytest.mark.parametrize("style", [0, 1, 3])
def test_every_style_of_highs_with_names_is_read(style, tmp_path):
    problem = random_problem(1, n_alternatives=1)
    path, solution = tmp_path / "model.lp", tmp_path / "solution.txt"
    path.write_text(export(problem, "lp"))
    subprocess.run([sys.executable, "-c", HIGHS, path, solution, str(style)], check=True, timeout=60)
    sets = decode_values(problem, solution.read_text())
    assert verify(problem, sets) == []
    assert (
        problem_values.total(problem, sets)
        == solve(problem, "brute-force", search="simultaneous").integer_objective
    )


def test_xml_of_cplex_is_read():
    problem = Instance(quality=[3, 2], n_sets=1, set_size=1, max_overlap=1)
    output = """<CPLEXSolution version="1.2"><variables>
  <variable name="x_0_0" index="0" value="0.99999999"/>
  <variable name="x_0_1" index="1" value="0"/>
</variables></CPLEXSolution>"""
    assert decode_values(problem, output) == [(0,)]


@pytest.mark.parametrize("line", ["x_0_0 2", "x_0_0 -1", "x_0_0 0.5", "x_1_0 1", "x_0_2 1"])
def test_values_that_cannot_be_are_named(line):
    problem = Instance(quality=[3, 2], n_sets=1, set_size=1, max_overlap=1)
    with pytest.raises(InputError, match=f"{line.split()[0]} = .* does not belong"):
        decode_values(problem, f"x_0_1 1\n{line}\n")


def test_the_number_of_the_next_line_is_no_value():
    problem = Instance(quality=[3, 2], n_sets=1, set_size=1, max_overlap=1)
    assert decode_values(problem, "x_0_0\n1 x_0_1\n") is None


def test_no_name_stands_twice():
    problem = random_problem(0, objective="mrmr", aggregate="min", previous_sets=[[0, 1, 2]])
    model = linear_model(build(problem))
    rows = [row.name for row in model.rows]
    assert len(set(rows)) == len(rows)
    assert len(set(model.names)) == len(model.names) == model.n_columns
    assert max(len(line) for line in export(problem, "lp").splitlines()) < 255


def test_unknown_format_and_formulation():
    problem = random_problem(0)
    with pytest.raises(InputError, match="format='xls': must be one of"):
        export(problem, "xls")
    for name in ("lp", "mps", "json"):
        with pytest.raises(InputError, match="formulation='best'"):
            export(problem, name, "best")
    assert set(FORMATS) >= {"json", "lp", "mps"}
