"""Models, instance files and the check work with MiniZinc's own Python package, without pyfsel's calls."""

import minizinc
import pytest

from pyfsel import Problem, check, export, solve
from pyfsel.drivers.minizinc.model_files import models_dir

QUALITY = [9, 8, 7, 3, 2, 1]


@pytest.mark.parametrize(
    ("search", "model"),
    [
        ("sum", "simultaneous_sum.mzn"),
        ("sum", "patterns.mzn"),
        ("min", "simultaneous_min.mzn"),
        ("min", "simultaneous_min_lean.mzn"),
    ],
)
def test_sets_that_minizinc_returns_are_optimal_and_pass_the_check(search, model, tmp_path):
    problem = Problem(QUALITY, k=3, n_sets=2, dissimilarity=0.5, search=search)
    export(problem, tmp_path / "data.json")
    instance = minizinc.Instance(minizinc.Solver.lookup("gecode"), minizinc.Model(models_dir() / model))
    instance.add_file(tmp_path / "data.json")
    result = instance.solve()
    assert result.status is minizinc.Status.OPTIMAL_SOLUTION
    assert result.objective == solve(problem, "cpsat").low
    assert check(problem, result) == []
