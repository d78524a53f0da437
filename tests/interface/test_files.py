"""Proofs, checks and files of a problem: solutions are recognised, what is false is named."""

import json
import re
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal
from running import python

from pyfsel import InputError, checker, explore
from pyfsel.interface.answer import Answer
from pyfsel.interface.certify import certify
from pyfsel.interface.check import check, checked
from pyfsel.interface.export import EXTENSIONS, export, to_cpmpy
from pyfsel.interface.problem import SEARCHES, Problem
from pyfsel.interface.solving import solve
from pyfsel.problem.rules import Constraints


def problem(**changes):
    asked = {"k": 3, "n_sets": 2, "dissimilarity": "shared:1", "names": list("abcdef")}
    return Problem([9.5, 8, 7, 3, 2, 1], **(asked | changes))


def printed_by_solver(answer):
    """Return what different solvers print of the sets of an answer."""
    rows = [[j in one.indices for j in range(6)] for one in answer]
    values = [(f"x_{i}_{j}", f"x{6 * i + j + 1}") for i, one in enumerate(answer) for j in one.indices]
    return {
        "lp": "".join(f"{name} 1\n" for name, _ in values),
        "opb": "".join(f"{name} 1\n" for _, name in values),
        "json": f'{{"selected": {json.dumps(rows)}}}\n----------\n',
        "dzn": f"selected = [| {' | '.join(', '.join(str(x).lower() for x in row) for row in rows)} |];\n",
    }


def forms(answer, folder):
    """Return a solution in each form that `check` recognises."""
    answer.save(folder / "answer.json")
    (folder / "sets.json").write_text(json.dumps([list(one) for one in answer]))
    heads = "set,quality,feature_1,feature_2,feature_3\n"
    lines = "".join(f"{i},{one.quality},{','.join(one)}\n" for i, one in enumerate(answer))
    (folder / "sets.csv").write_text(heads + lines)
    found = {
        "an answer": answer,
        "sets by name": [list(one) for one in answer],
        "sets by number": [set(one.indices) for one in answer],
        "feature sets": list(answer),
        "a saved answer": folder / "answer.json",
        "a file of sets": str(folder / "sets.json"),
        "a table": folder / "sets.csv",
    }
    printed = printed_by_solver(answer)
    found["variables"] = json.loads(printed["json"].partition("\n")[0])
    for name, text in printed.items():
        (folder / f"out.{name}").write_text(text)
        found |= {f"text of {name}": text, f"file of {name}": folder / f"out.{name}"}
    return found


@pytest.mark.parametrize("search", SEARCHES)
def test_the_table_of_an_answer_without_sets_has_its_columns(search, tmp_path):
    rules = Constraints(min_quality=999)
    found, none = solve(problem(search=search)), solve(problem(search=search, constraints=rules))
    assert (len(found), len(none)) == (2, 0)
    assert list(none.to_frame()) == list(found.to_frame())
    none.to_frame().drop(columns=["features", "indices"]).to_csv(tmp_path / "none.csv")
    assert check(none.problem, tmp_path / "none.csv")[0].startswith("0 sets given")


@pytest.mark.parametrize("search", SEARCHES)
def test_every_form_of_a_solution_is_recognised(search, tmp_path):
    asked = problem(search=search)
    asked.save(tmp_path / "problem.json")
    answer = solve(asked)
    for name, form in forms(answer, tmp_path).items():
        assert check(asked, form) == check(tmp_path / "problem.json", form) == [], name
        assert checked(asked, form).sets == tuple(one.indices for one in answer), name


@pytest.mark.parametrize("search", SEARCHES)
def test_every_form_is_held_against_the_rules(search, tmp_path):
    """The sets of a looser problem share two features."""
    answer = solve(problem(search=search, dissimilarity="shared:2"))
    for name, form in forms(answer, tmp_path).items():
        assert any("share 2 features" in line for line in check(problem(search=search), form)), name


FIELDS = ("status", "scope", "claim", "low", "high")
OF_SETS = ("names", "indices", "quality", "relative", "high", "status", "shared", "cost")


@pytest.mark.parametrize("search", ["sequential", "sum"])
@pytest.mark.parametrize("field", [*FIELDS, *(f"sets.{name}" for name in OF_SETS)])
def test_a_false_field_of_a_saved_answer_is_named(search, field, tmp_path):
    path, name = tmp_path / "answer.json", field.rpartition(".")[2]
    solve(problem(search=search)).save(path)
    data = json.loads(path.read_text())
    where = data["sets"][1] if field.startswith("sets.") else data
    false = {"status": "FEWER", "indices": [0, 3, 5]}
    where[name] = false.get(name, ["a"] if isinstance(where[name], list) else 77)
    path.write_text(json.dumps(data))
    (line,) = check(problem(search=search), path)
    assert line.startswith(f"{'' if where is data else 'sets[1].'}{name}")


