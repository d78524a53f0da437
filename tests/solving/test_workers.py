"""Workers stay for the next call, if they are fit for it; whatever ends around them, they end too."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import faulty_backends as faulty
import numpy as np
import psutil
import pytest
from faulty_backends import BESIDE, together
from running import PATIENCE, python, wait_until, with_enough_time
from small_problems import BEST, PROBLEM

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.drivers.processes.guard import lives
from pyfsel.errors import FalseClaimError
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import StopReason
from pyfsel.solving import workers
from pyfsel.solving.solve import solve
from pyfsel.solving.workers import end_idle_workers

IN_WORKERS = [n for n, b in registry().items() if b.isolated and n != "packing-cpsat"]


@pytest.fixture(autouse=True)
def no_others():
    """Begin with no worker, and leave none."""
    end_idle_workers()
    yield
    end_idle_workers()


def offspring():
    return {process.pid for process in psutil.Process().children(recursive=True)}


def told(backend=None, **options):
    """Return what the worker of a call tells about itself."""
    return together(backend or faulty.Telling(BEST), **options).statistics


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_one_worker_serves_all_calls_and_backends(search):
    before = offspring()
    first = solve(PROBLEM, "cpsat", search)
    started = offspring() - before
    second = solve(PROBLEM.replace(max_shared=0), "rc2", search)
    assert started
    assert offspring() - before == started
    assert (first.status, first.objective) == (Status.OPTIMAL, 48)
    assert (second.status, second.objective) == (Status.OPTIMAL, 30)
    end_idle_workers()
    assert not offspring() & started


def assert_gone(worker):
    assert wait_until(lambda: not lives(worker["pid"]) and not lives(worker["guard"]))


def test_backends_of_others_have_workers_of_their_own():
    together("brute-force")
    ours = offspring()
    assert told()["pid"] not in ours
    assert told()["pid"] != told(faulty.Leaving("nothing"))["pid"]
    assert told()["pid"] == told()["pid"]


def test_threads_have_workers_of_their_own():
    meeting = threading.Barrier(3)

    def ask(_):
        problem = PROBLEM.replace(n_sets=1)
        meet = lambda found: meeting.wait(PATIENCE)  # noqa: E731
        return solve(problem, Meeting(), "simultaneous", on_progress=meet).statistics["pid"]

    class Meeting(faulty.Telling):
        exact = False

        def __init__(self):
            super().__init__(BEST[:1])

        def __reduce__(self):
            return faulty.Telling, (BEST[:1],)

    with ThreadPoolExecutor(3) as threads:
        results = list(threads.map(ask, range(3)))
    assert len(set(results)) == 3
    assert sum(map(lives, results)) <= (os.cpu_count() or 1)


@pytest.mark.parametrize("victim", ["pid", "guard"])
@pytest.mark.parametrize("sent", ["SIGKILL", "SIGTERM"])
def test_an_idle_worker_that_was_killed_is_replaced(victim, sent):
    first = told()
    os.kill(first[victim], signal.Signals[sent])
    assert wait_until(lambda: not lives(first["pid"]))
    assert told()["pid"] != first["pid"]
    assert_gone(first)


def test_an_idle_worker_ends_by_itself(monkeypatch):
    monkeypatch.setattr(workers, "IDLE_SECONDS", 0.1)
    first = told()
    assert wait_until(lambda: not lives(first["pid"]))
    assert told()["pid"] != first["pid"]


def test_a_worker_that_lied_is_not_used_again():
    first = told(faulty.Lying(BEST))
    assert told(faulty.Lying(BEST))["pid"] == first["pid"]
    with pytest.raises(FalseClaimError):
        solve(PROBLEM.replace(max_shared=0), faulty.Lying(), search="simultaneous")
    assert not lives(first["pid"])
    assert told(faulty.Lying(BEST))["pid"] != first["pid"]


def test_a_worker_that_was_interrupted_is_not_used_again():
    def interrupt(incumbent):
        if getattr(incumbent, "sets", None) == BEST:
            raise KeyboardInterrupt

    first = told()
    result = together(faulty.Telling(BEST, bounds=[60]), on_progress=interrupt)
    assert (result.stop_reason, result.sets) == (StopReason.INTERRUPTED, BEST)
    assert not lives(first["pid"])
    assert told()["pid"] != first["pid"]


@pytest.mark.parametrize("what", ["thread", "process", "memory"])
def test_a_worker_that_is_not_as_before_is_not_used_again(what):
    # what is left behind takes 256 MB, Python and its libraries another 40: more than half of the limit
    limit = {"memory_limit": 500} if what == "memory" else {}
    first = told(faulty.Leaving(what), **limit)
    second = told(faulty.Leaving("nothing"), **limit)
    assert second["pid"] != first["pid"]
    assert_gone(first)
    assert told(faulty.Leaving("nothing"), **limit)["pid"] == second["pid"]


def test_a_memory_limit_holds_for_its_call_only():
    hog = {"memory_limit": 200, "time_limit": PATIENCE}
    free = told(faulty.Leaving("nothing"))
    result = together(faulty.Leaving("memory", seconds=PATIENCE), **hog)
    assert result.stop_reason is StopReason.MEMORY_LIMIT
    assert told(faulty.Leaving("nothing"), memory_limit=400)["pid"] != free["pid"]
    assert told(faulty.Leaving("memory")).keys() == free.keys()


def test_the_worker_is_where_this_process_is(tmp_path, monkeypatch):
    first = told()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYFSEL_SOMETHING", "new")
    monkeypatch.syspath_prepend(tmp_path)
    second = told()
    monkeypatch.delenv("PYFSEL_SOMETHING")
    third = told()
    assert first["pid"] == second["pid"] == third["pid"]
    assert (second["folder"], second["path"][0]) == (str(tmp_path), str(tmp_path))
    assert "PYFSEL_SOMETHING" not in first["variables"]
    assert second["variables"]["PYFSEL_SOMETHING"] == "new"
    assert "PYFSEL_SOMETHING" not in third["variables"]
    assert third["variables"]["TMPDIR"] == first["variables"]["TMPDIR"]


@pytest.mark.parametrize("n_features", [6, 200_000])
def test_a_stopped_worker_does_not_stretch_the_limit(n_features):
    """The orders for many features do not fit into a pipe that nobody reads."""
    problem = Instance(quality=range(n_features), n_sets=1, k=2, max_shared=2)

    def run(limit):
        end_idle_workers()
        pid = told()["pid"]
        os.kill(pid, signal.SIGSTOP)
        return pid, solve(problem, faulty.Telling(((0, 1),)), "simultaneous", limit).stop_reason

    # on a busy machine the start may use up the limit, and the worker is not asked
    pid, stop_reason = with_enough_time(
        run, lambda found: wait_until(lambda: not lives(found[0]), 30), 1, 4, 16, patience=15
    )
    assert stop_reason is StopReason.TIME_LIMIT
    assert not lives(pid)
    assert told()["pid"] != pid


def test_output_of_one_call_is_not_that_of_the_next():
    together(faulty.ChattyOnce(BEST))
    result = solve(PROBLEM.replace(n_sets=1), faulty.ChattyOnce(BEST[:1]), search="simultaneous")
    assert "signal 9" in result.message
    assert "banner" not in result.message


@pytest.mark.parametrize("name", IN_WORKERS)
def test_a_used_worker_finds_what_a_fresh_one_finds(name):
    """Searches that take turns are left out: which of them ends first is a matter of the clock.

    So are two of three samplers of one library.
    """
    if registry()[name].missing() is not None:
        pytest.skip(f"{name} is not installed")
    rng = np.random.default_rng(5)
    half = np.triu(rng.integers(0, 20, (9, 9)), 1)
    pairs = Instance(rng.integers(1, 50, 9), 1, 3, 1, pairs=half + half.T, objective="mrmr")
    several = pairs.replace(objective="univariate", n_sets=3)
    asked = [several, pairs.replace(n_sets=2), pairs, pairs.replace(objective="cfs")]
    asked = [p for p in asked if registry()[name].refusal(p, registry()[name].formulations[0]) is None][:2]

    def found(problem, seed=7):
        return solve(problem, name, "simultaneous", random_state=seed).sets

    fresh = []
    for problem in asked:
        end_idle_workers()
        fresh.append(found(problem))
    for problem in reversed(asked):
        found(problem, 1)
    assert [found(problem) for problem in asked] == fresh


FORKING = """
import os, sys
import psutil
import faulty_backends as faulty
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve
problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
def pid():
    return solve(problem, faulty.Telling(((0, 1), (0, 2), (1, 2))), search="simultaneous").statistics["pid"]
