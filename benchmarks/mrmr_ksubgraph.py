"""The best mRMR set of each table, proved by the backend `ksubgraph`: optimum, nodes, seconds, root gap.

    python benchmarks/mrmr_ksubgraph.py -k 5 -k 10
    python benchmarks/mrmr_ksubgraph.py -k 10 --drop molecule_name --drop conformation_name clean1.csv.gz

Qualities and redundancies are information beyond chance. The seconds are those of one
`pyfsel.solve` call, its process start included. The root gap is the distance of the bound before branching
from the optimum, relative to it.
"""

import argparse
import warnings
from pathlib import Path

from pyfsel.measures import load_dataset, pair_measures, prepare, read_table
from pyfsel.problem.make import make_instance
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

BUNDLED = ("breast_cancer", "wine", "digits")
HEADER = ("table", "n", "k", "status", "optimum", "bound", "nodes", "seconds", "root gap")
FORMAT = "{:28} {:>5} {:>3} {:>10} {:>12} {:>12} {:>9} {:>8} {:>9}"


def main():
    options = parse()
    print(FORMAT.format(*HEADER))
    for source in options.tables or BUNDLED:
        q, r, name = measured(source, options)
        for k in options.k or [5, 10]:
            problem = make_instance(q, r, objective="mrmr", k=min(k, len(q)))
            result = solve(problem, "ksubgraph", time_limit=options.time_limit, search="simultaneous")
            print(FORMAT.format(name, len(q), k, *row(result)), flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="*", help="CSV files; scikit-learn's bundled tables if none")
    parser.add_argument("-k", type=int, action="append", help="set size (repeatable), 5 and 10 if none")
    parser.add_argument("--target", default="target", help="name of the target column")
    parser.add_argument("--drop", action="append", default=[], help="leave this column out (repeatable)")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per set")
    return parser.parse_args()


def measured(source, options):
    X, y = load_dataset(source) if source in BUNDLED else read_table(source, options.target)
    X = X.drop(columns=[name for name in options.drop if name in X.columns])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        q, r = pair_measures(prepare(X, y, missing="impute"), objective="mrmr")
    return q, r, Path(source).name.split(".")[0]


def row(result: Result):
    statistics = result.statistics
    root = result.bounds[0].bound if result.bounds else None
    value = result.integer_objective
    gap = "" if root is None or not value else f"{abs((root - value) / value):.2%}"
    shown = ["" if number is None else f"{number:.6f}" for number in (result.objective, result.bound)]
    return result.status, *shown, statistics.get("nodes", ""), f"{result.runtime:.2f}", gap


if __name__ == "__main__":
    main()
