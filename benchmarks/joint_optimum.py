"""Where no solution has both the best sum and the best minimum (an open question of 000, A.1).

    python benchmarks/joint_optimum.py                 # all small cases
    python benchmarks/joint_optimum.py --records       # how often at least in the experiment of 000
    python benchmarks/joint_optimum.py --sample 400    # how often in a sample of its problems

Every family of sets is compared for every vector of small whole qualities: no solver, no search. The records
have one optimum of each aggregate: where one of them is best by both, a joint optimum exists. The sample is
drawn from the univariate problems of `instances/paper-000`, k = 5, a = 1 to 5, every overlap; FCBF and mRMR,
whose least qualities take longer to prove, are left out.
"""

import argparse
import time
from collections import Counter
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from paper_000.design import WHITE_BOX
from paper_000.score import read

import pyfsel
from pyfsel.interface.problem import Problem
from pyfsel.interface.solving import solve
from pyfsel.problem.instance import Instance

INSTANCES = Path(__file__).parents[1] / "instances" / "paper-000"
RECORDS = Path(__file__).parent / "results" / "experiment-000"
FLOAT_NOISE = 1e-6  # the records have single precision
METHODS = ("model-gain", "mi")
SECONDS = 10

CASES = ((5, 3, 2, 1, 6), (6, 3, 3, 1, 6), (6, 3, 4, 1, 6), (7, 3, 3, 1, 5), (7, 3, 4, 1, 4))
"""Features, size of a set, sets, features that two may share, largest quality."""


class Case(NamedTuple):
    """What came of all quality vectors of one size: how many there are, and those without a joint optimum."""

    n_vectors: int
    apart: list[tuple[int, ...]]


def families(n_features, k, n_sets, max_shared):
    """Return the sets as a 0/1 matrix, and all families of them as rows of indices."""
    sets = list(combinations(range(n_features), k))
    member = np.array([[feature in one for feature in range(n_features)] for one in sets], dtype=int)
    compatible = member @ member.T <= max_shared
    grown = [(at,) for at in range(len(sets))]
    for _ in range(n_sets - 1):
        grown = [
            (*family, at)
            for family in grown
            for at in range(family[-1] + 1, len(sets))
            if compatible[at, list(family)].all()
        ]
    return member, np.array(grown)


def best_values(quality, member, allowed):
    """Return the best minimum, the best sum, and the best sum of families with the best minimum."""
    of_sets = (member @ np.array(quality))[allowed]
    smallest, sums = of_sets.min(axis=1), of_sets.sum(axis=1)
    return int(smallest.max()), int(sums.max()), int(sums[smallest == smallest.max()].max())


def compare(n_features, k, n_sets, max_shared, largest):
    """Try all vectors of whole qualities from 0 to the largest."""
    member, allowed = families(n_features, k, n_sets, max_shared)
    vectors = list(combinations_with_replacement(range(largest, -1, -1), n_features))
    apart = []
    for quality in vectors:
        _, best_sum, sum_with_minimum = best_values(quality, member, allowed)
        if sum_with_minimum < best_sum:
            apart.append(quality)
    return Case(len(vectors), sorted(apart, key=lambda q: (max(q), sum(q))))


def recorded():
    """Return by method and a how many cases the records have, and in how many they show a joint optimum."""
    rows = read(RECORDS)
    rows = rows[(rows["k"] == 5) & rows["method"].isin(WHITE_BOX) & rows["search"].str.startswith("sim.")]
    rows = rows[rows["features"].notna()]
    values = rows.groupby(["method", "a", "table", "fold", "overlap", "search"], observed=True)["q_train"]
    best = values.agg(["sum", "min"]).unstack("search")
    gaps = [
        best["sum", "sim. (sum)"] - best["sum", "sim. (min)"],
        best["min", "sim. (min)"] - best["min", "sim. (sum)"],
    ]
    joint = (gaps[0] < FLOAT_NOISE) | (gaps[1] < FLOAT_NOISE)
    return joint.groupby(["method", "a"], observed=True).agg(["size", "sum"])


def print_records(found):
    """Print a row per method, the shares by a."""
    print(
        "| method | cases | joint optimum shown | a = 1 | 2 | 3 | 4 | 5 |\n|---|---|---|---|---|---|---|---|"
    )
    for method in (*WHITE_BOX, "all"):
        part = (found if method == "all" else found.loc[[method]]).groupby("a").sum()
        shares = [f"{shown / cases:.1%}" for cases, shown in part.to_numpy()]
        cases, shown = part.sum()
        print("| " + " | ".join([method, str(cases), f"{shown / cases:.1%}", *shares]) + " |")


def sampled(n_cases, seed, minutes):
    """Return by method and by overlap what came of a sample, or of as much of it as there was time for."""
    begin = time.monotonic()
    paths = sorted(path for name in METHODS for path in INSTANCES.glob(f"*-{name}.json"))
    cases = list(product(paths, range(1, 6), range(5)))
    found = Counter()
    for at in np.random.default_rng(seed).permutation(len(cases))[:n_cases]:
        if minutes is not None and time.monotonic() - begin > 60 * minutes:
            break
        path, a, overlap = cases[at]
        method = next(name for name in METHODS if path.stem.endswith(f"-{name}"))
        problem = Instance.load(path).replace(n_sets=a + 1, max_shared=overlap)
        answer = solve(Problem.of_instance(problem, "min_then_sum"), time_limit=SECONDS)
        outcome = {True: "joint", False: "apart", None: "open"}[answer.details["costs_nothing"]]
        if answer.status is pyfsel.Status.INFEASIBLE:
            outcome = "infeasible"
        found[method, overlap, outcome] += 1
    return found


def print_sample(found):
    """Print a row per method and per overlap."""
    print("| | joint optimum | none | open | infeasible |\n|---|---|---|---|---|")
    rows = [(name, lambda key, name=name: key[0] == name) for name in METHODS]
    rows += [(f"overlap {m}", lambda key, m=m: key[1] == m) for m in range(5)]
    for name, of_row in [*rows, ("all", lambda key: True)]:
        counts = Counter()
        for key, number in found.items():
            counts[key[2]] += number if of_row(key) else 0
        print(
            "| "
            + " | ".join(map(str, (name, *(counts[o] for o in ("joint", "apart", "open", "infeasible")))))
            + " |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sample", type=int, metavar="N", help="N problems of the experiment")
    parser.add_argument("--minutes", type=float, help="stop after M minutes", metavar="M")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--records", action="store_true", help="of the experiment")
    options = parser.parse_args()
    if options.records:
        print_records(recorded())
        return
    if options.sample is not None:
        print_sample(sampled(options.sample, options.seed, options.minutes))
        return
    print(
        "| features | k | sets | may share | qualities | vectors | apart | smallest | min, sum, sum with it |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for case in CASES:
        n, k, n_sets, max_shared, largest = case
        found = compare(*case)
        shown = values = "–"
        if found.apart:
            shown = ", ".join(map(str, found.apart[0]))
            values = ", ".join(map(str, best_values(found.apart[0], *families(n, k, n_sets, max_shared))))
        cells = (
            n,
            k,
            n_sets,
            max_shared,
            f"0 to {largest}",
            found.n_vectors,
            len(found.apart),
            shown,
            values,
        )
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