CLAIMED = re.compile(
    r"\.(format|problem|claim|headline|cautions|runtime|solver|unit|error|facts|confirmation|sampling_error)\b"
    r"|details\.(always|bound_from|costs_nothing|curve|families|never|original|pairs|sum_alone|sum_high)\b"
    r"|frame\.\d+\.(share|n_sets|dissimilarity|shared|relative)|sequential 1\.sets\.0\.relative"
    r"|found\.(bounds|incumbents|message|search|statistics|steps)\b|sum 2\.high|sum 0\.details\.sum$"
)
"""What a search or a table says, and nothing else: no sets show it."""


def lies(part, place=""):
    """Make one leaf of nested data after another false, and yield where."""
    for key, value in list(part.items() if isinstance(part, dict) else enumerate(part)):
        if isinstance(value, dict | list):
            yield from lies(value, f"{place}.{key}")
        others = {dict: [], list: [[*value, 77], value[1:] or [77]] if isinstance(value, list) else []}
        number = [value + 1] if isinstance(value, int | float) else []
        for part[key] in others.get(type(value), [*number, f"{value}x"]):
            yield f"{place}.{key}"
        part[key] = value


QUESTIONS = ("solve", *explore.__all__)


RULES = [
    Constraints(costs=costs, min_quality=least, previous=previous)
    for costs in (None, range(6, 0, -1))
    for least in (12.0, 99.0)
    for previous in ((), [list("af")])
]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_to_all_questions_are_checked_and_read_again(question, search, rules, tmp_path):
    asked = problem(search=search, k=2, constraints=rules)
    ask = solve if question == "solve" else getattr(explore, question)
    several = search == "min_then_sum" and question in ("ties", "cheapest", "sweep")
    if several or (question, search) == ("ties", "sequential"):
        with pytest.raises(InputError, match=question):
            ask(asked)
        return
    answer = ask(asked)
    path = tmp_path / "answer.json"
    answer.save(path)
    assert check(answer.problem, answer) == check(answer.problem, path) == []
    again = Answer.load(path)
    assert again.to_dict() == answer.to_dict()
    assert_frame_equal(again.to_frame(), answer.to_frame(), check_dtype=False, check_exact=True)
    assert (str(again), again._repr_html_()) == (str(answer), answer._repr_html_())
    data = json.loads(path.read_text())
    for place in lies(data) if rules.previous else ():
        if not CLAIMED.search(f"{search} {len(answer)}{place}"):
            assert check(answer.problem, json.dumps(data) + "\n") != [], place


@pytest.mark.parametrize("search", SEARCHES)
def test_earlier_answers_are_read(search, tmp_path):
    """They state minimum and sum of the rounded qualities, and near-duplicates of what was found."""
    asked = Problem([2 / 3, 3 / 7, 1 / 3, 1 / 7], k=2, n_sets=2, dissimilarity=1, search=search, scale=10)
    data = solve(asked).to_dict()
    if search == "min_then_sum":
        data |= {"low": 0.7, "details": {**data["details"], "sum": 1.5}}
    else:
        data["found"]["near_copies"] = []
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(data))
    assert Answer.load(path).to_dict()["sets"] == data["sets"]
    path.write_text(json.dumps({**data, "low": 7.0}))
    assert check(asked, path) != []


@pytest.mark.parametrize("search", SEARCHES)
def test_what_is_unproved_is_read_again_with_its_reason(search, tmp_path):
    many = Problem(range(60), k=(5, 9), n_sets=4, dissimilarity=0.7, search=search)
    answer = solve(many, "cpsat", time_limit=0.01)
    answer.save(tmp_path / "answer.json")
    assert (answer.proved, answer.stop_reason) == (False, "time_limit")
    assert "the time limit ended the search" in answer.claim
    assert check(many, tmp_path / "answer.json") == []
    assert Answer.load(tmp_path / "answer.json").claim == answer.claim


@pytest.mark.parametrize("search", SEARCHES[:3])
def test_certificates_prove_what_an_answer_claims(search, tmp_path):
    asked, path = problem(search=search), tmp_path / "sets.cert"
    asked.save(tmp_path / "problem.json")
    certified = certify(solve(asked), path).details["certified"]
    n_claims = 2 if search == "sequential" else 1
    assert (certified["n_claims"], certified["n_certified"]) == (n_claims, n_claims)
    assert check(asked, path) == []
    assert [bool(by) for _, by in checked(asked, path).claims] == [True] * n_claims
    (line,) = check(asked.replace(k=2), path)
    assert line.startswith("refused: ")
    arguments = [checker.__file__, path, tmp_path / "problem.json"]
    assert python(*arguments).returncode == 0


