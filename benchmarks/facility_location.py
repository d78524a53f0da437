"""How large a table of facility location is proved: CPU seconds by number of columns.

    python benchmarks/facility_location.py [GOLUB.csv.gz]

Columns of random tables (200 rows) are sums of twelve hidden factors and as much noise; of golub the first
ones are taken. k = 5: the best set, and two alternatives after it with τ = 0.6; at most 60 seconds a set.
"""

import sys

import numpy as np
from paper_000.run import cpu_seconds

from pyfsel import Status, solve
from pyfsel.measures.from_table import problem_from_table
from pyfsel.measures.tables.table import load_dataset, read_table

COLUMNS = (50, 100, 200, 400, 800)


def main():
    tables = {"digits": load_dataset("digits")[0].to_numpy(float)}
    rng = np.random.default_rng(0)
    for n in COLUMNS:
        factors = rng.normal(size=(200, 12)) @ rng.normal(size=(12, n))
        tables[f"random, {n}"] = factors / factors.std(axis=0) + rng.normal(size=(200, n))
    if len(sys.argv) > 1:
        genes = read_table(sys.argv[1], "target")[0].to_numpy(float)
        tables |= {f"golub, {n}": genes[:, :n] for n in COLUMNS}
    print("| table | columns | best set | three sets |\n| --- | --- | --- | --- |")
    for name, X in tables.items():
        varying = X[:, X.std(axis=0) > 0]
        cells = [proved(varying, n_alternatives) for n_alternatives in (0, 2)]
        print(f"| {name} | {varying.shape[1]} | {cells[0]} | {cells[1]} |", flush=True)


def proved(X, n_alternatives):
    how = {"k": 5, "n_alternatives": n_alternatives, "tau": 0.6, "objective": "facility_location"}
    problem = problem_from_table(X, task="unsupervised", **how)
    before = cpu_seconds()
    found = solve(problem, search="sequential", time_limit=60 * (n_alternatives + 1))
    seconds = cpu_seconds() - before
    return f"{seconds:.1f} s" if found.status is Status.OPTIMAL else f"{found.status} after {seconds:.0f} s"


if __name__ == "__main__":
    main()
