"""How large a table of facility location is proved: CPU seconds by number of columns.

    python benchmarks/facility_location.py TABLE.csv.gz … [--columns N …]

A table has its class in the column `target`, which is left out; of wide ones the first N columns are taken.
k = 5: the best set, and two alternatives after it with τ = 0.6; at most 60 seconds a set.
"""

import argparse
from pathlib import Path

from paper_000.run import cpu_seconds

from pyfsel import Status
from pyfsel.measures import read_table
from pyfsel.measures.from_table import problem_from_table, tables_of
from pyfsel.solving.solve import solve


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--columns", nargs="*", type=int, default=[10**9])
    options = parser.parse_args()
    print("| table | columns | best set | three sets |\n| --- | --- | --- | --- |")
    for path in options.tables:
        X = read_table(path, "target")[0].to_numpy(float)
        X = X[:, X.std(axis=0) > 0]
        for n in options.columns:
            cells = [proved(X[:, :n], n_alternatives) for n_alternatives in (0, 2)]
            print(f"| {Path(path).name} | {min(n, X.shape[1])} | {cells[0]} | {cells[1]} |", flush=True)


def proved(X, n_alternatives):
    how = {"k": 5, "n_sets": n_alternatives + 1, "dissimilarity": 0.6, "objective": "facility_location"}
    problem = problem_from_table(tables_of(X, None, task="unsupervised"), **how)
    before = cpu_seconds()
    found = solve(problem, search="sequential", time_limit=60 * (n_alternatives + 1))
    seconds = cpu_seconds() - before
    return f"{seconds:.1f} s" if found.status is Status.OPTIMAL else f"{found.status} after {seconds:.0f} s"


if __name__ == "__main__":
    main()
