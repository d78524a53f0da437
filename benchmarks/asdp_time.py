"""Time of SDP-1, ASDP and Graph-FS against the number of features, with a plot.

    python benchmarks/asdp_time.py --plot benchmarks/results/asdp_time.png

The features are mixtures of ten random factors and noise; Δ is random, P the absolute correlation, both
shifts are medians and w = 0.5. CPU seconds of one thread; the traversals of ASDP are counted without its
first pass. Graph-FS gets 1 − Δ and P, all features, and T_p = .6. Paper 004 reports 5 s for 200 features in
C++ (Section 3), and proves O(n⁴) per traversal of ASDP and O(n²) for Graph-FS (Theorems 3 and 2).
"""

import argparse
import sys
import time
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from pyfsel.algorithms.heuristics.asdp import asdp, sdp_1
from pyfsel.papers.graph_fs import graph_fs
from pyfsel.papers.graph_score import graph_score_problem

SIZES = (25, 50, 100, 200, 400, 700, 1000)
PAPER = (200, 5.0)


def main():
    options = parse()
    print(f"$ {' '.join(['python', *sys.argv])}\n")
    print("| features | SDP-1 CPU s | ASDP CPU s | traversals | CPU s per traversal | Graph-FS CPU s |")
    print("| --- | --- | --- | --- | --- | --- |")
    rows = []
    with threadpool_limits(1):
        for n in options.sizes or SIZES:
            rows.append(timed(n, options.seed))
            n_, one_pass, alternating, traversals, cut = rows[-1]
            times = f"{one_pass:.4f} | {alternating:.3f} | {traversals} | {alternating / traversals:.4f}"
            print(f"| {n_} | {times} | {cut:.4f} |", flush=True)
    if options.plot:
        plot(rows, options.plot)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, help="numbers of features")
    parser.add_argument("--plot", help="write a PNG here (needs matplotlib)")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def numbers_of(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 10)) @ rng.normal(size=(10, n)) + 3 * rng.normal(size=(500, n))
    return rng.random(n), np.abs(np.corrcoef(X.T))


def timed(n, seed):
    """Return the number of features, times (the best of three up to 200 features), the traversals."""
    delta, similarity = numbers_of(n, seed)
    problem = graph_score_problem(delta, similarity)
    arguments = -problem.quality, problem.pairs
    repeats = 3 if n <= 200 else 1
    return (
        n,
        seconds(sdp_1, arguments, repeats),
        seconds(asdp, arguments, repeats),
        asdp(*arguments).n_iterations,
        seconds(partial(graph_fs, t_delta=1, t_p=0.6), (1 - delta, similarity), 3),
    )


def seconds(function, arguments, repeats):
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        function(*arguments)
        times.append(time.process_time() - begin)
    return min(times)


def plot(rows, path):
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    n, one_pass, alternating, _, cut = map(np.array, zip(*rows, strict=True))
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.loglog(n, alternating, "o-", label="ASDP")
    axes.loglog(n, one_pass, "s-", label="SDP-1")
    axes.loglog(n, cut, "d-", label="Graph-FS")
    axes.loglog(n, alternating[-1] * (n / n[-1]) ** 3, ":", color="grey", label="proportional to n³")
    axes.loglog(*PAPER, "k*", markersize=11, label="ASDP in paper 004 (C++)")
    axes.set_xlabel("number of features n")
    axes.set_ylabel("CPU seconds, one thread")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
