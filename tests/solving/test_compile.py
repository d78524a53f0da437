"""Compiling all searches at once."""

import os
import subprocess
import sys

from pyfsel import graph_score_problem, solve
from pyfsel.algorithms.machine_code import COMPILING
from pyfsel.solvers.compiling import compiling_is_told_to
from pyfsel.solving.compile_searches import compile_searches
from pyfsel.solving.workers import end_idle_workers

GRAPH_SEARCHES = ("gray-code", "sdp-bound")
SEARCHES = (*GRAPH_SEARCHES, "counts")
AT_ONCE = f"from pyfsel.solving.compile_searches import compile_searches; compile_searches(names={SEARCHES})"
LATER = f"""
import numpy as np
from pyfsel import graph_score_problem, solve

random = np.random.default_rng(1)
for name, n_features in zip({GRAPH_SEARCHES}, (15, 40)):
    similarity = random.random((n_features, n_features))
    problem = graph_score_problem(random.random(n_features) - 0.5, similarity + similarity.T - 1)
    solve(problem, name, "simultaneous", time_limit=60)
"""


def test_nothing_is_left_to_compile(tmp_path):
    def compiled_after(code):
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=300)
        return {path.name for path in tmp_path.rglob("*.nbc")}

    at_once = compiled_after(AT_ONCE)
    assert {path.name.split("-")[1] for path in tmp_path.glob("pyfsel-*")} == {"gray", "sdp", "counts"}
    assert {name.split(".")[0] for name in at_once} == {"annealing", "gray_code", "local_search", "mixing"}
    assert compiled_after(LATER) == at_once


def test_compilation_is_told(tmp_path, monkeypatch):
    """Of a worker too; what is read from disk is no compilation."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv(COMPILING, "1")
    end_idle_workers()
    problem = graph_score_problem([0.3, -0.2, 0.1], [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    told = []
    with compiling_is_told_to(told.append):
        solve(problem, "gray-code", search="simultaneous")
        assert told
        assert told == [True, False] * (len(told) // 2)
        told.clear()
        solve(problem, "gray-code", search="simultaneous")
    assert told == []


def test_each_backend_is_reported(monkeypatch):
    nothing = lambda *_, **__: None  # noqa: E731
    monkeypatch.setattr("pyfsel.solving.compile_searches.solve", nothing)
    monkeypatch.setattr("pyfsel.solving.compile_searches.Session.solve", nothing)
    marked, seen = [], []
    monkeypatch.setattr("pyfsel.solving.compile_searches.note_compiled", marked.append)
    compile_searches(seen.append)
    backends = ["columns", "columns-cpsat", "counts", "gray-code", "ksubgraph", "packing", "sdp-bound"]
    assert seen == marked == [*backends, "hitting_sets"]
