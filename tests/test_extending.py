"""What CONTRIBUTING promises: a backend, measure, model, objective or key of a suite is one addition."""

import importlib
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, islice
from multiprocessing import get_context

import numpy as np
import pytest
from faulty_backends import together
from running import python
from small_problems import PROBLEM

from pyfsel import Status, measures, solvers
from pyfsel.backends.minizinc import catalogue
from pyfsel.bench import suite
from pyfsel.bench.suite import RunSpec, read_suite, setting, variation
from pyfsel.bench.worker import run_one
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.measures import registry as measure_registry
from pyfsel.measures.tables.table import prepare
from pyfsel.problem import known_objectives
from pyfsel.problem.checks import integer_in
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import OBJECTIVES
from pyfsel.problem.objectives import Objective, ObjectiveKind
from pyfsel.problem.values import total
from pyfsel.results.control import Control
from pyfsel.results.verify import violations

backends = importlib.import_module("pyfsel.backends")

BACKEND = '''
"""The first sets that there are, in the order of the features."""

from itertools import combinations

from pyfsel.backends.base import Backend
from pyfsel.results.backend_answer import BackendAnswer, Status


class First(Backend):
    name = "first"
    summary = "the first sets"
    exact = False
    isolated = False  # a worker does not know of the temporary folder

    def solve(self, problem, control):
        sets = tuple(combinations(range(problem.n_features), problem.k))[: problem.n_sets]
        return BackendAnswer(Status.FEASIBLE, sets)
'''

MEASURE = '''
"""The largest number of a column."""


def largest(table, more=0.0):
    return table.X.max(axis=0) + more
'''

MODEL = """
include "lib/sum_of_qualities.mzn";
include "lib/sets.mzn";
include "lib/products.mzn";
include "lib/objective.mzn";

aggregated_by = sum;
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
    """Let the registries look again, before and after; what comes with the package is there already."""
    backends.registry()
    backends.forget()
    yield
    backends.forget()


def finds_the_first_sets_and_is_listed(run):
    result = together("first")
    assert (result.status, result.sets) == (Status.FEASIBLE, ((0, 1), (0, 2), (0, 3)))
    assert "the first sets" in run("solvers", 0).out


@pytest.mark.usefixtures("forget_registries")
def test_a_backend_is_one_file(new_file, run):
    new_file(backends, "first", BACKEND)
    finds_the_first_sets_and_is_listed(run)
    assert "first" in set(solvers().index)


DISTRIBUTION = {
    "METADATA": "Metadata-Version: 2.1\nName: fake-backends\nVersion: 1\n",
    "RECORD": "",
    "entry_points.txt": "[pyfsel.backends]\n"
    "first = fake_backends:First\nabsent = no_such_module:Nobody\nwrong = fake_backends:combinations\n",
}


@pytest.mark.usefixtures("forget_registries")
def test_another_distribution_adds_backends_by_entry_points(tmp_path, monkeypatch, run):
    """Those that cannot be loaded are named, and break nothing."""
    (tmp_path / "fake_backends.py").write_text(BACKEND)
    about = tmp_path / "fake_backends-1.dist-info"
    about.mkdir()
    for name, text in DISTRIBUTION.items():
        (about / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.warns(UserWarning, match="cannot be loaded|is not a subclass") as caught:
        finds_the_first_sets_and_is_listed(run)
    assert {str(warning.message).split()[1] for warning in caught} == {"absent", "wrong"}


REQUESTED = """
import os, sys
from pyfsel.backends import by_model, find_backend
for name in sys.argv[1:]:
    if os.fork() == 0:
        assert find_backend(name) is not None
        print(name, *{n.split(".")[2] for n in sys.modules if n.startswith("pyfsel.backends.")})
        break
    os.wait()
