"""A quadratic model of 3,051 genes that is open, too large for the library.

    python benchmarks/open_quadratic.py golub.csv.gz > benchmarks/results/open_quadratic.md

D-Wave's plug-in for scikit-learn minimises -2αk Σ|ρ_jy| + Σ_{i≠j} |ρ_ij|, which is -2αk² times mRMR with
β = (k-1) / (2αk) (docs/guide/questions.md); here α = ½ and k = 10. Energies are those of the model, seconds
those of the clock.
"""

import argparse

import numpy as np
import pandas as pd

import pyfsel
from pyfsel.measures import read_table
from pyfsel.objectives import MRMR
from pyfsel.problem.make import make_instance
from pyfsel.solving.solve import solve

K, SECONDS = 10, 285


def row(quality, redundancy):
    """Return one row of the page."""
    problem = make_instance(quality, redundancy, objective=MRMR(beta=(K - 1) / K), k=K)
    result = solve(problem, "ksubgraph", time_limit=SECONDS)
    bound = "proved" if result.status is pyfsel.Status.OPTIMAL else f"at least {-K * K * result.bound:.1f}"
    genes = ", ".join(result.problem.names_of(result.sets[0]))
    return [str(len(quality)), f"{-K * K * result.objective:.4f}", bound, f"{result.runtime:.1f}", genes]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", help="golub.csv.gz, whose column target says what is predicted")
    table = parser.parse_args().table
    X, y = read_table(table, "target")
    both = np.abs(np.corrcoef(np.column_stack([X.to_numpy(float), np.unique(y, return_inverse=True)[1]]).T))
    quality, redundancy = both[-1, :-1], both[:-1, :-1]
    print("## Too large for the library\n")
    print("`python benchmarks/open_quadratic.py golub.csv.gz`: the quadratic model of D-Wave's plug-in for")
    print("scikit-learn at α = ½, ten genes of Golub et al. by absolute correlations (`large_mrmr.py`).")
    print("Energies, less is better; seconds of the clock.\n")
    print("| genes of the largest relevance | lowest energy known | | s | its genes |")
    print("|---|---|---|---|---|")
    for most in (200, len(quality)):
        best = np.sort(np.argsort(-quality, kind="stable")[:most])
        cells = row(pd.Series(quality[best], X.columns[best]), redundancy[np.ix_(best, best)])
        print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
