"""Shared by all tests."""

import os
import signal

import pytest
from hypothesis import Phase, settings

from pyfsel.solving import sessions

settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.register_profile(
    "no-shrinking",
    settings.get_profile("repeatable"),
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# Programs in the background are started with Ctrl-C ignored, and nohup ignores SIGHUP. What the tests start
# would inherit that, but it does not inherit a handler.
signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)

# A copy of a process that has everything loaded starts in a tenth of the time.
sessions.start_sessions_by_fork()


@pytest.fixture
def fresh_processes(monkeypatch):
    """Let sessions start processes of their own, as outside the tests."""
    monkeypatch.setattr(sessions, "_STARTS_BY_FORK", False)
