"""The MiniZinc models by themselves: run with the program minizinc, without the backends."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_models import CHECKER, MODELS, assert_is_best, minizinc, objective_of, suited
from running import ended
from small_problems import problems

from pyfsel import InputError
from pyfsel.backends.export import export
from pyfsel.backends.minizinc.catalogue import CATALOGUE
from pyfsel.problem.dissimilarity import max_overlap_for
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import taken_by
from pyfsel.problem.objectives import ObjectiveKind

EXAMPLE = json.loads((MODELS / "data" / "example.json").read_text())


@pytest.fixture
def run_data(tmp_path):
    def run(model, data, *more):
        path = tmp_path / "data.json"
        path.write_text(json.dumps(data))
        return minizinc(MODELS / model, *more, path)

    return run


def test_the_catalogue_is_the_folder():
    assert {m.path.name for m in CATALOGUE} == {
        p.name for p in MODELS.glob("*.mzn") if not p.name.endswith(".mzc.mzn")
    }


# Whatever else a solver ignores lies between the whole model and this.
IGNORED = {
    "whole": (CHECKER,),  # it takes as long as the model
    "bare": ("-D", "mzn_ignore_redundant_constraints=true; mzn_ignore_symmetry_breaking_constraints=true;"),
}
SIGNED = Instance(quality=[9, 8, 7, -3, -4, -5, -6, -7], n_sets=2, k=2, max_shared=0)
OF_QUALITIES = [model for model in CATALOGUE if ObjectiveKind.SUMS in model.objectives]


@pytest.mark.parametrize("ignored", IGNORED.values(), ids=list(IGNORED))
@pytest.mark.parametrize("model", CATALOGUE, ids=lambda m: m.name)
@settings(max_examples=5)
@given(suffix=st.sampled_from(("json", "dzn")), data=st.data())
def test_models_agree_with_brute_force(tmp_path_factory, model, ignored, suffix, data):
    problem = suited(model, data.draw(problems(objectives=taken_by(model.objectives))))
    folder = tmp_path_factory.mktemp("data")
    file = folder / f"problem.{suffix}"
    file.write_text(export(problem, suffix))
    assert_is_best(minizinc(model.path, *ignored, file), problem, CHECKER in ignored)


@pytest.mark.parametrize("model", OF_QUALITIES, ids=lambda m: m.name)
def test_preselection_stands_where_only_redundant_constraints_are_ignored(run_data, model):
    """Symmetry breaking relies on it."""
    problem = suited(model, SIGNED)
    ignored = ("-D", "mzn_ignore_redundant_constraints=true;")
    assert_is_best(run_data(model.path.name, problem.to_dict(), CHECKER, *ignored), problem)


def test_the_readme_names_every_model():
    text = (MODELS / "README.md").read_text()
    for model in CATALOGUE:
        assert f"`{model.path.name}`" in text
        assert model.formulation in text


ONES = [[int(i != j) for j in range(6)] for i in range(6)]
MRMR = {"objective": "mrmr", "pairs": ONES, "max_shared": 0}
REFUSED = [
    *((m, MRMR, "knows sums of qualities, such as") for m in ("set_variables", "sum_by_counts", "partition")),
    *(
        (model, change, said)
        for model in ("mrmr", "mrmr_pairs", "mrmr_literal", "mrmr_tight_big_m")
        for change, said in (
            ({}, "knows sums over pairs, such as"),
            ({"objective": "mrmr"}, "pairs: is missing"),
        )
    ),
    ("cfs_literal", {"n_sets": 1}, "objective=univariate: this model knows fractions"),
    ("partition", {}, "max_shared=1: a partition"),
    ("sum_by_counts", {"search": "min"}, "search=min: counts"),
]


@pytest.mark.parametrize(("model", "change", "said"), REFUSED)
def test_a_model_refuses_what_it_does_not_know(run_data, model, change, said):
    assert said in run_data(f"{model}.mzn", EXAMPLE | change).stderr


OF_FEW = ("n_features", "n_sets", "k", "max_shared", "quality")
FEW = {name: EXAMPLE[name] for name in OF_FEW} | {"unknown": 1, "search": "min"}


@pytest.mark.parametrize(
    ("model", "data", "best", "sets", "names"),
    [
        ("simultaneous_sum", "example.json", 48, 3, "height, width"),
        ("simultaneous_sum", "example.dzn", 48, 3, "height, width"),
        ("simultaneous_sum", "breast_cancer.json", 13713462, 4, "worst area"),
        ("mrmr", "mrmr.json", 408, 2, "shape"),
        ("sequential", "next_set.json", 14, 1, ""),
        ("sequential_literal", "next_set.json", 14, 1, ""),
        ("simultaneous_sum", "few_names.dzn", 48, 3, ""),
        ("set_variables", FEW, 15, 3, ""),
    ],
)
def test_example_data_print_readable_output(tmp_path, model, data, best, sets, names):
    """Of files with a few names written by hand, too, and defaults for the others."""
    file, more = MODELS / "data" / str(data), ()
    if data is FEW:
        file = tmp_path / "few.json"
        file.write_text(json.dumps(FEW))
    if data in (FEW, "few_names.dzn"):
        more = (MODELS / "lib" / "defaults.mzn",)
    run = minizinc(MODELS / f"{model}.mzn", *more, CHECKER, file)
    assert run.returncode == 0, run.stderr
    assert "CORRECT" in run.stdout
    assert "==========" in run.stdout
    assert objective_of(run.stdout) == best
    assert names in run.stdout
    assert len(re.findall(r"^set \d+: ", run.stdout, re.MULTILINE)) == sets
    assert len(re.findall(r"^sets \d+ and \d+ share ", run.stdout, re.MULTILINE)) == sets * (sets - 1) // 2


def test_json_and_dzn_examples_are_the_same():
    problem = Instance.load(MODELS / "data" / "example.json")
    assert (MODELS / "data" / "example.dzn").read_text() == export(problem, "dzn")


def group(members, at_least=(0,), at_most=(0,)):
    limits = {"group_at_least": at_least, "group_at_most": at_most, "group_all_or_none": [False]}
    return {"groups": [{"set": members}]} | limits


BAD_DATA = {
    "no features": {"n_features": 0, "quality": [], "feature_names": []},
    "no sets": {"n_sets": 0},
    "no size": {"k": 0, "max_shared": 0},
    "size too large": {"k": 7},
    "negative overlap": {"max_shared": -1},
    "overlap above size": {"max_shared": 3},
    "unknown objective": {"objective": "best"},
    "unknown search": {"search": "max"},
    "zero scale": {"scale": 0.0},
    "short quality": {"quality": [9, 8, 7]},
    "float quality": {"quality": [9.5, 8, 7, 3, 2, 1]},
    "text quality": {"quality": ["a", "b", "c", "d", "e", "f"]},
    "small redundancy": {"pairs": [[0, 1], [1, 0]]},
    "redundancy not symmetric": {"pairs": [[0] * 6 for _ in range(5)] + [[1] + [0] * 5]},
    "redundancy of itself": {"pairs": [[0] * 6 for _ in range(5)] + [[0] * 5 + [1]]},
    "conflict with itself": {"conflicts": [[1, 1]]},
    "conflict of three": {"conflicts": [[1, 2, 3]]},
    "conflict out of range": {"conflicts": [[1, 6]]},
    "previous set too small": {"previous": [{"set": [1]}]},
    "previous set with a double": {"previous": [{"set": [1, 1]}]},
    "previous set out of range": {"previous": [{"set": [1, 6]}]},
    "few names": {"feature_names": ["a", "b"]},
    "forced out of range": {"forced": [6]},
    "too many forced": {"forced": [0, 1, 2]},
    "forced and forbidden": {"forced": [1], "forbidden": [1, 2]},
    "nothing left": {"forbidden": [0, 1, 2, 3, 4]},
    "empty group": group([]),
    "group out of range": group([6], at_most=[1]),
    "group of more than all": group([1], at_most=[2]),
    "group without limits": group([1], at_least=[]),
    "few costs": {"costs": [1, 2], "budget": 3},
    "negative costs": {"costs": [3, 2, 1, -1, 1, 1]},
    "budget without costs": {"budget": 3},
    "one factor": {"k_min": 1, "size_weight": 1},
    "equal names": {"feature_names": ["a", "a", "b", "c", "d", "e"]},
}


@pytest.mark.parametrize("change", BAD_DATA.values(), ids=list(BAD_DATA))
def test_python_and_models_refuse_the_same_data(run_data, change):
    data = EXAMPLE | change
    with pytest.raises(InputError):
        Instance.from_dict(data)
    run = run_data("simultaneous_sum.mzn", data)
    assert run.returncode != 0
    assert "----------" not in run.stdout
    complaint = run.stderr.replace("undefined identifier `max'", "")  # no aggregate
    assert "undefined" not in complaint, "an assertion must come before what cannot be evaluated"


@pytest.mark.parametrize(
    ("sets", "claimed", "complaint"),
    [
        ([[0, 1], [0, 2], [1, 2]], 48, None),
        ([[0, 1], [0, 2], [1, 2]], 49, "the objective is 48"),
        ([[0, 1], [0, 1], [1, 2]], 49, "share more than 1"),
        ([[0, 1], [0, 2], [1]], 41, "1 features instead of 2"),
        ([[0, 1], [0, 2], [1, 2, 3]], 51, "3 features instead of 2"),
        ([[0, 1], [0, 2]], 33, "2 sets instead of 3"),
        ([[0, 1], [0, 2], [3, 4]], 38, "the previous {3, 4}"),
        ([[0, 1], [0, 2], [1, 5]], 42, "conflicting features 1 and 5"),
    ],
)
def test_the_checker_catches_wrong_solutions(tmp_path, run_data, sets, claimed, complaint):
    cells = [j in members for members in sets for j in range(6)]
    liar = tmp_path / "liar.mzn"
    liar.write_text(f"""
        int: per_feature = 1;
        int: per_pair = 0;
        string: checked_by = "sum";
        array[0..{len(sets) - 1}, 0..5] of var bool: selected;
        constraint forall(s in 0..{len(sets) - 1}, f in 0..5)(
          selected[s, f] = array2d(0..{len(sets) - 1}, 0..5, {json.dumps(cells)})[s, f]);
        var int: objective_value = {claimed};
        solve satisfy;
    """)
    data = EXAMPLE | {"previous": [{"set": [3, 4]}], "conflicts": [[1, 5]]}
    path = tmp_path / "data.json"
    path.write_text(json.dumps(data))
    run = minizinc(liar, CHECKER, path)
    assert ("CORRECT" in run.stdout) == (complaint is None), run.stdout + run.stderr
    assert complaint is None or complaint in run.stdout


def test_dissimilarity_predicates_match_the_largest_overlap(tmp_path):
    thresholds = [(0, 1), (1, 5), (2, 5), (1, 2), (3, 5), (9, 10), (1, 1)]
    cases = [(k, t, d, m) for k in (1, 2, 5, 10) for t, d in thresholds for m in range(k + 1)]
    arrays = [f"[{', '.join(str(case[i]) for case in cases)}]" for i in range(4)]
    model = tmp_path / "predicates.mzn"
    model.write_text(f"""
        include "{MODELS / "lib" / "dissimilarity.mzn"}";
        array[int] of int: k = {arrays[0]}; array[int] of int: t = {arrays[1]};
        array[int] of int: d = {arrays[2]}; array[int] of int: m = {arrays[3]};
        array[int] of var bool: dice = [dice_dissimilar(m[i], k[i], k[i], t[i], d[i]) | i in index_set(k)];
        array[int] of var bool: jaccard =
          [jaccard_dissimilar(m[i], k[i], k[i], t[i], d[i]) | i in index_set(k)];
        solve satisfy;
        output ["\\([bool2int(fix(x)) | x in dice])\\n\\([bool2int(fix(x)) | x in jaccard])\\n"];
    """)
    lines = minizinc(model).stdout.splitlines()
    assert lines[2:] == ["----------"]
    for name, line in zip(("dice", "jaccard"), lines[:2], strict=True):
        expected = [int(m <= max_overlap_for(k, t / d, name)) for k, t, d, m in cases]
        assert json.loads(line) == expected


@pytest.mark.parametrize("name", ["restarts", "lns"])
def test_models_with_search_annotations_find_the_optimum(name):
    """Large neighbourhood search never ends by itself, so after some failures both do."""
    files = [MODELS / "search" / f"{name}.mzn", MODELS / "data" / "example.json"]
    limited = ["--fzn-flags", "-fail 500", "--param-file", MODELS / "search" / "gecode.mpc"]
    done = ended("minizinc", *limited, *files, check=True)
    assert "sum of the qualities: 48.0" in done.stdout
    assert ("==========" in done.stdout) == (name == "restarts")
    assert "mzn-stat: failures" in done.stdout
