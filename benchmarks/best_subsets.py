"""Best subsets of least squares: seconds of the proof, and how far other methods are from the optimum.

    python benchmarks/best_subsets.py FOLDER > benchmarks/results/best_subsets.md

FOLDER has NAME.csv.gz for the tables below, with the target in the column target. NAME@N means the N
columns of the largest correlation with it; constant and equal columns are left out first. Forward selection,
the lasso (the first k columns of its path) and, where it is installed, abess choose as many columns; what is
shown is by how much less of the variance their columns explain. Seconds are CPU seconds.
"""

import argparse
import resource
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import lars_path

import pyfsel
from pyfsel.algorithms.best_subsets import BestSubsets
from pyfsel.problem import values
from pyfsel.results.control import Control, Limits

# table, k, alternatives, largest overlap, ridge
CASES = (
    ("spambase", 20, 0, None, 0),
    ("clean1", 5, 0, None, 0),
    ("golub@200", 5, 0, None, 0),
    ("golub@1000", 5, 0, None, 1),
    ("clean1@100", 6, 3, 2, 0),
    ("residential_building_v9_price@100", 6, 3, 2, 0),
)
LONG = (("clean1", 6, 0, None, 0), ("sonar", 10, 0, None, 0), ("golub@200", 10, 0, None, 1))
SECONDS = 120
LEAVE_OUT = ("molecule_name", "conformation_name", "target")


def table(folder, name):
    """Return unit columns and target of a table."""
    base, _, most = name.partition("@")
    data = pd.read_csv(Path(folder) / f"{base}.csv.gz")
    y = data["target"]
    y = y.to_numpy(float) if y.nunique() > 2 else pd.factorize(y, sort=True)[0].astype(float)
    X = data.drop(columns=[c for c in LEAVE_OUT if c in data]).to_numpy(float)
    X, y = X - X.mean(axis=0), y - y.mean()
    length = np.linalg.norm(X, axis=0)
    X, y = X[:, length > 1e-9] / length[length > 1e-9], y / np.linalg.norm(y)
    apart = np.abs(np.triu(X.T @ X, 1)).max(axis=0) < 1 - 1e-9
    X = X[:, apart]
    order = np.argsort(-np.abs(X.T @ y), kind="stable")
    return (X[:, order[: int(most)]] if most else X), y


def forward(X, y, k):
    """Return the columns of forward selection."""
    chosen, rest, left = [], X.copy(), y.copy()
    for _ in range(k):
        length = np.maximum((rest**2).sum(axis=0), 1e-12)
        gain = (rest.T @ left) ** 2 / length
        gain[chosen] = -1
        j = int(gain.argmax())
        chosen.append(j)
        own = rest[:, j] / np.sqrt(length[j])
        rest, left = rest - np.outer(own, own @ rest), left - own * (own @ left)
    return chosen


def others(X, y, k):
    """Return what other methods choose."""
    found = {"forward": forward(X, y, k)}
    _, active, _ = lars_path(X, y, method="lasso", max_iter=k)
    found["lasso"] = list(dict.fromkeys(active))[:k]
    if find_spec("abess"):
        from abess.linear import LinearRegression

        unit = len(y) ** 0.5  # standardised, as it expects
        fitted = LinearRegression(support_size=k).fit(unit * X, unit * y)
        found["abess"] = np.flatnonzero(fitted.coef_).tolist()
    return found


def cpu():
    """Return the CPU seconds of this process and those that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def row(folder, name, k, alternatives, overlap, ridge):
    """Return one row of the page."""
    X, y = table(folder, name)
    more = {"n_alternatives": alternatives, "max_overlap": overlap} if alternatives else {}
    problem = pyfsel.make_problem(X.T @ y, X.T @ X, objective="r2", k=k, ridge=ridge or None, **more)
    found, seconds, proved, bound = [], 0.0, True, 0.0
    for _ in range(alternatives + 1):
        begin = cpu()
        asked = problem.replace(n_sets=1).after(found)
        search = BestSubsets(asked, Control(Limits.starting_now(SECONDS)))
        proved = search.run() and proved
        bound = search.value if proved else search.bound()
        seconds += cpu() - begin
        found.append(search.best)
    best = values.value(problem, found[0]) / problem.scale
    cells = [f"{values.value(problem, s) / problem.scale:.5f}" for s in found]
    peers = {m: best - values.value(problem, s) / problem.scale for m, s in others(X, y, k).items()}
    status = "proved" if proved else f"at most {bound / problem.scale:.4f}"
    return [name, X.shape[1], k, ridge, ", ".join(cells), status, f"{seconds:.1f}", peers]


def main():
    """Print a row per case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--long", action="store_true", help="cases that take up to two minutes instead")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    small = pyfsel.make_problem([0.5, 0.4], np.eye(2), objective="r2", k=1)
    BestSubsets(small, Control()).run()  # loads the core
    names = ["forward", "lasso", *(["abess"] if find_spec("abess") else [])]
    print("# Best subsets\n\n`python benchmarks/best_subsets.py FOLDER`; what a fit on k columns explains")
    print(
        "at most (alternatives share at most two columns with each set before), and by how much less those of"
    )
    print("other methods explain.\n")
    print("| table | n | k | ridge | R² | | CPU s |", " | ".join(names), "|")
    print("|---|---|---|---|---|---|---|" + "---|" * len(names))
    for case in LONG if asked.long else CASES:
        *cells, peers = row(asked.folder, *case)
        shown = [*map(str, cells), *(f"{peers[m]:.4f}" for m in names)]
        print("|", " | ".join(shown), "|", flush=True)


if __name__ == "__main__":
    main()
