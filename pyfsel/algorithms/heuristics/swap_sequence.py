"""Sets one after another, each improved by swaps: a sequential search without proofs, in milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pyfsel.algorithms.swaps import NOT_ALLOWED, Moves, Sum
from pyfsel.problem.dissimilarity import shared_limit
from pyfsel.problem.instance import Instance
from pyfsel.problem.linear_rows import Row, side_rows
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import conflict_matrix, objective_of

RANDOM_STARTS = 4
# Work is counted in entries of the arrays of all moves, so the same steps are made on every machine.
MOST_WORK = 50_000_000
LEAST_WORK_OF_A_STEP = 20_000  # what calling NumPy takes, whatever the sizes
MOST_WORK_OF_A_STEP = 5_000_000
SEED = 0
NO_LIMIT = 2**60
LARGEST_BREACH = 2**61  # of the size: all others are far below it


def swap_sequence(problem: Instance, expired: Callable[[], bool] = lambda: False) -> Iterator[FeatureSet]:
    """Find one set after another (paper 000, Definition 3), each by local search and not proved best.

    From nothing, from the set before it and from a few random sets, the best swap, addition or removal of a
    feature is made until none helps. What breaks fewer constraints is better, then what has the larger value,
    so that all constraints on sets are served; a set that breaks one is not returned. The same problem gives
    the same sets, after a bounded number of steps.

    Parameters
    ----------
    problem : Instance
        With any objective of several sets: these are linear in features and pairs of features.
    expired : callable
        Asked before every start; the search ends when it returns True.

    Yields
    ------
    set
        Until there are ``n_sets``, or no start leads to a further one.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> list(swap_sequence(problem))
    [(0, 1), (0, 2), (1, 2)]
    """
    if too_large(problem):
        return
    moves, empty = moves_of(problem), problem.n_features
    most = MOST_WORK // (LEAST_WORK_OF_A_STEP + moves.rows.size + (RANDOM_STARTS + 2) * empty * problem.k)
    steps = iter(range(most))
    rng, free = np.random.default_rng(SEED), np.flatnonzero(moves.may_come)
    latest = problem.forced
    for _ in range(problem.n_sets):
        n_random = problem.k - len(problem.forced)
        randoms = [
            (*problem.forced, *rng.permutation(free)[:n_random].tolist()) for _ in range(RANDOM_STARTS)
        ]
        starts = [(*start, *[empty] * problem.k)[: problem.k] for start in (problem.forced, latest, *randoms)]
        sets = np.array(starts, np.int64)
        if expired():
            return
        broken, values = moves.climb(sets, steps)
        best = int(np.where(broken == 0, values, -NOT_ALLOWED).argmax())
        if broken[best] or (problem.min_quality is not None and values[best] < problem.min_quality):
            return
        latest = tuple(sorted(sets[best][sets[best] < empty].tolist()))
        moves = beside(problem, moves, latest)
        yield latest


def too_large(problem: Instance) -> bool:
    """Return whether the moves from one set are more than fit into little memory and time."""
    n_rows = problem.n_sets + len(problem.previous) + sum(len(group.features) for group in problem.groups)
    return n_rows * (problem.k + 1) * problem.n_features > MOST_WORK_OF_A_STEP


def moves_of(problem: Instance) -> Moves:
    """Return the swaps in one set next to the previous ones; the last feature is the empty one."""
    n, k = problem.n_features, problem.k
    per_feature, per_pair = objective_of(problem).weights(k)
    pairwise, conflicts = np.zeros((n + 1, n + 1), np.int64), np.zeros((n + 1, n + 1), np.bool_)
    if per_pair:
        pairwise[:n, :n] = per_pair * np.asarray(problem.pairs)
    if problem.has_conflicts:
        conflicts[:n, :n] = conflict_matrix(problem)
    is_real, may_leave, may_come = np.ones((3, n + 1), np.bool_)
    is_real[n] = may_come[n] = False
    may_leave[list(problem.forced)] = False
    may_come[[*problem.forced, *problem.forbidden]] = False
    moves = Moves(
        linear=np.append(per_feature * problem.quality, 0),
        pairwise=pairwise,
        conflicts=conflicts,
        rows=is_real[None].astype(np.int64),  # first of all a set has to be large enough
        low=np.array(problem.sizes[:1]),
        high=np.full((1, k + 1), k),
        weights=np.array([LARGEST_BREACH // (k + 1)]),
        sums=tuple(_sum_of(row, n) for row in side_rows(problem) if row.name not in ("forced", "forbidden")),
        may_come=may_come,
        may_leave=may_leave,
        is_real=is_real,
    )
    for members in problem.previous:
        moves = beside(problem, moves, members)
    return moves


def _sum_of(row: Row, n: int) -> Sum:
    coefficients = np.zeros(n + 1, np.int64)
    coefficients[list(row.features)] = row.coefficients
    low = -NO_LIMIT if row.low is None else row.low
    return Sum(coefficients, low, NO_LIMIT if row.high is None else row.high)


def beside(problem: Instance, moves: Moves, members: FeatureSet) -> Moves:
    """Return the swaps in a set next to one more."""
    row = np.zeros(problem.n_features + 1, np.int64)
    row[list(members)] = 1
    limits = [shared_limit(problem, size, len(members)) for size in range(problem.k + 1)]
    return moves.with_row(row, 0, [-1 if limit is None else limit for limit in limits])
