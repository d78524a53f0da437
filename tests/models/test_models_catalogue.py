"""`pyfsel models`, and models of the user's own."""

import json
from itertools import combinations
from random import Random

import numpy as np
import pandas as pd
import pytest
from fuzzing.domain import ANY, whole_domain_problem
from small_problems import PROBLEM

from pyfsel.backends.minizinc.backend import MiniZinc
from pyfsel.backends.minizinc.catalogue import CATALOGUE
from pyfsel.backends.minizinc.dzn import _value, dzn_text, problem_of_dzn
from pyfsel.backends.minizinc.own_model import OwnModel, relaxed
from pyfsel.backends.minizinc.without_strengthening import has_strengthenings
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import taken_by
from pyfsel.reductions import reduce
from pyfsel.results.backend_answer import StopReason
from pyfsel.solving.solve import solve
from pyfsel.solving.support import describe_models

EXAMPLE = models_dir() / "data" / "example.json"
OWN_CONSTRAINT = "constraint forall(s in SETS)(selected[s, 3] \\/ selected[s, 5]);\n"


@pytest.fixture
def models(tmp_path, run):
    """The user's own copy of the models."""
    run(f"export --models {tmp_path}/mine", 0)
    return tmp_path / "mine"


@pytest.fixture
def own_model(models):
    """Build a variant of the literal model by replacing some text of it."""

    def write(old, new):
        text = (models / "simultaneous_sum_literal.mzn").read_text()
        assert old in text
        path = models / "mine.mzn"
        path.write_text(text.replace(old, new))
        return path

    return write


def test_own_models_may_name_features_that_preselection_would_drop(own_model):
    problem = Instance(quality=range(8, 0, -1), n_sets=2, k=2, max_shared=1)
    assert reduce(problem, "strengthened").problem.n_features == 4
    path = own_model("% --- objective", "constraint forall(s in SETS)(selected[s, 7]);\n")
    result = solve(problem, OwnModel(path), search="simultaneous")
    assert result.sets == ((0, 7), (1, 7))


@pytest.mark.parametrize(
    ("old", "new", "status", "said"),
    [
        ("% --- objective", "constraint sum(selected) = 0;", "NOT_SOLVED", "claims that it has no solution"),
        ("% --- objective", "constraint selected[0, 99];", "NOT_SOLVED", "MiniZinc warns: mine.mzn:"),
        ("% --- objective", "constraint selected[0, 99];", "NOT_SOLVED", "given index is 99"),
        ("solve maximize objective_value;", "solve satisfy;", "FEASIBLE", ""),
    ],
)
def test_claims_of_own_models_are_only_claims(own_model, old, new, status, said):
    result = solve(Instance.load(EXAMPLE), OwnModel(own_model(old, new)), search="simultaneous")
    assert (result.status, result.stop_reason, result.bound) == (status, StopReason.FINISHED, None)
    assert said in result.message
    assert "best" not in result.message


def test_rules_of_the_problem_can_be_left_out(own_model):
    path, problem = own_model('include "lib/products.mzn";', ""), Instance.load(EXAMPLE)
    with pytest.raises(FalseClaimError, match="rules='none' takes them"):
        solve(problem, OwnModel(path), search="simultaneous")
    for rules in ("sizes", "none"):
        result = solve(problem, OwnModel(path, rules=rules), search="simultaneous")
        assert (result.objective, result.problem.previous) == (51, problem.previous)
    with pytest.raises(FalseClaimError, match="share 2 features"):
        solve(problem, OwnModel(path, rules="overlap"), search="simultaneous")
    with pytest.raises(InputError, match="rules='sizes': needs all sets at once"):
        solve(problem, OwnModel(path, rules="sizes"), "sequential")
    with pytest.raises(InputError, match="objective='mrmr' needs sets of one size"):
        relaxed(problem.replace(objective="mrmr", pairs=np.zeros((6, 6), dtype=int)), "none")


AT_MOST = "int: most; constraint forall(s in SETS)(selected[s, 0] + selected[s, 1] <= most);\n"


@pytest.mark.parametrize("kind", ["instance", "dzn instance", "dzn", "json"])
def test_further_data_reach_the_model(own_model, tmp_path, run, kind):
    model, instance, data = own_model("% --- objective", AT_MOST), EXAMPLE, []
    if kind == "instance":
        instance = tmp_path / "i.json"
        instance.write_text(json.dumps(json.loads(EXAMPLE.read_text()) | {"most": 1, "_about": {"a": {}}}))
    elif kind == "dzn instance":
        instance = tmp_path / "i.dzn"
        instance.write_text(EXAMPLE.with_suffix(".dzn").read_text() + '/* "a;" */ most = 1; % b;')
    else:
        data = ["--data", tmp_path / f"more.{kind}"]
        (tmp_path / f"more.{kind}").write_text("most = 1;" if kind == "dzn" else '{"most": 1}')
    result = run(["solve", instance, "--solver", model, *data, "--format", "json"], 0).data["found"]
    assert (result["objective"], result["status"], result["bound"]) == (43, "FEASIBLE", None)
    assert "flatBoolVars" in result["statistics"]
    assert "mine.mzn claims that these sets are best for it, which is not checked" in result["message"]


