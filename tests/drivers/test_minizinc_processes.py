"""Whatever ends during a MiniZinc run, nothing of it is left behind, and what was found is not lost."""

import json
import signal
import subprocess
import sys
import time

import psutil
import pytest
from running import PATIENCE, with_enough_time

PROGRAM = """
import json, sys
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve
quality = [60000 + 997 * ((7 * j) % 31) - 1500 * j for j in range(40)]
problem = Instance(quality=quality, n_sets=6, k=6, max_shared=2, aggregate="min")
limit = float(sys.argv[1])
result = solve(problem, "minizinc:gecode", formulation="literal", time_limit=limit)
print(json.dumps([result.status, result.stop_reason, len(result.sets)]))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Have all temporary files in a folder, in which none is left."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    yield
    assert list(tmp_path.iterdir()) == []


def started(seconds):
    """Start the program and return it with all its processes once the solver is at work."""
    parent = psutil.Popen(
        [sys.executable, "-c", PROGRAM, str(seconds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and parent.poll() is None:
        family = parent.children(recursive=True)
        if any(name_of(p) == "fzn-gecode" for p in family):
            return parent, family
        time.sleep(0.02)
    assert parent.poll() is not None, "the solver did not start"
    return parent, []


def name_of(process):
    try:
        return process.name()
    except psutil.NoSuchProcess:
        return ""


def one_named(family, name):
    return next(p for p in family if name_of(p) == name)


def assert_all_end(parent, family, *why):
    """Wait for the program, and check that it has a set, says why it ended, and left no process."""
    try:
        output, errors = parent.communicate(timeout=PATIENCE)
        _, alive = psutil.wait_procs(family, timeout=PATIENCE)
        assert not alive
        assert not why or json.loads(output) == ["FEASIBLE", *why, 6], errors
    finally:
        for process in [*family, parent]:
            if process.is_running():
                process.kill()


def test_deadline():
    parent, family = with_enough_time(started, lambda running: running[1], 1.5, 6, 24, patience=60)
    assert family
    assert_all_end(parent, family, "time_limit")


@pytest.mark.parametrize(
    ("end", "why"), [(signal.SIGINT, ["interrupted"]), (signal.SIGKILL, []), (signal.SIGTERM, [])]
)
def test_end_of_the_parent(end, why):
    parent, family = started(600)
    parent.send_signal(end)
    assert_all_end(parent, family, *why)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("victim", ["minizinc", "fzn-gecode"])
def test_end_of_minizinc_or_its_solver(victim, end):
    parent, family = started(600)
    one_named(family, victim).send_signal(end)
    assert_all_end(parent, family, "error")


def test_end_of_our_guard():
    parent, family = started(600)
    one_named(family, "minizinc").parent().kill()
    assert_all_end(parent, family, "error")
