"""Correlation-based feature selection: the best set of each table, proved, by several routes.

    python benchmarks/cfs.py -k 5 -k 10 --free
    python benchmarks/cfs.py -k 5 --free -a 3 --tau 0.6 sonar.csv.gz
    python benchmarks/cfs.py -k 5 --backend ksubgraph --backend cpsat --drop molecule_name clean1.csv.gz

Qualities and redundancies are the symmetrical uncertainty, binned. "forward" is the quality that greedy
forward selection reaches, relative to the one found. Seconds are CPU seconds of one `pyfsel.solve` call with
its child processes, whose start is included.
"""

import argparse
import resource
import warnings
from pathlib import Path

from pyfsel.algorithms.cfs.steps import forward_selection
from pyfsel.measures import load_dataset, pair_measures, prepare, read_table
from pyfsel.problem import values
from pyfsel.problem.make import make_instance
from pyfsel.solving.solve import solve

BUNDLED = ("breast_cancer", "wine", "digits")
HEADER = (
    "table",
    "n",
    "k",
    "backend",
    "status",
    "quality",
    "bound",
    "size",
    "forward",
    "steps",
    "nodes",
    "CPU s",
)
FORMAT = "{:16} {:>4} {:>4} {:16} {:10} {:>9} {:>9} {:>5} {:>8} {:>5} {:>9} {:>7}"


def main():
    options = parse()
    print(FORMAT.format(*HEADER))
    for source in options.tables or BUNDLED:
        q, r, name = measured(source, options)
        for k in [*(options.k or []), *(["free"] if options.free or not options.k else [])]:
            problem = problem_of(q, r, k, options)
            for backend in options.backend or ["auto"]:
                show(name, k, problem, backend, options)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="*", help="CSV files; scikit-learn's bundled tables if none")
    parser.add_argument("-k", type=int, action="append", help="set size (repeatable)")
    parser.add_argument("--free", action="store_true", help="also the best set of any size; alone if no -k")
    parser.add_argument("-a", "--alternatives", type=int, default=0, help="sets besides the first")
    parser.add_argument("--tau", type=float, default=0.6, help="least Dice dissimilarity of two sets")
    parser.add_argument("--backend", action="append", help="repeatable; auto if none")
    parser.add_argument("--target", default="target", help="name of the target column")
    parser.add_argument("--drop", action="append", default=[], help="leave this column out (repeatable)")
    parser.add_argument("--scale", type=float, help="a coarser one for solvers of 32 bits")
    parser.add_argument("--time-limit", type=float, default=120.0, help="seconds per row")
    return parser.parse_args()


def measured(source, options):
    X, y = load_dataset(source) if source in BUNDLED else read_table(source, options.target)
    X = X.drop(columns=[name for name in options.drop if name in X.columns])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        q, r = pair_measures(prepare(X, y, missing="impute"), "symmetrical_uncertainty", objective="cfs")
    return q, r, Path(source).name.split(".")[0]


def problem_of(q, r, k, options):
    n = len(q)
    return make_instance(
        q,
        r,
        objective="cfs",
        k=(1 if k == "free" else None, n if k == "free" else min(k, n)),
        n_sets=options.alternatives + 1,
        dissimilarity=options.tau,
        scale=options.scale,
    )


def show(name, k, problem, backend, options):
    start = forward_selection(problem)
    begin = cpu_seconds()
    search = "sequential" if options.alternatives else "simultaneous"
    result = solve(problem, backend, search, time_limit=options.time_limit)
    seconds = cpu_seconds() - begin
    if not result.sets:
        print(
            FORMAT.format(
                name, problem.n_features, k, result.backend, result.status, *[""] * 6, f"{seconds:.2f}"
            )
        )
        return
    for number, (members, quality) in enumerate(zip(result.sets, result.qualities, strict=True)):
        step = result.steps[number] if result.steps else None
        forward = values.qualities(problem, [start])[0] / quality if start and not number else None
        last = number == len(result.sets) - 1
        print(
            FORMAT.format(
                f"{name}{'' if number == 0 else f' +{number}'}",
                problem.n_features,
                k,
                result.backend,
                result.status if step is None else step.status,
                f"{quality:.6f}",
                upper_bound(problem, result.integer_bound if step is None else step.bound),
                len(members),
                "" if forward is None else f"{forward:.2%}",
                *(result.statistics.get(key, "") for key in ("steps", "nodes")),
                f"{seconds:.2f}" if last else "",
            ),
            flush=True,
        )


def upper_bound(problem, integer_bound):
    """Return the bound of a set that is not proved, without the loss of quantising."""
    if integer_bound is None:
        return ""
    return f"{values.to_float(problem, integer_bound + 1):.6f}"


def cpu_seconds():
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main()
