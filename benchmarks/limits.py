"""Whether every backend keeps a short time limit on a problem that it cannot finish: limit, actual, overrun.

    python benchmarks/limits.py --limit 1 --limit 3 -o benchmarks/results/limits.md

Each row is one `pyfsel.solve` call: process start, encoding or compilation, solving
and verification included. Heuristics and backends that finish the problem in time are listed as finished.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from pyfsel import PyfselError
from pyfsel.backends import registry
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

COLUMNS = ("backend", "formulation", "problem", "limit s", "actual s", "over s", "status", "stop reason")


def main():
    options = parse()
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    print("\n".join(lines))
    for name, backend in registry().items():
        if backend.missing() is not None or (options.backend and name not in options.backend):
            continue
        for formulation in backend.formulations:
            for limit in options.limit or [1.0, 3.0]:
                lines.append(row(name, backend, formulation, limit))
                print(lines[-1], flush=True)
    if options.output:
        options.output.write_text("\n".join(["# Limits kept", "", f"`{COMMAND}`", "", *lines]) + "\n")


COMMAND = "python benchmarks/limits.py -o benchmarks/results/limits.md"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--limit", type=float, action="append", help="seconds (repeatable), 1 and 3 if none")
    parser.add_argument("--backend", action="append", help="only this one (repeatable)")
    parser.add_argument("-o", "--output", type=Path, help="also write a Markdown file")
    return parser.parse_args()


def hard_problems():
    """Yield problems under a name, the hardest first; a backend gets the first one that it takes."""
    random = np.random.default_rng(3)
    q = random.integers(1, 10**6, 60)
    yield (
        "min, 60 features, 10 sets of 8",
        Instance(quality=q, n_sets=10, k=8, max_shared=3, aggregate="min"),
    )
    yield (
        "min, small numbers",
        Instance(quality=q % 1000, n_sets=10, k=8, max_shared=3, aggregate="min"),
    )
    yield "sum, 60 features, 10 sets of 8", Instance(quality=q, n_sets=10, k=8, max_shared=3)
    r = np.triu(random.integers(0, 10**6, (80, 80)), 1)
    yield "mRMR, 80 features, 5 sets of 15", Instance(
        quality=random.integers(1, 10**6, 80), pairs=r + r.T, objective="mrmr",
        n_sets=5, k=15, max_shared=5,
    )  # fmt: skip
    yield (
        "min, 24 features, 5 sets of 5",
        Instance(quality=q[:24], n_sets=5, k=5, max_shared=2, aggregate="min"),
    )
    signs = np.triu(random.integers(-(10**6), 10**6, (120, 120)), 1)
    yield "graph score, 120 features", Instance(
        quality=random.integers(-(10**6), 10**6, 120), pairs=signs + signs.T, objective="graph_score",
        n_sets=1, k=120, max_shared=120, k_min=1,
    )  # fmt: skip
    yield "sum, sorted", Instance(quality=q, n_sets=1, k=8, max_shared=8)


def row(name, backend, formulation, limit):
    taken = ((what, p) for what, p in hard_problems() if backend.refusal(p, formulation) is None)
    what, problem = next(taken, ("takes none of them", None))
    if problem is None:
        return f"| {name} | {formulation} | {what} | | | | | |"
    search = backend.first_search
    begin = time.monotonic()
    try:
        result = solve(problem, name, search, time_limit=limit, formulation=formulation)
        outcome = f"{result.status} | {result.stop_reason}"
    except PyfselError as error:
        outcome = f"{type(error).__name__} | {str(error).splitlines()[0][:60]}"
    actual = time.monotonic() - begin
    over = max(0.0, actual - limit)
    return f"| {name} | {formulation} | {what} | {limit:g} | {actual:.2f} | {over:.2f} | {outcome} |"


if __name__ == "__main__":
    main()
