"""The MiniZinc models of the questions by themselves agree with an oracle that tries everything."""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import judged_models
import pytest
import questions_oracle as oracle
from conformance import is_solution
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from small_problems import constrained_problems, problems

from pyfsel.problem.dissimilarity import may_be_equal
from pyfsel.problem.instance import Instance

MODELS = judged_models.MODELS / "questions"
NAMES = ("min_then_sum", "most_dissimilar", "most_sets", "ties")
UNSATISFIABLE = "=====UNSATISFIABLE====="
DONE = "=========="
PLAIN = problems(objectives=("univariate", "fcbf", "mrmr", "graph_score"), most_features=6)
ANY_PROBLEM = st.one_of(PLAIN, constrained_problems(most_features=6))


def minizinc(model, data, *flags):
    return judged_models.minizinc(*flags, MODELS / f"{model}.mzn", data)


def run(model, problem, *flags, **more):
    """Run a model on a problem and return what it prints, and the sets of its last solution."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "problem.json")
        path.write_text(json.dumps(problem.to_dict() | more))
        process = minizinc(model, path, *flags)
    assert process.returncode == 0, process.stderr
    return process.stdout, solutions(process.stdout)


def solutions(output):
    """Return the sets of every solution that was printed."""
    parts = re.split(r"^-{10}$", output, flags=re.MULTILINE)[:-1]
    return [
        tuple(tuple(json.loads(text)) for text in re.findall(r"\(features (\[.*?\]),", part))
        for part in parts
    ]


def number_after(label, output):
    return int(re.findall(rf"^{label}: (-?\d+)$", output, re.MULTILINE)[-1])


# What a solver may ignore changes no answer; some examples are solved without it.
FLAGS = st.sampled_from(
    [
        (),
        ("-D", "mzn_ignore_redundant_constraints=true; mzn_ignore_symmetry_breaking_constraints=true;"),
    ]
)


BESIDE_THE_BEST = Instance(quality=[9, 8, 7, 6], n_sets=1, k=2, max_shared=2, previous=[(0, 1)])


@settings(max_examples=10)
@given(problem=ANY_PROBLEM, least=st.integers(-5, 25), flags=FLAGS)
@example(problem=BESIDE_THE_BEST, least=15, flags=())
def test_most_dissimilar(problem, least, flags):
    assume(not problem.has_size_range)
    assume(problem.n_sets > 1 or problem.previous)
    problem = problem.replace(min_quality=least)
    output, found = run("most_dissimilar", problem, *flags)
    overlaps = [m for m in range(problem.max_shared + 1) if oracle.families(problem.replace(max_shared=m))]
    if not overlaps:
        assert UNSATISFIABLE in output
        return
    assert DONE in output
    assert number_after("largest overlap", output) == overlaps[0]
    assert is_solution(problem.replace(max_shared=overlaps[0]), found[-1])


@settings(max_examples=10)
@given(problem=ANY_PROBLEM, least=st.integers(-5, 25), flags=FLAGS)
def test_most_sets(problem, least, flags):
    assume(not may_be_equal(problem))
    problem = problem.replace(min_quality=least, n_sets=4)
    output, found = run("most_sets", problem, *flags)
    number = min(4, oracle.largest_number(problem))
    if number == 0:
        assert UNSATISFIABLE in output
        return
    assert DONE in output
    assert number_after("sets", output) == number
    assert is_solution(problem.replace(n_sets=number), found[-1])


@settings(max_examples=10)
@given(problem=ANY_PROBLEM, flags=FLAGS)
def test_min_then_sum(problem, flags):
    output, found = run("min_then_sum", problem, *flags)
    expected = oracle.Truth(problem).min_then_sum
    if expected is None:
        assert UNSATISFIABLE in output
        return
    assert DONE in output
    assert is_solution(problem, found[-1])
    numbers = oracle.values(problem, found[-1])
    assert (min(numbers), sum(numbers)) == expected
    assert number_after("smallest value", output) == expected[0]


@settings(max_examples=15)
@given(problem=ANY_PROBLEM, flags=FLAGS)
def test_ties(problem, flags):
    best, expected = oracle.optimal_families(problem)
    assume(best is not None)
    output, found = run("ties", problem, "--all-solutions", *flags, optimum=best)
    assert DONE in output
    assert len(found) == len(expected)
    assert {tuple(sorted(family)) for family in found} == expected
    output, _ = run("ties", problem, optimum=best + 1)
    assert UNSATISFIABLE in output


def test_the_folder_holds_these_models_and_the_readme_names_them():
    assert sorted(path.stem for path in MODELS.glob("*.mzn")) == sorted(NAMES)
    text = (judged_models.MODELS / "README.md").read_text()
    for name in NAMES:
        assert f"`{name}.mzn`" in text
    assert "`any_order.mzn`" in text
    assert "`values.mzn`" in text


EXAMPLE = json.loads((MODELS / "example.json").read_text())
LARGE, ABSENT = [10**5 * q for q in EXAMPLE["quality"]], "absent"


def test_example_data():
    example = dict(EXAMPLE)
    optimum = example.pop("optimum")  # further data of ties.mzn
    assert oracle.optimal_families(Instance.from_dict(example))[0] == optimum
    assert number_after("largest overlap", minizinc("most_dissimilar", MODELS / "example.json").stdout) == 1
    assert number_after("sets", minizinc("most_sets", MODELS / "most_sets.json").stdout) == 7
    assert number_after("smallest value", minizinc("min_then_sum", MODELS / "example.json").stdout) == 16
    both = solutions(minizinc("ties", MODELS / "example.json", "--all-solutions").stdout)
    assert both == [((0, 1), (0, 2), (0, 3)), ((0, 1), (0, 2), (1, 2))]


@pytest.mark.parametrize(
    ("model", "changes", "complaint"),
    [
        ("most_dissimilar", {"min_quality": ABSENT}, "min_quality: is missing"),
        ("most_sets", {"min_quality": ABSENT}, "min_quality: is missing"),
        ("most_dissimilar", {"k_min": 1}, "k_min=1: this model knows sets of one size only"),
        ("ties", {"objective": "mrmr"}, "pairs: is missing"),
        ("ties", {"objective": "cfs"}, "objective=cfs: this model knows sums"),
        ("min_then_sum", {"quality": LARGE}, "use a smaller scale, or two stages"),
    ],
)
def test_models_refuse_what_they_cannot_answer(model, changes, complaint, tmp_path):
    data = EXAMPLE | changes
    path = tmp_path / "data.json"
    path.write_text(json.dumps({name: value for name, value in data.items() if value != ABSENT}))
    process = minizinc(model, path)
    assert complaint in process.stderr
    assert "----------" not in process.stdout
