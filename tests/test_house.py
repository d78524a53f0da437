"""The house: rooms in one order, no import against it, no circle, and a description at each door."""

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import grimp
import networkx as nx
import pytest

import pyfsel

PACKAGE = Path(pyfsel.__file__).parent
ROOMS = (
    "check",
    "errors",
    "core",
    "problem",
    "results",
    "measures",
    "reductions",
    "model",
    "solvers",
    "algorithms",
    "backends",
    "solving",
    "certificates",
    "questions",
    "objectives",
    "interface",
    "explore",
    "bench",
    "selectors",
    "",
    "cli",
    "__main__",
)
"""The order: each imports only what stands before it. The face of the package, "", only hands names on."""


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
        for node in ast.walk(ast.parse(Path(find_spec(here).origin).read_text(encoding="utf-8"))):
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


def test_each_folder_says_what_it_is():
    silent = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("__init__.py")
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []


def test_each_folder_names_its_files():
    """Unless there is one after another of the same kind, "a file per …", whose names say enough."""
    unnamed = []
    for door in PACKAGE.rglob("__init__.py"):
        described = ast.get_docstring(ast.parse(door.read_text(encoding="utf-8"))) or ""
        named = set(re.findall(r"\w+", " ".join(re.findall(r"`(.*?)`", described, re.DOTALL))))
        files = {path.stem for path in door.parent.glob("*.py")} - {"__init__", "__main__"}
        folders = {path.parent.name for path in door.parent.glob("*/__init__.py")}
        if "a file per" not in described:
            unnamed += [f"{door.parent.relative_to(PACKAGE)}: {name}" for name in (files | folders) - named]
    assert unnamed == []


def test_the_quick_run_has_tests_of_every_room():
    tests = Path(__file__).parent
    named = [
        tests.parent / path
        for path in re.findall(r"tests/\w+(?:/\w+\.py|\.py)?(?=[\s)])", (tests / "run.sh").read_text())
    ]
    assert [path for path in named if not path.exists()] == []
    rooms = {path.relative_to(tests).parts[0] for path in named}
    assert rooms >= {folder.name for folder in tests.iterdir() if list(folder.glob("test_*.py"))}