@pytest.mark.parametrize("seed", range(30))
def test_instances_of_minizinc_are_read_as_they_were_written(seed):
    problem = whole_domain_problem(Random(seed), scales=ANY)
    names = [f'{j} "c"; % d' for j in range(problem.n_features)]
    problem = problem.replace(feature_names=names, scale=2.5e-3, cost_scale=12.5)
    found, more = problem_of_dzn(dzn_text(problem))
    written = problem.to_dict()
    assert {name: value for name, value in found.to_dict().items() if name in written} == written
    assert more == ""


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("pairs", "[| 1, 2 | 3, 4 |]", [[1, 2], [3, 4]]),
        ("pairs", "array2d(0..1, 0..1, [1, 2, 3, 4])", [[1, 2], [3, 4]]),
        ("conflicts", "array2d(1..2, 1..2, [0, 1, 1, 2])", [[0, 1], [1, 2]]),
        ("conflicts", "[||]", []),
        ("previous", "[{2, 1}, {}, 0..2, 1..0]", [{"set": one} for one in ([1, 2], [], [0, 1, 2], [])]),
        ("feature_names", r'["a|b", "true\\\"", "1..2"]', ["a|b", 'true\\"', "1..2"]),
        ("quality", "array1d(0..1, [3, -4])", [3, -4]),
        ("scale", "1.5e-3", 0.0015),
        ("budget", "<>", None),
        ("group_all_or_none", "[true, false]", [True, False]),
        *(
            (("k", text, InputError))
            for text in ("1 + 1", "[i | i in 1..2]", r'"\(1)"', "[" * 9999, "[a]", '["" "b"]')
        ),
    ],
)
def test_values_of_minizinc_are_read(name, text, value):
    if value is InputError:
        with pytest.raises(InputError, match=r"k: .*: is not a value"):
            problem_of_dzn(f"k = {text};")
    else:
        assert _value(name, text) == value


def test_four_names_of_minizinc_are_enough():
    new = "quality = [9, 8, 7, 3, 2, 1]; n_sets = 3; k = 2; % and\nmax_shared = 1; most = 2;"
    for text in (new, new.replace("k =", "set_size =").replace("max_shared =", "max_overlap =")):
        found, more = problem_of_dzn(text, {"most"})
        assert (found.to_dict(), more) == (PROBLEM.to_dict(), "most = 2;\n")
    old = (
        'aggregate = min; search = "simultaneous"; set_size = 1; max_overlap = 1; quality = [3]; n_sets = 2;'
    )
    assert problem_of_dzn(old)[0].to_dict()["search"] == "min"
    with pytest.raises(InputError, match="lacks quality, n_sets"):
        problem_of_dzn("n_features = 3;")
    with pytest.raises(InputError, match="Did you mean 'forbidden'"):
        problem_of_dzn("_own = f(3); forbiden = 1 + 2;")


UNLIKE = """
constraint sum(s in SETS)(selected[s, 0]) <= 1;
constraint not exists(s in SETS)(selected[s, 0] /\\ selected[s, 1]);
"""


def test_an_edited_model_does_not_lose_optima_silently(models):
    def solved(text, **changes):
        path.write_text(text)
        result = solve(problem.replace(**changes), OwnModel(path), search="simultaneous")
        return result.objective, "WARNING" in result.message, result.message

    problem, path = Instance.load(EXAMPLE), models / "mine.mzn"
    text = (models / "simultaneous_sum.mzn").read_text()
    unlike = text.replace("% --- objective", UNLIKE)
    *found, message = solved(unlike)
    assert found == [42, True]
    assert "[[0, 2], [1, 2], [1, 3]]), not 30" in message
    *found, message = solved(unlike + "told_apart = {0, 1};\n")
    assert found == [42, False]
    assert "The same without its redundant and symmetry-breaking constraints" in message
    only_last = "constraint sum(s in SETS)(selected[s, 5]) = n_sets /\\ not selected[0, 0];\n"
    assert "not no solution" in solved(text + only_last, max_shared=2)[2]


def test_models_as_they_are_shipped_are_not_solved_twice(models):
    assert not has_strengthenings(models / "simultaneous_sum.mzn")
    (models / "lib" / "ranking.mzn").write_text((models / "lib" / "ranking.mzn").read_text() + "% edited")
    assert has_strengthenings(models / "simultaneous_sum.mzn")
    assert not has_strengthenings(models / "simultaneous_sum_literal.mzn")


