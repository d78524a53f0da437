"""All models on MiniZinc 2.8 and later, on its four solvers, by MiniZinc's WebAssembly build in Node.

`npm install minizinc` in any folder, and set MINIZINC_NPM to its node_modules/minizinc.
"""

import os
import re
import shutil

import pytest
from conformance import numbers_for
from judged_models import CHECKER, MODELS, assert_is_best, suited
from running import ended

from pyfsel.backends.minizinc.catalogue import CATALOGUE
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import OBJECTIVES, taken_by

PACKAGE = os.environ.get("MINIZINC_NPM", "")
RUNNER = MODELS.parent / "tests" / "models" / "minizinc_in_node.cjs"
SOLVERS = ("chuffed", "gecode", "highs", "coin-bc")
RULES = {
    "plain": {},
    "rules": {"forced": (0,), "forbidden": (5,), "conflicts": ((1, 2),), "previous": ((0, 1, 6),)},
}
QUESTIONS = {
    "questions/most_dissimilar": ("questions/example", r"largest overlap: 1$"),
    "questions/most_sets": ("questions/most_sets", r"sets: 7$"),
    "questions/min_then_sum": ("questions/example", r"smallest value: 16$"),
    "questions/ties": ("questions/example", r"features \[0, 1\]"),
    "consistency/hitting_set": ("consistency/example", r"2 features: left"),
    "consistency/rows": ("consistency/example", r"2 features: left"),
    "search/restarts": ("data/example", r"an integer: 48"),
}
"""The files of data, and what is printed last."""

pytestmark = pytest.mark.skipif(
    not PACKAGE or not shutil.which("node"),
    reason="needs Node and MINIZINC_NPM: the folder that `npm install minizinc` makes",
)


def run(*arguments):
    """Run MiniZinc, without the compiler that makes long runs faster."""
    return ended("node", "--liftoff-only", RUNNER, PACKAGE, MODELS, *arguments, timeout=None)


def small_problem(kind, **rules):
    """Return a problem of the first objective of a kind: eight features, up to three sets of three."""
    (objective, *_) = taken_by((kind,))
    n_sets = 1 if OBJECTIVES[objective].is_fraction else 3
    numbers = numbers_for(objective)
    return Instance(n_sets=n_sets, k=3, max_shared=1, objective=objective, **numbers, **rules)


def test_it_is_newer():
    major, minor = re.search(r"version (\d+)\.(\d+)", run("--version").stdout).groups()
    assert (int(major), int(minor)) >= (2, 8)


@pytest.mark.parametrize("rules", RULES.values(), ids=list(RULES))
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("model", CATALOGUE, ids=lambda m: m.name)
def test_models_prove_the_optimum(model, solver, rules, tmp_path):
    for kind in model.objectives:
        problem = suited(model, small_problem(kind, **rules))
        problem.save(tmp_path / "problem.json")
        checker = [CHECKER.name] if problem.scale == 1 else []  # 2.10 takes another one for a variable there
        options = ["--solver", solver, "--time-limit", "60000", model.path.name, *checker]
        assert_is_best(run(*options, tmp_path / "problem.json"), problem, bool(checker))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("model", QUESTIONS)
def test_models_of_other_questions_answer_them(model, solver):
    data, last = QUESTIONS[model]
    found = run("--solver", solver, f"{model}.mzn", MODELS / f"{data}.json")
    assert found.returncode == 0, found.stderr
    *_, printed = found.stdout.split("----------")[:-1]
    assert re.search(last, printed, re.MULTILINE), found.stdout
    assert found.stdout.rstrip().endswith("==========" if "ties" not in model else "----------")
