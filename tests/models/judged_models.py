"""What a model of the catalogue must print for a problem, whoever runs it."""

import re

from running import ended
from small_problems import without_rules

from pyfsel.backends.simple_searches import BruteForce
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem.objectives import ObjectiveKind
from pyfsel.results.control import Control

MODELS = models_dir()
CHECKER = MODELS / "solution.mzc.mzn"


def minizinc(*arguments):
    """Run Gecode by the program minizinc."""
    return ended("minizinc", "--solver", "org.gecode.gecode", *arguments)


def objective_of(output):
    return int(re.findall(r"as an integer: (-?\d+)", output)[-1])


def suited(model, problem):
    """Return the problem, changed where the model is made for other ones."""
    by_patterns = model.formulation.startswith("patterns")
    if by_patterns:  # features that differ in quality only
        problem = without_rules(problem)
    several = model.name == "sum_by_counts" or model.is_soft or by_patterns
    n_sets = 1 if model.single_set else max(2, problem.n_sets) if several else problem.n_sets
    if model.is_soft:
        problem = problem.replace(aggregate="difference" if problem.aggregate == "min" else "weighted")
    one_size = ObjectiveKind.PAIRS_OF_ONE_SIZE in model.objectives and not model.is_soft
    changed = problem.replace(
        aggregate=problem.aggregate if problem.aggregate in model.aggregates else model.aggregates[0],
        n_sets=n_sets,
        max_shared=0 if model.name == "partition" else problem.max_shared,
        k_min=None if one_size else problem.k_min,
    )
    assert model.is_meant_for(changed)
    assert model.refuses(changed) is None
    return changed


def assert_is_best(run, problem, is_checked=True):
    expected = BruteForce().solve(problem, Control())
    assert run.returncode == 0, run.stderr
    if expected.sets is None:
        assert "=====UNSATISFIABLE=====" in run.stdout
        return
    assert "==========" in run.stdout
    assert objective_of(run.stdout) == expected.bound
    assert run.stdout.count("CORRECT") == run.stdout.count("----------") * is_checked
    assert "WRONG" not in run.stdout
