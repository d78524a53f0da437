"""Compiled search for compatible sets in a pool that is sorted by decreasing value.

A set is a row of 64-bit words with one bit per feature; two sets are compatible if they share few enough
bits. Every depth keeps the list of the pool's members that are compatible with all sets chosen so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.bits import as_words, count_bits
from pyfsel.algorithms.compiled import compiled
from pyfsel.algorithms.packing.bounds import Counting, pair_bound, prefix_bound, use_features
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CompiledPool(NamedTuple):
    """The enumerated sets as the compiled functions want them.

    Attributes
    ----------
    words : array of shape (m, ⌈n_features/64⌉)
        The sets as bits.
    values : array of shape (m,)
        Decreasing.
    ranks : array of shape (m, set_size)
        The features by their place in the order of quality, ascending.
    counting : Counting
    """

    words: NDArray[np.uint64]
    values: NDArray[np.int64]
    ranks: NDArray[np.int32]
    counting: Counting


class Descent(NamedTuple):
    """Where a search stands, so that it can pause and go on.

    Attributes
    ----------
    depth : array of shape (1,)
        How many sets are chosen; −1 before and after a search.
    positions, sizes : arrays of shape (n_sets,)
        Of each depth's list, the next member to be tried and the length.
    chosen : array of shape (n_sets,)
        Numbers of the chosen sets.
    sums : array of shape (n_sets + 1,)
        Values of the chosen sets, summed up.
    free, uses : arrays of shape (n_sets + 1, …)
        What `rules_out` knows of the features.
    lists : array of shape (n_sets, m)
        The compatible members by depth; row 0 holds the pool's numbers 0..m−1.
    """

    depth: NDArray[np.int64]
    positions: NDArray[np.int64]
    sizes: NDArray[np.int64]
    chosen: NDArray[np.int32]
    sums: NDArray[np.int64]
    free: NDArray[np.int64]
    uses: NDArray[np.int64]
    lists: NDArray[np.int32]

    @classmethod
    def of(cls, pool: CompiledPool, n_sets: int) -> Descent:
        """Return room for searches of so many sets in a pool."""
        free = np.zeros((n_sets + 1, len(pool.counting.free)), dtype=np.int64)
        lists = np.empty((n_sets, len(pool.values)), dtype=np.int32)
        free[0], lists[0] = pool.counting.free, np.arange(len(pool.values))
        return cls(
            depth=np.array([-1]),
            positions=np.zeros(n_sets, dtype=np.int64),
            sizes=np.zeros(n_sets, dtype=np.int64),
            chosen=np.zeros(n_sets, dtype=np.int32),
            sums=np.zeros(n_sets + 1, dtype=np.int64),
            free=free,
            uses=np.zeros_like(free),
            lists=lists,
        )

    @property
    def paused(self) -> bool:
        """Whether the search is to go on."""
        return bool(self.depth[0] >= 0)


def compile_pool(
    problem: Problem, sets: NDArray[np.int32], values: NDArray[np.int64], counting: Counting
) -> CompiledPool:
    """Return the sets in the form that the compiled functions want."""
    rank = np.empty(problem.n_features, dtype=np.int32)
    rank[by_quality(problem)] = np.arange(problem.n_features)
    return CompiledPool(
        words=as_words(sets, problem.n_features),
        values=values,
        ranks=np.sort(rank[sets], axis=1),
        counting=counting,
    )


@compiled
def keep_compatible(
    words: NDArray[np.uint64],
    max_overlap: int,
    chosen: int,
    source: NDArray[np.int32],
    first: int,
    size: int,
    target: NDArray[np.int32],
) -> int:
    """Copy from ``source[first:size]`` to `target` what is compatible with `chosen`; return how many."""
    kept = 0
    for position in range(first, size):
        other = source[position]
        shared = 0
        for w in range(words.shape[1]):
            shared += int(count_bits(words[chosen, w] & words[other, w]))
        if shared <= max_overlap:
            target[kept] = other
            kept += 1
    return kept


@keep_compatible.in_python
def _keep_compatible(
    words: NDArray[np.uint64],
    max_overlap: int,
    chosen: int,
    source: NDArray[np.int32],
    first: int,
    size: int,
    target: NDArray[np.int32],
) -> int:
    others = source[first:size]
    shared = np.unpackbits((words[others] & words[chosen]).view(np.uint8), axis=1).sum(axis=1)
    kept = others[shared <= max_overlap]
    target[: len(kept)] = kept
    return len(kept)


@compiled
def rules_out(
    pool: CompiledPool,
    candidate: int,
    free: NDArray[np.int64],
    uses: NDArray[np.int64],
    depth: int,
    more: int,
    wanted: int,
) -> bool:
    """Return whether so many more sets beside the chosen ones and `candidate` cannot sum up to `wanted`."""
    if free.shape[1] == 0:
        return False
    use_features(pool.counting, pool.ranks, candidate, free, uses, depth)
    if prefix_bound(pool.counting, free[depth + 1], more) < wanted:
        return True
    return pair_bound(pool.counting, uses[depth + 1], depth + 1, more) < wanted


@compiled
def _begin(descent: Descent, first: int) -> int:
    """Put a search that is not paused at pool member `first`; return the depth."""
    if descent.depth[0] < 0:
        descent.depth[0] = 0
        descent.positions[0] = first
        descent.sizes[0] = first + 1
    return int(descent.depth[0])


@compiled
def best_sum_with_first(
    pool: CompiledPool,
    max_overlap: int,
    best_sums: NDArray[np.int64],
    first: int,
    incumbent: int,
    descent: Descent,
    found: NDArray[np.int32],
    most_work: int,
) -> int:
    """Search for compatible sets whose best is pool member `first` and whose sum exceeds `incumbent`.

    Parameters
    ----------
    best_sums : array
        ``best_sums[r]`` is an upper bound on the sum of r compatible sets, r < n_sets.
    descent : Descent
        Paused afterwards if there was more to do: then call it again.
    found : array of shape (n_sets,)
        Overwritten with the pool's numbers of a better solution.
    most_work : int
        How many sets to look at before a pause.

    Returns
    -------
    int
        The largest sum found, or `incumbent`.
    """
    n_sets = len(found)
    positions, sizes, sums, lists = descent.positions, descent.sizes, descent.sums, descent.lists
    depth = _begin(descent, first)
    work = 0
    while depth >= 0 and work < most_work:
        left = n_sets - depth
        position = positions[depth]
        if (depth > 0 and position + left > sizes[depth]) or position == sizes[depth]:
            depth -= 1
            continue
        candidate = lists[depth, position]
        value = sums[depth] + pool.values[candidate]
        if depth > 0:
            bound = sums[depth]
            for step in range(left):
                bound += pool.values[lists[depth, position + step]]
            if min(bound, value + best_sums[left - 1]) <= incumbent:
                depth -= 1
                continue
        positions[depth] += 1
        descent.chosen[depth] = candidate
        if left == 1:
            if value > incumbent:
                incumbent = value
                found[:] = descent.chosen
            depth -= 1
            continue
        work += n_sets
        wanted = incumbent - value + 1
        if rules_out(pool, candidate, descent.free, descent.uses, depth, left - 1, wanted):
            continue
        end = lists.shape[1] if depth == 0 else sizes[depth]
        work += end - position
        sizes[depth + 1] = keep_compatible(
            pool.words, max_overlap, candidate, lists[depth], position + 1, end, lists[depth + 1]
        )
        depth += 1
        sums[depth] = value
        positions[depth] = 0
    descent.depth[0] = depth
    return incumbent


@compiled
def complete_with_better(
    pool: CompiledPool, max_overlap: int, worst: int, highest_sum: int, descent: Descent, most_work: int
) -> bool:
    """Search for compatible sets whose worst is pool member `worst`; ``descent.chosen`` are their numbers.

    As they sum up to at most `highest_sum` and none is worse than `worst`, none can be much better either.
    After a look at `most_work` sets `descent` is paused: then call it again.
    """
    n_sets = len(descent.chosen)
    if n_sets * pool.values[worst] > highest_sum:
        return False
    positions, sizes, sums, lists = descent.positions, descent.sizes, descent.sums, descent.lists
    depth = _begin(descent, worst)
    work = 0
    while depth >= 0 and work < most_work:
        left = n_sets - depth
        position = positions[depth]
        if (depth > 0 and position + left > sizes[depth]) or position == sizes[depth]:
            depth -= 1
            continue
        positions[depth] += 1
        candidate = lists[depth, position]
        descent.chosen[depth] = candidate
        if left == 1:
            descent.depth[0] = -1
            return True
        work += n_sets
        wanted = (left - 1) * pool.values[worst]
        if rules_out(pool, candidate, descent.free, descent.uses, depth, left - 1, wanted):
            continue
        first, end = (0, worst) if depth == 0 else (position + 1, sizes[depth])
        sums[depth + 1] = sums[depth] + pool.values[candidate]
        highest = highest_sum - sums[depth + 1] - (left - 2) * pool.values[worst]
        while first < end and pool.values[lists[depth, first]] > highest:
            first += 1
        work += end - first
        sizes[depth + 1] = keep_compatible(
            pool.words, max_overlap, candidate, lists[depth], first, end, lists[depth + 1]
        )
        depth += 1
        positions[depth] = 0
    descent.depth[0] = depth
    return False
