"""Ten sets with the largest sum of qualities: status, objective, bound and seconds for every overlap.

    python benchmarks/many_sets.py
    python benchmarks/many_sets.py -k 5 -k 10 --time-limit 60 sonar.csv.gz clean1.csv.gz
    python benchmarks/many_sets.py --backend cpsat --n-alternatives 7 breast_cancer

Qualities are binned mutual information. The seconds are those of one `pyfsel.solve` call,
process start included.
"""

import argparse
import warnings
from pathlib import Path

from pyfsel.measures import load_dataset, prepare, quality, read_table
from pyfsel.problem.make import make_instance
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

BUNDLED = ("breast_cancer", "digits")
HEADER = ("table", "n", "k", "m", "backend", "status", "objective", "bound", "gap", "seconds")
FORMAT = "{:16} {:>4} {:>3} {:>3} {:>10} {:>10} {:>11} {:>11} {:>8} {:>7}"


def main():
    options = parse()
    print(FORMAT.format(*HEADER))
    for source in options.tables or BUNDLED:
        q, name = measured(source, options.target)
        for k in options.k or [5, 10]:
            for m in range(k + 1) if options.m is None else options.m:
                problem = make_instance(
                    q, k=k, n_sets=options.n_alternatives + 1, dissimilarity=f"shared:{m}"
                )
                result = solve(
                    problem,
                    options.backend,
                    time_limit=options.time_limit,
                    search="simultaneous",
                )
                print(FORMAT.format(name, len(q), k, m, result.backend, *row(result)), flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="*", help="CSV files, or names of bundled tables")
    parser.add_argument("-k", type=int, action="append", help="set size (repeatable), 5 and 10 if none")
    parser.add_argument("-m", type=int, action="append", help="largest overlap (repeatable), all if none")
    parser.add_argument("--n-alternatives", type=int, default=9, help="sets besides the original one")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--target", default="target", help="name of the target column")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per problem")
    return parser.parse_args()


def measured(source, target):
    X, y = read_table(source, target) if Path(source).exists() else load_dataset(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        q = quality(prepare(X, y, missing="impute"), measure="mutual_info_binned")
    return q, Path(source).name.split(".")[0]


def row(result: Result):
    shown = ["" if number is None else f"{number:.6f}" for number in (result.objective, result.bound)]
    gap = "" if result.gap is None else f"{result.gap:.3%}"
    return result.status, *shown, gap, f"{result.runtime:.2f}"


if __name__ == "__main__":
    main()
