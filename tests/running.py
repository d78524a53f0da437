"""Waiting for what a program that a test has started is doing, however busy the machine is."""

import time

import psutil

PATIENCE = 120
WORK_SECONDS = 0.5


def wait_for_solver(process):
    """Return when some child of the program has computed for a while; fail if the program ends before."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, "the program has ended"
        if any(
            _seconds(child) > WORK_SECONDS for child in psutil.Process(process.pid).children(recursive=True)
        ):
            return
        time.sleep(0.05)
    raise AssertionError(f"no child has computed for {WORK_SECONDS} s within {PATIENCE} s")


def _seconds(process):
    try:
        return process.cpu_times().user
    except psutil.Error:
        return 0.0
