"""Shared by all tests."""

import gc
import json
import os
import signal
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import providers

settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],  # so it is on a busy machine
)
settings.register_profile(
    "no-shrinking",
    settings.get_profile("repeatable"),
    phases=(Phase.explicit, Phase.generate),
)
# What is drawn shall not depend on the constants in the modules that happen to be loaded.
providers._get_local_constants = lambda: providers._local_constants
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# Threads of linear algebra spin while they wait for each other: most of the time, beside other tests.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

# Programs in the background are started with Ctrl-C ignored, and nohup ignores SIGHUP. What the tests start
# would inherit that, but it does not inherit a handler.
signal.signal(signal.SIGINT, signal.default_int_handler)
if os.name == "posix" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)


def pytest_collection_modifyitems(items):
    """Long tests begin early: in the end one alone would keep all others waiting."""
    items.sort(key=lambda item: "slow" not in item.keywords)


def pytest_collection_finish():
    """Thousands of tests live to the end: no search for garbage needs to look at them again and again."""
    gc.freeze()


@pytest.fixture(scope="session")
def wine():
    """A table of 178 rows, 13 features and three classes."""
    from sklearn.datasets import load_wine

    return load_wine(return_X_y=True, as_frame=True)


class Ran(NamedTuple):
    """The exit code of a command, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def data(self):
        """What was printed as JSON."""
        return json.loads(self.out)

    @property
    def words(self):
        """What was printed, or the errors where it is nothing, wherever its lines end."""
        return " ".join((self.out or self.err).split())


@pytest.fixture
def run(capsys):
    """Run a command, given as one text or as words.

    It must end with the exit code that is stated, if any; with 0, without a word among the errors.
    """
    from pyfsel.cli.app import main

    def ran(line, code=None):
        words = line.split() if isinstance(line, str) else map(str, line)
        found = Ran(main([*words]), *capsys.readouterr())
        assert code in (None, found.code), found
        assert code != 0 or not found.err, found
        return found

    return ran
