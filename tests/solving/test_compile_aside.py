"""Compilation in the background: who starts it, and what works until it is done."""

import sys
import time

import pytest

from pyfsel import Answer, Problem, Status, StopReason
from pyfsel.algorithms import machine_code
from pyfsel.algorithms.machine_code import is_compiled, note_compiled
from pyfsel.backends import registry
from pyfsel.backends.turns import turns as module
from pyfsel.backends.turns.turns import Turn, solve_while_compiling
from pyfsel.results.control import Control, Limits
from pyfsel.solving import compile_aside
from pyfsel.solving.compile_aside import SWITCH, is_compiling_aside

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
        assert is_compiling_aside(registry()["columns-cpsat"])
        assert is_compiling_aside(registry()["packing-cpsat"])
    assert list(compile_aside._programs) == ["packing"]
    deadline = time.monotonic() + 20
    while not (log.exists() and log.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert log.read_text() == "['packing']"
    note_compiled("packing")
    assert not is_compiling_aside(registry()["packing-cpsat"])
    compile_aside._programs["packing"].end()


def test_nothing_is_started_where_nothing_is_lacking_or_wanted(nothing_compiled, monkeypatch):
    assert not is_compiling_aside(registry()["cpsat"])
    monkeypatch.setenv(SWITCH, "0")
    assert not is_compiling_aside(registry()["packing-cpsat"])
    assert not compile_aside._programs


def test_a_program_that_failed_is_not_waited_for(nothing_compiled, monkeypatch):
    monkeypatch.setattr(compile_aside, "PROGRAM", "raise SystemExit(1)  # {path} {names}")
    asked = registry()["packing-cpsat"]
    assert is_compiling_aside(asked) or not compile_aside._programs["packing"].is_running()
    deadline = time.monotonic() + 20
    while is_compiling_aside(asked) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_compiling_aside(asked)


class TestMeanwhile:
    """What `solve_while_compiling` does; the code is there from the n-th question for it on."""

    def solve(self, monkeypatch, compiled_at, answers, seconds=0.01, **more):
        asked, given = [], []

        def is_there(name):
            asked.append(name)
            return len(asked) >= compiled_at

        def answer(problem, known):
            given.append(known)
            return answers[len(given) - 1]

        monkeypatch.setattr(module, "is_compiled", is_there)
        control = Control(**{"is_compiling_aside": True, **more})
        found = solve_while_compiling(PROBLEM, control, ["packing"], [Turn("cpsat", answer, seconds)])
        return found, control, given

    def open_answer(self, sets, bound):
        return Answer(Status.FEASIBLE, sets, bound, StopReason.TIME_LIMIT)

    def test_one_search_works_until_the_code_is_there(self, monkeypatch):
        answers = [self.open_answer(BEST, 60), self.open_answer(FIRST, 50)]
        found, control, given = self.solve(monkeypatch, 3, answers)
        assert found is None
        assert (control.hint, control.known_bound) == (BEST, 50)
        assert [(known.hint, known.known_bound) for known in given] == [(None, None), (BEST, 60)]

    def test_a_proof_is_that_of_the_search(self, monkeypatch):
        found, _, _ = self.solve(monkeypatch, 9, [Answer(Status.OPTIMAL, BEST, 48)])
        assert (found.status, found.statistics) == (Status.OPTIMAL, {"proved_by": "cpsat"})

    def test_the_limit_and_a_failure_end_it(self, monkeypatch):
        late = Limits.starting_now(0.0)
        found, _, given = self.solve(monkeypatch, 9, [self.open_answer(BEST, 60)], limits=late)
        assert (found.status, found.bound, len(given)) == (Status.FEASIBLE, 60, 1)
        full = Answer(Status.NOT_SOLVED, stop_reason=StopReason.MEMORY_LIMIT)
        assert self.solve(monkeypatch, 9, [full])[0] is full

    def test_it_begins_only_while_somebody_compiles_and_never_waits_long(self, monkeypatch):
        assert self.solve(monkeypatch, 9, [], is_compiling_aside=False)[0] is None
        assert self.solve(monkeypatch, 1, [])[0] is None
        assert self.solve(monkeypatch, 9, [], seconds=sys.maxsize)[0] is None
