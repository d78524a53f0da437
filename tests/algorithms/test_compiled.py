"""Compiled loops without their machine code: when that is used, and that they do the same."""

import sys
import warnings

import numpy as np
import pytest

from pyfsel import graph_score_problem, make_problem
from pyfsel.algorithms import machine_code
from pyfsel.algorithms.bits import as_words, count_bits
from pyfsel.algorithms.compiled import Compiled
from pyfsel.algorithms.machine_code import COMPILING, takes_machine_code
from pyfsel.algorithms.packing.cliques import keep_compatible
from pyfsel.backends import get_backend
from pyfsel.results.control import Control
from pyfsel.solvers.compiling import Task

RANDOM = np.random.default_rng(3)
HALF = RANDOM.random((9, 9))
QUALITY, PAIRS = RANDOM.random(9), HALF + HALF.T
SETS = {
    "sum": {"aggregate": "sum"},
    "min": {"aggregate": "min"},
    "fcbf": {"objective": "fcbf"},
    "mrmr": {"objective": "mrmr"},
    "mrmr min": {"objective": "mrmr", "aggregate": "min"},
}
GRAPH = graph_score_problem(QUALITY - 0.5, PAIRS - 1)
LARGER = np.random.default_rng(4).integers(-9, 9, (17, 17))
BRANCHED = graph_score_problem(LARGER[0], LARGER + LARGER.T)


def of_sets(asked):
    pairs = None if "objective" not in asked else PAIRS / 4 if asked["objective"] == "fcbf" else PAIRS
    return make_problem(QUALITY, pairs, k=3, n_alternatives=2, max_overlap=1, **asked)


CASES = [
    *[("packing", of_sets(asked)) for asked in SETS.values()],
    *[("columns", of_sets(asked)) for asked in SETS.values()],
    ("ksubgraph", of_sets(SETS["mrmr"])),
    ("ksubgraph", of_sets(SETS["mrmr min"])),
    ("gray-code", GRAPH),
    ("gray-code", BRANCHED),
    ("sdp-bound", GRAPH),
    ("sdp-bound", BRANCHED),
]


@pytest.mark.parametrize(("name", "problem"), CASES)
def test_searches_in_python_prove_the_optimum(name, problem, monkeypatch):
    monkeypatch.setattr(Compiled, "__call__", lambda loop, *given: loop._in_python(*given))
    with warnings.catch_warnings(action="error"):
        answer = get_backend(name).solve(problem, Control())
    reference = "brute-force" if problem is not BRANCHED else "ksubgraph"
    expected = get_backend(reference).solve(problem, Control())
    assert (answer.status, answer.bound) == (expected.status, expected.bound)


def test_bits_are_counted_alike():
    words = [0, 1, 2**63, 2**64 - 1, *RANDOM.integers(2**63, size=20).tolist()]
    for word in map(np.uint64, words):
        assert count_bits._in_python(word) == count_bits.machine(word) == int(word).bit_count()


@pytest.mark.parametrize("n_features", [9, 70, 200])
def test_the_same_sets_are_kept(n_features):
    sets = np.argsort(RANDOM.random((40, n_features)), axis=1)[:, :6].astype(np.int32)
    words = as_words(sets, n_features)
    for first, size, max_overlap in ((0, 40, 1), (7, 30, 0), (5, 5, 3), (0, 40, 6)):
        kept = []
        for keep in (keep_compatible._in_python, keep_compatible.machine):
            target = np.full(40, -1, dtype=np.int32)
            count = keep(words, max_overlap, 2, np.arange(40, dtype=np.int32), first, size, target)
            kept.append((count, target.tolist()))
        assert kept[0] == kept[1]


class TestWhen:
    """When a search takes machine code."""

    @pytest.fixture
    def takes(self, monkeypatch):
        def ask(seconds, compiled=False, aside=False, loaded=False, installed=True):
            task = type("Task", (), {"seconds": seconds, "is_compiling_aside": aside})()
            monkeypatch.setattr(machine_code, "current_task", lambda: task)
            monkeypatch.setattr(machine_code, "is_compiled", lambda name: compiled)
            monkeypatch.setattr(machine_code, "is_installed", lambda name: installed)
            monkeypatch.setattr(machine_code, "_next_look", {})
            monkeypatch.setattr(sys, "modules", {**sys.modules, "numba": object()})
            if not loaded:
                del sys.modules["numba"]
            return takes_machine_code("packing")

        return ask

    def test_not_for_small_problems_unless_numba_is_loaded(self, takes):
        assert not takes(0.1, compiled=True)
        assert takes(0.1, compiled=True, loaded=True)
        assert not takes(0.1, compiled=False, loaded=True)
        assert takes(0.6, compiled=True)

    def test_nobody_compiles_what_another_process_does(self, takes):
        assert takes(0.6)
        assert not takes(0.6, aside=True)
        assert takes(0.6, aside=True, compiled=True)
        assert takes(61, aside=True)
        assert not takes(61, installed=False)

    def test_at_once_by_who_compiles(self, takes, monkeypatch):
        monkeypatch.setenv(COMPILING, "1")
        assert takes(0.0)

    def test_it_is_looked_up_now_and_then(self, takes, monkeypatch):
        assert not takes(0.1)
        monkeypatch.setattr(machine_code, "current_task", Task)
        monkeypatch.setenv(COMPILING, "1")
        assert not takes_machine_code("packing")
        assert takes_machine_code("columns")


def test_a_problem_of_a_worker_is_asked_anew(monkeypatch):
    from pyfsel.solvers.compiling import current_task, task_begins

    before = current_task()
    with task_begins(True):
        assert current_task().is_compiling_aside
        assert current_task().seconds <= before.seconds
    assert current_task() is before