"""


def test_a_backend_is_imported_when_it_is_requested():
    """Whatever file it is in, no other backend is imported for it; each is requested in a copied process."""
    places = {
        backend.name: type(backend).__module__.split(".")[2] for backend in backends.registry().values()
    }
    needed = {"packing_cpsat": {"own_searches"}}
    lines = map(str.split, python("-c", REQUESTED, *places).stdout.splitlines())
    loaded = {name: set(modules) for name, *modules in lines}
    assert loaded.keys() == places.keys()
    for name, place in places.items():
        assert loaded[name] <= {"base", "by_model", place} | needed.get(place, set()), name


def test_a_measure_is_one_function_and_one_line(new_file, monkeypatch):
    line = measure_registry.Measure(name="largest", module="largest_numbers")
    monkeypatch.setattr(measure_registry, "MEASURES", (*measure_registry.MEASURES, line))
    new_file(measures, "largest_numbers", MEASURE)
    table = prepare(np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 4.0]]), [0, 1, 1])
    assert measures.quality(table, measure="largest") == pytest.approx([4, 5])
    assert measures.quality(table, measure="largest", more=1) == pytest.approx([5, 6])
    assert "largest" in measures.relevance_measures()


@pytest.mark.usefixtures("forget_registries")
def test_a_model_is_one_file_and_one_entry(tmp_path, monkeypatch):
    folder = tmp_path / "models"
    shutil.copytree(models_dir(), folder)
    (folder / "mine.mzn").write_text(MODEL)
    entry = catalogue.CatalogueModel(
        name="mine",
        objectives=("univariate",),
        aggregates=("sum",),
        formulation="mine",
        equation="",
        description="",
    )
    monkeypatch.setattr(catalogue, "models_dir", lambda: folder)
    monkeypatch.setattr(catalogue, "CATALOGUE", (*catalogue.CATALOGUE, entry))
    result = together("minizinc:gecode", formulation="mine")
    assert (result.status, result.objective) == (Status.OPTIMAL, 48)


class Odd(Objective):
    """An objective of somebody else: odd weights that depend on the size."""

    equation = "nowhere"
    has_pairs = True
    has_one_size = True

    def weights(self, k):
        return 2 * k + 1, 3

    def factor(self, k):
        return k


class Steady(Objective):
    """Another one, for sets of any size."""

    equation = "nowhere"
    has_pairs = True

    def weights(self, k):
        return 3, 2


def problems_of_other_weights():
    """Yield problems with numbers of both signs, ties and zeros: one set and two, of one size and several."""
    rng = np.random.default_rng(31)
    several = {"n_sets": 2, "max_shared": 1}
    for fields in (
        {"objective": "odd", "k": 2, **several},
        {"objective": "odd", "k": 3, "aggregate": "min", **several},
        {"objective": "odd", "k": 4, "conflicts": [(0, 1)], "previous": [(1, 2, 3, 4)]},
        {"objective": "steady", "k": 4, **several},
        {"objective": "steady", "k": 7, "k_min": 1},
        {"objective": "odd", "k": 1, **several},
        {"objective": "odd", "k": 2, "forced": [5], "aggregate": "min", **several},
        {"objective": "steady", "k": 3, "aggregate": "min", "min_quality": -20, **several},
    ):
        upper = np.triu(rng.integers(-30, 31, (7, 7)) * (rng.random((7, 7)) < 0.8), 1)
        alone = {"n_sets": 1, "max_shared": 2}
        yield Instance(quality=rng.integers(-9, 10, 7), pairs=upper + upper.T, **(alone | fields))


def best_of_all(problem):
    """Return the largest objective, from the weights alone."""
    per_feature, per_pair = (2 * problem.k + 1, 3) if problem.objective == "odd" else (3, 2)

    def value(members):
        pairs = sum(int(problem.pairs[pair]) for pair in combinations(members, 2))
        return per_feature * int(problem.quality[list(members)].sum()) - per_pair * pairs

    sets = {s: value(s) for size in problem.sizes for s in combinations(range(7), size)}
    good = [s for s in sets if problem.min_quality is None or sets[s] >= problem.min_quality]
    families = (f for f in combinations_with_replacement(good, problem.n_sets) if not violations(problem, f))
    aggregate = sum if problem.aggregate == "sum" else min
    return max(aggregate(sets[s] for s in family) for family in families)


def answers_of(name, most):
    """Return what a backend proves in each formulation, of the first so many problems that it takes."""
    OBJECTIVES.update(odd=Odd(), steady=Steady())
    backend = backends.get_backend(name)
    return [
        (formulation, problem, backend.solve(problem, Control(formulation=formulation)))
        for formulation in backend.formulations
        for problem in islice(
            (p for p in problems_of_other_weights() if backend.refusal(p, formulation) is None), most
        )
    ]


MORE_OF_A_MODEL = ("mip:cbc", "mip:scip")
"""They get the linear models that HiGHS gets."""
PAIRS = {ObjectiveKind.PAIRS, ObjectiveKind.PAIRS_OF_ONE_SIZE}


@pytest.mark.parametrize(
    "name", [n for n, b in backends.registry().items() if b.exact and PAIRS & set(b.objectives)]
)
def test_an_objective_is_one_class(name, monkeypatch):
    """Each backend that takes sums over pairs proves one with weights of its own."""
    monkeypatch.setattr(known_objectives, "OBJECTIVES", OBJECTIVES)
    for known in ("odd", "steady"):
        monkeypatch.setitem(OBJECTIVES, known, None)
    if backends.get_backend(name).missing() is not None:
        pytest.skip("not installed")
    most = 1 if name in MORE_OF_A_MODEL else 2 if name == "minizinc:gecode" else 9
    if backends.get_backend(name).shares_worker:
        proved = answers_of(name, most)
    else:  # its library is not for a process that has loaded others
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as aside:
            proved = aside.submit(answers_of, name, most).result()
            monkeypatch.setitem(OBJECTIVES, "odd", Odd())
            monkeypatch.setitem(OBJECTIVES, "steady", Steady())
    assert proved
    for formulation, problem, answer in proved:
        found = answer.status, answer.bound, total(problem, answer.sets or ())
        assert found == (Status.OPTIMAL, best_of_all(problem), best_of_all(problem)), (formulation, problem)


@dataclass(frozen=True)
class LongerSpec(RunSpec):
    """A run of a suite with a setting and a variation more."""

    n_threads: int = setting(1, lambda name, value: integer_in(name, value, 1, None))
    smallest: int | None = variation(
        "s",
        lambda name, size: integer_in(name, size, 1, None),
        lambda problem, size: problem.replace(k_min=size),
    )


def test_a_key_of_a_suite_is_one_field(tmp_path, monkeypatch):
    monkeypatch.setattr(suite, "RunSpec", LongerSpec)
    PROBLEM.save(tmp_path / "p.json")
    keys = ["n_threads = [1, 2]", 'solver = "brute-force"', 'files = "p.json"', "smallest = [1, 2]"]
    (tmp_path / "suite.toml").write_text("\n".join(keys))
    runs = read_suite(tmp_path / "suite.toml", tmp_path / "made")
    assert {(run.problem_name, run.n_threads) for run in runs} == {
        ("p-s1", 1),
        ("p-s1", 2),
        ("p-s2", 1),
        ("p-s2", 2),
    }
    outcomes = [run_one(run.to_dict(), tmp_path / "made" / "p.json") for run in runs]
    assert {outcome["outcome"] for outcome in outcomes} == {"OPTIMAL"}
