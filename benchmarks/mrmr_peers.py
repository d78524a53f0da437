"""One mRMR set: packages that select greedily, and exact mixed-integer programs, beside pyfsel.

    python benchmarks/mrmr_peers.py > benchmarks/results/peers/mrmr.md    # or bash benchmarks/peers.sh

Greedy: feature-engine's `MRMR` with the criteria that are a difference of relevance and mean redundancy (MID:
mutual information by neighbours, FCD: F statistic and correlation). pyfsel gets the same relevances and
redundancies; as those of MID are not symmetric, the mean of both directions. Both sets are valued by them.

Exact: the numbers of instances/paper-000 as linear models, in two formulations of the literature, by the same
solver that others use: a real number per feature with big-M rows (Glover; Eq. 14 of paper 000), and a product
per pair with the rows Σ_j z_ij = (k − 1)·x_i. Limit per run: ``--time-limit``.
"""

import argparse
import os
import sys
import time
import warnings
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
from feature_engine.selection import MRMR
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.feature_selection import mutual_info_regression

import pyfsel
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.solving.solve import solve

LIBRARY = Path(__file__).parent.parent / "instances" / "paper-000"
TABLES = {
    "breast_cancer": load_breast_cancer,
    "diabetes": load_diabetes,
    "digits": load_digits,
    "wine": load_wine,
}
SIZES = (3, 5, 8)
INSTANCES = ("hepatitis", "wdbc", "ionosphere", "sonar", "clean1")
MODELS = (("big-M", "literal"), ("pairs", "strengthened"))
SOLVERS = ("mip:highs", "mip:scip")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--time-limit", type=float, default=20.0, help="seconds per run")
    limit = parser.parse_args().time_limit
    warnings.filterwarnings("ignore", message="fixed")
    print("# mRMR: greedy packages, exact models\n")
    print(
        f"`python {' '.join(sys.argv)}`, {date.today()}, {os.cpu_count()} cores, of which others were in use;"
    )
    packages = ("feature-engine", "scikit-learn", "highspy", "ortools")  # SCIP is that of OR-Tools
    print(", ".join(f"{name} {version(name)}" for name in packages) + f", pyfsel {pyfsel.__version__}.\n")
    greedy(limit)
    exact(limit)


def greedy(limit):
    print("## Greedy\n\n| table | criterion | k | feature-engine | pyfsel | behind |")
    print("|---|---|---:|---:|---:|---:|")
    n_optimal = n_runs = 0
    for name, load in TABLES.items():
        X, y = load(return_X_y=True, as_frame=True)
        X = X.loc[:, X.nunique() > 1]
        for criterion in ("MID", "FCD"):
            peer = MRMR(
                method=criterion, max_features=max(SIZES), regression=name == "diabetes", random_state=0
            ).fit(X, y)
            quality, redundancy = peer.relevance_, redundancies(X, criterion)
            for k in SIZES:
                peer.set_params(max_features=k).fit(X, y)
                chosen = np.flatnonzero(~X.columns.isin(peer.features_to_drop_))
                problem = make_instance(quality, redundancy, objective="mrmr", k=k)
                best = solve(problem, time_limit=limit)
                theirs, ours = (value(quality, redundancy, s) for s in (chosen, list(best.sets[0])))
                n_runs, n_optimal = n_runs + 1, n_optimal + (theirs >= ours - 1e-9)
                behind = f"{(ours - theirs) / abs(ours):.1%}"
                print(f"| {name} | {criterion} | {k} | {theirs:.4g} | {ours:.4g}, {best.status} | {behind} |")
    print(f"\nThe greedy set is optimal in {n_optimal} of {n_runs} cases.\n")


def redundancies(X, criterion):
    """Return what feature-engine takes as redundancies, symmetric, with a zero diagonal."""
    if criterion == "FCD":
        found = X.corr().abs().to_numpy(copy=True)
    else:
        columns = [mutual_info_regression(X, X[name], random_state=0) for name in X]
        found = (np.array(columns) + np.array(columns).T) / 2
    np.fill_diagonal(found, 0)
    return found


def value(quality, redundancy, members):
    """Return mean relevance minus mean redundancy."""
    k = len(members)
    return quality[members].mean() - redundancy[np.ix_(members, members)].sum() / (k * (k - 1))


def exact(limit):
    heads = [f"{solver.split(':')[1]}, {model}" for solver in SOLVERS for model, _ in MODELS]
    print(f"## Exact\n\nSeconds to the proof, or what was left of the gap after {limit:g} s.\n")
    print(f"| table | n | k | {' | '.join(heads)} | pyfsel |\n|---|" + "---:|" * (len(heads) + 3))
    for name in INSTANCES:
        for k in (5, 10):
            problem = Instance.load(LIBRARY / f"{name}-mrmr.json")
            problem = problem.replace(n_sets=1, k=k, max_shared=k)
            runs = [run(problem, solver, limit, model) for solver in SOLVERS for _, model in MODELS]
            cells = [*runs, run(problem, "auto", limit)]
            print(f"| {name} | {problem.n_features} | {k} | {' | '.join(cells)} |", flush=True)


def run(problem, backend, limit, formulation=None):
    start = time.perf_counter()
    result = solve(problem, backend, formulation=formulation, time_limit=limit)
    if result.status == "OPTIMAL":
        return f"{time.perf_counter() - start:.2f}"
    if result.integer_bound is None or not result.sets:
        return "no bound" if result.sets else "no set"
    gap = (result.integer_bound - result.integer_objective) / abs(result.integer_objective)
    return f"gap {float(f'{100 * gap:.2g}'):,g}%"


if __name__ == "__main__":
    main()
