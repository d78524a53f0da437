"""Backends held against each other: lies that only a comparison can find, gaps, and the command."""

import csv

import pytest
import test_bench
from faulty_backends import Says
from small_problems import BEST, PROBLEM

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.backends.minizinc.dzn import dzn_text
from pyfsel.bench.compare import compare, compare_files
from pyfsel.errors import InputError
from pyfsel.interface.problem import Problem
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer

# the optimum of PROBLEM is 48; Greedy Replacement, the start of exact backends, reaches 45
GREEDY = ((0, 1), (0, 2), (0, 3))
# the optimum is 14 with the set 02; Greedy Depth Search, the start of exact backends, takes 01 with -1
MRMR = Instance(
    quality=[9, 8, 7],
    n_sets=1,
    k=2,
    max_shared=2,
    objective="mrmr",
    pairs=[[0, 9, 1], [9, 0, 1], [1, 1, 0]],
)
# sets of one or two features have no start that could unmask a false INFEASIBLE before the comparison does
RANGE = PROBLEM.replace(k_min=1)


def compared(problem, *answers, search="sum"):
    return asked(
        {"example": problem}, [Says(*answers, side_constraints=("size_range",)), "brute-force"], search
    )


def asked(problems, solvers, search="sum"):
    """Compare solvers on instances."""
    named = {name: Problem.of_instance(problem, search) for name, problem in problems.items()}
    return compare(named, solvers)


def contradictions(found):
    return found.details["contradictions"]


LATER = MRMR.replace(n_sets=2, max_shared=1)
FIRST = BackendAnswer(Status.OPTIMAL, ((0, 2),), 14)
LIES = [
    (
        PROBLEM,
        [BackendAnswer(Status.OPTIMAL, GREEDY, 45)],
        "optimum",
        "the optimum 45 was claimed, but brute-force",
    ),
    (
        PROBLEM,
        [BackendAnswer(Status.FEASIBLE, GREEDY, 47)],
        "bound",
        "the bound 47 was claimed, but brute-force",
    ),
    (MRMR, [BackendAnswer(Status.NOT_SOLVED, None, 13)], "bound", "[[0, 2]], verified, with 14"),
    (
        RANGE,
        [BackendAnswer(Status.INFEASIBLE)],
        "infeasible",
        "INFEASIBLE was claimed, but brute-force found",
    ),
    (PROBLEM, [BackendAnswer(Status.FEASIBLE, BEST[:2])], "claim", "2 sets given, the problem asks for 3"),
    (LATER, [FIRST, BackendAnswer(Status.OPTIMAL, ((0, 1),), -1)], "optimum", "in step 1"),
    (LATER, [FIRST, BackendAnswer(Status.FEASIBLE, ((0, 1),), 12)], "bound", "in step 1"),
    (LATER, [FIRST, BackendAnswer(Status.INFEASIBLE)], "infeasible", "in step 1"),
]


@pytest.mark.parametrize(("problem", "answers", "kind", "evidence"), LIES)
def test_each_kind_of_lie_is_found_and_shown(problem, answers, kind, evidence):
    found = compared(problem, *answers, search="sum" if len(answers) == 1 else "sequential")
    (lie,) = contradictions(found)
    assert (lie["instance"], lie["kind"], lie["contender"]) == ("example", kind, "says")
    assert evidence in lie["evidence"] or evidence == lie["against"]
    assert "the same" not in found.headline