def test_proofs_for_veripb_are_about_the_model_next_to_them(tmp_path):
    answer = solve(problem(search="sum"))
    assert certify(answer, tmp_path / "sum.PBP") is answer
    assert (tmp_path / "sum.PBP").read_text().startswith("pseudo-Boolean proof version 1.2\n")
    assert check(answer.problem, printed_by_solver(answer)["opb"]) == []
    assert "x12" in (tmp_path / "sum.opb").read_text()


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("extension", EXTENSIONS)
def test_every_format_is_written_by_its_extension(extension, search, tmp_path):
    asked = problem(search=search, n_sets=1 if extension == ".qubo" else 2)
    path = tmp_path / f"problem{extension.upper()}"
    export(asked, path)
    text = path.read_text()
    assert "nan" not in text.lower().replace("names", "")
    assert len(re.findall(r"\d+", text)) > 6
    if extension == ".json":
        assert check(path.rename(tmp_path / "problem.json"), solve(asked)) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda at: export(problem(), at / "x.lpp"), r"extension .* Did you mean '.lp'\?"),
        (lambda at: export(problem(), at / "x"), r"Expected .json .dzn .wcnf .opb .lp .mps .qubo .py"),
        (lambda at: export(problem(), at / "none" / "x.lp"), "cannot be written"),
        (lambda at: export([1, 2], at / "x.lp"), "problem"),
        (lambda at: certify([["a"]], at / "x"), "answer.*an Answer"),
        (lambda at: certify(explore.atlas(problem()), at / "x"), "is an answer to 'atlas'"),
        (lambda at: certify(solve(problem()), at / "none" / "x"), "cannot be written"),
        (lambda at: certify(solve(problem()), at / "x", 0), "time_limit"),
        (lambda at: certify(solve(problem()), at / "x.pbp"), "veripb: takes proved optima"),
        *(
            (lambda at, rule=rule: certify(solve(problem(**rule)), at / "x"), "certificate: there is none")
            for rule in (
                {"dissimilarity": "price=1"},
                {"k": (2, 3), "dissimilarity": 0.5},
                {"objective": "facility_location", "pairs": [[0] * 6] * 6},
            )
        ),
        (lambda at: check(problem(), at / "none.json"), "cannot be read"),
        (lambda at: check(problem(), "no solution\n"), "contains no sets"),
        (lambda at: check(problem(), 5), "solution"),
        (lambda at: check(problem(), '{"a": 1}\n'), "list of sets"),
        (
            lambda at: check(problem(), problem().instance.to_json() + "\n"),
            "is an instance.*Try: pyfsel solve",
        ),
        (lambda at: check(problem(), "[[0, 1, 2]\n"), "is not JSON"),
        (lambda at: explore.most_sets(problem(dissimilarity=0)), "dissimilarity: allows equal sets"),
        (lambda at: explore.most_dissimilar(problem(search="sum", n_sets=1)), "n_sets=1"),
        (lambda at: explore.ties(problem()), "Try: n_sets=1, or search='sum'"),
        (lambda at: explore.ties(problem(search="sum"), solver="mip:cbc"), "cannot list solutions"),
        (lambda at: explore.most_sets(problem(), solver="ksubgraph"), "ksubgraph"),
        (lambda at: explore.atlas(problem(), confirm="rc3"), r"confirm='rc3': must be one of .*mean 'rc2'"),
    ],
)
def test_bad_input_is_one_line(call, message, tmp_path):
    with pytest.raises(InputError, match=message) as error:
        call(tmp_path)
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_model_of_cpmpy_takes_more_constraints():
    made = to_cpmpy(problem(search="sum"))
    made.model += made.x[:, 0].sum() == 0
    assert made.model.solve()
    assert sum(sum([9.5, 8, 7, 3, 2, 1][j] for j in one) for one in made.sets()) == 18 + 11


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", ["saved.json", "exported.json", "exported.dzn", "measured.json"])
def test_a_file_states_the_search_and_is_solved_so(search, name, tmp_path, monkeypatch, run):
    """What reads a problem asks the question of what wrote it."""
    monkeypatch.chdir(tmp_path)
    asked = problem(search=search)
    if name.startswith("measured"):
        Path("t.csv").write_text("a,b,c,y\n1,2,9,0\n2,1,8,1\n3,5,7,1\n4,3,1,0\n5,5,2,1\n6,1,4,1\n")
        command = f"measure t.csv -t y -k 1 -n 2 -d 1 --search {search}"
        run(f"{command} -o {name}", 0)
        assert run(command, 0).out == Path(name).read_text()
        asked = Problem.load(name)
    elif name == "saved.json":
        asked.save(name)
    else:
        export(asked, name)
    assert Problem.load(name).search == search
    found = run(f"solve {name} --format json")
    assert found.code in (0, 4)
    assert found.data["details"]["search"] == search
    assert found.data["claim"] == solve(asked).claim
    assert run(f"solve {name} --search min -q").code in (0, 4)
    Problem.load(name).save("again.json")
    assert Problem.load("again.json").search == search