mine = pid()
child = os.fork()
if child == 0:
    assert pid() != mine
    assert pid() == pid()
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert pid() == mine
assert os.path.isdir(psutil.Process(mine).environ()["PYFSEL_FOLDER"])
print(mine)
"""
POOLS = """
import sys
import faulty_backends as faulty
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve
problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
def pid(_):
    return solve(problem, faulty.Telling(((0, 1), (0, 2), (1, 2))), search="simultaneous").statistics["pid"]
if __name__ == "__main__":
    mine = pid(0)
    if sys.argv[1] == "loky":
        from joblib import Parallel, delayed
        found = Parallel(n_jobs=2)(delayed(pid)(i) for i in range(4))
    else:
        import multiprocessing
        with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
            found = pool.map(pid, range(4))
    assert mine not in found
    assert len(set(found)) <= 2
    assert pid(0) == mine
    print(mine, *found)
"""


def ran(path, code, *arguments, **more):
    """Run a script; return its code and errors, and the processes it names."""
    path.write_text(code)
    ended = python("-W", "error", path, *arguments, env=os.environ | BESIDE | more)
    return (ended.returncode, ended.stderr), [int(pid) for pid in ended.stdout.split()]


def test_a_copy_of_this_process_has_workers_of_its_own(tmp_path):
    ended, used = ran(tmp_path / "forking.py", FORKING)
    assert ended == (0, "")
    assert wait_until(lambda: not any(map(lives, used)))


@pytest.mark.parametrize("kind", ["fork", "spawn", "forkserver", "loky"])
def test_pools_of_processes(tmp_path, kind):
    ended, used = ran(tmp_path / "pools.py", POOLS, kind)
    assert ended == (0, "")
    assert wait_until(lambda: not any(map(lives, used)))


KILLED = """
import os, signal, sys
import faulty_backends as faulty
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve
problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
found = solve(problem, faulty.Telling(((0, 1), (0, 2), (1, 2))), search="simultaneous").statistics
print(found["pid"], found["guard"], flush=True)
os.kill(os.getpid(), signal.Signals[sys.argv[1]])
"""


@pytest.mark.parametrize("sent", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_idle_workers_end_with_the_process(tmp_path, sent):
    ended, used = ran(tmp_path / "killed.py", KILLED, sent, TMPDIR=str(tmp_path))
    assert len(used) == 2, ended
    assert wait_until(lambda: not any(map(lives, used)))
    assert wait_until(lambda: os.listdir(tmp_path) == ["killed.py"])