def test_different_ties_in_sequential_search_are_no_contradiction():
    redundancy = [[0, 9, 0, 0], [9, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    problem = Instance([5, 5, 5, 5], 2, 2, 0, objective="mrmr", pairs=redundancy)
    steps = BackendAnswer(Status.OPTIMAL, ((2, 3),), 10), BackendAnswer(Status.OPTIMAL, ((0, 1),), -8)
    found = compared(problem, *steps, search="sequential")
    assert contradictions(found) == []
    assert found.to_frame()["below_best"].tolist() == [18 / 20, 0.0]


def test_unsupported_missing_and_crashed_backends_are_stated():
    solvers = [
        Says(name="narrow", unsupported=lambda problem, formulation: "takes one set only"),
        Says(name="absent", missing=lambda: "pip install absent"),
        Says(RuntimeError("lost the model"), name="broken"),
    ]
    found = asked({"m": MRMR}, solvers)
    frame = found.to_frame()
    assert frame["status"].tolist() == ["unsupported", "missing", "error"]
    reasons = ("one set only", "pip install absent", "lost the model")
    assert all(map(str.__contains__, frame["message"], reasons))
    (crashed,) = found.details["crashed"]
    assert crashed.startswith("broken crashed on m: ")


@pytest.mark.parametrize("search", ["sequential", "sum", "min"])
def test_solvers_are_compared_on_problems(search):
    problem = Problem([9, 8, 7, 3, 2, 1], k=2, n_sets=3, dissimilarity="shared:1")
    solvers = ["cpsat", "cpsat/literal", "highs", "greedy-replacement", "ksubgraph"]
    found = compare({"one": problem, "two": problem.replace(n_sets=2)}, solvers, search=search)
    frame = found.to_frame().set_index(["problem", "solver"])
    best = {"sequential": 48, "sum": 48, "min": 15}[search]
    assert frame.loc["one", "value"].max() == best
    assert frame["high"].isna().all() if search == "sequential" else frame["high"].max() >= best
    assert set(frame["status"]) <= {"OPTIMAL", "FEASIBLE", "unsupported"}
    assert frame.loc[("one", "ksubgraph"), "status"] == "unsupported"
    assert (found.status, found.details["contradictions"]) == ("CHECKED", [])
    assert "no contradictions" in found.headline


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"solvers": ["nonsense"]}, "solvers='nonsense': must be one of"),
        ({"solvers": ["rc2/wild"]}, "formulation='wild'"),
        ({"solvers": ["auto"]}, "chooses among solvers; name those"),
        ({"solvers": "cpsat"}, "solvers='cpsat': must be a list"),
        ({"search": "sideways"}, "search='sideways'"),
        ({"search": "min_then_sum"}, "is two searches. Try: search='min'"),
        ({"time_limit": 0}, "time_limit=0"),
        ({"problems": None}, "problems=None"),
        ({"problems": {"a": PROBLEM}}, "must be a Problem"),
        ({"problems": {}}, "problems: is empty"),
        ({"solvers": []}, "solvers: is empty"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    problem = Problem([9, 8, 7], k=2, n_sets=2, search="sum")
    with pytest.raises(InputError) as caught:
        compare(**{"problems": problem, "solvers": ["brute-force"]} | arguments)
    assert message in str(caught.value)


@pytest.fixture
def instance(tmp_path):
    PROBLEM.save(tmp_path / "example.json")
    return tmp_path / "example.json"


def test_the_command(instance, tmp_path, run, monkeypatch):
    command = f"compare {instance} --search sum --solvers"
    shown = run(f"{command} brute-force,greedy-replacement,ksubgraph", 0).out
    assert "6.2%" in shown
    assert "unsupported" in shown
    run(f"{command} brute-force,greedy-balancing -o {tmp_path}/runs.csv", 0)
    with (tmp_path / "runs.csv").open() as file:
        assert [row["solver"] for row in csv.DictReader(file)] == ["brute-force", "greedy-balancing"]
    monkeypatch.setitem(
        registry(), "sorting", Says(BackendAnswer(Status.OPTIMAL, GREEDY, 45), name="sorting")
    )
    assert "the optimum 45 was claimed, but" in run(f"{command} sorting,brute-force", 1).words
    MRMR.save(instance)
    monkeypatch.setitem(registry(), "sorting", Says(RuntimeError("lost the model"), name="sorting"))
    assert "lost the model" in run(f"{command} sorting,brute-force", 5).words
    run(f"compare {instance} --solvers ,", 2)


def test_models_of_other_questions_end_with_their_own_status(tmp_path):
    problem = Instance(quality=[9, 8, 7, 3, 2], n_sets=2, k=3, max_shared=2)
    given = test_bench.SHARED.replace("WANTED", "0")
    for name, text in (("a", given), ("b", given.replace("int: penalty", "int: penalty = 2"))):
        (tmp_path / f"{name}.mzn").write_text(text)
    file = tmp_path / "it.dzn"
    file.write_text(dzn_text(problem) + "penalty = 3;\n")
    named = [f"{tmp_path}/a.mzn", f"gecode:{tmp_path}/b.mzn", "brute-force"]
    frame = compare_files([file], named, search="sum", time_limit=60).to_frame()
    assert frame[["solver", "status"]].values.tolist() == [
        ["minizinc:gecode with a.mzn", "OPTIMAL"],
        ["minizinc:gecode with b.mzn", "OPTIMAL"],
        ["brute-force", "OPTIMAL"],
    ]
    assert frame["own_objective"].tolist()[:2] == [3, 2]
