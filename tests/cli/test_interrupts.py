"""Ctrl-C and SIGTERM outside `pyfsel.solve`: they end what goes on, keep what was found, and say so."""

import dataclasses
import importlib
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import psutil
import pytest
from running import PATIENCE, interrupted, python, wait_for_solver
from sklearn.datasets import load_iris
from small_problems import PROBLEM, asked

import pyfsel.interface.solving
import pyfsel.selectors.alternatives
from pyfsel import AlternativeFeatureSelector
from pyfsel.cli.app import main, sigterm_as_ctrl_c
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.problem.instance import Instance
from pyfsel.questions import sweep as sweeping
from pyfsel.questions.feasible import feasible_choices
from pyfsel.results.backend_answer import StopReason
from pyfsel.selectors.evaluation.evaluate import evaluate
from pyfsel.solving.solve import solve

AFTER_A_SOLVE = """
import os, signal, time
from pyfsel.problem.instance import Instance
from pyfsel.selectors.wrapper.repair import SwapRepair

problem = Instance(quality=[0, 0, 0, 0], n_sets=1, k=2, max_shared=1)
SwapRepair(problem).nearest([(0, 1)], (0, 2))
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)
except KeyboardInterrupt:
    print("kept")
"""

NAPS = """
import time
from pyfsel.results.jobs import finished

for done in finished("naps", time.sleep, [(0,), (600,), (600,)], 3, n_jobs=2):
    print(done, flush=True)
"""


HANDLERS = """
import signal
from pyfsel.results.jobs import finished

print({found for _, found in finished("jobs", signal.getsignal, [(2,)] * 4, 4, n_jobs=2)})
print(signal.getsignal(2))
"""


class InterruptedAt:
    """Calls a function, whose result the user interrupts at the given call and at no other one."""

    def __init__(self, function, number=1):
        self.function = function
        self.number = number
        self.calls = 0

    def __call__(self, *arguments, **named):
        self.calls += 1
        result = self.function(*arguments, **named)
        if self.calls != self.number:
            return result
        return dataclasses.replace(result, stop_reason=StopReason.INTERRUPTED)


def test_cpsat_leaves_the_handler_of_ctrl_c_alone():
    done = python("-c", AFTER_A_SOLVE, timeout=60)
    assert (done.returncode, done.stdout) == (0, "kept\n"), done.stderr


@pytest.mark.parametrize("search", ["sequential", "sum"])
def test_sweep_ends_with_the_cells_that_are_finished(monkeypatch, search):
    problem = PROBLEM.replace(n_sets=2, max_shared=0)
    at_third = InterruptedAt(solve, number=3)
    monkeypatch.setattr(sweeping, "solve", at_third)
    found = sweeping.sweep(asked(problem, search), solver="brute-force")
    assert found.stop_reason == "interrupted"
    assert found.to_frame()["shared"].tolist() == [1]
    assert at_third.calls == 3


@pytest.mark.parametrize(
    ("module", "name", "objective"),
    [
        (pyfsel.interface.solving, "solve_instance", "univariate"),
        (pyfsel.selectors.alternatives, "sets_by_model", "model:max_fits=20"),
    ],
)
def test_interrupted_selector_keeps_its_sets_and_ends_what_called_it(monkeypatch, module, name, objective):
    X, y = load_iris(return_X_y=True, as_frame=True)
    selector = AlternativeFeatureSelector(2, n_sets=2, dissimilarity=1, objective=objective)
    monkeypatch.setattr(module, name, InterruptedAt(getattr(module, name)))
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, y)
    assert selector.answer_.stop_reason == StopReason.INTERRUPTED
    assert selector.transform(X).shape == (150, 2)


