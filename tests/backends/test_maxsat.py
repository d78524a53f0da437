"""MaxSAT solvers as programs: discovery, protocol, limits, faults and lies."""

import os
import shlex
import sys
from pathlib import Path

import psutil
import pytest
from faulty_backends import together
from running import with_enough_time
from small_problems import PROBLEM

from pyfsel import Status
from pyfsel.backends.maxsat.program import MaxSat
from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.solving.solve import solve

FAKE = str(Path(__file__).parents[1] / "fake_maxsat.py")


def fake(mode, file="{wcnf}"):
    return MaxSat("fake", shlex.join([sys.executable, FAKE, mode]) + f" {file}")


def test_files_in_the_classic_format():
    result = together(fake("honest", "{classic_wcnf}"))
    assert (result.status, result.objective) == (Status.OPTIMAL, 48)


def test_models_on_the_way_are_incumbents():
    result = solve(PROBLEM.replace(conflicts=[(0, 1)]), fake("streaming"), search="simultaneous")
    assert result.status is Status.OPTIMAL
    assert len(result.incumbents) > 1


@pytest.mark.parametrize("mode", ["stuck", "stubborn", "polite"])
def test_limit_keeps_the_models(mode):
    problem = Instance(quality=[5, 4, 3, 2], n_sets=1, k=2, max_shared=2, conflicts=[(0, 1), (2, 3)])

    def run(limit):
        return solve(problem, fake(mode), time_limit=limit, search="simultaneous")

    result = with_enough_time(run, lambda result: result.sets, 2, 8, 32, patience=11)
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.TIME_LIMIT)
    assert result.sets


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("too-cheap", "states the objective 49 for sets that have 48"),
        ("wrong-model", "has 0 features, must have 2"),
        ("unsatisfiable", "INFEASIBLE was claimed, but"),
    ],
)
def test_claims_that_do_not_fit_are_errors(mode, words):
    with pytest.raises(FalseClaimError, match=words):
        together(fake(mode), formulation="literal")


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("no-model", "OPTIMUM FOUND without a model"),
        ("short-model", "nothing about variable 2"),
        ("word-cost", "cost 'many'"),
        ("word-status", "'FINE'"),
        ("crashing", "exit code 1 and no status .*out of luck"),
        ("killed", "signal 9 and no status .*it says nothing"),
    ],
)
def test_faults_are_backend_errors(mode, words, monkeypatch):
    """Not the time limit, as long as the program did not get SIGTERM because of it."""
    monkeypatch.setattr("pyfsel.backends.maxsat.maxsat_run.TERMINATE_SECONDS", 30)
    with pytest.raises(SolverError, match=words):
        fake(mode).solve(PROBLEM, Control(Limits.starting_now(50)))
    result = together(fake(mode), formulation="literal")
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.ERROR)


def test_commands_are_checked():
    for wrong in ("uwrmaxsat", "uwrmaxsat {wcnf} {wcnf}", "uwrmaxsat '{wcnf}"):
        with pytest.raises(InputError, match="command="):
            MaxSat("command", wrong)
    with pytest.raises(InputError, match="no-such-solver is not on the PATH"):
        together(MaxSat("command", "no-such-solver {wcnf}"))


def test_known_programs_are_discovered_on_the_path(tmp_path, monkeypatch):
    program = tmp_path / "uwrmaxsat"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" literals "$1"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = {backend.name: backend for backend in MaxSat.discovered()}["maxsat:uwrmaxsat"]
    assert together(found).objective == 48


WRAPPERS = {
    "as it is": "{fake}",
    "in a shell that waits": "sh -c '{fake}; exit 0'",
    "behind a child that keeps the output": "sh -c '(sleep 300 &) ; exec {fake}'",
    "behind a child in a session of its own": "sh -c '(setsid sleep 30 &) ; exec {fake}'",
}


@pytest.mark.parametrize("how", WRAPPERS)
@pytest.mark.parametrize("mode", ["honest", "polite"])
def test_a_wrapped_program_is_heard_and_ended_as_a_whole(mode, how):
    text = WRAPPERS[how].format(fake=f"{sys.executable} {FAKE} {mode} {{wcnf}}")

    def run(limit):
        return MaxSat("command", text).solve(PROBLEM, Control(Limits.starting_now(limit)))

    answer = with_enough_time(run, lambda answer: answer.sets, 3, 12, 48, patience=2)
    assert answer.sets is not None
    assert answer.status is (Status.FEASIBLE if mode == "polite" else Status.OPTIMAL)
    left = [
        p for p in psutil.Process().children(recursive=True) if "setsid" not in how and FAKE in p.cmdline()
    ]
    assert left == []


@pytest.mark.parametrize("does", ["yes o 5", "exec >&-; sleep 30"])
def test_a_program_that_prints_without_an_end_or_closes_its_output_is_ended(does):
    program = MaxSat("command", f"sh -c '{does}; : {{wcnf}}'")

    def run(limit):
        return program.solve(PROBLEM, Control(Limits.starting_now(limit))).stop_reason

    assert with_enough_time(run, bool, 1, 3, patience=8) is StopReason.TIME_LIMIT
