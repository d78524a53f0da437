"""Shared by all tests."""

import signal

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.load_profile("repeatable")

# Shells start background programs with Ctrl-C ignored, which all that these start would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
