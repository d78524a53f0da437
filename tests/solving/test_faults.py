"""Real faults: killed and hanging processes, exceptions, Ctrl-C; nothing found is lost, nothing stays behind.

Every process carries a marker in its environment, by which the tests find those left behind.
"""

import os
import signal
import subprocess
import sys
from uuid import uuid4

import faulty_backends as faulty
import psutil
import pytest
from faulty_backends import BESIDE, together
from running import PATIENCE, interrupted, wait_for_solver, wait_until, with_enough_time
from small_problems import BEST, PROBLEM

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.errors import SolverError
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import ProvedBound, StopReason
from pyfsel.results.control import Limits
from pyfsel.solving import attempt as attempt_module
from pyfsel.solving.sequential import sequential_search
from pyfsel.solving.solve import solve
from pyfsel.solving.workers import end_idle_workers

GREEDY_VALUE = 45
# no greedy start: the conflicts leave exactly two sets, and greedy search does not find them
BLIND = Instance(quality=[9, 8, 7, 3], n_sets=1, k=4, max_shared=4, conflicts=[(0, 1)])


@pytest.fixture
def trace(monkeypatch):
    """Return a mark that this test's processes inherit, and check that only idle ones are left at the end."""
    mark = uuid4().hex
    end_idle_workers()
    monkeypatch.setenv("PYFSEL_TEST", mark)
    # it would find all that the backends report: a greedy start does not
    monkeypatch.setattr("pyfsel.algorithms.heuristics.swap_sequence.swap_sequence", lambda *_: ())
    yield mark
    end_idle_workers()
    assert wait_until(lambda: not marked(mark)), marked(mark)


def marked(mark):
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get("PYFSEL_TEST") == mark:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def script(code, **more):
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | BESIDE,
        **more,
    )


CRASHES = pytest.mark.parametrize(
    ("kind", "words"),
    [
        (faulty.Dying, "its process ended with signal 9"),
        (faulty.Exiting, "its process ended with exit code 3: the licence has expired"),
        (faulty.Raising, "RuntimeError: lost the model"),
        (faulty.RaisingHere, "RuntimeError: lost the model"),
        (faulty.Unpicklable, "local object"),
        (faulty.DyingWithSolver, "its process ended with signal 9"),
    ],
)


@CRASHES
@pytest.mark.parametrize(
    ("reported", "sets", "bound"), [((BEST, [60, 50]), BEST, 50), ((), None, None)], ids=["sets", "nothing"]
)
def test_a_crash_keeps_what_was_reported_or_the_greedy_start(trace, kind, words, reported, sets, bound):
    result = together(kind(*reported))
    assert not marked(trace)
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.ERROR)
    assert result.sets == sets or (sets is None and result.integer_objective == GREEDY_VALUE)
    assert result.bound == bound
    assert words in result.message
    assert reported or "greedy start" in result.message
    assert "\n" not in result.message


@CRASHES
def test_a_crash_without_any_sets_is_a_clear_error(trace, kind, words):
    with pytest.raises(SolverError, match="faulty: ") as caught:
        solve(BLIND, kind(), search="simultaneous")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_traceback_and_output_are_kept_as_log(trace):
    assert "misbehave" in together(faulty.Raising(BEST)).statistics["log"]
    assert "licence" in together(faulty.Exiting(BEST)).statistics["log"]


def test_out_of_memory_is_a_stop_reason(trace):
    result = together(faulty.Starving(BEST))
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.MEMORY_LIMIT)
    result = solve(BLIND, faulty.Starving(), search="simultaneous")
    assert (result.status, result.stop_reason) == (Status.NOT_SOLVED, StopReason.MEMORY_LIMIT)


@pytest.mark.parametrize("kind", [faulty.Hog, faulty.HogOutside])
@pytest.mark.parametrize("search", ["simultaneous", "sequential"])
def test_memory_hog_is_killed_and_what_it_found_is_kept(trace, kind, search):
    problem = PROBLEM.replace(n_sets=1) if search == "sequential" else PROBLEM
    found = BEST[: problem.n_sets]
    result = solve(problem, kind(found, bounds=[50]), search, time_limit=PATIENCE, memory_limit=400)
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.MEMORY_LIMIT)
    assert (result.sets, result.bound) == (found, 50)
    assert "used more than 400 MB" in result.message


def test_memory_limit_leaves_others_alone():
    result = together("cpsat", memory_limit=2000)
    assert (result.status, result.stop_reason) == (Status.OPTIMAL, StopReason.FINISHED)


def test_incumbents_and_bounds_are_reported_as_they_come(trace):
    told = []
    result = together(faulty.Raising(BEST, bounds=[60, 55, 58, 50]), on_progress=told.append)
    heard = [one for one in told if isinstance(one, ProvedBound)]
    assert [proved.bound for proved in heard] == [60, 55, 50]
    assert result.bounds == tuple(heard)
    assert [one for one in told if one not in heard] == list(result.incumbents)
    assert [one.objective for one in result.incumbents] == [GREEDY_VALUE, 48]
    assert [one.time for one in told] == sorted(one.time for one in told)


@pytest.mark.parametrize(("name", "max_shared"), [("sorting", 2), ("cpsat", 1)])
def test_a_huge_number_of_sets_keeps_the_limit(name, max_shared):
    problem = Instance(quality=range(100, 160), n_sets=100_000, k=2, max_shared=max_shared)

    def run(limit):
        return solve(problem, name, "sequential", time_limit=limit)

    result = with_enough_time(run, lambda result: result.sets, 0.5, 2, 8)
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert 0 < len(result.sets) < problem.n_sets


