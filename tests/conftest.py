"""Shared by all tests."""

import signal

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.load_profile("repeatable")

# Programs in the background are started with Ctrl-C ignored, and nohup ignores SIGHUP. What the tests start
# would inherit that, but it does not inherit a handler.
signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)
