"""Ctrl-C outside `pyfsel.solve`: it ends what goes on, keeps what was found, and says so."""

import subprocess
import sys

AFTER_A_SOLVE = """
import os, signal, time
from pyfsel import Problem
from pyfsel.search.repair import SwapRepair

problem = Problem(quality=[0, 0, 0, 0], n_sets=1, set_size=2, max_overlap=1)
SwapRepair(problem).any_sets()
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)
except KeyboardInterrupt:
    print("kept")
"""


def test_cpsat_leaves_the_handler_of_ctrl_c_alone():
    done = subprocess.run(
        [sys.executable, "-c", AFTER_A_SOLVE], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "kept\n"), done.stderr
