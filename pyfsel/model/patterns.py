"""Another model of sums of features that differ in quality only, by patterns of membership.

A pattern is a set of sets; ``z[p]`` says how many features are in exactly the sets of p. These are
``2^n_sets − 1`` integers, however many features there are. Which features these are does not matter: the best
ones get the widest patterns. With N_j features in at least j sets, the objective is the sum over j of the N_j
best qualities (rearrangement inequality).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import comb

from pyfsel.model.model import ZeroOneModel
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family
from pyfsel.problem.values import by_quality, is_interchangeable

MOST_SETS = 10


def unsupported(problem: Instance) -> str | None:
    """Return why a problem has no model by patterns, or None."""
    plain = is_interchangeable(problem) and not problem.previous and problem.aggregate == "sum"
    if not plain or not 1 < problem.n_sets <= MOST_SETS:
        return f"takes sums of 2 to {MOST_SETS} sets of features that differ in quality only"
    return None


def build(problem: Instance) -> ZeroOneModel:
    """Return the model by patterns; `unsupported` says of which problems there is none.

    Examples
    --------
    >>> model = build(Instance(quality=[5, 3, 2], n_sets=2, k=2, max_shared=1))
    >>> [model.names[z] for z in model.domain]
    ['z_1', 'z_2', 'z_3']
    """
    m, s, k = ZeroOneModel(), problem.n_sets, problem.k
    order = by_quality(problem)
    z = {}
    for pattern in range(1, 2**s):
        most = k if pattern.bit_count() == 1 else problem.max_shared
        z[pattern] = m.integer(0, most, "z", pattern)
    for i in range(s):
        m.row([(1, z[p]) for p in z if p >> i & 1], k, k, "size")
        for j in range(i):
            shared = [(1, z[p]) for p in z if p >> i & 1 and p >> j & 1]
            m.row(shared, None, problem.max_shared, "overlap")
    for i in range(s - 1):
        m.row([(1, z[1 << i]), (-1, z[2 << i])], 0, None, "order")
    _add_uses(m, problem, order, z)
    m.limits = -problem.largest_total, problem.largest_total
    m.read = _reader(order, s, z)
    return m


def _add_uses(m: ZeroOneModel, problem: Instance, order: list[int], z: dict[int, int]) -> None:
    """Add N_j, the number of features in at least j sets, in unary, and what is known of these numbers."""
    s, k = problem.n_sets, problem.k
    n = min(problem.n_features, s * k)
    at_least = [[m.new("N", j, v) for v in range(min(n, s * k // j))] for j in range(1, s + 1)]
    m.chains += at_least
    for j, chain in enumerate(at_least, 1):
        wide = [(-1, z[p]) for p in z if p.bit_count() >= j]
        m.row([*((1, x) for x in chain), *wide], 0, 0, "count")
        for fewer, more in pairwise(chain):
            m.clause(-more, fewer)
        m.reward((int(problem.quality[order[v]]), x) for v, x in enumerate(chain))
    for above, below in pairwise(at_least):  # who is in j + 1 sets is in j sets
        for x, y in zip(above, below, strict=False):
            m.clause(-y, x)
    m.row([(1, x) for chain in at_least for x in chain], s * k, s * k, "uses")
    pairs = [(j, x) for j, chain in enumerate(at_least) for x in chain]
    m.row(pairs, None, problem.max_shared * comb(s, 2), "capacity")


def _reader(order: list[int], n_sets: int, z: dict[int, int]) -> Callable[[Callable[[int], int]], Family]:
    """Return a function that deals the features, best first, to the widest patterns."""

    def read(value_of: Callable[[int], int]) -> Family:
        best_first = iter(order)
        sets: list[list[int]] = [[] for _ in range(n_sets)]
        for pattern in sorted(z, key=lambda p: -p.bit_count()):
            for _ in range(value_of(z[pattern])):
                feature = next(best_first)
                for i in range(n_sets):
                    if pattern >> i & 1:
                        sets[i].append(feature)
        return tuple(tuple(sorted(members)) for members in sets)

    return read