def test_workers_of_jobs_end_when_their_parent_is_killed():
    with psutil.Popen([sys.executable, "-c", NAPS], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout.readline() == "(0, None)\n"
        family = parent.children(recursive=True)
        assert len(family) >= 2
        parent.kill()
        assert psutil.wait_procs(family, timeout=PATIENCE)[1] == []


def test_workers_of_jobs_leave_ctrl_c_to_the_process_that_waits():
    """A terminal sends it to all of them; tracebacks of workers would hide what was found."""
    done = python("-c", HANDLERS)
    assert done.stdout == "{<Handlers.SIG_IGN: 1>}\n<built-in function default_int_handler>\n", done.stderr


@pytest.mark.parametrize(
    ("command", "function", "said"),
    [
        ("evaluate -k 2", "selectors.evaluation.folds.score_fold", "No fold with a set is finished"),
        ("choose_k -k 2-3", "selectors.evaluation.folds.score_fold", "No fold with a set is finished"),
        ("stability -k 2", "selectors.stability._sets_of_half", "No pair of halves is finished"),
        (
            "report -k 2 -o page.html",
            "selectors.report.report_page.evaluate",
            "page.html: has what was found until then",
        ),
        ("look", "cli.explore.look", "Nothing is finished, so there is nothing to show"),
    ],
)
def test_an_interrupted_command_says_what_is_left(monkeypatch, tmp_path, run, command, function, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(f"pyfsel.{function}", interrupted)
    first, last = run(f"{command} --dataset wine --quiet", ExitCode.INTERRUPTED).err.splitlines()
    assert first.startswith(said)
    assert last == "pyfsel: error: interrupted"
    assert (tmp_path / "page.html").exists() == command.startswith("report")


def test_evaluation_ends_with_the_folds_that_are_finished(monkeypatch):
    X, y = load_iris(return_X_y=True, as_frame=True)
    selector = AlternativeFeatureSelector(2, n_sets=2, dissimilarity=1, measure="pearson")
    at_third = InterruptedAt(solve, number=3)
    monkeypatch.setattr(pyfsel.interface.solving, "solve_instance", at_third)
    found = evaluate(X, y, selector, repeats=1)
    assert at_third.calls == 3
    assert (found.stop_reason, found.details["n_folds"]) == (StopReason.INTERRUPTED, 2)
    monkeypatch.undo()
    whole = evaluate(X, y, selector, repeats=1)
    assert (whole.stop_reason, whole.details["n_folds"]) == (StopReason.FINISHED, 5)
    pd.testing.assert_frame_equal(found.folds(), whole.folds().query("fold < 2"))


def test_looking_for_feasible_choices_ends(monkeypatch):
    impossible = Instance(quality=[4, 3, 2, 1], n_sets=3, k=2, max_shared=0)
    monkeypatch.setattr("pyfsel.questions.feasible.start_solution", lambda problem: None)
    monkeypatch.setattr("pyfsel.solving.asking.solve", InterruptedAt(solve))
    with pytest.raises(KeyboardInterrupt):
        feasible_choices(impossible, tau=1)


def test_suite_says_how_to_go_on(monkeypatch, run, tmp_path):
    monkeypatch.setattr("pyfsel.cli.bench.run_suite", interrupted)
    suite = tmp_path / "suite.toml"
    suite.touch()
    assert run(f"bench run {suite} -o {tmp_path}", ExitCode.INTERRUPTED).err == (
        "The same command continues with the missing runs\npyfsel: error: interrupted\n"
    )


def test_sigterm_is_only_ours_within_a_command(monkeypatch):
    own = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with sigterm_as_ctrl_c() as was_terminated:
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with sigterm_as_ctrl_c() as was_terminated:
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)
            monkeypatch.setattr("pyfsel.cli.app.SECONDS_BETWEEN", 0)
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGTERM)
        assert was_terminated()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(main, ["--version"]).result() == ExitCode.OK
    finally:
        signal.signal(signal.SIGTERM, own)


PAIRS = Instance(
    quality=[9, 8, 7, 6],
    n_sets=2,
    k=2,
    max_shared=1,
    objective="mrmr",
    pairs=[[0, 3, 1, 2], [3, 0, 1, 1], [1, 1, 0, 4], [2, 1, 4, 0]],
)


@pytest.mark.parametrize(
    ("phase", "command", "has_file"),
    [
        ("pyfsel.interface.solving.solve_instance", "solve i.json --certificate out", False),
        ("pyfsel.certificates.certify.solve", "solve i.json --search sum --certificate out", True),
        ("pyfsel.solving.confirm.attempt", "solve i.json --confirm auto", False),
        ("pyfsel.solving.support.solve", "solvers --try brute", False),
    ],
)
def test_an_interruption_ends_the_phases_that_follow(monkeypatch, tmp_path, run, phase, command, has_file):
    """The first phase keeps what it has found; none begins after it, and the exit code says so."""
    monkeypatch.chdir(tmp_path)
    PAIRS.save("i.json")
    module, _, name = phase.rpartition(".")
    at_once = InterruptedAt(getattr(importlib.import_module(module), name))
    monkeypatch.setattr(phase, at_once)
    assert "interrupted" in run(command, ExitCode.INTERRUPTED).err
    assert at_once.calls == 1
    assert (tmp_path / "out").exists() == has_file
    if has_file:
        run("check i.json out", ExitCode.NOT_SOLVED)


HARD = Instance(
    quality=[60000 + 997 * ((7 * j) % 31) - 1500 * j for j in range(40)],
    n_sets=6,
    k=6,
    max_shared=2,
    aggregate="min",
)


@pytest.mark.parametrize(
    ("sent", "code", "word", "backend"),
    [
        (signal.SIGTERM, 143, "terminated", "minizinc:gecode/literal"),
        (signal.SIGTERM, 143, "terminated", "cpsat"),
        (signal.SIGINT, 130, "interrupted", "cpsat"),
    ],
)
def test_command_prints_what_it_has_found_and_leaves_no_process(tmp_path, sent, code, word, backend):
    instance = tmp_path / "hard.json"
    HARD.save(instance)
    command = [sys.executable, "-m", "pyfsel", "solve", str(instance), "--solver", backend]
    process = psutil.Popen(
        [*command, "--format", "json", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for_solver(process)
    family = process.children(recursive=True)
    process.send_signal(sent)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (code, f"pyfsel: error: {word}\n")
    data = json.loads(out)
    assert (data["status"], data["stop_reason"]) == ("FEASIBLE", "interrupted")
    assert len(data["sets"]) == 6
    assert psutil.wait_procs(family, timeout=PATIENCE)[1] == []


def test_ctrl_c_while_modules_load_ends_as_any_other(tmp_path):
    (tmp_path / "argparse.py").write_text("exec('raise KeyboardInterrupt')")
    done = python("-m", "pyfsel", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, "")
