"""Models of the user's own with an objective of their own: the solver's last answer, and its claim."""

import json
from itertools import combinations

import pytest

from pyfsel import Status
from pyfsel.backends.minizinc.backend import MiniZinc
from pyfsel.backends.minizinc.own_model import OwnModel, read_instance
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import InputError
from pyfsel.interface.said import question_facts
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import ModelClaim, ModelGoal
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

PROBLEM = Instance(quality=[9, 8, 7, 3, 2], n_sets=2, k=2, max_shared=1)
LITERAL = (models_dir() / "simultaneous_sum_literal.mzn").read_text()
SOLVERS = [
    backend.solver.name
    for backend in (*MiniZinc.instances(), *MiniZinc.discovered())
    if not backend.missing()
]
SPREAD = "sum(s in SETS, f in FEATURES)((s + 1) * (f - 2) * selected[s, f])"
ASKED = {
    "worst for the problem": ("minimize objective_value", lambda sets: values.total(PROBLEM, sets)),
    "the problem's own": ("maximize objective_value", lambda sets: values.total(PROBLEM, sets)),
    "another one": (f"maximize {SPREAD}", None),
}


def spread(sets):
    """What `SPREAD` is, for the order of two sets in which it is largest and least."""
    sums = [sum(f - 2 for f in members) for members in sets]
    return [sums[0] + 2 * sums[1], sums[1] + 2 * sums[0]]


def all_solutions():
    sets = list(combinations(range(5), 2))
    return [pair for pair in combinations(sets, 2) if len({*pair[0]} & {*pair[1]}) <= 1]


@pytest.fixture
def asks(tmp_path):
    """Write the literal model with this after ``solve``."""

    def write(goal):
        path = tmp_path / "mine.mzn"
        path.write_text(LITERAL.replace("solve maximize objective_value", f"solve {goal}"))
        return path

    return write


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ASKED)
def test_the_last_answer_of_the_solver_wins(asks, name, solver):
    goal, own_value = ASKED[name]
    best = max if goal.startswith("maximize") else min
    of_pair = spread if own_value is None else lambda sets: [own_value(sets)]
    optimum = best(value for pair in all_solutions() for value in of_pair(pair))
    result = solve(PROBLEM, OwnModel(asks(goal), solver), search="simultaneous")
    assert optimum in of_pair(result.sets)
    assert result.status is Status.FEASIBLE
    assert result.bound is None
    claim = result.model_claim
    assert claim == ModelClaim(Status.OPTIMAL, ModelGoal(goal.split()[0]), optimum, optimum)
    assert result.incumbents[-1].sets == result.sets
    assert result.integer_objective == values.total(PROBLEM, result.sets)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_model_that_only_satisfies_says_so(asks, solver):
    result = solve(PROBLEM, OwnModel(asks("satisfy"), solver), search="simultaneous")
    assert tuple(sorted(result.sets)) in all_solutions()
    assert result.model_claim == ModelClaim(Status.FEASIBLE, ModelGoal.SATISFY)


def test_both_values_are_in_the_text_and_in_json(asks, tmp_path, run):
    instance = tmp_path / "problem.json"
    PROBLEM.save(instance)
    model = asks("minimize -2 * objective_value")
    command = f"solve {instance} --search sum --solver {model}"
    shown = run(f"{command} --details", 0).words
    assert shown.count("OPTIMAL for its own objective (minimize): -66, bound -66") == 1
    answer = run(f"{command} --format json", 0).data
    data = answer["found"] | {"problem": answer["problem"]}
    assert data["objective"] == 33
    claim = {"status": "OPTIMAL", "goal": "minimize", "objective": -66, "bound": -66}
    assert data["model_claim"] == claim
    assert Result.from_dict(data).model_claim == ModelClaim(Status.OPTIMAL, ModelGoal.MINIMIZE, -66, -66)


def test_each_step_of_a_sequential_search_has_its_claim(tmp_path):
    path = tmp_path / "mine.mzn"
    text = (models_dir() / "sequential_literal.mzn").read_text()
    path.write_text(text.replace("solve maximize", "solve minimize"))
    result = solve(PROBLEM, OwnModel(path), "sequential")
    assert result.qualities == [5, 9]
    assert [step.model_claim.objective for step in result.steps] == [5, 9]
    assert Result.from_dict(result.to_dict()).steps == result.steps
    assert "model 1" in str(question_facts(result))


def test_sets_that_an_edited_model_lost_are_the_answer(tmp_path):
    """Without its strengthenings the model reaches less: better for it, and worse for the problem."""
    path = tmp_path / "mine.mzn"
    text = (models_dir() / "simultaneous_sum.mzn").read_text()
    path.write_text(text.replace("endif maximize", "endif minimize"))
    result = solve(PROBLEM, OwnModel(path), search="simultaneous")
    least = min(values.total(PROBLEM, pair) for pair in all_solutions())
    assert "WARNING" in result.message
    assert (result.integer_objective, result.model_claim.objective) == (least, least)


def test_json_data_without_names_count_for_nothing_and_no_name_is_given_twice(asks, tmp_path):
    model = asks("maximize extra * objective_value")
    model.write_text(f"{model.read_text()}\nint: extra;\n")
    texts = {"one": {"extra": 1}, "none": {}, "comment": {"_made_by": "me"}, "again": {"extra": 2}}
    one, none, comment, again = (tmp_path / f"{name}.json" for name in texts)
    for path in (one, none, comment, again):
        path.write_text(json.dumps(texts[path.stem]))
    assert solve(PROBLEM, OwnModel(model, data=[one, none, comment])).model_claim.status is Status.OPTIMAL
    with pytest.raises(InputError, match="extra: is given twice"):
        OwnModel(model, data=[one, again])
    again.write_text(json.dumps({**PROBLEM.to_dict(), "extra": 2}))
    with pytest.raises(InputError, match="extra: is given twice"):
        read_instance(again, OwnModel(model, data=[one]))
