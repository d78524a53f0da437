"""Upper bound on the heaviest k-subgraph by splitting every pair weight between its two features.

A candidate set of r features is worth ``Σ linear_i − Σ_{i<j} pairwise_ij``. Write the pairwise matrix as
``split_ij + split_ji``. Then feature i contributes ``linear_i − Σ_{j≠i} split_ij`` over the r − 1 other
members j, which is at most its *value* ``v_i = linear_i −`` the r − 1 smallest entries of row i; so r of the
candidates are worth at most the sum of the r largest values. That holds for every split, hence for any that
the subgradient steps reach (Lagrangian decomposition; the split is the vector of multipliers).

Everything is int64 and the split is changed by adding an integer to one part and subtracting it from the
other, so the bound is exact: no rounding can make it too small.

Arrays of candidates have room for more than the `m` features in use. `split` has `FORBIDDEN` on its diagonal
and for pairs that cannot be together in a set that reaches the target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.compiled import compiled
from pyfsel.algorithms.ksubgraph.selection import IMPOSSIBLE, choose_best, rank, replaced_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORBIDDEN = 2**62
STALLS_BEFORE_SHORTER_STEP = 10
STEP_FACTOR = 0.6


@compiled
def choose_partners(split: NDArray[np.int64], i: int, m: int, count: int, partners: NDArray[np.int64]) -> int:
    """Write the `count` cheapest partners of i into ``partners[i]``; return their sum, or `FORBIDDEN`."""
    if m <= count:
        return FORBIDDEN
    filled = 0
    largest = FORBIDDEN
    for j in range(m):
        cost = split[i, j]
        if filled < count:
            place = filled
            filled += 1
        elif cost < largest:
            place = count - 1
        else:
            continue
        while place > 0 and split[i, partners[i, place - 1]] > cost:
            partners[i, place] = partners[i, place - 1]
            place -= 1
        partners[i, place] = j
        largest = split[i, partners[i, filled - 1]]
    if largest == FORBIDDEN:
        return FORBIDDEN
    total = 0
    for place in range(count):
        total += split[i, partners[i, place]]
    return total


@compiled
def set_value(
    split: NDArray[np.int64],
    linear: NDArray[np.int64],
    i: int,
    m: int,
    r: int,
    partners: NDArray[np.int64],
    value: NDArray[np.int64],
) -> None:
    """Compute ``value[i]``, `IMPOSSIBLE` if i has too few partners."""
    cost = choose_partners(split, i, m, r - 1, partners)
    value[i] = IMPOSSIBLE if cost == FORBIDDEN else linear[i] - cost


@compiled
def lower_cost(
    split: NDArray[np.int64],
    i: int,
    j: int,
    by: int,
    count: int,
    partners: NDArray[np.int64],
    value: NDArray[np.int64],
) -> None:
    """Lower ``split[i, j]`` and bring ``partners[i]`` and ``value[i]`` up to date."""
    split[i, j] -= by
    if value[i] == IMPOSSIBLE:
        return
    dearest = 0
    for place in range(count):
        if partners[i, place] == j:
            value[i] += by
            return
        if split[i, partners[i, place]] > split[i, partners[i, dearest]]:
            dearest = place
    saved = split[i, partners[i, dearest]] - split[i, j]
    if saved > 0:
        value[i] += saved
        partners[i, dearest] = j


@compiled
def improve_split(
    split: NDArray[np.int64],
    linear: NDArray[np.int64],
    ids: NDArray[np.int64],
    part: NDArray[np.int64],
    room: NDArray[np.int64],
    m: int,
    r: int,
    base: int,
    target: int,
    iterations: int,
    step: float,
    largest_part: int,
    partners: NDArray[np.int64],
    value: NDArray[np.int64],
    best: NDArray[np.int64],
    picked: NDArray[np.int8],
    log: NDArray[np.int64],
) -> tuple[int, float]:
    """Lower the bound by subgradient steps on the split, in place; stop once it is below the target.

    Where a feature of the r best counts on a partner that does not count on it in turn, the part that it
    sees is raised and the other lowered.

    Returns
    -------
    bound, step : the bound of the split that is left (the best one met), and the step length to go on with
    """
    for i in range(m):
        set_value(split, linear, i, m, r, partners, value)
    lowest = FORBIDDEN
    changes = 0
    stalls = 0
    for _ in range(iterations + 1):
        total = choose_best(value, m, r, best, ids, part, room)
        if total == IMPOSSIBLE:
            return IMPOSSIBLE, step
        bound = base + total
        if bound < lowest:
            lowest = bound
            changes = 0
            stalls = 0
        else:
            stalls += 1
            if stalls >= STALLS_BEFORE_SHORTER_STEP:
                step *= STEP_FACTOR
                stalls = 0
        if lowest < target or changes + r * r > len(log) or r < 2:
            break
        for place in range(r):
            picked[best[place]] = place + 1
        first = changes
        for place in range(r):
            i = best[place]
            for other in range(r - 1):
                j = partners[i, other]
                mutual = False
                if picked[j] > 0:
                    for back in range(r - 1):
                        mutual = mutual or partners[j, back] == i
                if not mutual:
                    log[changes, 0] = i
                    log[changes, 1] = j
                    changes += 1
        by = 0
        if changes > first:
            by = int(step * (bound - target + 1) / (changes - first))
        if by > 0:
            for entry in range(first, changes):
                i = log[entry, 0]
                j = log[entry, 1]
                log[entry, 2] = 0
                if split[i, j] + by > largest_part or split[j, i] - by < -largest_part:
                    continue
                log[entry, 2] = by
                split[i, j] += by
                if picked[j] > 0:
                    split[j, i] -= by
                else:
                    lower_cost(split, j, i, by, r - 1, partners, value)
            for place in range(r):
                set_value(split, linear, best[place], m, r, partners, value)
        else:
            changes = first
        for place in range(r):
            picked[best[place]] = 0
        if by == 0:
            break
    if changes > 0:
        for entry in range(changes - 1, -1, -1):
            split[log[entry, 0], log[entry, 1]] -= log[entry, 2]
            split[log[entry, 1], log[entry, 0]] += log[entry, 2]
        for i in range(m):
            set_value(split, linear, i, m, r, partners, value)
        choose_best(value, m, r, best, ids, part, room)
    return lowest, step


@compiled
def forbid_pairs(
    split: NDArray[np.int64],
    m: int,
    r: int,
    base: int,
    target: int,
    partners: NDArray[np.int64],
    value: NDArray[np.int64],
    order: NDArray[np.int64],
) -> bool:
    """Forbid the pairs whose sets cannot reach the target; return whether there were any.

    With i and j both in the set, the value of i falls by what j costs it more than its dearest partner, and
    that of j likewise; the other r − 2 features are worth at most the r − 2 largest other values.
    `order` lists the features by decreasing value.
    """
    found = False
    sums = np.zeros(r + 1, np.int64)
    for place in range(r):
        sums[place + 1] = sums[place] + value[order[place]]
    dearest = np.zeros(m, np.int64)
    for i in range(m):
        for other in range(r - 1):
            dearest[i] = max(dearest[i] if other else IMPOSSIBLE, split[i, partners[i, other]])
    for a in range(m):
        i = order[a]
        for b in range(a + 1, m):
            j = order[b]
            if split[i, j] == FORBIDDEN:
                continue
            if a >= r - 2:
                others = sums[r - 2]
            elif b >= r - 1:
                others = sums[r - 1] - value[i]
            else:
                others = sums[r] - value[i] - value[j]
            pair = value[i] + value[j]
            pair -= max(0, split[i, j] - dearest[i]) + max(0, split[j, i] - dearest[j])
            if base + others + pair < target:
                split[i, j] = FORBIDDEN
                split[j, i] = FORBIDDEN
                found = True
    return found


@compiled
def tighten(
    split: NDArray[np.int64],
    linear: NDArray[np.int64],
    ids: NDArray[np.int64],
    part: NDArray[np.int64],
    room: NDArray[np.int64],
    m: int,
    r: int,
    base: int,
    target: int,
    rounds: int,
    iterations: int,
    step: float,
    largest_part: int,
    partners: NDArray[np.int64],
    value: NDArray[np.int64],
    best: NDArray[np.int64],
    picked: NDArray[np.int8],
    log: NDArray[np.int64],
    order: NDArray[np.int64],
) -> tuple[int, int, float]:
    """Improve the split and drop features and pairs that no set reaching the target contains, in rounds.

    A feature is dropped if its value and the r − 1 best others are below the target. What is left is moved
    to the front of the arrays. `order` is left as the features by decreasing value.

    Returns
    -------
    m, bound, step : features left (0 if no set reaches the target), bound on the sets that do, step length
    """
    bound = FORBIDDEN
    for _ in range(rounds):
        bound, step = improve_split(
            split, linear, ids, part, room, m, r, base, target, iterations, step, largest_part, partners,
            value, best, picked, log,
        )  # fmt: skip
        if bound < target:
            return 0, bound, step
        kept = 0
        replaced = replaced_values(value, m, r, best, ids, part, room)
        for i in range(m):
            if value[i] != IMPOSSIBLE and bound - replaced[i] + value[i] >= target:
                order[kept] = i
                kept += 1
        if kept < r:
            return 0, bound, step
        shrunk = kept < m
        if shrunk:
            for a in range(kept):
                ids[a] = ids[order[a]]
                linear[a] = linear[order[a]]
                for b in range(kept):
                    split[a, b] = split[order[a], order[b]]
            m = int(kept)
            for i in range(m):
                set_value(split, linear, i, m, r, partners, value)
            bound = min(bound, base + choose_best(value, m, r, best, ids, part, room))
            if bound < target:
                return 0, bound, step
        rank(value, m, m, order)
        if r > 2 and value[order[m - 1]] != IMPOSSIBLE:
            shrunk |= forbid_pairs(split, m, r, base, target, partners, value, order)
        if not shrunk:
            break
    return m, bound, step
