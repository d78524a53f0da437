"""Without what Linux alone has, as on macOS and Windows: everything is imported, and problems are solved."""

import os
import sys

from running import python

WITHOUT_LINUX = """
import ctypes, os, select, signal, sys

del os.pidfd_open  # psutil would wait for processes with it and with what is hidden below
import psutil  # that for Linux needs what is hidden

for name in ("fcntl", "resource", "grp", "termios"):
    sys.modules[name] = None
for module, names in (
    (os, "fork forkpty memfd_create nice register_at_fork sched_getaffinity set_blocking setsid"),
    (signal, "SIGCHLD SIGHUP SIGUSR1 pthread_sigmask sigtimedwait"),
    (select, "poll epoll"),
):
    for name in names.split():
        delattr(module, name)


class Library(ctypes.CDLL):
    def __init__(self, name, *rest, **more):
        if name is None:
            raise TypeError("there is no library of the whole process")
        super().__init__(name, *rest, **more)


ctypes.CDLL = Library
"""
PROGRAM = """
import importlib, os, pkgutil, sys
import pyfsel
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve
from pyfsel.backends import registry
from pyfsel.cli.app import main
from pyfsel.core.building import LIBRARY

library = f"pyfsel.core.{LIBRARY.stem}"  # built in place, it looks like a module in C, and is none
assert not hasattr(os, "fork")
for module in pkgutil.walk_packages(pyfsel.__path__, "pyfsel."):
    if module.name != library and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
for name in ("rc2", "mip:highs", "mip:cbc", "minizinc:gecode"):
    if registry()[name].missing() is None:
        assert solve(problem, name).integer_objective == 48, name
        print(name)
sys.exit(main(["select", "--dataset", "breast_cancer", "-k", "5", "-n", "3", "-d", "0.6"]))
"""


def test_nothing_needs_linux(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_LINUX)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    ended = python(
        "-c",
        PROGRAM,
        encoding="cp1252",
        env=os.environ | {"PYTHONPATH": path, "PYTHONIOENCODING": "cp1252"},
    )
    assert ended.returncode == 0, ended.stderr
    assert {"rc2", "mip:highs", "mip:cbc"} <= set(ended.stdout.split())
    assert "OPTIMAL" in ended.stdout
