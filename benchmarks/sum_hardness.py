"""Sum-aggregation with overlap (000, A.5.4): what is hard, what is not, each held against brute force.

    python benchmarks/sum_hardness.py

- One further set beside given ones (000, Definition 3) is NP-hard for every overlap of 1 and more:
  `beside_given_sets` turns a graph into such a problem whose optimum says how large an independent set is.
- All sets at once, none given: polynomial for each fixed number of sets. `best_sum` is an integer program
  whose size does not depend on k or the overlap, only on the number of sets and n.
"""

import argparse
from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

import pyfsel
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints
from pyfsel.solving.solve import solve


def beside_given_sets(n_vertices, edges, size, max_shared):
    """Return a problem whose optimum is ``2·(max_shared − 1) + size`` if `size` vertices have no edge.

    Features: the vertices, of quality 1; max_shared − 1 common ones of quality 2, which lie in all given
    sets; `size` spare ones and some that fill the given sets, of quality 0. Each edge is a given set of its
    two vertices, the common features, and features of its own. Two edges share a vertex at most, so that the
    given sets are alternatives to each other. A set with all common features may have one vertex of an edge;
    a set without some of them has a quality of at most 2·(max_shared − 2) + size + 1.
    """
    common = max_shared - 1
    own = size - 2  # features of its own that fill the set of an edge
    k = size + common
    first_spare = n_vertices + common
    first_own = first_spare + size
    quality = np.zeros(first_own + own * len(edges), dtype=int)
    quality[:n_vertices], quality[n_vertices:first_spare] = 1, 2
    shared = tuple(range(n_vertices, first_spare))
    given = [
        (*edge, *shared, *range(first_own + own * at, first_own + own * (at + 1)))
        for at, edge in enumerate(edges)
    ]
    return make_instance(
        quality, k=k, dissimilarity=f"shared:{max_shared}", constraints=Constraints(previous=given)
    )


def largest_independent(n_vertices, edges):
    """Return by brute force how many vertices without an edge between them there can be."""
    linked = {frozenset(edge) for edge in edges}
    return max(
        size
        for size in range(n_vertices + 1)
        for some in combinations(range(n_vertices), size)
        if not any(frozenset(pair) in linked for pair in combinations(some, 2))
    )


def best_sum(quality, k, n_sets, max_shared):
    """Return the best sum of qualities of n_sets sets that share pairwise at most so many features, or None.

    x_T is the number of features that lie in exactly the sets T, and N_c that of features in c sets and more.
    With the better features in more sets the sum is Σ_c Q(N_c), Q(t) the sum of the best t qualities; Q is
    concave, so y_c ≤ Q(N_c) are n linear constraints. There are 2^n_sets − 1 integer variables.
    """
    n, best = len(quality), np.sort(quality)[::-1].astype(float)
    parts = [part for size in range(1, n_sets + 1) for part in combinations(range(n_sets), size)]
    rows, lower, upper = [], [], []

    def add(of_part, low, high, of_sum=None):
        rows.append([*map(float, of_part), *(np.zeros(n_sets) if of_sum is None else of_sum)])
        lower.append(low)
        upper.append(high)

    for i in range(n_sets):
        add((i in part for part in parts), k, k)
    for i, j in combinations(range(n_sets), 2):
        add((i in part and j in part for part in parts), 0, max_shared)
    add((True for _ in parts), 0, n)
    prefix = np.concatenate([[0.0], np.cumsum(best)])
    for c in range(1, n_sets + 1):
        for t in range(n):  # the line through Q(t) and Q(t + 1)
            of_part = [-best[t] * (len(part) >= c) for part in parts]
            add(of_part, -np.inf, prefix[t] - best[t] * t, np.eye(n_sets)[c - 1])
    costs = np.concatenate([np.zeros(len(parts)), -np.ones(n_sets)])
    most = np.abs(best).sum() + 1
    bounds = Bounds([0] * len(parts) + [-most] * n_sets, [n] * len(parts) + [most] * n_sets)
    integrality = [1] * len(parts) + [0] * n_sets
    found = milp(
        costs, constraints=LinearConstraint(rows, lower, upper), bounds=bounds, integrality=integrality
    )
    return None if found.x is None else round(-found.fun, 6)


def check_graphs(n_vertices, max_shared):
    """Compare the reduction with brute force for all graphs of a number of vertices; return how many."""
    pairs = list(combinations(range(n_vertices), 2))
    for number in range(2 ** len(pairs)):
        edges = [pair for at, pair in enumerate(pairs) if number >> at & 1]
        largest = largest_independent(n_vertices, edges)
        for size in range(2, n_vertices + 1):
            problem = beside_given_sets(n_vertices, edges, size, max_shared)
            found = solve(problem, "enumeration")
            reached = found.integer_objective == problem.scale * (2 * (max_shared - 1) + size)
            assert found.status is pyfsel.Status.OPTIMAL
            assert reached == (largest >= size), (edges, size, found)
    return 2 ** len(pairs)


def check_sums(n_cases, seed=0):
    """Hold the integer program against a backend on random qualities of both signs; return the cases."""
    rng = np.random.default_rng(seed)
    for _ in range(n_cases):
        k, n_sets = int(rng.integers(1, 5)), int(rng.integers(1, 4))
        n, overlap = int(rng.integers(k, 9)), int(rng.integers(0, k + 1))
        quality = rng.integers(-3, 10, n)
        problem = Instance(quality, n_sets=n_sets, k=k, max_shared=overlap)
        found = solve(problem, "cpsat", formulation="literal", search="simultaneous")
        assert best_sum(quality, k, n_sets, overlap) == found.integer_objective, (quality, problem)
    return n_cases


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter).parse_args()
    for n_vertices, max_shared in ((3, 1), (3, 2), (4, 1), (4, 2)):
        n_graphs = check_graphs(n_vertices, max_shared)
        print(f"{n_graphs} graphs with {n_vertices} vertices, overlap {max_shared}: as by brute force")
    print(f"{check_sums(100)} random problems: the integer program has the optimum of cpsat")
    quality = np.random.default_rng(0).integers(0, 1000, 2000)
    print(f"2,000 features, 4 sets of 100, overlap 40: best sum {best_sum(quality, 100, 4, 40):,.0f}")


if __name__ == "__main__":
    main()
