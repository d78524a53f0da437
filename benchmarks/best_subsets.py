"""Best subsets of least squares: seconds of the proof, and how far other methods are from the optimum.

    python benchmarks/best_subsets.py FOLDER [--peers PYTHON] > benchmarks/results/best_subsets.md

FOLDER has NAME.csv.gz for the tables below, with the target in the column target. NAME@N means the N
columns of the largest correlation with it; constant and equal columns are left out first. Forward selection
and the lasso (the first k columns of its path) choose as many columns; what is shown is by how much less of
the variance their columns explain. Seconds are CPU seconds. PYTHON is that of an environment with abess,
okridge and l0bnb, which need other versions of numpy (`python -m venv .venv-subsets; .venv-subsets/bin/pip
install abess==0.4.11 okridge==0.1.1 l0bnb==1.0.0`); R with leaps is asked too then.
"""

import argparse
import json
import resource
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import lars_path

from pyfsel.algorithms.best_subsets.tree import BestSubsets
from pyfsel.objectives import R2
from pyfsel.problem import values
from pyfsel.problem.make import make_instance
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
SECONDS = 600
PEERS, PEER_SECONDS = ("abess", "okridge", "l0bnb", "leaps"), 10
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


def others(X, y, k, ridge, python):
    """Return what other methods choose, in how many seconds, and what they say of it."""
    _, active, _ = lars_path(X, y, method="lasso", max_iter=k)
    yield "forward", forward(X, y, k), ""
    yield "lasso", list(dict.fromkeys(active))[:k], ""
    for peer in PEERS if python else ():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.npz"
            np.savez(path, X=X, y=y, k=k, ridge=ridge, seconds=PEER_SECONDS)
            command = [python, Path(__file__).with_name("best_subsets_peers.py"), peer, path]
            told = subprocess.run(command, check=False, capture_output=True, text=True)
        if told.returncode == 0:
            found = json.loads(told.stdout)
            yield peer, found["columns"], f"{found['seconds']:.1f} s, {found['said']}"
        else:
            why = told.stderr.strip().splitlines()[-1:] or ["no answer in time"]
            yield peer, [], why[0][:70]


def shown(problem, columns, best, told):
    """Return a cell: by how much less columns explain, and what was told of them."""
    less = "–"
    if columns:
        less = f"{best - values.value(problem, tuple(sorted(columns))) / problem.scale:.4f}"
        less += "" if len(columns) == problem.k else f" ({len(columns)} columns)"
    return f"{less}; {told}" if told else less


def cpu():
    """Return the CPU seconds of this process and those that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def row(folder, python, name, k, alternatives, overlap, ridge):
    """Return one row of the page."""
    X, y = table(folder, name)
    more = {"n_sets": alternatives + 1, "dissimilarity": f"shared:{overlap}"} if alternatives else {}
    problem = make_instance(X.T @ y, X.T @ X, objective=R2(ridge=ridge or None), k=k, **more)
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
    peers = [shown(problem, columns, best, told) for _, columns, told in others(X, y, k, ridge, python)]
    status = "proved" if proved else f"at most {bound / problem.scale:.4f}"
    return [name, X.shape[1], k, ridge, ", ".join(cells), status, f"{seconds:.1f}", *peers]


def main():
    """Print a row per case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--peers", metavar="PYTHON", help="of an environment with abess, okridge and l0bnb")
    parser.add_argument("--long", action="store_true", help="cases that take up to half a minute instead")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    small = make_instance([0.5, 0.4], np.eye(2), objective="r2", k=1)
    BestSubsets(small, Control()).run()  # loads the core
    names = ["forward", "lasso", *(PEERS if asked.peers else ())]
    print("# Best subsets\n\n`python benchmarks/best_subsets.py FOLDER`: what a fit on k columns explains at")
    print("most (alternatives share at most two columns with each set before), and by how much less those of")
    print("other methods explain.\n")
    if asked.peers:
        print(
            f"`--peers PYTHON`: other packages have {PEER_SECONDS} CPU seconds; what they say of their proof"
        )
        print("stands beside. l0bnb takes a penalty for each column in place of k.\n")
    print("| table | n | k | ridge | R² | | CPU s |", " | ".join(names), "|")
    print("|---|---|---|---|---|---|---|" + "---|" * len(names))
    for case in LONG if asked.long else CASES:
        print("|", " | ".join(map(str, row(asked.folder, asked.peers, *case))), "|", flush=True)


if __name__ == "__main__":
    main()
