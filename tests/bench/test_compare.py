"""Backends held against each other: lies that only a comparison can find, gaps, and the command."""

import csv
import json

import pytest

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.backends.base import Backend
from pyfsel.backends.minizinc.dzn import dzn_text
from pyfsel.bench.compare import Contender, Outcome, compare
from pyfsel.cli.app import main
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.results.answer import Answer

# the optimum is 48 with the sets 01, 02, 12; Greedy Replacement, the start of exact backends, reaches 45
PROBLEM = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1)
BEST = ((0, 1), (0, 2), (1, 2))
GREEDY = ((0, 1), (0, 2), (0, 3))
# the optimum is 14 with the set 02; Greedy Depth Search, the start of exact backends, takes 01 with -1
MRMR = Instance(
    quality=[9, 8, 7],
    n_sets=1,
    set_size=2,
    max_overlap=2,
    objective="mrmr",
    redundancy=[[0, 9, 1], [9, 0, 1], [1, 1, 0]],
)
# sets of one or two features have no start that could unmask a false INFEASIBLE before the comparison does
RANGE = PROBLEM.replace(min_set_size=1)


class Telling(Backend):
    """Answers what it is told to; in sequential search, by the number of the step."""

    summary = "test"
    isolated = False
    needs_start = False
    formulations = ("literal",)
    side_constraints = ("size_range",)

    def __init__(self, *answers, name="telling", exact=True, refuses=None, lacks=None):
        self.answers = answers
        self.name = name
        self.exact = exact
        self.refuses = refuses
        self.lacks = lacks

    def missing(self):
        return self.lacks

    def unsupported(self, problem, formulation):
        return self.refuses

    def solve(self, problem, control):
        answer = self.answers[min(len(problem.previous_sets), len(self.answers) - 1)]
        if isinstance(answer, Exception):
            raise answer
        return answer


def compared(problem, *answers, search="simultaneous", **traits):
    contenders = [Contender(Telling(*answers, **traits)), "brute-force"]
    return compare({"example": problem}, contenders, search=search)


def test_agreeing_backends_do_not_contradict_each_other():
    found = compared(PROBLEM, Answer(Status.OPTIMAL, BEST, 48))
    assert found.contradictions == ()
    assert [run.status for run in found.runs] == ["OPTIMAL", "OPTIMAL"]
    assert found.reference("example") == (48, "optimum")


@pytest.mark.parametrize(
    ("problem", "answer", "kind", "evidence"),
    [
        (
            PROBLEM,
            Answer(Status.OPTIMAL, GREEDY, 45),
            "optimum",
            "the optimum 45 was claimed, but brute-force",
        ),
        (PROBLEM, Answer(Status.FEASIBLE, GREEDY, 47), "bound", "the bound 47 was claimed, but brute-force"),
        (MRMR, Answer(Status.NOT_SOLVED, None, 13), "bound", "[[0, 2]], verified, with 14"),
        (
            RANGE,
            Answer(Status.INFEASIBLE),
            "infeasible",
            "INFEASIBLE was claimed, but brute-force found",
        ),
        (PROBLEM, Answer(Status.INFEASIBLE), "claim", "INFEASIBLE was claimed, but"),
        (PROBLEM, Answer(Status.FEASIBLE, BEST[:2]), "claim", "2 sets given, the problem asks for 3"),
    ],
)
def test_each_kind_of_lie_is_found_and_shown(problem, answer, kind, evidence):
    found = compared(problem, answer)
    assert [(c.instance, c.kind, c.contender) for c in found.contradictions] == [("example", kind, "telling")]
    assert evidence in found.contradictions[0].evidence
    assert found.reference("example") is None
    assert [found.gap(run) for run in found.runs] == [None, None]


def test_bound_one_below_the_optimum_is_found_and_the_optimum_itself_is_not():
    assert compared(PROBLEM, Answer(Status.FEASIBLE, GREEDY, 48)).contradictions == ()
    assert [c.kind for c in compared(PROBLEM, Answer(Status.FEASIBLE, GREEDY, 47)).contradictions] == [
        "bound"
    ]


