"""Certificates of the instance library; how large certificates are, and how long making and checking takes.

$ python benchmarks/certificates.py library [--limit S] [--only real/wine]    # writes instances/certificates/
$ python benchmarks/certificates.py targets [FOLDER]    # FOLDER has golub.csv.gz; prints a table in Markdown

Seconds are those of one processor.
"""

import argparse
import gzip
import json
import time
from pathlib import Path

import numpy as np

from pyfsel.certificates.certify import certify
from pyfsel.check import Problem as Asked
from pyfsel.check import Refused, check
from pyfsel.problem.problem import Problem
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

INSTANCES = Path(__file__).parents[1] / "instances"
MOST_BYTES, MOST_SECONDS = 40_000, 2.0
"""Of a certificate of the library, and of its check."""


def best_known(entry):
    """Return what the manifest says of an instance as a result, which `certify` believes as little as any."""
    problem = Problem.load(INSTANCES / entry["file"])
    status = Status(entry["status"])
    sets = tuple(map(tuple, entry["sets"] or ()))
    bound = entry["bound"] if sets else None
    return Result(
        problem, sets, status, bound, entry["by"] or "none", "simultaneous", 0.0, StopReason.FINISHED
    )


def library(limit, only):
    entries = json.loads((INSTANCES / "manifest.json").read_text())
    proved = [e for e in entries if e["status"] in ("OPTIMAL", "INFEASIBLE") and e["family"] != "consistency"]
    tried = [e for e in proved if e["file"].startswith(only)]
    tried.sort(key=lambda e: (e["objective"] not in ("univariate", "fcbf"), e["file"]))
    for entry in tried:
        result = best_known(entry)
        start = time.process_time()
        certificate = certify(result, limit)
        made = time.process_time() - start
        start = time.process_time()
        if certificate.is_complete:
            check(certificate.text, Asked.of(result.problem.to_dict()))
        checked = time.process_time() - start
        small = certificate.is_complete and certificate.size <= MOST_BYTES and checked <= MOST_SECONDS
        if small:
            path = INSTANCES / "certificates" / Path(entry["file"]).with_suffix(".cert")
            path.parent.mkdir(parents=True, exist_ok=True)
            certificate.save(path)
        print(
            entry["file"],
            certificate,
            f"made {made:.2f} s, checked {checked:.2f} s",
            "" if small else "(not kept)",
            flush=True,
        )


def row(name, problem, search="simultaneous", backend="auto", limit=600.0):
    """Print what solving a problem, certifying the result and checking the certificate take."""
    start = time.process_time()
    result = solve(problem, backend, search, time_limit=60)
    solved = time.process_time() - start
    start = time.process_time()
    certificate = certify(result, limit)
    made = time.process_time() - start
    start = time.process_time()
    try:
        verdicts = check(certificate.text, Asked.of(result.problem.to_dict()))
    except Refused as refusal:
        verdicts = [(str(refusal), "")]
    checked = time.process_time() - start
    rules, certified = ", ".join(certificate.rules), sum(bool(by) for _, by in verdicts)
    times = (f"{solved:.2f}", f"{made:.2f}", f"{checked:.3f}")
    cells = (name, rules, f"{certified} of {len(verdicts)}", f"{certificate.size:,}", *times)
    print(f"| {' | '.join(cells)} |", flush=True)


def instance(name, **changes):
    return Problem.load(INSTANCES / "real" / f"{name}.json").replace(**changes)


def targets(folder):
    heads = ("what", "rule", "certified", "bytes", "solved, s", "made, s", "checked, s")
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for name in ("wdbc_uci", "sonar", "clean1"):
        for k, m in ((5, 2), (10, 4)):
            problem = instance(f"{name}-univariate-k{k}-a3-t0.4-sum", n_sets=6, set_size=k, max_overlap=m)
            row(f"{name}, k = {k}, m = {m}, six steps", problem, "sequential")
    for name in ("wdbc_uci", "sonar", "clean1"):
        problem = instance(f"{name}-univariate-k5-a3-t0.4-sum", n_sets=4, max_overlap=2)
        row(f"{name}, sum of 4 sets, k = 5, m = 2", problem)
        problem = problem.replace(n_sets=10, max_overlap=1)
        row(f"{name}, sum of 10 sets, k = 5, m = 1", problem)
    for name, k in (("clean1", 5), ("wdbc_uci", 10), ("ionosphere", 10), ("sonar", 10), ("clean1", 10)):
        files = {5: f"{name}-mrmr-k5-a1-t0.6-sum", 10: f"{name}-mrmr-k10-a0"}
        problem = instance(files[k], n_sets=1)
        row(f"{name}, mRMR, k = {k}, one set", problem)
    if folder is not None:
        row("golub, mRMR, k = 5, one set of 3,051 genes", golub(folder), backend="ksubgraph")


def golub(folder):
    """Return the problem of the best five genes by absolute correlations."""
    import pandas as pd

    with gzip.open(Path(folder) / "golub.csv.gz", "rt") as file:
        table = pd.read_csv(file)
    X, y = table.drop(columns="target").to_numpy(float), pd.factorize(table["target"])[0]
    quality, redundancy = np.abs(np.corrcoef(X.T, y)[-1, :-1]), np.abs(np.corrcoef(X.T))
    np.fill_diagonal(redundancy, 0)
    scale = 1e6
    integers = [np.rint(scale * numbers).astype(np.int64) for numbers in (quality, redundancy)]
    return Problem(integers[0], 1, 5, 5, "mrmr", redundancy=integers[1], scale=scale)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    all_of_them = commands.add_parser("library")
    all_of_them.add_argument("--limit", type=float, default=30.0)
    all_of_them.add_argument("--only", default="")
    commands.add_parser("targets").add_argument("folder", nargs="?")
    given = parser.parse_args()
    if given.command == "library":
        library(given.limit, given.only)
    else:
        targets(given.folder)


if __name__ == "__main__":
    main()
