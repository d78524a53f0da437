"""Compilation in the background: who starts it, and what works until it is done."""

import time

import pytest

from pyfsel import Answer, Problem, Status
from pyfsel.algorithms import machine_code
from pyfsel.algorithms.machine_code import is_compiled, note_compiled
from pyfsel.backends import registry
from pyfsel.questions.consistency.branching import BranchingSearch
from pyfsel.questions.enumeration import Enumeration
from pyfsel.results.control import Control
from pyfsel.results.task import Task
from pyfsel.solvers.compiling import current_task
from pyfsel.solving import compile_aside
from pyfsel.solving.compile_aside import SWITCH, compiled_aside, is_compiling_aside
from pyfsel.solving.sessions import Session

PROBLEM = Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1)
BEST = ((0, 1), (0, 2), (1, 2))
FIRST = ((0, 1), (0, 2), (0, 3))


@pytest.fixture
def nothing_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv(SWITCH, "1")
    monkeypatch.setattr(compile_aside, "_programs", {})


def test_what_is_compiled_is_remembered_until_anything_changes(nothing_compiled, monkeypatch):
    assert not is_compiled("packing")
    note_compiled("packing")
    assert is_compiled("packing")
    assert not is_compiled("columns")
    monkeypatch.setattr(machine_code, "_fingerprint", lambda: "another")
    assert not is_compiled("packing")


def test_a_program_is_started_once_for_what_is_lacking(nothing_compiled, tmp_path, monkeypatch):
    log = tmp_path / "log"
    program = f"open({str(log)!r}, 'a').write(str({{names!r}})); import time; time.sleep(60)"
    monkeypatch.setattr(compile_aside, "PROGRAM", program)
    note_compiled("columns")
    for _ in range(2):
        assert is_compiling_aside(registry()["columns-cpsat"].compiled_aside)
        assert is_compiling_aside(registry()["packing-cpsat"].compiled_aside)
    assert list(compile_aside._programs) == ["packing"]
    deadline = time.monotonic() + 20
    while not (log.exists() and log.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert log.read_text() == "['packing']"
    note_compiled("packing")
    assert not is_compiling_aside(registry()["packing-cpsat"].compiled_aside)
    compile_aside._programs["packing"].end()


def test_nothing_is_started_where_nothing_is_lacking_or_wanted(nothing_compiled, monkeypatch):
    assert not is_compiling_aside(registry()["cpsat"].compiled_aside)
    monkeypatch.setenv(SWITCH, "0")
    assert not is_compiling_aside(registry()["packing-cpsat"].compiled_aside)
    assert not compile_aside._programs


def test_a_program_that_failed_is_not_waited_for(nothing_compiled, monkeypatch):
    monkeypatch.setattr(compile_aside, "PROGRAM", "raise SystemExit(1)  # {path} {names}")
    asked = registry()["packing-cpsat"].compiled_aside
    assert is_compiling_aside(asked) or not compile_aside._programs["packing"].is_running()
    deadline = time.monotonic() + 20
    while is_compiling_aside(asked) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_compiling_aside(asked)


class Asked(Task):
    """Says whether another process compiles what it lacks."""

    name = "asked"

    def solve(self, problem, control):
        return Answer(Status.NOT_SOLVED, statistics={"aside": current_task().is_compiling_aside})


def test_workers_and_searches_in_this_process_know_it(nothing_compiled, monkeypatch):
    monkeypatch.setattr(compile_aside, "PROGRAM", "import time; time.sleep(60)  # {path} {names}")
    for names in ((), BranchingSearch.compiled_aside, Enumeration("packing", 0, None).compiled_aside):
        task = Asked()
        task.compiled_aside = names
        with Session(task) as session:
            assert session.solve(None, Control()).statistics["aside"] == bool(names)
        with compiled_aside(names):
            assert current_task().is_compiling_aside == bool(names)
    assert list(compile_aside._programs) == ["hitting_sets", "packing"]
    for program in compile_aside._programs.values():
        program.end()
