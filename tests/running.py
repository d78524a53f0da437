"""Waiting for what a program that a test has started is doing, however busy the machine is."""

import subprocess
import sys
import time
from contextlib import contextmanager
from types import SimpleNamespace

import psutil

from pyfsel.results.jobs import ROWS

PATIENCE = 240
"""Seconds after which what a test waits for hangs, on a slow and busy machine too."""
LONGEST_PATIENCE = 30.0
"""How many seconds a time limit may be exceeded by on a busy machine."""
WORK_SECONDS = 0.5


def ended(*command, **options):
    """Run a program to its end and return its exit code and its output as text."""
    usual = {"capture_output": True, "text": True, "timeout": PATIENCE}
    return subprocess.run(list(map(str, command)), **usual | options)


def python(*arguments, **options):
    """Run Python like any other program."""
    return ended(sys.executable, *arguments, **options)


def wait_for_solver(process):
    """Return when some child of the program has computed for a while; fail if the program ends before."""

    def computes():
        assert process.poll() is None, "the program has ended"
        children = psutil.Process(process.pid).children(recursive=True)
        return any(_seconds(child) > WORK_SECONDS for child in children)

    assert wait_until(computes), f"no child has computed for {WORK_SECONDS} s within {PATIENCE} s"


def wait_until(condition, seconds=PATIENCE):
    """Return whether a condition comes true within some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def with_enough_time(run, is_enough, *limits, patience=LONGEST_PATIENCE):
    """Return what a run gives with the first time limit that is enough for it on this machine, and is kept.

    The limits rise, the first one being enough on a machine that has nothing else to do. It is kept if it is
    exceeded by less than the patience, of which a busy machine needs more, as it does of the limit.
    """
    for limit in limits:
        begin = time.monotonic()
        found = run(limit)
        most = min(max(LONGEST_PATIENCE, patience), patience * limit / limits[0])
        is_kept = time.monotonic() - begin < limit + most
        if is_kept and is_enough(found):
            break
    assert is_kept
    return found


def interrupted(*_, **__):
    """Stand in for what the user ends with Ctrl-C."""
    raise KeyboardInterrupt


@contextmanager
def progress_told(listener):
    """Call a listener with the texts of progress that is shown, and how much is done."""
    rows = SimpleNamespace(
        add_task=lambda what, total: what,
        update=lambda row, completed, description: listener(description, completed),
        remove_task=lambda row: None,
    )
    token = ROWS.set(rows)
    try:
        yield
    finally:
        ROWS.reset(token)


def _seconds(process):
    try:
        return process.cpu_times().user
    except psutil.Error:
        return 0.0