@pytest.mark.parametrize(
    ("second", "kind"),
    [
        (Answer(Status.OPTIMAL, ((0, 1),), -1), "optimum"),
        (Answer(Status.FEASIBLE, ((0, 1),), 12), "bound"),
        (Answer(Status.INFEASIBLE), "claim"),
    ],
)
def test_lies_about_a_later_step_are_found(second, kind):
    first = Answer(Status.OPTIMAL, ((0, 2),), 14)
    found = compared(MRMR.replace(n_sets=2, max_overlap=1), first, second, search="sequential")
    assert [c.kind for c in found.contradictions] == [kind]
    assert kind == "claim" or "in step 1" in found.contradictions[0].evidence


def test_false_infeasibility_of_a_later_step_is_found_by_another_run():
    first = Answer(Status.OPTIMAL, ((0, 1),), 17)
    found = compared(RANGE, first, Answer(Status.INFEASIBLE), search="sequential")
    assert [(c.kind, c.against) for c in found.contradictions] == [("infeasible", "brute-force")]


def test_different_ties_in_sequential_search_are_no_contradiction():
    redundancy = [[0, 9, 0, 0], [9, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    problem = Instance([5, 5, 5, 5], 2, 2, 0, objective="mrmr", redundancy=redundancy)
    steps = Answer(Status.OPTIMAL, ((2, 3),), 10), Answer(Status.OPTIMAL, ((0, 1),), -8)
    found = compared(problem, *steps, search="sequential")
    assert found.contradictions == ()
    assert found.reference("example") == (20, "proved sequence")
    assert [found.gap(run) for run in found.runs] == [18 / 20, 0.0]


def test_heuristics_get_their_gap_to_the_optimum_or_the_bound():
    optimum = compare(
        {"a": PROBLEM}, ["brute-force", "greedy-replacement"], search="simultaneous"
    ).to_records()
    assert [row["gap_to_reference"] for row in optimum] == [0.0, 3 / 48]
    assert [row["reference"] for row in optimum] == ["optimum", "optimum"]
    bounding = Contender(Telling(Answer(Status.NOT_SOLVED, None, 50)))
    bound = compare({"a": PROBLEM}, [bounding, "greedy-replacement"], search="simultaneous")
    assert bound.reference("a") == (50, "bound")
    assert bound.to_records()[1]["gap_to_reference"] == 5 / 50


def test_unsupported_missing_and_crashed_backends_are_stated():
    contenders = [
        Contender(Telling(name="narrow", refuses="takes one set only")),
        Contender(Telling(name="absent", lacks="pip install absent")),
        Contender(Telling(RuntimeError("lost the model"), name="broken", exact=False)),
    ]
    found = compare({"m": MRMR}, contenders, search="simultaneous")
    assert [run.outcome for run in found.runs] == [Outcome.UNSUPPORTED, Outcome.MISSING, Outcome.ERROR]
    for run, reason in zip(found.runs, ("one set only", "pip install absent", "lost the model"), strict=True):
        assert reason in run.message
    assert [run.contender for run in found.crashed] == ["broken"]


def test_crash_after_a_start_solution_is_a_crash():
    found = compare(
        {"m": MRMR},
        [Contender(Telling(RuntimeError("lost the model"), name="broken"))],
        search="simultaneous",
    )
    assert [(run.contender, run.status) for run in found.crashed] == [("broken", "error")]
    assert found.crashed[0].result.sets


def test_formulations_are_contenders_of_their_own():
    found = compare({"a": PROBLEM}, ["cpsat", "cpsat/literal"], time_limit=30, search="simultaneous")
    assert [(run.contender, run.status) for run in found.runs] == [
        ("cpsat", "OPTIMAL"),
        ("cpsat/literal", "OPTIMAL"),
    ]


@pytest.fixture
def instance(tmp_path):
    PROBLEM.save(tmp_path / "example.json")
    return tmp_path / "example.json"


def test_command_shows_every_backend_and_the_gap(instance, capsys):
    assert main(["compare", str(instance), "--backends", "brute-force,greedy-replacement,ksubgraph"]) == 0
    shown = capsys.readouterr().out
    assert "6.25%" in shown
    assert "unsupported" in shown
    assert "no contradictions" in shown


def test_command_writes_json_and_csv(instance, tmp_path, capsys):
    arguments = ["compare", str(instance), "--backends", "brute-force,greedy-balancing"]
    assert main([*arguments, "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["contradictions"] == []
    assert [row["integer_objective"] for row in data["runs"]] == [48, 45]
    assert main([*arguments, "-o", str(tmp_path / "runs.csv")]) == 0
    with (tmp_path / "runs.csv").open() as file:
        assert [row["backend"] for row in csv.DictReader(file)] == ["brute-force", "greedy-balancing"]


def test_command_fails_on_a_contradiction(instance, capsys, monkeypatch):
    lying = Telling(Answer(Status.OPTIMAL, GREEDY, 45), name="sorting")
    monkeypatch.setitem(registry(), "sorting", lying)
    together = ["--search", "simultaneous", "--backends", "sorting,brute-force"]
    assert main(["compare", str(instance), *together]) == 1
    written = capsys.readouterr()
    assert "the optimum 45 was claimed, but brute-force found" in " ".join(written.out.split())
    assert "1 contradiction" in written.out
    assert "contradiction" in written.err


def test_command_says_when_a_backend_crashed(instance, capsys, monkeypatch):
    monkeypatch.setitem(registry(), "sorting", Telling(RuntimeError("lost the model"), name="sorting"))
    MRMR.save(instance)
    assert main(["compare", str(instance), "--backends", "sorting,brute-force"]) == 5
    assert "lost the model" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--backends", "nonsense"], "backend='nonsense'"),
        (["--backends", ","], "--backends: is empty"),
        (["--search", "sideways"], "search='sideways'"),
        (["--time-limit", "0"], "--time-limit=0"),
        (["--backends", "rc2/wild"], "formulation='wild'"),
    ],
)
def test_bad_arguments_are_named(instance, capsys, arguments, message):
    assert main(["compare", str(instance), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_auto_is_no_contender():
    with pytest.raises(InputError, match="chooses among backends; name those"):
        Contender.named("auto")


SHARED = """
include "lib/sum_of_qualities.mzn"; include "lib/sets.mzn";
include "lib/products.mzn"; include "lib/objective.mzn";
aggregated_by = sum;
DATA
var 0..n_features: shared = sum(f in FEATURES)(selected[0, f] /\\ selected[1, f]);
solve minimize PENALTY * shared;
"""


@pytest.mark.parametrize("suffix", ["json", "dzn"])
def test_models_of_other_questions_end_with_their_own_status(suffix, tmp_path, capsys):
    problem = Instance(quality=[9, 8, 7, 3, 2], n_sets=2, set_size=3, max_overlap=2)
    for name, declared, penalty in (("a", "int: penalty;", "penalty"), ("b", "", "2")):
        text = SHARED.replace("DATA", declared).replace("PENALTY", penalty)
        (tmp_path / f"{name}.mzn").write_text(text)
    file = tmp_path / f"it.{suffix}"
    more = {
        "json": json.dumps(problem.to_dict() | {"penalty": 3}),
        "dzn": dzn_text(problem) + "penalty = 3;\n",
    }
    file.write_text(more[suffix])
    named = f"{tmp_path}/a.mzn,gecode:{tmp_path}/b.mzn,brute-force"
    assert (
        main(["compare", str(file), "--backends", named, "--format", "json", "--search", "simultaneous"]) == 0
    )
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [(run["status"], run["own_objective"]) for run in runs] == [
        ("OPTIMAL", 3),
        ("OPTIMAL", 2),
        ("OPTIMAL", None),
    ]
    assert [run["backend"] for run in runs] == [
        "minizinc:gecode with a.mzn",
        "minizinc:gecode with b.mzn",
        "brute-force",
    ]
