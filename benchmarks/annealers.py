"""Samplers, exchanges and greedy choice beside the proved optimum of quadratic models, on 20 tables.

    python benchmarks/annealers.py > benchmarks/results/annealers.md

The models are the mRMR instances of ten features in instances/real whose optimum is known, those of the most
columns. The samplers are those of dwave-samplers, on the model that `pyfsel export it.json it.qubo` writes.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from pyfsel.backends.quadratic import penalised
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

LIBRARY = Path(__file__).parent.parent / "instances"
TABLES, SECONDS = 20, 10
SAMPLERS = {
    "anneal": ("SimulatedAnnealingSampler", {"num_reads": 20}),
    "anneal:tabu": ("TabuSampler", {"num_reads": 4, "timeout": 20}),
    "anneal:descent": ("SteepestDescentSampler", {"num_reads": 100}),
}
ROUNDS = 5  # without a better set


def known():
    """Return the entries of the manifest with a known optimum, of the most features first."""
    entries = json.loads((LIBRARY / "manifest.json").read_text())
    entries = entries if isinstance(entries, list) else entries["instances"]
    wanted = [e for e in entries if e["file"].endswith("-mrmr-k10-a0.json") and e["status"] == "OPTIMAL"]
    return sorted(wanted, key=lambda e: (-e["n_features"], e["file"]))[:TABLES]


def greedy(problem):
    """Return the value of a set to which the best feature is added each time, as mRMR is usually computed."""
    q, r = problem.quality, problem.pairs
    chosen = [int(q.argmax())]
    while len(chosen) < problem.k:
        gain = q - r[:, chosen].mean(axis=1)
        gain[chosen] = -np.inf
        chosen.append(int(gain.argmax()))
    return values.value(problem, chosen)


def sampled(problem, method):
    """Return the best value of samples, with features left out or added until their size is right."""
    import dimod
    from dwave import samplers

    name, options = SAMPLERS[method]
    sampler = getattr(samplers, name)()
    linear, pairs, constant = penalised(problem)
    everything = dimod.BinaryQuadraticModel(linear.astype(float), pairs.astype(float), constant, "BINARY")
    end, best, seed, left = time.monotonic() + SECONDS, None, 0, ROUNDS
    while left and time.monotonic() < end:
        found = sampler.sample(everything, seed=seed, **options)
        order = np.argsort(list(found.variables))
        rows = np.unique(found.record.sample[:, order], axis=0)
        value = max(values.value(problem, np.flatnonzero(made_good(problem, row)).tolist()) for row in rows)
        best, left = (value, ROUNDS) if best is None or value > best else (best, left - 1)
        seed += 1
    return best


def made_good(problem, sample):
    """Return a sample with features left out or added, the best one each time, until its size is right."""
    features, pairs = values.weighted(problem)
    chosen = sample.astype(bool)
    while (excess := int(chosen.sum()) - problem.k) != 0:
        gain = pairs @ chosen - features
        if excess > 0:
            chosen[np.flatnonzero(chosen)[gain[chosen].argmax()]] = False
        else:
            chosen[np.flatnonzero(~chosen)[gain[~chosen].argmin()]] = True
    return chosen


def main():
    """Print one row per table and method."""
    methods = [*SAMPLERS, "swap-sequence"]
    print("# Samplers next to the optimum\n\n`python benchmarks/annealers.py`: mRMR of ten features, gaps to")
    print(f"the proved optimum in per cent of its absolute value, seconds on the clock, at most {SECONDS}.\n")
    print("| table | n | greedy |", " | ".join(f"{m} | s" for m in methods), "|")
    print("|---|---|---|" + "---|---|" * len(methods))
    hits = dict.fromkeys(["greedy", *methods], 0)
    for entry in known():
        problem, best = Instance.load(LIBRARY / entry["file"]), entry["best_known"]
        found = {"greedy": (greedy(problem), 0.0)}
        for method in methods:
            begin = time.monotonic()
            if method in SAMPLERS:
                value = sampled(problem, method)
            else:
                result = solve(problem, method, search="sequential", time_limit=SECONDS)
                value = result.integer_objective
            found[method] = (value, time.monotonic() - begin)
        for method, (value, _) in found.items():
            hits[method] += value == best
        gap = {m: "–" if v is None else f"{100 * (best - v) / abs(best):.2f}" for m, (v, _) in found.items()}
        cells = " | ".join(f"{gap[m]} | {found[m][1]:.1f}" for m in methods)
        name = Path(entry["file"]).name.removesuffix("-mrmr-k10-a0.json")
        print(f"| {name} | {problem.n_features} | {gap['greedy']} | {cells} |", flush=True)
    print("\nOptima found: " + ", ".join(f"{method} {number}" for method, number in hits.items()) + ".")


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    main()