MUTE = "".join(f"int: {name};\n" for name in ("n_features", "n_sets", "k", "max_shared"))
UNBOUNDED = 'include "lib/sets.mzn";\nvar int: x;\nconstraint x >= sum(selected); /* solve\n */'
HIGHS = pytest.mark.skipif(bool(MiniZinc.on("highs").missing()), reason="a MiniZinc with HiGHS")


@pytest.mark.parametrize(
    ("solver", "text", "said"),
    [
        ("gecode", 'include "nowhere.mzn";\nsolve satisfy;\n', "nowhere.mzn"),
        ("gecode", f"{MUTE}var 0..1: x;\nsolve maximize x;\n", "m.mzn prints no `selected`"),
        ("gecode", "var 0..1: x;\nconstrain x < 1;\nsolve satisfy;\n", "m.mzn:2: syntax error"),
        (
            "gecode",
            "array[0..2, 1..6] of var 0..1: selected;\nsolve satisfy;\n",
            "selected must be array[SETS, FEATURES] of var bool",
        ),
        ("gecode", f"{UNBOUNDED}% solve satisfy;", "has no solve item; `solve satisfy;` asks for any sets"),
        pytest.param(
            *(
                "highs",
                f"{UNBOUNDED}solve maximize x;",
                "m.mzn:4: it has no solution, or its objective",
            ),
            marks=HIGHS,
        ),
    ],
)
def test_errors_of_own_models_are_named(solver, text, said, tmp_path, run):
    path = tmp_path / "m.mzn"
    path.write_text(text)
    error = run(f"solve {EXAMPLE} --solver {solver}:{path}", ExitCode.BAD_INPUT).err
    assert f"minizinc:{solver} with m.mzn: " in error
    assert said in error
    assert "/tmp" not in error
    assert ".fzn" not in error


def test_model_and_backend_must_fit(own_model, run):
    path = own_model("% --- objective", OWN_CONSTRAINT)
    run(f"solve {EXAMPLE} --rules none", ExitCode.BAD_INPUT)
    assert "gecode" in run(f"solve {EXAMPLE} --solver rc2:{path}", ExitCode.BAD_INPUT).err
    with pytest.raises(InputError, match="not a file"):
        OwnModel(path.with_name("other.mzn"))
    with pytest.raises(InputError, match="gecode"):
        OwnModel(path, "nosuch")


def test_the_folder_of_a_copy_must_be_new(models, run):
    assert str(models) in run(f"export --models {models}", ExitCode.BAD_INPUT).err


def test_the_list_has_the_catalogue_and_each_formulation_of_a_backend():
    frame = pd.DataFrame(describe_models())
    named = frame.set_index("name")
    assert {model.name for model in CATALOGUE} <= set(named.index)
    assert {"cpsat literal", "rc2 strengthened"} <= set(named.index)
    assert (frame[["equation", "description"]] != "").all(axis=None)
    assert "minizinc:gecode" in named.loc["set_variables", "backends"]
    built = frame[frame["file"] == ""]
    assert set(built["backends"]) >= {"cpsat", "mip:cbc", "mip:highs", "mip:scip", "rc2"}
    assert not built["description"].duplicated().any()
    assert "Eq. 6" in named.loc["cpsat literal", "description"]
    assert "patterns" not in named.loc["cpsat literal", "description"]


def test_sizes_for_an_instance():
    problem = Instance.load(EXAMPLE)
    frame = pd.DataFrame(describe_models(problem)).set_index("name")
    models = ("sequential", "simultaneous_sum", "set_variables", "sum_by_counts", "cpsat literal")
    assert frame.loc[[*models, "rc2 literal"], "variables"].notna().all()
    assert (frame[frame["variables"].isna()]["note"].str.len() > 0).all()
    memberships = problem.n_features * problem.n_sets
    literal = frame.loc["simultaneous_sum_literal"]
    assert literal["variables"] >= memberships + problem.n_features * 3
    assert frame.loc["cpsat literal", "variables"] == memberships + problem.n_features * 3
    assert frame.loc["rc2 literal", "variables"] >= memberships + problem.n_features * 3


def test_the_command_lists_models_and_sizes(run):
    for arguments, said in ((f"{EXAMPLE} --format json", "disjoint"), ("", "heaviest subgraphs")):
        printed = run(f"models {arguments}", 0).words
        assert "sum_by_counts" in printed
        assert said in printed


def test_no_model_hides_another():
    """Whatever a problem is like, at most one model of a formulation is meant for it."""
    assert len({model.name for model in CATALOGUE}) == len(CATALOGUE)
    for one, other in combinations(CATALOGUE, 2):
        meant = {frozenset(taken_by(model.objectives)) for model in (one, other)}
        alike = [(model.formulation, model.single_set, model.is_soft) for model in (one, other)]
        if alike[0] == alike[1] and frozenset.intersection(*meant):
            assert one.single_set is False
            assert not set(one.aggregates) & set(other.aggregates), (one.name, other.name)
