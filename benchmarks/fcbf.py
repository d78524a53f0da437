"""FCBF (paper 000, Eq. 12) on tables: is every case of a grid decided, and in how many seconds.

    python benchmarks/fcbf.py
    python benchmarks/fcbf.py *.csv.gz
    python benchmarks/fcbf.py --backend packing --backend cpsat -k 10 --search sum spambase.csv.gz

A case is a table, a measure of qualities and conflicts, a set size k, a threshold tau, a number a of
alternatives, and a search: sequential, or simultaneous with sum- or min-aggregation. Its seconds are CPU
seconds (of all processes) of one `pyfsel.solve` call, in processes that stay from case to
case; measuring is not included. The limit is in wall-clock seconds. One
line per table (of all its cases of a size), one per unproved case, and at the end the slowest.
"""

import argparse
import os
import warnings
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil

from pyfsel import PyfselError, Status
from pyfsel.measures import load_dataset, pair_measures, prepare, read_table
from pyfsel.problem.make import make_instance
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

BUNDLED = ("breast_cancer", "digits", "wine", "iris", "diabetes")
MEASURES = ("mutual_info", "mutual_info_binned")
SEARCHES = ("sequential", "sum", "min")
HEADER = (
    "backend",
    "k",
    "measure",
    "table",
    "n",
    "conflicts",
    "optimal",
    "infeasible",
    "open",
    "mean",
    "max",
)
FORMAT = "{:10} {:>3} {:18} {:52} {:>4} {:>9} {:>7} {:>10} {:>5} {:>7} {:>7}"


class Case(NamedTuple):
    """One line of the lists of cases."""

    seconds: float
    backend: str
    name: str
    result: Result

    @property
    def proved(self):
        return self.result.status in (Status.OPTIMAL, Status.INFEASIBLE)

    def __str__(self):
        gap = "" if self.proved else " no bound" if self.result.gap is None else f" gap {self.result.gap:.2%}"
        who = f"{self.backend} by {self.result.backend}"
        return f"{self.seconds:7.2f} s {who}: {self.name}: {self.result.status}{gap}"


def main():
    options = parse()
    cases = defaultdict(list)
    print(FORMAT.format(*HEADER))
    for backend in options.backend or ["auto"]:
        warm_up(backend)
    for measure in options.measure or MEASURES:
        for source in options.tables or BUNDLED:
            name, q, r = measured(source, measure, options)
            for k in options.k or [5, 10]:
                if k > len(q):
                    continue
                for backend in options.backend or ["auto"]:
                    found = list(solved(name, measure, q, r, k, backend, options))
                    cases[backend] += found
                    conflicts = make_instance(q, r, objective="fcbf", k=k).conflicts
                    head = (backend, k, measure, name, len(q), len(conflicts))
                    print(FORMAT.format(*head, *summary(found)), flush=True)
                    for case in found:
                        if not case.proved:
                            print(case, flush=True)
    for backend, found in cases.items():
        optimal, infeasible, unproved, mean, longest = summary(found)
        print(
            f"\n{backend}: {len(found)} cases, {optimal} optimal, {infeasible} infeasible, {unproved} open; "
            f"mean {mean} s, longest {longest} s; the slowest:"
        )
        print(*sorted(found, key=lambda case: -case.seconds)[: options.slowest], sep="\n")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="*", help="CSV files, or names of bundled tables")
    parser.add_argument("-k", type=int, action="append", help="set size (repeatable), 5 and 10 if none")
    parser.add_argument("--tau", type=float, action="append", help="0.2, 0.4, 0.6, 0.8 and 1 if none")
    parser.add_argument("-a", type=int, action="append", help="sets besides the original one, 1 to 5 if none")
    parser.add_argument("--search", choices=SEARCHES, action="append", help="all three if none")
    parser.add_argument("--measure", choices=MEASURES, action="append", help="both if none")
    parser.add_argument("--backend", action="append", help="auto if none")
    parser.add_argument("--target", default="target", help="name of the target column")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per case")
    parser.add_argument("--slowest", type=int, default=20, help="how many of the slowest cases to list")
    parser.add_argument("--jobs", type=int, help="processes that measure")
    return parser.parse_args()


def warm_up(backend):
    """Let the processes start and load their libraries."""
    q, r = np.arange(9, 0, -1.0), np.zeros((9, 9))
    r[0, 1] = 10
    for max_shared in (1, 2, 3):
        for search in SEARCHES:
            problem = make_instance(
                q, r, objective="fcbf", k=4, n_sets=4, dissimilarity=f"shared:{max_shared}"
            )
            run(problem, backend, search, None)


def cpu_seconds():
    """Return the CPU seconds of this process and of all that it started."""
    living = psutil.Process().children(recursive=True)
    return sum(os.times()[:4]) + sum(sum(child.cpu_times()[:4]) for child in living)


def run(problem, backend, search, time_limit):
    """Solve a problem by one of the three searches."""
    return solve(
        problem.replace(aggregate="min" if search == "min" else "sum"),
        backend,
        "sequential" if search == "sequential" else "simultaneous",
        time_limit,
    )


def measured(source, measure, options):
    """Return name, qualities and redundancies of a table."""
    X, y = read_table(source, options.target) if Path(source).exists() else load_dataset(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        table = prepare(X, y, missing="impute")
        q, r = pair_measures(
            table,
            measure=measure,
            objective="fcbf",
            random_state=0,
            n_jobs=options.jobs,
        )
    return Path(source).name.removesuffix(".gz").removesuffix(".csv"), q, r


def solved(name, measure, q, r, k, backend, options):
    """Yield the solved cases of a table and a set size."""
    for tau in options.tau or [0.2, 0.4, 0.6, 0.8, 1.0]:
        for a in options.a or range(1, 6):
            for search in options.search or SEARCHES:
                problem = make_instance(q, r, objective="fcbf", k=k, dissimilarity=tau, n_sets=a + 1)
                before = cpu_seconds()
                try:
                    result = run(problem, backend, search, options.time_limit)
                except PyfselError as error:
                    raise SystemExit(f"{name} k={k} tau={tau} a={a} {search}: {error}") from error
                case = f"{name} {measure} k={k} tau={tau} a={a} {search}"
                yield Case(cpu_seconds() - before, backend, case, result)


def summary(cases):
    """Return numbers of optimal, infeasible and open cases, mean and longest seconds."""
    count = [sum(c.result.status == s for c in cases) for s in (Status.OPTIMAL, Status.INFEASIBLE)]
    seconds = [case.seconds for case in cases]
    return *count, len(cases) - sum(count), f"{np.mean(seconds):.3f}", f"{max(seconds):.2f}"


if __name__ == "__main__":
    main()
