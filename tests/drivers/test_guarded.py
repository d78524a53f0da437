"""Programs under a guard: their lines, and that they end with all they started."""

import sys
import tempfile
import time

import pytest
from running import PATIENCE, with_enough_time

from pyfsel.drivers.minizinc.program import MemoryLimitError, messages
from pyfsel.drivers.processes.guard import lives
from pyfsel.drivers.processes.guarded import GuardedProgram, StartError
from pyfsel.errors import SolverError
from pyfsel.results.control import Control, Limits

SPAWNS_A_DAEMON = """
import subprocess, sys, time
sleeper = subprocess.Popen(["/bin/sleep", "600"], start_new_session=True, stdout=subprocess.DEVNULL, env={})
print(sleeper.pid, flush=True)
time.sleep(float(sys.argv[1]))
"""
HOG = "import time; held = bytearray(300_000_000); print(len(held), flush=True); time.sleep(600)"


def python(code, *arguments):
    return [sys.executable, "-c", code, *arguments]


def assert_ends(pid):
    deadline = time.monotonic() + PATIENCE
    while lives(pid):
        assert time.monotonic() < deadline, f"{pid} is still there"
        time.sleep(0.02)


def test_lines_exit_code_and_log():
    code = "import sys; sys.stdout.write('one\\n\\ntwo'); sys.stderr.write('oh'); sys.exit(3)"
    with GuardedProgram(python(code)) as program:
        assert list(program.lines()) == [b"one\n", b"\n", b"two"]
        assert program.exit_code_and_log() == (3, "oh")


def test_deadline_and_end_leave_nothing_behind():
    with GuardedProgram(python(SPAWNS_A_DAEMON, "600")) as program:
        sleeper = int(next(program.lines(time.monotonic() + PATIENCE)))
        with pytest.raises(TimeoutError):
            next(program.lines(time.monotonic() + 0.2))
        assert lives(sleeper)
    assert_ends(sleeper)


def test_daemons_of_a_program_end_with_it():
    with GuardedProgram(python(SPAWNS_A_DAEMON, "0")) as program:
        sleeper = int(next(program.lines()))
        assert program.exit_code_and_log()[0] == 0
        assert_ends(sleeper)


def test_forgotten_programs_end():
    program = GuardedProgram(python(SPAWNS_A_DAEMON, "600"))
    sleeper = int(next(program.lines()))
    del program
    assert_ends(sleeper)


def test_a_guard_that_was_killed_can_be_told_to_end():
    with GuardedProgram(["/bin/true"]) as program:
        program.process.kill()
        program.process.wait()
        program.terminate()


def test_program_that_cannot_be_executed():
    with GuardedProgram(["/no/such/program"]) as program:
        assert list(program.lines()) == []
        code, log = program.exit_code_and_log()
    assert code == 1
    assert "/no/such/program" in log


def test_without_a_folder_for_the_log(monkeypatch):
    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(StartError, match="cannot start its process: no space left"):
        GuardedProgram(["/bin/true"])


@pytest.fixture
def minizinc(tmp_path, monkeypatch):
    """Return a function that puts a shell script in the place of MiniZinc."""

    def replace(script):
        program = tmp_path / "minizinc"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return replace


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo nonsense", "not a message: b'nonsense"),
        ("echo 5", "not a message: b'5"),
        ("echo '{\"kind\": 1}'", "not a message"),
        ('echo \'{"type": "error", "what": "type error", "message": "undefined y"}\'; exit 1', "undefined y"),
        ('echo \'{"type": "error", "what": "cyclic include error"}\'; exit 1', "^cyclic include"),
        (
            "echo 'x POSTs [ y' >&2; echo 'too large' >&2; exit 1",
            "^too large",
        ),
        ("exit 4", "^MiniZinc ended with exit code 4 and no explanation, as when the disk is full"),
        ("kill -9 $$", "ended with signal 9"),
    ],
)
def test_errors_of_minizinc(minizinc, script, words):
    minizinc(script)
    with pytest.raises(SolverError, match=words):
        list(messages([], Control()))


def test_messages_until_a_limit(minizinc):
    minizinc('echo \'{"type": "status", "status": "UNKNOWN"}\'; exec sleep 600')

    def told(limit):
        heard = []
        with pytest.raises(TimeoutError):
            heard.extend(messages([], Control(Limits.starting_now(limit))))  # keeps those before the error
        return heard

    assert with_enough_time(told, bool, 1, 4, 16) == [{"type": "status", "status": "UNKNOWN"}]
    minizinc('echo \'{"type": "error", "message": "time limit reached"}\'; exit 1')
    with pytest.raises(TimeoutError):
        list(messages([], Control()))
    minizinc(f"exec {sys.executable} -c '{HOG}' > /dev/null")
    with pytest.raises(MemoryLimitError, match="more than 150 MB"):
        list(messages([], Control(Limits(memory_limit=150))))
