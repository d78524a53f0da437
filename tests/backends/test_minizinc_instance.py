"""Instances for MiniZinc's Python package, and the way back from what it and the program find."""

import subprocess
import warnings
from types import SimpleNamespace

import pytest

import pyfsel
from pyfsel.backends.decode import decode
from pyfsel.backends.minizinc.instance import minizinc_instance
from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.solving.solve import solve

PROBLEM = Instance(quality=[5, 4, 3, 1], n_sets=2, set_size=2, max_overlap=1)
BEST = [(0, 1), (0, 2)]


@pytest.fixture(autouse=True)
def silent():
    """Ignore that MiniZinc warns of its own library."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("solver", ["gecode", "cbc"])
def test_an_instance_is_solved_by_the_python_package(solver):
    result = minizinc_instance(PROBLEM, solver=solver).solve()
    assert result.objective == 17
    assert sorted(decode(PROBLEM, result)) == BEST
    with pytest.raises(InputError, match="solution: the rows of selected must have 3 features"):
        decode(Instance(quality=[5, 4, 3], n_sets=2, set_size=2, max_overlap=1), result)


def test_a_modeller_can_add_constraints():
    instance = minizinc_instance(PROBLEM, "literal")
    with instance.branch() as changed:
        changed.add_string("constraint forall(i in SETS)(not selected[i, 0]);")
        assert sorted(decode(PROBLEM, changed.solve())) == [(1, 2), (1, 3)]
    assert sorted(decode(PROBLEM, instance.solve())) == BEST


def test_an_infeasible_instance_has_no_sets():
    instance = minizinc_instance(PROBLEM)
    instance.add_string("constraint false;")
    with pytest.raises(InputError, match="has no variables `selected`, its status is UNSATISFIABLE"):
        decode(PROBLEM, instance.solve())


def test_data_beyond_the_problem_and_beyond_32_bits():
    pool = minizinc_instance(PROBLEM, "pool")
    assert sorted(decode(PROBLEM, pool.solve())) == BEST
    large = PROBLEM.replace(quality=[q * 10**11 + 1 for q in PROBLEM.quality.tolist()])
    result = minizinc_instance(large, solver="cpsat").solve()
    assert result.objective == solve(large, "brute-force", search="simultaneous").integer_objective


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"solver": "nothing"}, InputError, "solver='nothing': must be one of gecode, cbc"),
        (
            {"formulation": "best"},
            InputError,
            "formulation='best': must be one of strengthened, propagation, literal",
        ),
        ({"formulation": "partition"}, InputError, "solver='gecode': a partition needs disjoint sets"),
    ],
)
def test_what_there_is_no_instance_of(arguments, error, words):
    with pytest.raises(error, match=words):
        minizinc_instance(PROBLEM, **arguments)


def test_an_objective_that_is_solved_by_steps_has_no_instance():
    cfs = make_instance([0.5, 0.4, 0.3], [[0, 0.1, 0.2]] * 3, objective="cfs", k=2, scale=10)
    with pytest.raises(InputError, match="by steps"):
        minizinc_instance(cfs)


@pytest.mark.parametrize(
    "options", [[], ["--output-mode", "json"], ["--json-stream", "--output-mode", "json"]]
)
def test_what_minizinc_prints_is_read_and_its_last_solution_counts(options, tmp_path):
    data = tmp_path / "problem.json"
    PROBLEM.save(data)
    model = pyfsel.drivers.minizinc.model_files.models_dir() / "simultaneous_sum_literal.mzn"
    command = ["minizinc", "--solver", "gecode", "--intermediate", *options, model, data]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert sorted(decode(PROBLEM, text)) == BEST


def test_solutions_of_any_kind_and_broken_ones():
    rows = [[1, 1, 0, 0], [1, 0, 1, 0]]
    same = [[1, 1, 0, 0], [1, 1, 0, 0]]
    last = SimpleNamespace(selected=rows)
    for solution in (
        last,
        {"selected": rows},
        SimpleNamespace(solution=[SimpleNamespace(selected=same), last]),
    ):
        assert decode(PROBLEM, solution) == tuple(BEST)
    with pytest.raises(FalseClaimError, match="solution: sets 0 and 1 share 2 features"):
        decode(PROBLEM, {"selected": same})
    with pytest.raises(FalseClaimError, match="solution: "):
        decode(PROBLEM, "set 1: f0, f7  (features [0, 7], quality 8.0)\n")
    for broken in (
        {"selected": 3},
        {"selected": []},
        {"chosen": rows},
        3,
        None,
        "",
        "=====UNSATISFIABLE=====",
    ):
        with pytest.raises(InputError, match=r"^solution: "):
            decode(PROBLEM, broken)
