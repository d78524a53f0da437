"""Running the bridge in processes that stay: one for each solver, since HiGHS and OR-Tools cannot share one.

Both bring a library libhighs of their own.
"""

import contextlib
import io
import json
import os
import re
import select
import subprocess
import sys
from functools import cache

from pyfsel.drivers.linear.connection import NAMES

SOLVERS = NAMES
PATIENCE_SECONDS = 60


def solve(name, text, path, *options):
    """Write FlatZinc text to the path; return exit code, output and error output of a solver on it."""
    path.write_text(text, encoding="utf-8")
    return run_file(name, path, *options)


def run_file(name, path, *options):
    """Return exit code, output and error output of a solver on a file."""
    worker = _worker(name)
    worker.stdin.write(json.dumps([*options, str(path)]) + "\n")
    worker.stdin.flush()
    ready, _, _ = select.select([worker.stdout], [], [], PATIENCE_SECONDS)
    if not ready:
        worker.kill()
        _worker.cache_clear()
        raise AssertionError(f"{name} hangs")
    return tuple(json.loads(worker.stdout.readline()))


def values(output, name):
    """Return the values of a variable in the solutions, in order."""
    return [int(text) for text in re.findall(rf"^{name} = (-?\d+);$", output, re.MULTILINE)]


@cache
def _worker(name):
    return subprocess.Popen(
        [sys.executable, __file__, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def main():
    """Serve one solver until the input ends."""
    from pyfsel.drivers.minizinc.bridge.run import run

    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # of `main` too: HiGHS 1.16 writes a banner to descriptor 1 whenever it is made
    sys.stdout = sys.stderr
    for line in sys.stdin:
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(errors):
            code = run(sys.argv[1], json.loads(line), output)
        print(json.dumps([code, output.getvalue(), errors.getvalue()]), file=answers, flush=True)


if __name__ == "__main__":
    main()
