"""One other package on one table, for `best_subsets.py`: in a process of its own, with what it needs.

    python best_subsets_peers.py PACKAGE TABLE.npz

TABLE.npz has X (columns of length 1, without means), y (the same), k, ridge and seconds. Prints JSON: the
columns it chooses, its CPU seconds, and what it says of its proof. R with leaps (Debian: r-cran-leaps) is a
program of its own. okridge and l0bnb need numpy < 2.
"""

import argparse
import contextlib
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np


class Processor:
    """In place of the clock, so that a limit means CPU seconds."""

    time = staticmethod(time.process_time)


LEAPS = """library(leaps); a <- commandArgs(TRUE); X <- as.matrix(read.csv(a[1], header = FALSE))
y <- scan(a[2], quiet = TRUE); k <- as.integer(a[3])
f <- regsubsets(X, y, nvmax = k, nbest = 1, method = "exhaustive", really.big = TRUE)
cat(which(summary(f)$which[k, -1]) - 1)
"""


def abess(X, y, k, ridge, seconds):
    from abess.linear import LinearRegression

    unit = len(y) ** 0.5  # standardised, as it expects
    fitted = LinearRegression(support_size=k).fit(unit * X, unit * y)
    return np.flatnonzero(fitted.coef_), "heuristic"


def okridge(X, y, k, ridge, seconds):
    from okridge import tree as module

    module.time = Processor
    tree = module.BNBTree(X=X, y=y, lambda2=ridge or 1e-6, max_memory_GB=10)
    _, beta, gap, _, _ = tree.solve(k=k, gap_tol=1e-4, verbose=False, time_limit=seconds)
    return np.flatnonzero(beta), "proved" if gap <= 1e-4 else f"gap {gap:.0%}"


def l0bnb(X, y, k, ridge, seconds):
    from l0bnb import fit_path
    from l0bnb import tree as module

    module.time = Processor
    path = fit_path(
        X, y, lambda_2=ridge / 2, max_nonzeros=k, intercept=False, normalize=False, time_limit=seconds / k
    )
    sizes = [np.flatnonzero(one["B"]) for one in path]
    late = any(one["Time_exceeded"] for one in path)
    return max((s for s in sizes if len(s) <= k), key=len), "late" if late else "its own penalty"


def leaps(X, y, k, ridge, seconds):
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("X.csv", "y.csv", "leaps.R")]
        np.savetxt(files[0], X, delimiter=",", fmt="%.17g")
        np.savetxt(files[1], y, fmt="%.17g")
        files[2].write_text(LEAPS)
        command = ["prlimit", f"--cpu={seconds:.0f}", "Rscript", "--vanilla", files[2], *files[:2], str(k)]
        told = subprocess.run(command, check=False, capture_output=True, text=True)
    if told.returncode:
        return [], "nothing in time" if told.returncode < 0 else told.stderr.strip()[-60:]
    return [int(j) for j in told.stdout.split()], "proved"


def cpu():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main():
    packages = {"abess": abess, "okridge": okridge, "l0bnb": l0bnb, "leaps": leaps}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("package", choices=packages)
    parser.add_argument("table", help="an .npz with X, y, k, ridge and seconds")
    options = parser.parse_args()
    name, table, run = options.package, np.load(options.table), packages[options.package]
    asked = [int(table["k"]), float(table["ridge"]), float(table["seconds"])]
    if name in ("okridge", "l0bnb"):  # compiles on its first call
        rng = np.random.default_rng(0)
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            run(rng.normal(size=(30, 6)), rng.normal(size=30), 2, 0.1, 5)
    begin = cpu()
    resource.setrlimit(resource.RLIMIT_CPU, (2 * int(asked[-1]),) * 2)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        columns, said = run(table["X"], table["y"], *asked)
    print(
        json.dumps({"columns": [int(j) for j in columns], "seconds": round(cpu() - begin, 1), "said": said})
    )


if __name__ == "__main__":
    main()
