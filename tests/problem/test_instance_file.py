"""The instance file: what is written is read back, version 1 as well, and unknown names are refused."""

import json
import re
from pathlib import Path

import pytest
from conformance import cases

from pyfsel import checker
from pyfsel.cli.instances import loaded
from pyfsel.errors import InputError
from pyfsel.interface.problem import SEARCHES, Problem
from pyfsel.problem.instance import Instance
from pyfsel.problem.json import RENAMED
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints

LIBRARY = Path(__file__).parents[2] / "instances"
FILES = [p for p in sorted(LIBRARY.glob("*/*.json")) if p.parent.name not in ("certificates", "consistency")]
FILES = [path for path in FILES if not path.name.endswith(".about.json")]
FIELDS = {"quality": [9, 8, 7, 3, 2, 1], "n_sets": 2, "k": 2, "max_shared": 1}
NEW = {"format": "pyfsel-problem 2", **FIELDS}
OLD = {"quality": FIELDS["quality"], "n_sets": 2, "set_size": 2, "max_overlap": 1}
WORDS_OF_1 = {"sequential": ("sum", "sequential"), "sum": ("sum", "simultaneous"), "min": ("min", None)}


def version_1(data):
    """Return the data of a file as version 1 had it."""
    old_names = {new: old for old, new in RENAMED.items()}
    data = {old_names.get(name, name): value for name, value in data.items() if name != "format"}
    aggregate, search = WORDS_OF_1.get(data.pop("search", None), ("sum", None))
    return data | {"aggregate": aggregate} | ({} if search is None else {"search": search})


def test_every_instance_of_the_library_is_the_same_in_version_1():
    assert len(FILES) > 600
    for path in FILES:
        text = path.read_text("utf-8")
        data = json.loads(text)
        assert data["format"] == "pyfsel-problem 2", path
        instance = Instance.from_dict(data)
        assert instance.to_json() == text, path
        old = version_1(data)
        assert Instance.from_dict(old) == instance, path
        if data["n_features"] <= 30 and data["objective"] not in ("r2", "facility_location"):
            assert checker.Instance.of(old).hash == checker.Instance.of(data).hash, path


def test_what_is_written_is_read_back():
    odd = Constraints(previous=[[2]], costs=[1, 0.5, 2], budget=1.5)
    names = {"feature_names": ["a", 'b"', "é"], "copies": [[0, 1]], "dissimilarity": "shared:0"}
    made = make_instance([0.123456789, 1e-7, 0.5], k=1, constraints=odd, **names)
    for problem in (made, *(case.problem for case in cases())):
        text = problem.to_json()
        assert Instance.from_json(text) == problem
        assert Problem.of_instance(problem).search == json.loads(text).get("search", "sequential")
        assert not re.search(r"\de-", text)  # MiniZinc reads no exponents


@pytest.mark.parametrize("search", SEARCHES)
def test_a_problem_keeps_its_search(tmp_path, search):
    problem = Problem([9, 8, 7, 3, 2, 1], k=2, n_sets=2, dissimilarity="shared:1", search=search)
    problem.save(tmp_path / "p.json")
    again = Problem.load(tmp_path / "p.json")
    assert again.search == search
    assert again.instance.replace(search=None) == problem.instance
    assert f'"search": "{search}"' in (tmp_path / "p.json").read_text()
    for other in SEARCHES:  # the command line may ask for another one
        found, _ = loaded(str(tmp_path / "p.json"), search=other)
        assert (found.search, found.instance.aggregate) == (other, "min" if "min" in other else "sum")


def test_a_sequential_search_has_no_aggregate():
    with pytest.raises(InputError, match="aggregate='min': is for sets that are found together"):
        Instance([3, 2, 1], 2, 1, 0, aggregate="min", search="sequential")
    assert Instance.from_dict(OLD | {"aggregate": "min", "search": "sequential"}).aggregate == "sum"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (NEW | {"budgt": 3}, "budgt: unknown name. Did you mean 'budget'?"),
        (NEW | {"set_size": 2}, "set_size: unknown name. Did you mean 'k'?"),
        (NEW | {"previous_set": []}, "previous_set: unknown name. Did you mean 'previous'?"),
        (OLD | {"k": 2}, 'k: unknown name. It is one of files that begin with "format"'),
        (OLD | {"max_overlaps": 2}, "max_overlaps: unknown name. Did you mean 'max_overlap'?"),
        (FIELDS, 'k: unknown name. It is one of files that begin with "format"'),
        (NEW | {"format": "pyfsel-problem 3"}, "unknown format 'pyfsel-problem 3'"),
        (NEW | {"format": 2}, "unknown format 2"),
        (NEW | {"search": "simultaneous"}, "search='simultaneous': must be one of sequential, sum, min"),
        (NEW | {"search": ["sum"]}, "search="),
        (NEW | {"k": 9}, "k=9: must be an integer from 1 to 6"),
        (NEW | {"pairs": [[0, 1]]}, "pairs: "),
        ({name: NEW[name] for name in NEW if name != "k"}, "lacks k"),
        (NEW | {"measured_duplicate_of": [1]}, "measured_duplicate"),
        (NEW | {"groups": [{"set": [0, 1], "at_most": 1}]}, "is not a set"),
        (NEW | {"groups": [{"set": [0, 1]}], "group_at_most": [1, 1]}, "group_at_most: has 2 values"),
    ],
)
def test_what_is_wrong_is_said_by_the_names_of_the_file(data, message):
    with pytest.raises(InputError) as caught:
        Instance.from_dict(data)
    assert message in str(caught.value)


def test_names_of_your_own_and_a_byte_order_mark_are_read(tmp_path):
    path = tmp_path / "own.json"
    path.write_text("\ufeff" + json.dumps(NEW | {"_note": [1, 2]}), "utf-8")
    instance = Instance.load(path)
    instance.save(path)
    assert path.read_bytes().startswith(b'{\n  "format": "pyfsel-problem 2",\n\n  "objective"')
    assert Instance.load(path) == instance
