"""ASDP as what it is, a heuristic for quadratic problems in 0/1 variables, on families of public test beds.

    python benchmarks/qubo.py > benchmarks/results/qubo.md

The instances follow the recipe of Beasley (1998) for the OR-Library: whole numbers drawn evenly from −100
to 100, a tenth of the pairs other than 0; and the same with half of them. Largest Σ q_i x_i + Σ q_ij x_i x_j.
The same seeds give the same instances. The optimum is that of `pyfsel.solve`, where it is proved. Beside
ASDP: SDP-1, and 1-flip descent from as many random starts as there are variables. The last table is a
regression.
"""

import argparse
import time

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score

import pyfsel
from pyfsel.algorithms.heuristics.asdp import INITIALISATIONS, asdp, sdp_1
from pyfsel.papers.graph import ASDPSelector
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

SIZES = ((30, 0.1), (50, 0.1), (100, 0.1), (30, 0.5), (50, 0.5))
N_INSTANCES = 10
SECONDS = 20


def instance(n, density, seed):
    """Return gains of variables and of pairs, symmetric, to be maximised."""
    rng = np.random.default_rng([n, round(100 * density), seed])
    pairs = np.triu(rng.integers(-100, 101, (n, n)) * (rng.random((n, n)) < density), 1)
    return rng.integers(-100, 101, n), pairs + pairs.T


def descent(gains, pairs, rng):
    """Return the best value of 1-flip descents from random starts."""
    best = 0
    for _ in range(len(gains)):
        x = rng.integers(0, 2, len(gains))
        while True:
            change = (1 - 2 * x) * (gains + pairs @ x)
            flip = change.argmax()
            if change[flip] <= 0:
                break
            x[flip] = 1 - x[flip]
        best = max(best, int(gains @ x + x @ pairs @ x // 2))
    return best


def proved_optimum(gains, pairs):
    """Return the optimum of non-empty sets, None where it is not proved in time."""
    n = len(gains)
    more = {"objective": "graph_score", "pairs": -pairs, "k_min": 1}
    result = solve(Instance(gains, 1, n, n, **more), time_limit=SECONDS)
    return result.integer_objective if result.status is pyfsel.Status.OPTIMAL else None


def found(gains, pairs, seed):
    """Return the value that each heuristic reaches, and its CPU seconds."""
    runs = {"SDP-1": lambda: -sdp_1(-gains, -pairs).score}
    for start in INITIALISATIONS:
        runs[f"ASDP, {start}"] = lambda start=start: -asdp(-gains, -pairs, initialisation=start).score
    runs["1-flip descents"] = lambda: descent(gains, pairs, np.random.default_rng(seed))
    told = {}
    for name, run in runs.items():
        begin = time.process_time()
        told[name] = (run(), time.process_time() - begin)
    return told


def print_comparison():
    """Print one row per family and heuristic."""
    print("| variables | density | heuristic | optima | mean gap | largest gap | CPU ms |")
    print("|---|---|---|---|---|---|---|")
    for n, density in SIZES:
        rows = {}
        n_proved = 0
        for seed in range(N_INSTANCES):
            gains, pairs = instance(n, density, seed)
            best = proved_optimum(gains, pairs)
            n_proved += best is not None
            for name, (value, seconds) in found(gains, pairs, seed).items():
                if best is not None:
                    rows.setdefault(name, []).append((value == best, 1 - value / best, seconds))
        for name, told in rows.items():
            hits, gaps, seconds = zip(*told, strict=True)
            print(
                f"| {n} | {density:.0%} | {name} | {sum(hits)} of {n_proved} | {np.mean(gaps):.2%} | "
                f"{max(gaps):.2%} | {1000 * np.mean(seconds):.0f} |"
            )


def print_regression():
    """Print what ASDP selects for numbers as target (004, Section 5), beside the proved optimum."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    print("\nRegression: diabetes, Δ = 1 − |r| / largest |r|, R² of a linear fit, ten folds.\n")
    print(
        "| shift of Δ | features | graph score | proved optimum | R² | R² of all |\n|---|---|---|---|---|---|"
    )
    everything = cross_val_score(LinearRegression(), X, y, cv=10).mean()
    for shift in (0.7, 0.8, 0.9):
        selector = ASDPSelector(shift_delta=shift, measure="pearson").fit(X, y)
        best = -solve(selector.problem_, time_limit=SECONDS).objective
        names = list(selector.get_feature_names_out())
        score = cross_val_score(LinearRegression(), X[names], y, cv=10).mean()
        listed = ", ".join(names)
        print(f"| {shift} | {listed} | {selector.score_:.4f} | {best:.4f} | {score:.3f} | {everything:.3f} |")


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    print("# ASDP on quadratic 0/1 problems\n\n`python benchmarks/qubo.py`; families by the recipe of")
    print(f"Beasley (1998), {N_INSTANCES} instances each, optima proved within {SECONDS} s.\n")
    print_comparison()
    print_regression()
