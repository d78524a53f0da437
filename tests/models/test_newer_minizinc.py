"""All models on MiniZinc 2.8 and later, with Chuffed, by MiniZinc's WebAssembly build in Node.

`npm install minizinc` in any folder, and set MINIZINC_NPM to its node_modules/minizinc.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

PACKAGE = os.environ.get("MINIZINC_NPM", "")
RUNNER = Path(__file__).with_name("minizinc_in_node.cjs")
SEVERAL = (
    *("simultaneous_sum", "simultaneous_sum_literal", "set_variables", "sum_by_counts", "soft_alternatives"),
    *("simultaneous_min", "simultaneous_min_literal", "search/restarts"),
)
PAIRS = ("mrmr", "mrmr_literal", "mrmr_tight_big_m", "mrmr_pairs")
ONE = ("sequential", "sequential_literal")
QUESTIONS = ("questions/ties", "questions/most_dissimilar", "questions/min_then_sum")
OTHERS = [
    (model, solver)
    for model in ("simultaneous_sum_lean", "patterns", "mrmr")
    for solver in ("gecode", "highs", "coin-bc")
]

pytestmark = pytest.mark.skipif(
    not PACKAGE or not shutil.which("node"), reason="npm install minizinc, MINIZINC_NPM"
)


def printed(model, solver, *files):
    asked = ["--solver", solver, "--time-limit", "60000", f"{model}.mzn", *map(str, files)]
    command = ["node", str(RUNNER), PACKAGE, str(models_dir()), *asked]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def example(model):
    name = "next_set" if model in ONE else "mrmr" if model in PAIRS else "example"
    problem = Instance.load(models_dir() / "data" / f"{name}.json")
    return problem.replace(aggregate="min") if "_min" in model else problem


def test_it_is_newer():
    command = ["node", str(RUNNER), PACKAGE, str(models_dir()), "--version"]
    major, minor = re.search(r"version (\d+)\.(\d+)", subprocess.check_output(command, text=True)).groups()
    assert (int(major), int(minor)) >= (2, 8)


@pytest.mark.parametrize("restricted", [False, True], ids=["plain", "forced"])
@pytest.mark.parametrize(
    ("model", "solver"), [*((m, "chuffed") for m in (*SEVERAL, *PAIRS, *ONE)), *OTHERS], ids=str
)
def test_models_prove_the_optimum(model, solver, restricted, tmp_path):
    problem = example(model)
    if restricted:
        problem = problem.replace(forced=(0,), forbidden=(problem.n_features - 1,))
    optimum = solve(problem, "brute-force", "simultaneous").integer_objective
    file = tmp_path / "problem.json"
    problem.save(file)
    out = printed(model, solver, file)
    assert out.rstrip().endswith("=========="), out
    assert int(re.findall(r"as an integer: (-?\d+)", out)[-1]) == optimum


def test_hitting_sets_are_proved():
    library = Path(__file__).parents[2] / "instances"
    (entry,) = (
        e
        for e in json.loads((library / "manifest.json").read_text())
        if e["file"] == "consistency/hepatitis-b2.json"
    )
    out = printed("consistency/hitting_set", "chuffed", library / entry["file"])
    assert re.findall(r"(\d+) features:", out)[-1] == str(entry["best_known"])
    assert out.rstrip().endswith("==========")


@pytest.mark.parametrize("model", QUESTIONS)
def test_questions_run(model):
    assert "----------" in printed(model, "chuffed", models_dir() / "questions" / "example.json")
