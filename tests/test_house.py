"""The house: rooms in one order, no import against it, no circle, and a description at each door."""

import ast
import io
import re
import sys
import tokenize
from collections import Counter, defaultdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import grimp
import networkx as nx
import pytest

import pyfsel

PACKAGE = Path(pyfsel.__file__).parent
ROOMS = (
    "checker",
    "errors",
    "core",
    "problem",
    "results",
    "measures",
    "reductions",
    "model",
    "drivers",
    "algorithms",
    "backends",
    "solving",
    "certificates",
    "objectives",
    "interface",
    "questions",
    "explore",
    "bench",
    "selectors",
    "papers",
    "",
    "cli",
    "__main__",
)
"""The order: each imports only what stands before it. The face of the package, "", only hands names on."""

BUDGET = {
    "tests": 229_166,
    "measures": 49_938,
    "bench": 24_658,
    "algorithms": 27_042,
    "selectors": 24_044,
    "questions": 12_350,
    "cli": 15_885,
    "drivers": 12_011,
    "backends": 22_034,
    "problem": 22_727,
    "results": 13_660,
    "solving": 10_808,
    "single files": 7_299,
    "model": 7_120,
    "interface": 14_135,
    "papers": 19_522,
    "reductions": 3_124,
    "certificates": 5_042,
    "core": 2_304,
    "lines of C": 1_978,
}
"""Code tokens of each room and of all tests (`code_tokens`), and lines of C. It only goes down."""
SLACK = 0.02
"""How far a room may stay below its budget before the budget has to be lowered."""


@cache
def parsed(path):
    return ast.parse(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def imports():
    """All imports between modules, those inside functions and for type checkers included."""
    graph = grimp.build_graph("pyfsel", cache_dir=None)
    pairs = (
        (here, there) for here in graph.modules for there in graph.find_modules_directly_imported_by(here)
    )
    return nx.DiGraph([*pairs, *imports_of_faces(graph.modules)])


def imports_of_faces(modules):
    """Yield the folders of which a module imports a file by name: their `__init__` is loaded for it."""
    for here in modules:
        for node in ast.walk(parsed(Path(find_spec(here).origin))):
            if isinstance(node, ast.ImportFrom) and node.module in modules - {here}:
                yield here, node.module


def room_of(module):
    return module.partition(".")[2].partition(".")[0]


def test_each_room_imports_only_what_stands_before_it(imports):
    upwards = [
        f"{here} imports {there}"
        for here, there in imports.edges
        if ROOMS.index(room_of(there)) > ROOMS.index(room_of(here))
    ]
    assert upwards == []


def test_no_modules_import_each_other_in_a_circle(imports):
    assert [circle for circle in nx.strongly_connected_components(imports) if len(circle) > 1] == []


def test_the_rooms_are_all_there_is():
    files = {path.stem for path in PACKAGE.glob("*.py")}
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert (files | folders) - {"__init__"} == set(ROOMS) - {""}


def test_the_top_level_has_only_what_belongs_there():
    top = PACKAGE.parent
    folders = {"benchmarks", "docs", "instances", "models", "pyfsel", "tests", "build", "dist"}
    files = {"CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "pyproject.toml"}
    found = {path.name for path in top.iterdir() if path.name[0] != "." and path.suffix != ".egg-info"}
    assert found - {"__pycache__"} <= folders | files


def test_each_folder_says_what_it_is():
    silent = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("__init__.py")
        if not ast.get_docstring(parsed(path))
    ]
    assert silent == []


def test_each_folder_names_its_files():
    """Unless there is one after another of the same kind, "a file per …", whose names say enough."""
    unnamed = []
    for door in PACKAGE.rglob("__init__.py"):
        described = ast.get_docstring(parsed(door)) or ""
        named = set(re.findall(r"\w+", " ".join(re.findall(r"`(.*?)`", described, re.DOTALL))))
        files = {path.stem for path in door.parent.glob("*.py")} - {"__init__", "__main__"}
        folders = {path.parent.name for path in door.parent.glob("*/__init__.py")}
        if "a file per" not in described:
            unnamed += [f"{door.parent.relative_to(PACKAGE)}: {name}" for name in (files | folders) - named]
    assert unnamed == []


def test_no_class_has_the_name_of_another():
    places = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(str(path.relative_to(PACKAGE)))
    alone = {"Instance": {"checker.py", "problem/instance.py"}}  # the checker shares nothing with the package
    assert {name: found for name, found in places.items() if len(found) > 1} == alone


def test_runs_name_tests_that_exist_and_the_quick_one_some_of_every_room():
    tests = Path(__file__).parent
    runs = tests / "run.sh", *tests.parent.glob(".github/workflows/*.yml")
    quick, *others = (
        [
            tests.parent / path
            for path in re.findall(r"tests/\w+(?:/\w+\.py|\.py)?(?=[\s)])", run.read_text("utf-8"))
        ]
        for run in runs
    )
    assert [path for path in sum(others, quick) if not path.exists()] == []
    rooms = {path.relative_to(tests).parts[0] for path in quick}
    assert rooms >= {folder.name for folder in tests.iterdir() if list(folder.glob("test_*.py"))}


def code_tokens(source, tree=None):
    """Count names, operators, numbers and texts; comments, docstrings and layout are free."""
    documented = {
        line
        for node in ast.walk(tree or ast.parse(source))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and ast.get_docstring(node, clean=False) is not None
        for line in range(node.body[0].lineno, node.body[0].end_lineno + 1)
    }
    counted = {tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return sum(token.type in counted and token.start[0] not in documented for token in tokens)


def weights():
    """Return the code tokens of each room of the package, of the tests, and the lines of C."""
    found = Counter()
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE).parts
        found[place[0] if len(place) > 1 else "single files"] += code_tokens(path.read_text(), parsed(path))
    for path in Path(__file__).parent.rglob("*.py"):
        found["tests"] += code_tokens(path.read_text("utf-8"))
    for path in (PACKAGE / "core").glob("*.[ch]"):
        found["lines of C"] += len(path.read_text("utf-8").splitlines())
    return found


def test_comments_docstrings_and_blank_lines_are_free():
    bare = "def half(x):\n    return x / 2\n"
    told = '"""Halves."""\n\n\ndef half(x):\n    """Return half of it."""\n\n    # exact\n    return x / 2\n'
    assert code_tokens(bare) == code_tokens(told) == 10


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="an f-string is several tokens, not one")
def test_the_code_stays_within_its_budget_and_the_budget_follows_the_code():
    found = weights()
    assert found.keys() == BUDGET.keys()
    over = {room: (found[room], most) for room, most in BUDGET.items() if found[room] > most}
    assert over == {}, "rooms with more code than their budget (found, budget): one design in place of two"
    loose = {room: found[room] for room, most in BUDGET.items() if found[room] < (1 - SLACK) * most}
    assert loose == {}, "rooms well below their budget: lower it to what is found"
