"""One solution with the best sum and the best minimum: where there is none (an open question of 000, A.1).

    python benchmarks/joint_optimum.py

Every family of sets is compared for every vector of small whole qualities: no solver, no search.
"""

import argparse
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

CASES = ((5, 3, 2, 1, 6), (6, 3, 3, 1, 6), (6, 3, 4, 1, 6), (7, 3, 3, 1, 5), (7, 3, 4, 1, 4))
"""Features, size of a set, sets, features that two may share, largest quality."""


class Case(NamedTuple):
    """What came of all quality vectors of one size: how many there are, and those without a joint optimum."""

    n_vectors: int
    apart: list[tuple[int, ...]]


def families(n_features, set_size, n_sets, max_overlap):
    """Return the sets as a 0/1 matrix, and all families of them as rows of indices."""
    sets = list(combinations(range(n_features), set_size))
    member = np.array([[feature in one for feature in range(n_features)] for one in sets], dtype=int)
    compatible = member @ member.T <= max_overlap
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


def compare(n_features, set_size, n_sets, max_overlap, largest):
    """Try all vectors of whole qualities from 0 to the largest."""
    member, allowed = families(n_features, set_size, n_sets, max_overlap)
    vectors = list(combinations_with_replacement(range(largest, -1, -1), n_features))
    apart = []
    for quality in vectors:
        _, best_sum, sum_with_minimum = best_values(quality, member, allowed)
        if sum_with_minimum < best_sum:
            apart.append(quality)
    return Case(len(vectors), sorted(apart, key=lambda q: (max(q), sum(q))))


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter).parse_args()
    print(
        "| features | k | sets | may share | qualities | vectors | apart | smallest | min, sum, sum with it |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for case in CASES:
        n, k, n_sets, max_overlap, largest = case
        found = compare(*case)
        shown = values = "–"
        if found.apart:
            shown = ", ".join(map(str, found.apart[0]))
            values = ", ".join(map(str, best_values(found.apart[0], *families(n, k, n_sets, max_overlap))))
        cells = (
            n,
            k,
            n_sets,
            max_overlap,
            f"0 to {largest}",
            found.n_vectors,
            len(found.apart),
            shown,
            values,
        )
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