@pytest.mark.parametrize("kind", [faulty.Hanging, faulty.Flooding])
def test_backend_past_its_deadline_is_killed(trace, kind):

    def run(limit):
        result = together(kind(BEST, bounds=[50]), time_limit=limit)
        assert not marked(trace)
        return result

    result = with_enough_time(run, lambda result: result.bound is not None, 2.5, 10, 40)
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.TIME_LIMIT)
    assert (result.sets, result.bound) == (BEST, 50)


def test_output_of_a_backend_reaches_no_stream(trace, capfd):
    result = together(faulty.Chatty(BEST))
    assert (result.status, result.sets) == (Status.OPTIMAL, BEST)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("victim", [0, 1])
def test_killed_from_outside(trace, victim):
    """The oldest process is the guard, the next one the worker."""
    killed = []

    def kill(incumbent):
        if getattr(incumbent, "sets", None) == BEST:
            process = sorted(marked(trace), key=lambda p: p.create_time())[victim]
            killed.append(process.pid)
            process.kill()

    result = solve(
        PROBLEM,
        faulty.Hanging(BEST),
        time_limit=PATIENCE,
        on_progress=kill,
        search="simultaneous",
    )
    assert killed
    assert result.sets == BEST
    assert result.stop_reason is StopReason.ERROR
    assert not marked(trace)


def test_ctrl_c_at_the_first_sets_keeps_them(trace):
    assert together(faulty.Hanging(BEST), on_progress=interrupted).sets


def test_error_in_the_callback_reaches_the_caller(trace):
    def refuse(incumbent):
        if getattr(incumbent, "sets", None) == BEST:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        together(faulty.Hanging(BEST), time_limit=PATIENCE, on_progress=refuse)


RUN = """
import faulty_backends as faulty
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve
problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
def say(found):
    print(found.objective, flush=True)
solve(problem, faulty.Hanging(((0, 1), (0, 2), (1, 2))), "simultaneous", time_limit=600, on_progress=say)
"""


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_end_of_the_parent_ends_everything(trace, sent, tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    process = script(RUN, start_new_session=True)
    assert [process.stdout.readline().strip() for _ in range(2)] == ["45", "48"]
    assert wait_until(lambda: len(marked(trace)) >= 4)
    assert len(list(temporary.iterdir())) == 1
    process.send_signal(sent)
    process.wait(PATIENCE)
    assert wait_until(lambda: not marked(trace))
    assert wait_until(lambda: not list(temporary.iterdir()))


def test_crash_in_a_later_step_keeps_the_earlier_sets(trace):
    conflicts = [(i, j) for i in range(1, 6) for j in range(i + 1, 6) if (i, j) != (4, 5)]
    problem = PROBLEM.replace(conflicts=conflicts, max_shared=0)
    result = solve(problem, faulty.DyingLater(), "sequential")
    assert result.sets[0] == (0, 1)
    assert result.steps[0].status is Status.OPTIMAL
    assert result.status is Status.FEASIBLE
    assert result.stop_reason is StopReason.ERROR


def test_a_sequence_ends_at_an_interruption(trace, monkeypatch):
    found, calls = attempt_module.answered, []

    def second_is_interrupted(task, problem, control):
        calls.append(problem)
        return interrupted() if len(calls) == 2 else found(task, problem, control)

    monkeypatch.setattr("pyfsel.algorithms.heuristics.start_solution", lambda *_: None)
    monkeypatch.setattr(attempt_module, "answered", second_is_interrupted)
    result = solve(PROBLEM, "brute-force", "sequential")
    assert (result.stop_reason, result.status) == (StopReason.INTERRUPTED, Status.FEASIBLE)
    assert (result.sets[0], len(calls)) == (BEST[0], 2)


def test_steps_share_the_time_and_nothing_starts_when_it_is_up(trace):
    def run(limit):
        return sequential_search(PROBLEM, faulty.SlowLater(), Limits.starting_now(limit))

    result = with_enough_time(run, lambda result: result.steps[0].status is Status.OPTIMAL, 4.5, 18, 72)
    assert [step.status for step in result.steps] == [Status.OPTIMAL, Status.FEASIBLE, Status.FEASIBLE]
    assert result.stop_reason is StopReason.TIME_LIMIT
    for backend in (faulty.Dying(), registry()["cpsat"]):
        late = sequential_search(PROBLEM, backend, Limits.starting_now(None).within(0.0))
        assert late.stop_reason is StopReason.TIME_LIMIT
        assert len(late.sets) == 3


RUN_HARD = """
import numpy as np
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve
q = np.random.default_rng(3).integers(1, 10**6, 40)
problem = Instance(quality=q, n_sets=8, k=6, max_shared=2, aggregate="min")
print("ready", flush=True)
result = solve(problem, "{name}", search="simultaneous", time_limit=600)
print(result.stop_reason, len(result.sets), flush=True)
"""


@pytest.mark.parametrize(
    ("name", "sent"),
    [("cpsat", "SIGKILL"), ("cpsat", "SIGINT"), ("packing", "SIGINT"), ("rc2", "SIGINT")],
)
def test_real_solvers_are_interrupted_and_end_with_the_parent(trace, name, sent):
    process = script(RUN_HARD.format(name=name), start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    wait_for_solver(process)
    assert len(marked(trace)) >= 2
    if sent == "SIGKILL":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert out == ("" if sent == "SIGKILL" else "interrupted 8\n"), err
    assert wait_until(lambda: not marked(trace))
