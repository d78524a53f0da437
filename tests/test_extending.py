"""What CONTRIBUTING promises: a backend, a measure, a model and a key of a suite are one addition each.

An objective is in tests/problem/test_objectives.py.
"""

import importlib
import shutil
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import pyfsel
from pyfsel import Problem, Status, measures, solve
from pyfsel.backends.minizinc import catalogue
from pyfsel.bench import suite
from pyfsel.bench.suite import RunSpec, read_suite, setting, variation
from pyfsel.bench.worker import run_one
from pyfsel.cli.app import main
from pyfsel.measures import registry as measure_registry
from pyfsel.measures.tables.table import prepare
from pyfsel.problem.checks import integer_in
from pyfsel.solvers.minizinc.model_files import models_dir
from pyfsel.solving import workers

backends = importlib.import_module("pyfsel.backends")
PROBLEM = Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1)

BACKEND = '''
"""The first sets that there are, in the order of the features."""

from itertools import combinations

from pyfsel.backends.base import Backend
from pyfsel.results.answer import Answer, Status


class First(Backend):
    name = "first"
    summary = "the first sets"
    exact = False

    def solve(self, problem, control):
        sets = tuple(combinations(range(problem.n_features), problem.set_size))[: problem.n_sets]
        return Answer(Status.FEASIBLE, sets)
'''

MEASURE = '''
"""The largest number of a column."""

from pyfsel.measures.registry import relevance


@relevance("largest")
def largest(table, more=0.0):
    return table.X.max(axis=0) + more
'''

MODEL = """
include "lib/sum_of_qualities.mzn";
include "lib/sets.mzn";
include "lib/products.mzn";
include "lib/objective.mzn";

aggregated_by = "sum";
var int: objective_value = sum(s in SETS)(quality_of(s));
solve maximize objective_value;
"""


@pytest.fixture
def new_file(tmp_path, monkeypatch):
    """Write a file into a temporary folder that counts as a part of a package."""

    def write(package, name, text):
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
        monkeypatch.delitem(sys.modules, f"{package.__name__}.{name}", raising=False)

    return write


@pytest.fixture
def forget_registries():
    """Let the registries look again, before and after."""
    caches = (backends.registry, measure_registry._import_all)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.usefixtures("forget_registries")
def test_a_backend_is_one_file(new_file, capsys, monkeypatch):
    """Its worker is a copy of this process, which alone knows of the temporary folder."""
    new_file(backends, "first", BACKEND)
    workers.end_idle_workers()
    monkeypatch.setattr(workers, "_starts_by_fork", True)
    result = solve(PROBLEM, "first", search="simultaneous")
    workers.end_idle_workers()
    assert (result.status, result.sets) == (Status.FEASIBLE, ((0, 1), (0, 2), (0, 3)))
    assert "first" in set(pyfsel.backends()["name"])
    assert main(["backends"]) == 0
    assert "the first sets" in capsys.readouterr().out


@pytest.mark.usefixtures("forget_registries")
def test_a_measure_is_one_decorated_function(new_file, monkeypatch):
    monkeypatch.setattr(measure_registry, "_RELEVANCE", dict(measure_registry._RELEVANCE))
    new_file(measures, "largest", MEASURE)
    table = prepare(np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 4.0]]), [0, 1, 1])
    assert measures.quality(table, measure="largest") == pytest.approx([4 / 9, 5 / 9])
    assert measures.quality(table, measure="largest", more=1) == pytest.approx([5 / 11, 6 / 11])
    assert "largest" in measures.relevance_measures()


@pytest.mark.usefixtures("forget_registries")
def test_a_model_is_one_file_and_one_entry(tmp_path, monkeypatch):
    folder = tmp_path / "models"
    shutil.copytree(models_dir(), folder)
    (folder / "mine.mzn").write_text(MODEL)
    entry = catalogue.Model(
        name="mine",
        file="mine.mzn",
        objectives=("univariate",),
        aggregates=("sum",),
        formulation="mine",
        equation="",
        description="",
    )
    monkeypatch.setattr(catalogue, "models_dir", lambda: folder)
    monkeypatch.setattr(catalogue, "CATALOGUE", (*catalogue.CATALOGUE, entry))
    result = solve(PROBLEM, "minizinc:gecode", formulation="mine", search="simultaneous")
    assert (result.status, result.objective) == (Status.OPTIMAL, 48)


@dataclass(frozen=True)
class LongerSpec(RunSpec):
    """A run of a suite with a setting and a variation more."""

    n_threads: int = setting(1, lambda name, value: integer_in(name, value, 1, None))
    smallest: int | None = variation("s", lambda size: {"min_set_size": size})


def test_a_key_of_a_suite_is_one_field(tmp_path, monkeypatch):
    monkeypatch.setattr(suite, "RunSpec", LongerSpec)
    PROBLEM.save(tmp_path / "p.json")
    keys = ["n_threads = [1, 2]", 'backends = ["brute-force"]', 'files = ["p.json"]']
    keys.append("vary = {smallest = [1, 2]}")
    (tmp_path / "suite.toml").write_text("\n".join(keys))
    runs = read_suite(tmp_path / "suite.toml", tmp_path / "made").runs
    assert {(run.problem_name, run.n_threads) for run in runs} == {
        ("p-s1", 1),
        ("p-s1", 2),
        ("p-s2", 1),
        ("p-s2", 2),
    }
    outcomes = [run_one(run.to_dict(), tmp_path / "made" / "p.json") for run in runs]
    assert {outcome["outcome"] for outcome in outcomes} == {"OPTIMAL"}
